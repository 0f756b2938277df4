"""The gauge's bar: the share of the window in use, with all the limits it runs towards."""

from __future__ import annotations

from textual.content import Content

from agentsup.core.catalogue import Catalogue
from agentsup.core.figures import percent, share
from agentsup.core.meter import Context

THRESHOLDS: tuple[tuple[float, str], ...] = ((0.85, "85"), (0.80, "80"), (0.70, "70"))
"""From which share of the window on the gauge changes its colour."""

FULL, HALF, FREE = "━", "╸", "─"
FULL_TICK, HALF_TICK, FREE_TICK = "┿", "┽", "┼"
STALE = "╍"
LIMIT = "┃"
"""Where the agent compacts by itself."""

_ROOM_FOR_TICKS = 8
_LABEL = 5
"""Cells of a percentage without a mark: the bar keeps its length while the figure grows."""


def colour(fraction: float | None) -> str:
    """Return the theme variable for a share of the window."""
    if fraction is None:
        return "$quiet"
    return next((f"$gauge-{name}" for limit, name in THRESHOLDS if fraction >= limit), "$gauge-calm")


def shown_colour(context: Context) -> str:
    """Return the theme variable for what is known of a context; a stale share warns of nothing."""
    if context.window_wrong:
        return "$warning"
    return colour(None if context.source == "stale" else share(context))


def bar_line(context: Context, catalogue: Catalogue, width: int) -> Content:
    """Return the bar and the percentage; an unknown share is an empty bar, never a guess."""
    label = catalogue.text("gauge.window_wrong") if context.window_wrong else percent(context).rjust(_LABEL)
    words = Content.styled(label, f"bold {shown_colour(context)}")
    room = width - words.cell_length - 1
    if room < 1:
        return words.truncate(width, ellipsis=True)
    return Content.assemble(*_cells(context, room), " ", words)


def _cells(context: Context, room: int) -> list[Content]:
    """Return the bar, cell by cell."""
    fraction = share(context)
    full, half = divmod(0 if fraction is None else round(fraction * room * 2), 2)
    style = shown_colour(context)
    drawn = STALE if context.source == "stale" else FULL
    cells = [Content.styled(drawn, style)] * full
    cells += [Content.styled(STALE if drawn == STALE else HALF, style)] * half
    cells += [Content.styled(FREE, "$rule")] * (room - len(cells))
    if room < _ROOM_FOR_TICKS or context.window_wrong:
        return cells
    for limit, name in reversed(THRESHOLDS):
        place = int(limit * room)
        tick = FULL_TICK if place < full else HALF_TICK if place < full + half else FREE_TICK
        cells[place] = Content.styled(tick, f"$gauge-{name}")
    if context.compacts_at is not None and context.window and 0 < context.compacts_at <= context.window:
        cells[min(room - 1, int(context.compacts_at / context.window * room))] = Content.styled(LIMIT, "$accent")
    return cells
