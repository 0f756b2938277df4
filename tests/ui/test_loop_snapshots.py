"""How the choices about the loop look, by eye once and by comparison ever after."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ui.fake_host import FakeHost
from tests.ui.looking import interface, pressing
from tests.ui.loop_scenes import SCENES

SnapCompare = Callable[..., bool]


@pytest.mark.parametrize(
    ("scene", "keys", "size", "language"),
    [
        ("draft", "leader", (80, 24), "en"),
        ("draft", "leader", (80, 24), "zh-CN"),
        ("gated", "leader", (80, 24), "en"),
        ("storm", "leader", (80, 24), "zh-CN"),
        ("storm", "", (80, 24), "en"),
        ("failed", "", (80, 24), "en"),
        ("failed", "", (80, 24), "zh-CN"),
        ("by-hook", "", (80, 24), "en"),
        ("by-hook", "leader", (120, 40), "en"),
        ("wrong", "", (120, 40), "en"),
        ("wrong", "leader c", (80, 24), "en"),
        ("wrong", "leader c", (120, 40), "zh-CN"),
        ("long", "leader c pagedown", (80, 24), "zh-CN"),
        ("long", "leader c pagedown", (40, 12), "en"),
        ("right", "leader c", (180, 50), "en"),
    ],
    ids=lambda value: value.replace(" ", "-") or "none" if isinstance(value, str) else f"{value[0]}x{value[1]}",
)
def test_loop(
    snap_compare: SnapCompare, tmp_path: Path, scene: str, keys: str, size: tuple[int, int], language: str
) -> None:
    with FakeHost(tmp_path / "s", SCENES[scene]) as host:
        app = interface(host, language=language)
        assert snap_compare(app, terminal_size=size, run_before=pressing(keys, host))
