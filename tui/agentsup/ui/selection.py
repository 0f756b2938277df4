"""What a person selects with the mouse: cells, words or lines, in the scrollback as on the screen.

Pure: places and lines in, a selection and its text out. Places are line numbers, so they stay on their text
while new output moves it up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from textual.strip import Strip

from agentsup.ui.lines import Line, LineSource, cluster_at, clusters, text_between

DOUBLE_CLICK = 0.4
"""Seconds within which another click on the same cell makes a word, then a line, of it."""

_BORDERS = frozenset(" \t'\"`│|;,()[]{}<>\u00a0\u3000，。；：、（）「」《》")
"""What ends a word. Not / . : - _ ~ @ =, which stand in paths, addresses and options."""

_MOST_ROWS = 500
"""Rows followed up and down for a word or a line that wraps."""

_UNKNOWN = Line(Strip([], 0))


class Place(NamedTuple):
    """A cell, by the number of its line and its column."""

    line: int
    column: int


@dataclass(frozen=True)
class Selection:
    """From `start` to before `end`, in reading order."""

    start: Place
    end: Place

    def columns(self, line: int, width: int) -> tuple[int, int]:
        """Return which columns of a line are selected: from, to before."""
        if not self.start.line <= line <= self.end.line:
            return 0, 0
        first = self.start.column if line == self.start.line else 0
        return first, self.end.column if line == self.end.line else width


def selected_text(selection: Selection, lines: LineSource) -> str:
    """Return the text: wrapped lines whole, the others without blanks at their end, a newline between them."""
    text = ""
    for number in range(selection.start.line, selection.end.line + 1):
        line = lines(number) or _UNKNOWN
        first, end = selection.columns(number, line.strip.cell_length)
        piece = text_between(line.strip.text, first, end)
        last = number == selection.end.line
        if line.wrapped and not last:
            text += _without_filler(piece, lines(number + 1))
        else:
            text += piece if last and end < line.strip.cell_length and not line.wrapped else piece.rstrip()
            text += "" if last else "\n"
    return text


class Pointer:
    """Presses, drags and releases, made into a selection."""

    def __init__(self, lines: LineSource) -> None:
        self._lines = lines
        self._anchor: Place | None = None
        self._pressed = (Place(-1, -1), 0.0)
        self._clicks = 0

    @property
    def dragging(self) -> bool:
        """Whether a selection is being made."""
        return self._anchor is not None

    def press(self, place: Place, time: float) -> Selection | None:
        """Begin one; the second and third click on a cell select at once."""
        last, when = self._pressed
        again = place == last and time - when <= DOUBLE_CLICK
        self._clicks = self._clicks % 3 + 1 if again else 1
        self._pressed = place, time
        self._anchor = place
        return self.drag(place)

    def drag(self, place: Place) -> Selection | None:
        """Go on to a place; None while nothing is selected: a click alone selects nothing."""
        if self._anchor is None or (self._clicks == 1 and place == self._anchor):
            return None
        spans = [self._span(self._anchor), self._span(place)]
        return Selection(min(span.start for span in spans), max(span.end for span in spans))

    def release(self) -> None:
        """End it."""
        self._anchor = None

    def _span(self, place: Place) -> Selection:
        number, column = place
        if self._clicks == 3:
            return self._whole_line(number)
        line = self._lines(number) or _UNKNOWN
        if self._clicks == 2:
            return self._word(place, line)
        under = cluster_at(line.strip.text, column)
        return Selection(Place(number, under.start), Place(number, under.end))

    def _whole_line(self, number: int) -> Selection:
        first = last = number
        while number - first < _MOST_ROWS and (self._lines(first - 1) or _UNKNOWN).wrapped:
            first -= 1
        while last - number < _MOST_ROWS and (self._lines(last) or _UNKNOWN).wrapped:
            last += 1
        return Selection(Place(first, 0), Place(last, (self._lines(last) or _UNKNOWN).strip.cell_length))

    def _word(self, place: Place, line: Line) -> Selection:
        under = cluster_at(line.strip.text, place.column)
        start, end = Place(place.line, under.start), Place(place.line, under.end)
        if under.text in _BORDERS:
            return Selection(start, end)
        start, end = _grown(line, start, end)
        for _ in range(_MOST_ROWS):
            above = self._lines(start.line - 1)
            if start.column or above is None or not above.wrapped or _last(above) in _BORDERS:
                break
            start = _grown(above, Place(start.line - 1, above.strip.cell_length), end)[0]
        for _ in range(_MOST_ROWS):
            here, below = self._lines(end.line), self._lines(end.line + 1)
            if here is None or not here.wrapped or end.column < here.strip.cell_length or below is None:
                break
            end = _grown(below, start, Place(end.line + 1, 0))[1]
            if end.column == 0:
                break
        return Selection(start, end)


def _grown(line: Line, start: Place, end: Place) -> tuple[Place, Place]:
    """Move both ends of a word out to its borders in one row."""
    found = list(clusters(line.strip.text))
    first, behind = start.column, end.column
    for cluster in reversed([each for each in found if each.end <= start.column]):
        if cluster.text in _BORDERS:
            break
        first = cluster.start
    for cluster in (each for each in found if each.start >= end.column):
        if cluster.text in _BORDERS:
            break
        behind = cluster.end
    return start._replace(column=first), end._replace(column=behind)


def _last(line: Line) -> str:
    return line.strip.text[-1:] or " "


def _without_filler(piece: str, below: Line | None) -> str:
    """Drop the blank a terminal leaves at a row's end where the next character, a wide one, did not fit."""
    text = below.strip.text if below is not None else ""
    under = cluster_at(text, 0)
    return piece[:-1] if piece.endswith(" ") and under.end - under.start == 2 else piece
