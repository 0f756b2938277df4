"""Styled lines, and the ANSI they are written as."""

from __future__ import annotations

from typing import Literal, NamedTuple

from agentsup.demo.cells import cut, text_width

Style = Literal[
    "plain", "dim", "bold", "pasted", "note", "tool", "failed", "marked", "activity", "accent"
]  # fmt: skip

_SGR: dict[Style, tuple[str, str]] = {
    "plain": ("", ""), "dim": ("2", ""), "bold": ("1", ""), "pasted": ("3", "36"), "note": ("3", "33"),
    "tool": ("", "36"), "failed": ("", "31"), "marked": ("1;7", ""), "activity": ("1", "35"), "accent": ("1", "36"),
}  # fmt: skip
"""Attributes and colour of each style."""


class Segment(NamedTuple):
    """A piece of a line in one style."""

    text: str
    style: Style = "plain"


Line = tuple[Segment, ...]


def fitted(line: Line, cells: int) -> Line:
    """Return as much of a line as fits."""
    kept: list[Segment] = []
    for segment in line:
        if cells <= 0:
            break
        text = cut(segment.text, cells)
        kept.append(Segment(text, segment.style))
        cells -= text_width(text)
    return tuple(kept)


def written(line: Line, *, colours: bool) -> str:
    """Return a line as it is sent to the terminal."""
    parts = []
    for text, style in line:
        attributes, colour = _SGR[style]
        codes = ";".join(code for code in (attributes, colour if colours else "") if code)
        parts.append(f"\x1b[{codes}m{text}\x1b[0m" if codes else text)
    return "".join(parts)
