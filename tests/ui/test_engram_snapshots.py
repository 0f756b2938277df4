"""How the editor of the engram looks, by eye once and by comparison ever after."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from agentsup.ui import engram_conflict, engram_judge, engram_versions, engram_view
from agentsup.ui.engram_conflict import EngramConflict
from agentsup.ui.engram_desk import ENGRAM
from agentsup.ui.engram_editor import EngramEditor
from agentsup.ui.engram_versions import EngramVersionList
from tests.ui.engram_scenes import CHINESE, GOOD, HOSTILE, VAGUE, project
from tests.ui.fake_host import FakeHost
from tests.ui.looking import interface, pressing, until

SnapCompare = Callable[..., bool]

TEXTS = {"vague": VAGUE, "chinese": CHINESE, "hostile": HOSTILE, "good": GOOD}

SCREENS = {"save": EngramEditor, "conflict": EngramConflict, "versions": EngramVersionList}
"""What the last key leads to, where that takes its time."""


@pytest.mark.parametrize(
    ("text", "keys", "size", "language"),
    [
        ("vague", "x ctrl+l ctrl+t", (80, 24), "en"),
        ("vague", "x escape", (120, 40), "en"),
        ("good", "x ctrl+g save", (80, 24), "en"),
        ("hostile", "", (80, 24), "en"),
        ("chinese", "", (80, 24), "zh-CN"),
        ("chinese", "", (40, 12), "zh-CN"),
        ("vague", "x conflict", (80, 24), "en"),
        ("chinese", "x conflict", (120, 40), "zh-CN"),
        ("vague", "versions down", (80, 24), "en"),
    ],
    ids=["tags", "leaving-wide", "saved", "hostile", "zh", "zh-small", "conflict", "conflict-zh-wide", "versions"],
)
def test_editor(
    snap_compare: SnapCompare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    text: str, keys: str, size: tuple[int, int], language: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for module in (engram_view, engram_versions):
        monkeypatch.setattr(module, "when", lambda _: "12:34")
    monkeypatch.setattr(engram_conflict, "SETTLE", 0.0)
    monkeypatch.setattr(engram_judge, "PAUSE", 0.02)
    session = project(tmp_path, TEXTS[text])
    with FakeHost(tmp_path / "s", session) as host:

        async def press(pilot: Pilot[object]) -> None:
            await pressing("leader e", host)(pilot)
            await until(pilot, lambda: _said(pilot, "found"))
            for key in keys.split():
                if key == "conflict":
                    (Path(session.project) / ENGRAM).write_text(GOOD)
                await pilot.press({"save": "ctrl+s", "conflict": "ctrl+s", "versions": "ctrl+r"}.get(key, key))
                if screen := SCREENS.get(key):
                    await until(pilot, lambda screen=screen: isinstance(pilot.app.screen, screen))  # type: ignore[misc]
                if key == "save":
                    await until(pilot, lambda: _said(pilot, "said").startswith("Saved."))
            await until(pilot, lambda: _is_judged(pilot))
            await pilot.pause()

        assert snap_compare(interface(host, language=language), terminal_size=size, run_before=press)


def _said(pilot: Pilot[object], part: str) -> str:
    return "".join(str(each.content) for each in pilot.app.screen.query(f"#editor-{part}").results(Static))


def _is_judged(pilot: Pilot[object]) -> bool:
    editors = [screen for screen in pilot.app.screen_stack if isinstance(screen, EngramEditor)]
    return all(editor.is_judged for editor in editors)
