"""Lines as they are drawn, and where on them their text stands.

Columns are cells. A cluster of characters (a family of emoji, a letter with its accents) has one place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from rich.cells import split_graphemes
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip


class Line(NamedTuple):
    """A drawn row; `wrapped` when its text goes on in the next one without a line's end between them."""

    strip: Strip
    wrapped: bool = False


LineSource = Callable[[int], Line | None]
"""Gives a line by its number, None where it is not known."""


class Cluster(NamedTuple):
    """What a reader takes for one character: its text, its first column and the one behind it."""

    text: str
    start: int
    end: int


def clusters(text: str) -> Iterator[Cluster]:
    """Yield the clusters of a line."""
    column = 0
    for start, end, cells in split_graphemes(text)[0]:
        yield Cluster(text[start:end], column, column + cells)
        column += cells


def text_between(text: str, start: int, end: int) -> str:
    """Return what stands from column `start` to before `end`; a wide character counts where it begins."""
    return "".join(cluster.text for cluster in clusters(text) if start <= cluster.start < end)


def cluster_at(text: str, column: int) -> Cluster:
    """Return the cluster that covers a column, a blank behind the line's end."""
    found = (cluster for cluster in clusters(text) if cluster.start <= column < cluster.end)
    return next(found, Cluster(" ", column, column + 1))


def reversed_between(strip: Strip, start: int, end: int) -> Strip:
    """Return the row with the cells from `start` to before `end` reversed, those that are already set upright."""
    start, end = max(0, start), min(end, strip.cell_length)
    if start >= end:
        return strip
    before, inside, after = strip.crop(0, start), strip.crop(start, end), strip.crop(end)
    return Strip([*before, *(_reversed(part) for part in inside), *after], strip.cell_length)


def _reversed(part: Segment) -> Segment:
    style = part.style or Style()
    return Segment(part.text or " ", style + Style(reverse=not style.reverse))
