"""Lines of others in pieces that fit a width."""

from __future__ import annotations

from functools import lru_cache

from rich.cells import cell_len


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
