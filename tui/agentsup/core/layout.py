"""Where everything stands in the window, for every size of window.

One pure function, because two processes need the same answer: the launcher starts the agent at the size
it will have, and the interface places its widgets there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Layout = Literal["auto", "agent"]
"""auto: panels where there is room; agent: the agent alone on the whole window."""

SIDE_FROM_COLUMNS = 150
STRIP_FROM_ROWS = 20
TALL_STRIP_FROM_ROWS = 30
NARROW_GAUGE, WIDE_GAUGE = 24, 30
NOTICE_ROWS = 2

NEAR = 4
"""Rows around the agent's cursor that belong to its composer or its dialog: no line of ours lies over them."""


class Area(NamedTuple):
    """A rectangle of cells."""

    column: int
    row: int
    columns: int
    rows: int


@dataclass(frozen=True)
class Arrangement:
    """The areas of one window; None where something is not shown."""

    shape: Literal["bare", "strip", "side"]
    terminal: Area
    gauge: Area | None = None
    engram: Area | None = None
    state: Area | None = None
    notice: Area | None = None
    status: Area | None = None


def agent_area(columns: int, rows: int, layout: Layout, panels_shown: bool = True) -> tuple[int, int]:
    """Return the agent's terminal's size, (columns, rows), in a window of that size."""
    area = arrange(columns, rows, layout, panels_shown=panels_shown).terminal
    return area.columns, area.rows


def arrange(
    columns: int, rows: int, layout: Layout, *, panels_shown: bool = True, notice: bool = False, waits: bool = False,
    line: int = 0,
) -> Arrangement:  # fmt: skip
    """Place everything. A notice takes its rows from the panels, never from the agent.

    `waits`: something is to be seen also where the agent is alone. The status then lies over a row of the agent's, for
    as long (`line`, see `line_row`): the agent keeps its size.
    """
    columns, rows = max(1, columns), max(1, rows)
    if layout == "agent" or rows == 1:
        over = Area(0, min(line, rows - 1), columns, 1) if layout == "agent" and waits and rows > 1 else None
        return Arrangement("bare", Area(0, 0, columns, rows), status=over)
    status = Area(0, rows - 1, columns, 1)
    rows -= 1
    if panels_shown and columns >= SIDE_FROM_COLUMNS:
        return _side(columns, rows, status, notice)
    if panels_shown and rows + 1 >= STRIP_FROM_ROWS:
        return _strip(columns, rows, status, notice)
    return Arrangement("bare", Area(0, 0, columns, rows), status=status)


def line_row(cursor: int, rows: int, now: int) -> int:
    """Return the row of a line over the agent, its first or its last: where it is `now`, unless the cursor is near."""
    now = now and rows - 1
    if abs(cursor - now) >= NEAR:
        return now
    return max(0, rows - 1) if cursor < rows // 2 else 0


def _side(columns: int, rows: int, status: Area, notice: bool) -> Arrangement:
    """A column on the right: the gauge on top, engram and STATE side by side below it."""
    width = min(84, max(48, columns - 100))
    left = columns - width
    notice_rows = min(NOTICE_ROWS + 1, rows // 3) if notice else 0
    free = rows - notice_rows
    gauge = min(free, 10 if rows >= TALL_STRIP_FROM_ROWS else 6)
    below, half = free - gauge, width // 2
    return Arrangement(
        "side",
        Area(0, 0, left, rows),
        gauge=Area(left, 0, width, gauge),
        engram=_some(Area(left, gauge, half, below)),
        state=_some(Area(left + half, gauge, width - half, below)),
        notice=_some(Area(left, free, width, notice_rows)),
        status=status,
    )


def _strip(columns: int, rows: int, status: Area, notice: bool) -> Arrangement:
    """A strip at the bottom: gauge, engram and STATE side by side."""
    height = 9 if rows + 1 >= TALL_STRIP_FROM_ROWS else 6
    top = rows - height
    panels = height - (NOTICE_ROWS if notice else 0)
    gauge = min(WIDE_GAUGE if columns >= 100 else NARROW_GAUGE, max(1, columns // 3))
    engram = (columns - gauge) // 2
    return Arrangement(
        "strip",
        Area(0, 0, columns, top),
        gauge=Area(0, top, gauge, panels),
        engram=_some(Area(gauge, top, engram, panels)),
        state=_some(Area(gauge + engram, top, columns - gauge - engram, panels)),
        notice=Area(0, top + panels, columns, NOTICE_ROWS) if notice else None,
        status=status,
    )


def _some(area: Area) -> Area | None:
    return area if area.columns > 0 and area.rows > 0 else None
