"""Screens of the real Codex, captured as text with colours, as `Screen` values."""

from __future__ import annotations

import json
from pathlib import Path

from agentsup.core.screen import Cursor, Screen
from agentsup.terminal import open_engine

FOLDER = Path(__file__).parent.parent / "data" / "codex" / "screens"


def names() -> list[str]:
    """Return the names of all captures, without their size."""
    return sorted({name.partition(".")[0] for name in json.loads((FOLDER / "index.json").read_text())})


def captures(name: str) -> list[Screen]:
    """Return the captures of one situation, one for each size."""
    index = json.loads((FOLDER / "index.json").read_text())
    return [_screen(key, index[key]["cursor"]) for key in sorted(index) if key.partition(".")[0] == name]


def _screen(key: str, cursor: list[int]) -> Screen:
    columns, rows = map(int, key.partition(".")[2].split("x"))
    engine = open_engine(columns, rows)
    text = (FOLDER / f"{key}.txt").read_text().rstrip("\n")
    engine.feed(text.replace("\n", "\r\n").encode())
    _, lines = engine.changes()
    engine.close()
    column, row, visible = cursor
    return Screen(columns, tuple(lines[number] for number in range(rows)), Cursor(column, row, bool(visible)))
