"""Record what the real Codex shows in each situation that matters for typing into it.

    python -m tests.real_agents.record_codex_screens [SCENE ...]

writes `tests/data/codex/screens/SCENE.COLUMNSxROWS.txt` (rows with SGR sequences, as printed by
`tmux capture-pane -p -e`: attributes last across row ends) and `index.json` (cursor, title, what was
done). Run it again for a new version of Codex.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from tests.real_agents.codex import EMPTY_HINT, build_home
from tests.real_agents.codex_scenes import SCENES, Scene, Stage
from tests.real_agents.npm import CODEX, installed
from tests.servers.model_server import ModelServer
from tests.servers.responses import Gate, Turn

SCREENS = Path(__file__).parents[1] / "data" / "codex" / "screens"

WORKSPACE = Path("/tmp/agentsup-screens")
"""Always the same folder, so that the recorded paths do not change from one recording to the next."""

SIZES = ((100, 30), (60, 20))


def perform(scene: Scene, size: tuple[int, int], program: Path) -> dict[str, Any]:
    """Play one scene at one size, store the screen, return its entry for the index."""
    shutil.rmtree(WORKSPACE, ignore_errors=True)
    gate = Gate()
    compaction = Turn("SUMMARY: read calc.py.", hold=gate)
    with ModelServer(scene.script(gate), compaction=compaction, title="Explain calc") as model:
        home = build_home(WORKSPACE, program, model, scene.settings)
        terminal = home.start(size=size)
        try:
            if scene.starts_idle:
                terminal.wait_for(EMPTY_HINT)
                terminal.wait_still(0.3)
            scene.act(Stage(model, terminal, gate))
            if scene.settles:
                terminal.wait_still(0.5)
            name = f"{scene.name}.{size[0]}x{size[1]}"
            (SCREENS / f"{name}.txt").write_text(terminal.screen_styled())
            cursor = terminal.cursor()
            return {name: {"note": scene.note, "cursor": list(cursor), "title": terminal.title}}
        finally:
            terminal.kill()


def main(wanted: list[str]) -> None:
    """Record the named scenes, by default all."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    index_file = SCREENS / "index.json"
    index = json.loads(index_file.read_text()) if index_file.exists() else {}
    program = installed(CODEX)
    failed = []
    for scene in SCENES:
        if wanted and scene.name not in wanted:
            continue
        for size in SIZES:
            try:
                index |= perform(scene, size, program)
            except AssertionError as error:
                failed.append(f"{scene.name} {size}: {error}")
            index_file.write_text(json.dumps(index, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    print("\n".join(failed) or "all recorded")


if __name__ == "__main__":
    main(sys.argv[1:])
