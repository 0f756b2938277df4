"""Which mark ends the passage that another one begins: for all of a text at once, however many and long they are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple


class Mark(NamedTuple):
    """A line that can begin or end a passage."""

    line: int
    kind: str
    """A backtick, a tilde, or `<` of a comment."""
    length: int
    begins: bool
    ends: bool


def ends_of(marks: Sequence[Mark]) -> list[int]:
    """Return for each mark the place of the next one that ends what it begins: of its kind, as long; -1 without one."""
    found = [-1] * len(marks)
    # By kind, the last one is the nearest: those that can end something, without what a nearer one is as long as.
    ahead: dict[str, list[int]] = {}
    for place in range(len(marks) - 1, -1, -1):
        mark = marks[place]
        nearer = ahead.setdefault(mark.kind, [])
        if count := bisect_right(nearer, -mark.length, key=lambda other: -marks[other].length):
            found[place] = nearer[count - 1]
        if mark.ends:
            while nearer and marks[nearer[-1]].length <= mark.length:
                nearer.pop()
            nearer.append(place)
    return found
