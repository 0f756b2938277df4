"""F1, F2 and F3 are ours where they are on and the agent has no use for them; all others stay the agent's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentsup.ui.function_keys import ALL, hint, match, taken
from tests.ui.fake_host import FakeHost
from tests.ui.outer import Outer
from tests.ui.scenes import SCENES

CURSOR = b"\x1b[2 q\x1b[?25h"


@pytest.mark.parametrize(
    ("sequence", "found"),
    [
        (b"\x1bOP", ("keys", "press")),
        (b"\x1b[11~", ("keys", "press")),
        (b"\x1b[P", ("keys", "press")),
        (b"\x1b[1;1:1P", ("keys", "press")),
        (b"\x1b[1;129P", ("keys", "press")),
        (b"\x1b[1;1:2P", ("keys", "repeat")),
        (b"\x1b[1;1:3P", ("keys", "release")),
        (b"\x1bOR", ("panels", "press")),
        (b"\x1b[13~", ("panels", "press")),
        (b"\x1b[13;65~", ("panels", "press")),
        (b"\x1b[13;1:3~", ("panels", "release")),
        (b"\x1bOQ", ("engram", "press")),
        (b"\x1b[12~", ("engram", "press")),
        (b"\x1b[Q", ("engram", "press")),
        (b"\x1b[1;1:3Q", ("engram", "release")),
        (b"\x1b[1;2P", None),
        (b"\x1b[1;2Q", None),
        (b"\x1b[12;3~", None),
        (b"\x1b[13;5~", None),
        (b"\x1bOS", None),
        (b"\x1b[19~", None),
        (b"\x1b[A", None),
    ],
)
def test_forms(sequence: bytes, found: tuple[str, str] | None) -> None:
    assert match(sequence, ALL) == found
    assert match(sequence, frozenset()) is None


def test_a_key_that_the_agent_uses_stays_the_agents() -> None:
    agents = {name: replace(SCENES["working"], agent=replace(SCENES["working"].agent, name=name)) for name in
              ("codex", "opencode", "claude", "demo", "htop")}  # fmt: skip
    assert taken("auto", agents["codex"]) == taken("auto", agents["opencode"]) == {"F1", "F3"}
    assert taken("auto", agents["claude"]) == taken("auto", agents["demo"]) == ALL
    assert taken("auto", agents["htop"]) == taken("auto", None) == taken("off", agents["claude"]) == frozenset()
    assert taken("on", agents["codex"]) == taken("on", agents["htop"]) == ALL
    assert match(b"\x1bOQ", taken("auto", agents["codex"])) is None


def test_a_panel_names_the_key_that_works() -> None:
    assert hint("engram", ALL, "Ctrl+\\") == "F2"
    assert hint("engram", frozenset({"F1", "F3"}), "Ctrl+\\") == "Ctrl+\\ e"
    assert hint("", ALL, "Ctrl+\\") == ""


def test_codex_has_no_use_for_the_others() -> None:
    screens = Path(__file__).parents[1] / "data" / "codex" / "screens"
    shown = " ".join((screens / f"shortcuts.{size}.txt").read_text().lower() for size in ("100x30", "60x20"))
    assert "f8" in shown
    assert not any(f"{key}\x1b" in shown or f"{key} " in shown for key in ("f1", "f3"))


def test_they_do_what_the_menu_does(tmp_path: Path) -> None:
    with FakeHost(tmp_path / "s", SCENES["working"]) as host, Outer(host.path) as outer:
        at = outer.wait_until_ready()
        outer.type(b"a\x1bOP")
        at = outer.wait_for(b"All keys go to the agent", after=at)
        outer.type(b"x")  # closes the list
        at = outer.wait_for(CURSOR, after=at)
        rows = host.size[1]
        outer.type(b"\x1bOR")
        host.wait(lambda: host.size[1] > rows)
        outer.type(b"\x1bORb\x1bOQ\x1bOS\x1b[19~\x1b[1;2P")
        host.wait(lambda: host.size[1] == rows)
        host.wait(lambda: host.keys == b"ab\x1bOQ\x1bOS\x1b[19~\x1b[1;2P")


def test_a_command_keeps_them(tmp_path: Path) -> None:
    scene = SCENES["working"]
    session = replace(scene, agent=replace(scene.agent, name="htop"))
    with FakeHost(tmp_path / "s", session) as host, Outer(host.path) as outer:
        outer.wait_until_ready()
        outer.type(b"\x1bOP\x1bOR")
        host.wait(lambda: host.keys == b"\x1bOP\x1bOR")
