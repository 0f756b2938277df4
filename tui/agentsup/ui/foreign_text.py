"""Text of others, so that a person sees every character of it, and their terminal obeys none."""

from __future__ import annotations

import re
from functools import lru_cache

from rich.cells import cell_len

_SHOWS_NOTHING = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff"
"""Characters that count as printable and show nothing: enough of them spell a text that only an agent reads."""

_WIDE_BLANK = "\u3000"
"""How Chinese texts are indented."""

_MARK = "⟨"
_BLANK = re.compile(f"[{_SHOWS_NOTHING}{_MARK}]")


def legible(line: str) -> str:
    """Return a line with tabs as blanks and whatever shows nothing, or turns text around, as its code: ⟨202e⟩.

    No text can imitate that: the mark itself is written as its code too.
    """
    expanded = line.expandtabs(4)
    if expanded.isprintable() and not _BLANK.search(expanded):
        return expanded
    return "".join(character if _shows(character) else f"{_MARK}{ord(character):x}⟩" for character in expanded)


def _shows(character: str) -> bool:
    return character == _WIDE_BLANK or (character.isprintable() and not _BLANK.match(character))


@lru_cache(maxsize=256)
def folded(line: str, width: int) -> tuple[str, ...]:
    """Return a line in pieces of at most `width` cells, nothing left out; at least one piece."""
    width = max(2, width)
    if line.isascii():
        return tuple(line[start : start + width] for start in range(0, len(line), width)) or ("",)
    pieces: list[str] = []
    start = room = 0
    for index, character in enumerate(line):
        room += (cells := cell_len(character))
        if room > width:
            pieces.append(line[start:index])
            start, room = index, cells
    return (*pieces, line[start:])
