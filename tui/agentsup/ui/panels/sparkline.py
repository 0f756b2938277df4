"""The session's readings as columns: a sawtooth whose drops are the compactions."""

from __future__ import annotations

from textual.content import Content

from agentsup.core.session import Session
from agentsup.ui.panels.gauge_bar import shown_colour

LEVELS = " ▁▂▃▄▅▆▇█"
LIMIT = "┈"
"""Where the agent compacts by itself."""

_STEPS = len(LEVELS) - 1
_ROWS_FOR_LIMIT = 3
"""Fewer rows are too coarse to tell the agent's limit from the window's end."""


def sparkline(session: Session, width: int, rows: int) -> list[Content]:
    """Return the last readings, oldest left, `rows` high: against the window, or the highest one without a window."""
    readings = [max(0, reading) for reading in session.usage[-width:]]
    if len(readings) < 2 or rows < 1:
        return []
    window = max(0, session.context.window or 0)
    top = max(window, *readings) or 1
    # A reading is never nothing: the smallest is a column of one step.
    heights = [max(1, round(reading / top * rows * _STEPS)) if reading else 0 for reading in readings]
    # Only the newest has the bar's colour: a full context of an hour ago warns nobody.
    styles = ["$quiet"] * (len(readings) - 1) + [shown_colour(session.context)]
    limit = _limit_row(session, top, rows)
    return [_row(heights, styles, row, width if row == limit else 0) for row in reversed(range(rows))]


def _limit_row(session: Session, top: int, rows: int) -> int | None:
    limit = session.context.compacts_at
    if limit is None or rows < _ROWS_FOR_LIMIT or not 0 < limit <= top:
        return None
    return min(rows - 1, int(limit / top * rows))


def _row(heights: list[int], styles: list[str], row: int, limit_columns: int) -> Content:
    """Return one row, 0 the lowest; free cells of the row of the limit hold its line."""
    cells = []
    for height, style in zip(heights, styles, strict=True):
        level = min(_STEPS, max(0, height - _STEPS * row))
        free = not level and limit_columns
        cells.append(Content.styled(LIMIT, "$rule") if free else Content.styled(LEVELS[level], style))
    return Content.assemble(*cells, (LIMIT * (limit_columns - len(cells)), "$rule"))
