"""Turn rows of the host's screen into Textual strips."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rich.cells import cell_len, set_cell_size
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from agentsup.core import screen
from agentsup.core.screen import CellStyle
from agentsup.protocol.messages import WireRun

LABEL = Style(reverse=True, bold=True)
_CONTROLS = dict.fromkeys((*range(32), *range(127, 160)), "\ufffd")


def strip_of(runs: Sequence[WireRun], styles: Sequence[CellStyle], columns: int) -> Strip:
    """Return one row. Its width is what the engine counted: Rich counts some emoji differently."""
    segments: list[Segment] = []
    cells = 0
    for text, width, index in runs:
        style = rich_style(styles[index]) if 0 <= index < len(styles) else None
        segments.append(Segment(text if text.isprintable() else text.translate(_CONTROLS), style))
        cells += width
    if cells < columns:
        segments.append(Segment(" " * (columns - cells)))
    return Strip(segments, max(cells, columns))


def with_label(strip: Strip, label: str) -> Strip:
    """Return the row with a label over its right end."""
    width = min(cell_len(label), strip.cell_length)
    shown = Segment(set_cell_size(label, width), LABEL)
    return Strip([*strip.crop(0, strip.cell_length - width), shown], strip.cell_length)


@lru_cache(16384)
def rich_style(cell: CellStyle) -> Style:
    """Return the Rich style for a cell's. Rich has neither curly underlines nor underline colours."""
    flags = cell.flags
    return Style(
        color=_colour(cell.foreground),
        bgcolor=_colour(cell.background),
        bold=bool(flags & screen.BOLD) or None,
        dim=bool(flags & screen.DIM) or None,
        italic=bool(flags & screen.ITALIC) or None,
        blink=bool(flags & screen.BLINK) or None,
        reverse=bool(flags & screen.INVERSE) or None,
        conceal=bool(flags & screen.HIDDEN) or None,
        strike=bool(flags & screen.STRIKE) or None,
        overline=bool(flags & screen.OVERLINE) or None,
        underline=cell.underline in (1, 3, 4, 5) or None,
        underline2=cell.underline == 2 or None,
        # A target is foreign text and ends up inside an escape sequence.
        link=cell.link if cell.link.isascii() and cell.link.isprintable() else None,
    )


def _colour(value: int) -> Color | None:
    if value < 0:
        return None
    if value & screen.RGB_FLAG:
        return Color.from_rgb(value >> 16 & 255, value >> 8 & 255, value & 255)
    return Color.from_ansi(value & 255)
