"""How it looks, by eye once and by comparison ever after."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentsup.store import trust_review as trust_review_of_store
from agentsup.ui import themes, trust_hands
from agentsup.ui.trust_reader import Reader
from tests.ui.fake_host import FakeHost
from tests.ui.looking import interface, pressing, until
from tests.ui.scenes import SCENES
from tests.ui.trust_scenes import FIRST_USE, FULL

SnapCompare = Callable[..., bool]

STATES = (
    "confirmed", "fresh", "estimate", "at-least", "stale", "unknown", "wrong", "waiting", "compacting", "log-trouble",
)  # fmt: skip


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (180, 50), (60, 12)], ids=lambda s: f"{s[0]}x{s[1]}")
@pytest.mark.parametrize("scene", ["working", "noticed", "exited"])
def test_window(snap_compare: SnapCompare, tmp_path: Path, scene: str, size: tuple[int, int]) -> None:
    assert _looks(snap_compare, tmp_path, scene, size)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda s: f"{s[0]}x{s[1]}")
@pytest.mark.parametrize("scene", STATES)
def test_states(snap_compare: SnapCompare, tmp_path: Path, scene: str, size: tuple[int, int]) -> None:
    assert _looks(snap_compare, tmp_path, scene, size)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (180, 50)], ids=lambda s: f"{s[0]}x{s[1]}")
@pytest.mark.parametrize("scene", ["noticed", "log-trouble"])
def test_chinese(snap_compare: SnapCompare, tmp_path: Path, scene: str, size: tuple[int, int]) -> None:
    assert _looks(snap_compare, tmp_path, scene, size, language="zh-CN")


@pytest.mark.parametrize(
    "keys",
    ["leader", "leader r", "leader s", "leader ?", "leader p"],
    ids=["menu", "restart", "stop", "keys", "panels"],
)
def test_menu(snap_compare: SnapCompare, tmp_path: Path, keys: str) -> None:
    assert _looks(snap_compare, tmp_path, "working", (80, 24), keys=keys)


@pytest.mark.parametrize(
    ("keys", "size", "language"),
    [
        ("", (80, 24), "en"),
        ("right tab right", (120, 40), "en"),
        ("tab tab right", (80, 24), "en"),
        ("shift+tab", (40, 12), "en"),
        ("right", (80, 24), "zh-CN"),
        ("tab", (40, 12), "zh-CN"),
    ],
    ids=["run", "rules", "texts", "others-small", "run-zh", "rules-zh-small"],
)
def test_review(
    snap_compare: SnapCompare,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    keys: str,
    size: tuple[int, int],
    language: str,
) -> None:
    monkeypatch.setattr(trust_review_of_store, "review", lambda root: FULL)
    for pause in ("PAUSE", "PROSE"):
        monkeypatch.setattr(trust_hands, pause, 0.0)
    with FakeHost(tmp_path / "s", FIRST_USE) as host:

        async def press(pilot: Pilot[object]) -> None:
            await until(pilot, lambda: any(reader.position[1] for reader in pilot.app.screen.query(Reader)))
            await pilot.pause()
            await pilot.press(*keys.split())
            await pilot.pause()

        assert snap_compare(interface(host, language=language), terminal_size=size, run_before=press)


def test_light(snap_compare: SnapCompare, tmp_path: Path) -> None:
    assert _looks(snap_compare, tmp_path, "working", (120, 40), theme="agentsup-light")


def test_no_colour(snap_compare: SnapCompare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert _looks(snap_compare, tmp_path, "working", (80, 24))


def test_the_themes_are_found() -> None:
    assert {"agentsup-dark", "agentsup-light"} <= themes.load().keys()


def _looks(
    snap_compare: SnapCompare,
    folder: Path,
    scene: str,
    size: tuple[int, int],
    *,
    keys: str = "",
    language: str = "en",
    theme: str = themes.AUTO,
) -> bool:
    with FakeHost(folder / "s", SCENES[scene]) as host:
        app = interface(host, language=language, theme=theme)
        return snap_compare(app, terminal_size=size, run_before=pressing(keys, host))
