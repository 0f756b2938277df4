"""Screens of the real agents, captured as text with colours, as `Screen` values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentsup.core.screen import Cursor, Screen
from agentsup.terminal import open_engine

DATA = Path(__file__).parent.parent / "data"


def index(agent: str = "codex") -> dict[str, Any]:
    """Return what was noted of each capture, by name and size."""
    found = json.loads((DATA / agent / "screens" / "index.json").read_text())
    assert isinstance(found, dict)
    return found


def names(agent: str = "codex") -> list[str]:
    """Return the names of all captures, without their size."""
    return sorted({key.partition(".")[0] for key in index(agent)})


def captures(name: str, agent: str = "codex") -> list[Screen]:
    """Return the captures of one situation, one for each size."""
    noted = index(agent)
    return [_screen(agent, key, noted[key]["cursor"]) for key in sorted(noted) if key.partition(".")[0] == name]


def _screen(agent: str, key: str, cursor: list[int]) -> Screen:
    columns, rows = map(int, key.partition(".")[2].split("x"))
    engine = open_engine(columns, rows)
    text = (DATA / agent / "screens" / f"{key}.txt").read_text().rstrip("\n")
    engine.feed(text.replace("\n", "\r\n").encode())
    _, lines = engine.changes()
    engine.close()
    column, row, visible = cursor
    return Screen(columns, tuple(lines[number] for number in range(rows)), Cursor(column, row, bool(visible)))
