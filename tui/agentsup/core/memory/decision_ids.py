"""The ids of a file's decisions: each once, those that come twice with a number."""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

_DIGITS_MOST = 9
"""Of the numbers that are counted here."""


class Ids:
    """Ids that are taken."""

    def __init__(self, ids: Iterable[str] = ()) -> None:
        self._taken = set(ids)
        self._next: dict[str, int] = {}
        """By id: below this number all are taken, so that a file in which all have one title is read in its time."""

    def take(self, wanted: str) -> str:
        """Return an id that was free, this one or this one with a number, and is taken now."""
        id, number = wanted, self._next.get(wanted, 2)
        while id in self._taken:
            id, number = f"{wanted}-{number}", number + 1
        self._next[wanted] = number
        self._taken.add(id)
        return id

    def give_back(self, id: str) -> None:
        """Make an id free again."""
        self._taken.discard(id)
        wanted, _, number = id.rpartition("-")
        if number.isdecimal() and len(number) <= _DIGITS_MOST and wanted in self._next:
            self._next[wanted] = max(2, min(self._next[wanted], int(number)))


def natural(title: str) -> str:
    """Return the id of a title: the same for the same words, whatever their case and spaces."""
    plain = " ".join(title.casefold().split())
    return f"d-{crc32(plain.encode(errors='surrogatepass')) & 0xFFFFFF:06x}"
