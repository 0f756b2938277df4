"""What stands in the composer: a value, and the edits that make another one from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from agentsup.demo.cells import TAB, width


@dataclass(frozen=True)
class PastedBlock:
    """A long paste: one piece of the draft, shown as a placeholder with its length."""

    text: str


Piece = str | PastedBlock
"""One character, or a paste."""


@dataclass(frozen=True)
class Draft:
    """Pieces, and the cursor before one of them."""

    pieces: tuple[Piece, ...] = ()
    cursor: int = 0

    @property
    def text(self) -> str:
        """The text that would be submitted."""
        return "".join(piece.text if isinstance(piece, PastedBlock) else piece for piece in self.pieces)

    def insert(self, pieces: Iterable[Piece]) -> Draft:
        """Insert at the cursor, which then stands behind it."""
        added = tuple(pieces)
        before, after = self.pieces[: self.cursor], self.pieces[self.cursor :]
        return Draft((*before, *added, *after), self.cursor + len(added))

    def moved(self, cursor: int) -> Draft:
        """Put the cursor there, or as near as there is a place."""
        return replace(self, cursor=max(0, min(cursor, len(self.pieces))))

    def without(self, start: int, end: int) -> Draft:
        """Take out the pieces from `start` to `end`; the cursor goes to where they were."""
        start, end = max(0, start), min(end, len(self.pieces))
        return Draft(self.pieces[:start] + self.pieces[end:], start) if start < end else self

    @property
    def line_start(self) -> int:
        """Where the cursor's line begins."""
        for index in range(self.cursor, 0, -1):
            if self.pieces[index - 1] == "\n":
                return index
        return 0

    @property
    def line_end(self) -> int:
        """Where the cursor's line ends."""
        for index in range(self.cursor, len(self.pieces)):
            if self.pieces[index] == "\n":
                return index
        return len(self.pieces)

    @property
    def word_start(self) -> int:
        """Where the word before the cursor begins: at the first piece that follows a blank."""
        index = self.cursor
        while index > 0 and _is_blank(self.pieces[index - 1]):
            index -= 1
        while index > 0 and not _is_blank(self.pieces[index - 1]):
            index -= 1
        return index


def _is_blank(piece: Piece) -> bool:
    return isinstance(piece, str) and piece.isspace()


@dataclass(frozen=True)
class Layout:
    """A draft in rows: text with a flag for placeholders, and the place of every cursor position."""

    rows: tuple[tuple[tuple[str, bool], ...], ...]
    places: tuple[tuple[int, int], ...]
    """(row, column) for each cursor position, one more than there are pieces."""

    def nearest(self, row: int, column: int) -> int:
        """Return the last cursor position of a row that is not right of a column."""
        inside = [index for index, place in enumerate(self.places) if place[0] == row]
        return max((index for index in inside if self.places[index][1] <= column), default=inside[0] if inside else 0)


def lay_out(draft: Draft, cells: int, placeholder: str) -> Layout:
    """Break a draft into rows of at most `cells`; `placeholder` has {count} for the length of a paste."""
    rows: list[list[tuple[str, bool]]] = [[]]
    places: list[tuple[int, int]] = []
    column = 0
    for piece in draft.pieces:
        pasted = isinstance(piece, PastedBlock)
        shown = placeholder.replace("{count}", str(len(piece.text))) if isinstance(piece, PastedBlock) else piece
        if column >= cells:
            rows.append([])
            column = 0
        places.append((len(rows) - 1, column))
        if shown == "\n":
            rows.append([])
            column = 0
            continue
        for character in TAB if shown == "\t" else shown:
            if column + width(character) > cells:
                rows.append([])
                column = 0
            rows[-1].append((character, pasted))
            column += width(character)
    if column >= cells:
        rows.append([])
        column = 0
    places.append((len(rows) - 1, column))
    return Layout(tuple(tuple(row) for row in rows), tuple(places))
