"""How wide a text is on a terminal, and how it breaks into rows."""

from __future__ import annotations

import unicodedata

TAB = "    "
"""A tab as it is drawn."""

_JOINERS = frozenset("\u200b\u200c\u200d\ufe0e\ufe0f")


def width(character: str) -> int:
    """Return the cells of one character."""
    if character in _JOINERS or unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def text_width(text: str) -> int:
    """Return the cells of a text without controls."""
    return sum(map(width, text))


def cut(text: str, cells: int) -> str:
    """Return as much of a text as fits."""
    if text_width(text) <= cells:
        return text
    kept, used = "", 1
    for character in text:
        used += width(character)
        if used > cells:
            break
        kept += character
    return f"{kept}…" if cells > 0 else ""


def wrap(text: str, cells: int) -> list[str]:
    """Break a text into rows between words, and anywhere between wide characters.

    Text that is added later changes no row but the last one: so finished rows can be printed at once.
    """
    rows: list[str] = []
    for line in text.replace("\t", TAB).split("\n"):
        rows += _wrap_line(line, max(2, cells))
    return rows


def _wrap_line(line: str, cells: int) -> list[str]:
    rows: list[str] = []
    row, used, place = "", 0, 0
    for character in line:
        size = width(character)
        if used + size > cells:
            if character == " ":
                place = len(row)
                continue  # the blanks at which a row breaks are not drawn
            # `place`: what stands before it may end a row.
            head, tail = (row[:place].rstrip(), row[place:]) if place else (row, "")
            rows.append(head)
            row, used, place = tail, text_width(tail), 0
            if used + size > cells:
                rows.append(row)
                row, used = "", 0
        row += character
        used += size
        if character == " " or size == 2:
            place = len(row)
    return [*rows, row]
