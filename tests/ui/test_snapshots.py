"""How it looks, by eye once and by comparison ever after."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentsup.ui import themes
from tests.ui.fake_host import FakeHost
from tests.ui.looking import interface, pressing
from tests.ui.scenes import SCENES

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
