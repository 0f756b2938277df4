"""`agentsup engram set` by a person, beside a running session: its agent is told, and a restore that waited goes."""

from __future__ import annotations

import subprocess

from tests.end_to_end.place import DEADLINE
from tests.end_to_end.test_inject import ENGRAM, Scene, scene

__all__ = ["scene"]

NEW = ENGRAM.replace("No regexes: slow", "Never touch main.py: another owns it")


def set_engram(scene: Scene) -> None:
    """Write the new engram, as a person does."""
    done = subprocess.run(
        [*scene.place.program, "engram", "set"], env=scene.place.env, cwd=scene.place.work, text=True, input=NEW,
        capture_output=True, timeout=2 * DEADLINE, check=True,
    )  # fmt: skip
    assert "could not be told" not in done.stderr


def test_the_agent_is_told_of_what_a_person_has_set(scene: Scene) -> None:
    terminal = scene.open()
    terminal.type("hello")
    terminal.key("Enter")
    scene.wait_status(lambda _: len(scene.said()) == 1, "a conversation")
    set_engram(scene)
    scene.wait_status(lambda _: len(scene.said()) == 2, "it is told")
    assert "was corrected by hand" in scene.said()[1]
    assert NEW.strip() in scene.said()[1]


def test_a_restore_that_waits_for_an_engram_goes_with_it(scene: Scene) -> None:
    scene.place.env["AGENTSUP_MEMORY_GATE"] = "on"
    terminal = scene.open()
    terminal.type("compact")
    terminal.key("Enter")
    scene.wait_status(lambda s: (s["injection"] or {}).get("reason") == "injection.gate", "it waits")
    set_engram(scene)
    scene.wait_status(lambda s: (s["injection"] or {}).get("state") == "confirmed", "it has gone")
    assert NEW.strip() in scene.said()[1]
    assert len(scene.said()) == 2
