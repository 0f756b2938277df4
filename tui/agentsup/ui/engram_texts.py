"""Texts of an engram to be read beside each other or one after the other; whoever wrote them, nothing in them acts."""

from __future__ import annotations

from collections.abc import Sequence

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from agentsup.core.memory.engram_draft import Compared
from agentsup.core.text import legible
from agentsup.ui.foreign_text import folded

LINES_MOST = 4000
"""Lines that are shown of a text: an engram has eight."""

_STYLES = {"+": "$success", "-": "$error", " ": ""}


class TextColumn(VerticalScroll, can_focus=False):
    """Lines with a mark in front, that scroll."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._body = Static(markup=False)
        self._lines: Sequence[Compared] = ()

    def compose(self) -> list[Static]:
        """Hold one body."""
        return [self._body]

    def show(self, lines: Sequence[Compared]) -> None:
        """Show other lines, from their beginning."""
        self._lines = lines
        self.scroll_home(animate=False)
        self._draw()

    def on_resize(self) -> None:
        """Fold for the new width."""
        self._draw()

    def scroll_by_key(self, key: str) -> bool:
        """Scroll where the key is for that."""
        page = max(1, self.size.height - 1)
        steps = {"up": -1, "down": 1, "pageup": -page, "pagedown": page}
        if key in steps:
            self.scroll_relative(y=steps[key], animate=False)
        elif key == "home":
            self.scroll_home(animate=False)
        elif key == "end":
            self.scroll_end(animate=False)
        else:
            return False
        return True

    def _draw(self) -> None:
        width = self.scrollable_content_region.width
        if width:
            drawn = drawn_lines(self._lines, width)
            self._body.styles.height = len(drawn)
            self._body.update(Content("\n").join(drawn))


def drawn_lines(lines: Sequence[Compared], width: int) -> list[Content]:
    """Return lines folded to a width, each piece behind its mark."""
    drawn: list[Content] = []
    for line in lines:
        style = _STYLES[line.mark]
        for index, piece in enumerate(folded(legible(line.text), width - 2)):
            drawn.append(Content.assemble((f"{' ' if index else line.mark} ", style), (piece, style)))
        if len(drawn) >= LINES_MOST:
            return [*drawn[:LINES_MOST], Content.styled("…", "$quiet")]
    return drawn
