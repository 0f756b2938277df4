"""The part of the review that is read: one page at a time, with the line that the person is at.

Only the rows around that line are ever folded to the width: a page may hold megabytes of a hostile project.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from agentsup.core.catalogue import Catalogue
from agentsup.ui.trust_pages import Choice, Page, Row, label

WHEEL = 3
"""Lines for one notch of the wheel."""

_GUTTER = 3


class Place(NamedTuple):
    """A line of a page: the row, and which piece of it."""

    row: int
    piece: int


class Reader(Widget):
    """Shows a page; the line the person is at stays in the middle, except at the page's ends."""

    ALLOW_SELECT = False

    class Moved(Message):
        """The person is at another line, or the lines are others."""

    def __init__(self, catalogue: Catalogue, *, id: str) -> None:
        super().__init__(id=id)
        self._catalogue = catalogue
        self._page: Page | None = None
        self._rows: tuple[Row, ...] = ()
        self._chosen: frozenset[Choice] = frozenset()
        self._at = Place(0, 0)

    def show(self, page: Page, chosen: frozenset[Choice]) -> None:
        """Show a page from its beginning, or the one that is shown with other choices."""
        if page is not self._page:
            self._page, self._rows, self._at = page, page.rows, Place(0, 0)
        self._chosen = chosen
        self._moved()

    @property
    def choice(self) -> Choice | None:
        """What the person is at; None where there is nothing to choose."""
        return self._rows[self._at.row].choice if self._rows else None

    @property
    def position(self) -> tuple[int, int]:
        """The row the person is at, from 1, and how many there are."""
        return (self._at.row + 1 if self._rows else 0), len(self._rows)

    def move(self, lines: int) -> None:
        """Go down so many lines, or up where negative."""
        way = self._after(self._here) if lines > 0 else self._before(self._here)
        for self._at in islice(way, abs(lines)):
            pass
        self._moved()

    def move_pages(self, pages: int) -> None:
        """Go by the height of the page, less a line that is seen on both."""
        self.move(pages * max(1, self.size.height - 1))

    def move_to_end(self, *, last: bool) -> None:
        """Go to the last line, or to the first."""
        row = max(0, len(self._rows) - 1) if last else 0
        self._at = Place(row, len(self._pieces(row)) - 1 if last and self._rows else 0)
        self._moved()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Go up."""
        event.stop()
        self.move(-WHEEL)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Go down."""
        event.stop()
        self.move(WHEEL)

    def render(self) -> Content:
        """Return the lines around the one the person is at."""
        here = self._here
        return Content("\n").join(self._drawn(place, self.size.width, place == here) for place in self._seen())

    def choice_at(self, line: int) -> Choice | None:
        """Return what that line of the screen says no or yes to."""
        seen = self._seen()
        row = self._rows[seen[line].row] if 0 <= line < len(seen) else None
        return row.choice if row is not None and row.chooses else None

    def _seen(self) -> list[Place]:
        height = self.size.height
        if not self._rows or not height:
            return []
        here = self._here
        before = list(islice(self._before(here), height - 1))
        after = list(islice(self._after(here), height - 1))
        above = min(len(before), max(height // 2, height - 1 - len(after)))
        return [*reversed(before[:above]), here, *after[: height - 1 - above]]

    def _drawn(self, place: Place, width: int, at: bool) -> Content:
        row = self._rows[place.row]
        several = self._page is not None and len(self._page.choices) > 1
        bar = "▌" if at or (several and row.choice == self.choice is not None) else " "
        edge = ("┊ " if place.piece or row.continued else "│ ") if row.foreign else ""
        chooses = row.choice if row.chooses else None
        words = Content.styled(self._pieces(place.row)[place.piece], row.style)
        text = self._choice(chooses) if chooses is not None else words
        drawn = Content.assemble((bar, "$accent"), (edge, "$quiet"), text).truncate(width, ellipsis=True, pad=True)
        return drawn.stylize("on $panel") if at else drawn

    def _choice(self, choice: Choice) -> Content:
        yes = choice in self._chosen
        styled = Content.styled
        parts = [
            styled(f"({'•' if on else ' '}) {label(choice, is_yes, self._catalogue)}", style if on else "$quiet")
            for is_yes, on, style in ((False, not yes, "bold"), (True, yes, "bold $warning"))
        ]
        return Content("  ").join(parts)

    def _moved(self) -> None:
        self.refresh()
        self.post_message(self.Moved())

    @property
    def _here(self) -> Place:
        """The line the person is at: of the same row, whatever the width is by now."""
        return Place(self._at.row, min(self._at.piece, len(self._pieces(self._at.row)) - 1)) if self._rows else self._at

    def _pieces(self, row: int) -> Sequence[str]:
        return self._rows[row].folded(self.size.width - _GUTTER)

    def _after(self, place: Place) -> Iterator[Place]:
        """Yield the lines below one."""
        for row in range(place.row, len(self._rows)):
            first = place.piece + 1 if row == place.row else 0
            yield from (Place(row, piece) for piece in range(first, len(self._pieces(row))))

    def _before(self, place: Place) -> Iterator[Place]:
        """Yield the lines above one, the nearest first."""
        for row in range(place.row, -1, -1):
            last = place.piece if row == place.row else len(self._pieces(row))
            yield from (Place(row, piece) for piece in range(last - 1, -1, -1))
