"""Record what the real Claude Code shows in each situation that matters for typing into it.

    python -m tests.real_agents.record_claude_screens [SCENE ...]

writes `tests/data/claude/screens/SCENE.COLUMNSxROWS.txt` (rows with SGR sequences, as printed by
`tmux capture-pane -p -e`: attributes last across row ends), with `_classic` after the scene's name for the
classic renderer, and `index.json`: cursor, title, what was done, what Claude Code said of itself, and what
is true of the composer. `proved` says that the composer was sent afterwards, and what arrived was just that.
Run it again for a new version of Claude Code.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.real_agents.claude import build_claude_home
from tests.real_agents.claude_acts import Scene, Stage
from tests.real_agents.claude_scenes import SCENES
from tests.real_agents.npm import CLAUDE, installed
from tests.servers.messages import Turn
from tests.servers.messages_server import SUMMARY, MessagesServer
from tests.servers.pace import Gate

SCREENS = Path(__file__).parents[1] / "data" / "claude" / "screens"

WORKSPACE = Path("/tmp/agentsup-claude")
"""Always the same folder, so that the recorded paths do not change from one recording to the next."""

SIZES = ((80, 24), (120, 40))

PASTE_TAG = re.compile(r"</?pasted_content[^>]*>")
"""What Claude Code puts around a long paste."""

PROBE = "probe of the composer"


def perform(scene: Scene, size: tuple[int, int], program: Path) -> dict[str, Any]:
    """Play one scene at one size, store the screen, return its entry for the index."""
    shutil.rmtree(WORKSPACE, ignore_errors=True)
    gate = Gate()
    suggestion = Turn("run the tests")
    with MessagesServer(scene.script(gate), compaction=Turn(SUMMARY, hold=gate), side=suggestion) as model:
        home = build_claude_home(WORKSPACE, program, model, scene.settings)
        terminal = home.start(*scene.arguments, size=size)
        stage = Stage(home, model, terminal, gate)
        try:
            if scene.starts_idle:
                stage.wait_idle()
                terminal.wait_still(0.4)
            scene.act(stage)
            stage.wait_status(scene.status)
            if scene.settles:
                terminal.wait_still(0.6)
            name = f"{scene.name}.{size[0]}x{size[1]}"
            (SCREENS / f"{name}.txt").write_text(terminal.screen_styled())
            entry = {
                "note": scene.note,
                "cursor": list(terminal.cursor()),
                "title": terminal.title,
                "status": scene.status,
                "waiting_for": stage.live.get("waitingFor"),
                "composer": scene.composer,
                "text": scene.text,
            }
            is_provable = scene.proof and scene.status == "idle" and scene.composer != "unknown"
            if is_provable:
                _prove(scene, stage)
            return {name: entry | {"proved": is_provable}}
        finally:
            terminal.kill()


def _prove(scene: Scene, stage: Stage) -> None:
    """Send what the composer is said to hold, and a word more when that is nothing; it must arrive as it is."""
    stage.gate.release()
    before = len(stage.model.requests("turn"))
    if scene.composer == "empty":
        stage.terminal.paste(PROBE)
    wanted = scene.text or PROBE
    stage.terminal.wait_still(0.3)
    stage.terminal.key("Enter")
    request = stage.model.wait_for_count("turn", before + 1, 10.0)
    found, expected = _lines(request.last_user_text()), _lines(wanted)
    if found[-len(expected) :] != expected:  # before it may stand what Claude Code itself reports
        raise AssertionError(f"the composer held {found!r}, not {expected!r}")
    if request.session_id != stage.live["sessionId"]:
        raise AssertionError("what was typed went to another session")


def _lines(text: str) -> list[str]:
    return [line.strip() for line in PASTE_TAG.sub("\n", text).splitlines() if line.strip()]


def main(wanted: list[str]) -> None:
    """Record the named scenes, by default all."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    index_file = SCREENS / "index.json"
    index = json.loads(index_file.read_text()) if index_file.exists() else {}
    program = installed(CLAUDE)
    failed = []
    for scene in _variants():
        if wanted and scene.name.removesuffix("_classic") not in wanted:
            continue
        for size in SIZES:
            try:
                index |= perform(scene, size, program)
            except AssertionError as error:
                failed.append(f"{scene.name} {size}: {error}")
            index_file.write_text(json.dumps(index, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    print("\n".join(failed) or "all recorded")


def _variants() -> list[Scene]:
    """Return all scenes, each as often as it is recorded."""
    found = []
    for scene in SCENES:
        found.append(scene)
        if scene.classic:
            settings = replace(scene.settings, renderer="classic")
            found.append(replace(scene, name=f"{scene.name}_classic", settings=settings))
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
