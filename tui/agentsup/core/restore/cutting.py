"""Fit units into a number of tokens: cut what may be cut in its order, shorten the rest where that is too long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from agentsup.core.restore.frame import TARGET, Frame
from agentsup.core.restore.parts import BORROWING, CUTTING_ORDER, SHARES, Kind, Part, Piece, listed
from agentsup.core.text import sanitise

Count = Callable[[str], int]
"""Returns the tokens of a text."""

PIECE_MOST = 1_200
"""Characters of a piece: a longer line is no fact, and is shortened before anything is counted."""

_LENGTHS = (600, 400, 280, 200, 140, 100, 70, 50)
"""Characters that lines are shortened to, one after the other, where what is never cut is too long."""

LEAST_TOKENS = 3
"""Tokens of a line with its end, at least: so many lines can stand in a budget, and no more need to be counted."""

LEAST_LISTED = 40

_ENGRAM_PERCENT = 60
"""What the engram gets at most, where it and what else is never cut are too long together."""


@dataclass(frozen=True)
class Fitted:
    """A unit as it is restored."""

    part: Part
    lines: tuple[str, ...]
    """With the mark that says what was left out."""
    tokens: int
    whole: int
    """Tokens it would have uncut."""
    left_out: int = 0
    """Pieces that were cut."""
    squeezed: bool = False
    """Whether something had to be shortened or cut that never should be."""


def most_listed(room: int) -> int:
    """Return how many pieces of a unit are looked at where there are so many tokens."""
    return max(LEAST_LISTED, room // LEAST_TOKENS)


class Cutter:
    """Counts every piece once."""

    def __init__(self, frame: Frame, count: Count) -> None:
        self._frame, self._count = frame, count
        self._counted: dict[str, int] = {}

    def fit(self, parts: Sequence[Part], room: int, target: int) -> tuple[Fitted, ...]:
        """Return the units in `room` tokens altogether; the shares are parts of `target`."""
        parts = [listed(part, most_listed(room)) for part in parts]
        # A line so long that it is shortened before anything is counted: what never is cut was, and that is told.
        long = [any(piece.kept and len(piece.text) > PIECE_MOST for piece in part.pieces) for part in parts]
        fitted = self._fit(parts, room, target)
        return tuple(replace(each, squeezed=True) if cut else each for each, cut in zip(fitted, long, strict=True))

    def _fit(self, parts: Sequence[Part], room: int, target: int) -> tuple[Fitted, ...]:
        parts = [replace(part, pieces=tuple(self._clipped(piece) for piece in part.pieces)) for part in parts]
        least = [self._tokens(part, [piece for piece in part.pieces if piece.kept]) for part in parts]
        if sum(least) > room or any(part.unlisted_kept for part in parts):
            allowed = _fair(parts, least, room)
            return tuple(self._squeezed(part, most) for part, most in zip(parts, allowed, strict=True))
        whole = [self._tokens(part, part.pieces) for part in parts]
        allowed = [
            min(whole[i], max(least[i], SHARES.get(part.kind, whole[i]) * target // TARGET))
            for i, part in enumerate(parts)
        ]
        _borrow(parts, allowed, whole, room - sum(allowed))
        _cut(parts, allowed, least, room)
        return tuple(self._within(part, most) for part, most in zip(parts, allowed, strict=True))

    def count(self, text: str) -> int:
        """Return the tokens of a text with the end of its line."""
        if text not in self._counted:
            self._counted[text] = self._count(f"{text}\n")
        return self._counted[text]

    def _tokens(self, part: Part, pieces: Sequence[Piece]) -> int:
        """Return the tokens of a unit with these of its pieces, its heading and the mark of what is missing."""
        if not pieces:
            return 0
        left_out = len(part.pieces) - len(pieces) + part.unlisted
        mark = self.count(self._mark(part, left_out)) if left_out else 0
        return self.count(part.around) + sum(self.count(piece.text) for piece in pieces) + mark

    def _within(self, part: Part, most: int) -> Fitted:
        """Return a unit in `most` tokens: what is never cut, and of the rest what falls last."""
        whole = self._tokens(part, part.pieces) + part.unlisted_tokens
        if whole <= most and not part.unlisted:
            return Fitted(part, tuple(piece.text for piece in part.pieces), whole, whole)
        mark = self.count(self._mark(part, len(part.pieces) + part.unlisted))
        chosen = {i for i, piece in enumerate(part.pieces) if piece.kept}
        used = self.count(part.around) + mark + sum(self.count(part.pieces[i].text) for i in chosen)
        for index in sorted(set(range(len(part.pieces))) - chosen, key=lambda i: part.pieces[i].rank):
            used += self.count(part.pieces[index].text)
            if used > most:
                break
            chosen.add(index)
        return self._chosen(part, chosen, whole)

    def _squeezed(self, part: Part, most: int) -> Fitted:
        """Return what is never cut of a unit in `most` tokens: every line shortened, then the last ones left out."""
        whole = self._tokens(part, part.pieces) + part.unlisted_tokens
        pieces = tuple(piece for piece in part.pieces if piece.kept)
        dropped = len(part.pieces) - len(pieces) + part.unlisted
        if self._tokens(part, pieces) <= most and not part.unlisted_kept:
            return self._chosen(part, {i for i, piece in enumerate(part.pieces) if piece.kept}, whole)
        mark = self.count(self._mark(part, len(part.pieces) + part.unlisted))
        room = most - self.count(part.around) - mark
        for length in _LENGTHS:
            short = [self._shortened(piece.text, length) for piece in pieces]
            if sum(map(self.count, short)) <= room:
                marks = (self._mark(part, dropped),) if dropped else ()
                return self._fitted(part, (*short, *marks), whole, dropped, squeezed=True)
        chosen: set[int] = set()
        for index in sorted(range(len(pieces)), key=lambda i: pieces[i].rank):
            room -= self.count(short[index])
            if room < 0:
                break
            chosen.add(index)
        lines = tuple(short[i] for i in sorted(chosen))
        left_out = len(part.pieces) - len(chosen) + part.unlisted
        if not lines:
            return Fitted(part, (), 0, whole, left_out, squeezed=bool(pieces))
        return self._fitted(part, (*lines, self._mark(part, left_out)), whole, left_out, squeezed=True)

    def _chosen(self, part: Part, chosen: set[int], whole: int) -> Fitted:
        left_out = len(part.pieces) - len(chosen) + part.unlisted
        if not chosen:
            return Fitted(part, (), 0, whole, left_out)
        marks = (self._mark(part, left_out),) if left_out else ()
        return self._fitted(part, (*(part.pieces[i].text for i in sorted(chosen)), *marks), whole, left_out)

    def _fitted(
        self, part: Part, lines: tuple[str, ...], whole: int, left_out: int, *, squeezed: bool = False
    ) -> Fitted:
        tokens = self.count(part.around) + sum(map(self.count, lines))
        return Fitted(part, lines, tokens, whole, left_out, squeezed)

    def _mark(self, part: Part, count: int) -> str:
        return self._frame.cut.format(count=count, path=part.place)

    def _clipped(self, piece: Piece) -> Piece:
        # What will not be in the text is not counted.
        return replace(piece, text=self._shortened(sanitise(piece.text), PIECE_MOST))

    def _shortened(self, text: str, most: int) -> str:
        if len(text) <= most:
            return text
        return f"{text[:most]}{self._frame.shortened.format(count=len(text) - most)}"


def _borrow(parts: Sequence[Part], allowed: list[int], whole: Sequence[int], spare: int) -> None:
    """Give what is spare to those that have more to say."""
    for index in _in_order(parts, BORROWING):
        more = max(0, min(spare, whole[index] - allowed[index]))
        allowed[index] += more
        spare -= more


def _cut(parts: Sequence[Part], allowed: list[int], least: Sequence[int], room: int) -> None:
    """Take what is too much from those that are cut first."""
    over = sum(allowed) - room
    for index in _in_order(parts, CUTTING_ORDER):
        less = max(0, min(over, allowed[index] - least[index]))
        allowed[index] -= less
        over -= less


def _in_order(parts: Sequence[Part], order: Sequence[Kind]) -> list[int]:
    indexed = [(order.index(part.kind), i) for i, part in enumerate(parts) if part.kind in order]
    return [index for _, index in sorted(indexed)]


def _fair(parts: Sequence[Part], wanted: Sequence[int], room: int) -> list[int]:
    """Return what each gets of too little: the engram first, then small ones whole, large ones alike."""
    allowed = [0] * len(parts)
    for index, part in enumerate(parts):
        if part.kind == "engram":
            allowed[index] = min(wanted[index], room * _ENGRAM_PERCENT // 100)
    room -= sum(allowed)
    waiting = sorted((i for i in range(len(parts)) if not allowed[i] and wanted[i]), key=lambda i: (wanted[i], i))
    for place, index in enumerate(waiting):
        allowed[index] = min(wanted[index], room // (len(waiting) - place))
        room -= allowed[index]
    return allowed
