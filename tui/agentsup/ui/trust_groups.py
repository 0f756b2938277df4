"""The line that names the groups of a review, with what is chosen in each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from textual.content import Content
from textual.widgets import Static

from agentsup.core.catalogue import Catalogue
from agentsup.ui import trust_pages
from agentsup.ui.trust_pages import Choice, Page


class Groups(Static):
    """All groups, or where they do not fit, the one that is read."""

    def __init__(self, catalogue: Catalogue, *, id: str) -> None:
        super().__init__(id=id, markup=False)
        self._catalogue = catalogue
        self._parts: list[Content] = []
        self._at = self._width = 0

    def show(self, pages: Sequence[Page], at: int, chosen: frozenset[Choice], width: int) -> None:
        """Show the groups, of which the person reads one."""
        self._parts = [self._part(pages, number, chosen, here=number == at) for number in range(len(pages))]
        self._at, self._width = at, width
        line = Content("").join(self._parts)
        if line.cell_length > width:
            more = Content.styled(f" {at + 1}/{len(pages)}", "$quiet")
            line = Content.assemble(self._parts[at], more).truncate(width, ellipsis=True)
        self.update(line)

    def page_at(self, column: int) -> int:
        """Return the page whose name is at a column; where only one is shown, the next."""
        ends = list(accumulate(part.cell_length for part in self._parts))
        if ends[-1] > self._width:
            return (self._at + 1) % len(ends)
        return next((number for number, end in enumerate(ends) if column < end), self._at)

    def _part(self, pages: Sequence[Page], number: int, chosen: frozenset[Choice], *, here: bool) -> Content:
        name = self._catalogue.text(f"trust_review.{pages[number].name}.name")
        state = trust_pages.state_of(pages[number], chosen, self._catalogue)
        return Content.styled(f" {number + 1} {name}: {state} ", "bold reverse" if here else "$quiet")
