"""Rows as lists of characters with their styles, read from a tmux pane or from the host's frames.

Rows are compared character by character, not column by column: tmux says nothing about its widths, and
equal characters in equal order stand in equal columns, since one tmux drew both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agentsup.core.screen import (
    BLINK,
    BOLD,
    DIM,
    HIDDEN,
    INVERSE,
    ITALIC,
    OVERLINE,
    PLAIN,
    RGB_FLAG,
    STRIKE,
    CellStyle,
)
from agentsup.protocol.messages import WireRun


class Cell(NamedTuple):
    """One code point and how it looks."""

    text: str
    style: CellStyle = PLAIN


Line = tuple[Cell, ...]
BLANK = Cell(" ")

_FLAGS = {1: BOLD, 2: DIM, 3: ITALIC, 5: BLINK, 7: INVERSE, 8: HIDDEN, 9: STRIKE, 53: OVERLINE}
_UNDERLINES = {"4": 1, "4:2": 2, "4:3": 3, "4:4": 4, "4:5": 5, "21": 2}
_PIECE = re.compile("\x1b\\[([\\d;:]*)m|([\x0e\x0f])|\x1b[()](.)|(.)", re.DOTALL)
_GRAPHICS = dict(zip("`abcdefghijklmnopqrstuvwxyz{|}~", "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·", strict=True))
"""DEC's line drawing set, which tmux gives back as it came."""


def captured(text: str) -> list[Line]:
    """Return the rows of `tmux capture-pane -p -e -N`; the style carries over from row to row."""
    rows: list[Line] = []
    style, graphics = PLAIN, False
    for raw in text.split("\n")[:-1]:
        cells: list[Cell] = []
        for sgr, shift, _charset, character in _PIECE.findall(raw):
            if character:
                cells.append(Cell(_GRAPHICS.get(character, character) if graphics else character, style))
            elif shift:
                graphics = shift == "\x0e"
            else:
                style = styled(style, sgr)
        rows.append(trimmed(cells))
    return rows


def received(runs: Iterable[WireRun], styles: Sequence[CellStyle]) -> Line:
    """Return one row of a frame."""
    return trimmed([Cell(character, styles[index]) for text, _, index in runs for character in text])


def trimmed(cells: Sequence[Cell]) -> Line:
    """Return the row without what is blank and plain at its end."""
    end = len(cells)
    while end and cells[end - 1] == BLANK:
        end -= 1
    return tuple(cells[:end])


def styled(style: CellStyle, sgr: str) -> CellStyle:
    """Return the style after one SGR sequence as tmux writes it."""
    parts = sgr.split(";") if sgr else ["0"]
    at = 0
    while at < len(parts):
        part = parts[at]
        number = int(part.partition(":")[0] or 0)
        at += 1
        if part == "5:3":
            style = style._replace(flags=style.flags | OVERLINE)  # tmux splits every number over 9, 53 too
        elif part in _UNDERLINES:
            style = style._replace(underline=_UNDERLINES[part])
        elif number in (38, 48, 58):
            values = part.split(":")[1:] if ":" in part else parts[at:]
            taken = 2 if values[0] == "5" else 4
            colour = _colour(values)
            at += 0 if ":" in part else taken
            style = _coloured(style, number, colour)
        elif number == 0:
            style = PLAIN
        elif number in _FLAGS:
            style = style._replace(flags=style.flags | _FLAGS[number])
        elif 30 <= number <= 37 or 90 <= number <= 97:
            style = style._replace(foreground=number - 30 if number < 90 else number - 82)
        elif 40 <= number <= 47 or 100 <= number <= 107:
            style = style._replace(background=number - 40 if number < 100 else number - 92)
        elif number in (39, 49, 59):
            style = _coloured(style, number - 1, -1)
        else:
            raise AssertionError(f"tmux wrote an SGR this reader does not know: {sgr!r}")
    return style


def _colour(values: Sequence[str]) -> int:
    if values[0] == "5":
        return int(values[1])
    red, green, blue = (int(value) for value in [value for value in values[1:] if value][:3])
    return RGB_FLAG | red << 16 | green << 8 | blue


def _coloured(style: CellStyle, number: int, colour: int) -> CellStyle:
    match number:
        case 38:
            return style._replace(foreground=colour)
        case 48:
            return style._replace(background=colour)
        case _:
            return style._replace(underline_colour=colour)


def words(line: Line) -> str:
    """Return a row as one readable text: `plain <style>text`."""
    shown, last = [], PLAIN
    for cell in line:
        if cell.style != last:
            shown.append(f"⟨{_named(cell.style)}⟩")
            last = cell.style
        shown.append(cell.text)
    return "".join(shown)


def _named(style: CellStyle) -> str:
    names = {BOLD: "bold", DIM: "dim", ITALIC: "italic", BLINK: "blink", INVERSE: "inverse", HIDDEN: "hidden",
             STRIKE: "strike", OVERLINE: "overline"}  # fmt: skip
    parts = [name for bit, name in names.items() if style.flags & bit]
    parts += [f"underline {style.underline}"] if style.underline else []
    for name, colour in (("on ", style.background), ("", style.foreground), ("line ", style.underline_colour)):
        if colour >= 0:
            parts.append(f"{name}#{colour & 0xFFFFFF:06x}" if colour & RGB_FLAG else f"{name}{colour}")
    return " ".join(parts) or "plain"
