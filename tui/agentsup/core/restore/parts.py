"""Restore units as pieces: what stands or falls together, and in which order it falls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agentsup.core.trust.fence import Fence
from agentsup.core.trust.names import named

Kind = Literal[
    "operations", "structure", "decisions", "conventions", "own", "handoff", "questions", "identity", "state", "engram"
]
"""What a unit is, for its share and its place in the order of cutting."""

CUTTING_ORDER: tuple[Kind, ...] = (
    "operations", "structure", "decisions", "conventions", "own", "handoff", "questions",
)  # fmt: skip
"""What is cut first, second, …; the others are never cut."""

SHARES: dict[Kind, int] = {
    "operations": 150, "structure": 400, "decisions": 350, "conventions": 250, "own": 300, "handoff": 200,
    "questions": 100,
}  # fmt: skip
"""Tokens of what may be cut, of a budget of 2,000. Identity (200), state (300) and engram have the rest, and are
not held to it."""

BORROWING: tuple[Kind, ...] = ("decisions", "questions", "conventions", "own", "operations")
"""Who gets what others leave, in this order. Structure and handoff stay short: they can be looked up."""


@dataclass(frozen=True)
class Piece:
    """A line or a few of a unit."""

    text: str
    rank: int = 0
    """The highest falls first."""
    kept: bool = False
    """Whether it is never cut."""
    ours: bool = False
    """Whether agentsup says it: approved rules and notes. Words of others in it were made harmless before."""


@dataclass(frozen=True)
class Part:
    """A unit of the restore text; one without pieces is left out."""

    name: str
    """NN-name."""
    kind: Kind
    source: str
    """The file to look in for more; empty where there is none."""
    pieces: tuple[Piece, ...]
    unlisted: int = 0
    """Pieces that are not even counted: there is no budget in which they could stand."""
    unlisted_tokens: int = 0
    """About how many tokens they have."""
    unlisted_kept: bool = False
    """Whether there are pieces among them that never should be cut."""
    fence: Fence | None = None
    """What stands around the lines that are foreign; each of them begins with its prefix."""

    @property
    def heading(self) -> str:
        """The rule line that the unit stands under."""
        return f"--- {named(self.name)}: {named(self.source)} ---" if self.source else f"--- {named(self.name)} ---"

    @property
    def place(self) -> str:
        """Where to look for more, as one word."""
        return named(self.source or self.name)

    @property
    def around(self) -> str:
        """All that the unit stands in, for counting it."""
        return f"{self.heading}\n{self.fence.opening}\n{self.fence.closing}" if self.fence else self.heading


def listed(part: Part, most: int) -> Part:
    """Return a unit with at most so many pieces, those that fall last."""
    if len(part.pieces) <= most:
        return part
    order = sorted(range(len(part.pieces)), key=lambda i: (not part.pieces[i].kept, part.pieces[i].rank))
    chosen, others = sorted(order[:most]), [part.pieces[i] for i in order[most:]]
    size = sum(len(piece.text.encode("utf-8", "replace")) for piece in others)
    return replace(
        part, pieces=tuple(part.pieces[i] for i in chosen), unlisted=part.unlisted + len(others),
        unlisted_tokens=part.unlisted_tokens + size // 4,
        unlisted_kept=part.unlisted_kept or any(piece.kept for piece in others),
    )  # fmt: skip


def from_end(texts: Sequence[str]) -> tuple[Piece, ...]:
    """Return pieces of which the last falls first."""
    return tuple(Piece(text, rank) for rank, text in enumerate(texts, 1))


def from_start(texts: Sequence[str]) -> tuple[Piece, ...]:
    """Return pieces of which the first falls first."""
    return tuple(Piece(text, len(texts) - index) for index, text in enumerate(texts))


def kept(texts: Sequence[str], *, ours: bool = False) -> tuple[Piece, ...]:
    """Return pieces that are never cut; where even they are too long, the last falls first."""
    return tuple(Piece(text, rank, kept=True, ours=ours) for rank, text in enumerate(texts, 1))
