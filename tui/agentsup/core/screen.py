"""The terminal's screen as plain values.

They stand in core because four rooms share them: the engine produces them, the protocol carries them,
the agents' adapters read them (is the composer empty?) and the interface draws them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

DEFAULT_COLOUR = -1
"""A colour is one int: -1 the terminal's default, 0–255 a palette index, RGB_FLAG | 0xRRGGBB a true colour."""

RGB_FLAG = 1 << 24

BOLD, DIM, ITALIC, BLINK, INVERSE, HIDDEN, STRIKE, OVERLINE = (1 << bit for bit in range(8))
"""Bits of CellStyle.flags."""


class CellStyle(NamedTuple):
    """How a run of cells looks."""

    foreground: int = DEFAULT_COLOUR
    background: int = DEFAULT_COLOUR
    flags: int = 0
    underline: int = 0
    """0 none, 1 single, 2 double, 3 curly, 4 dotted, 5 dashed (SGR 4:n)."""
    underline_colour: int = DEFAULT_COLOUR
    link: str = ""
    """Target of an OSC 8 hyperlink, empty for none."""


PLAIN = CellStyle()


class Run(NamedTuple):
    """Neighbouring cells of one style; `cells` is their width as the engine counts it."""

    text: str
    cells: int
    style: CellStyle = PLAIN


Row = tuple[Run, ...]


class WrappedRow(tuple[Run, ...]):
    """A row whose line was too long and goes on in the next row; in all else a Row like any other."""

    __slots__ = ()


class Scrollback(NamedTuple):
    """The lines above the screen. Lines are counted from the first one ever printed: the screen's rows are
    numbered from `lost + lines` on. What happens to `lost` lines changes no other line's number."""

    lines: int = 0
    """How many can be read."""
    lost: int = 0
    """How many were there before and are not kept any more."""

    @property
    def end(self) -> int:
        """The number of the screen's first row."""
        return self.lost + self.lines


class Cursor(NamedTuple):
    """Where the program's cursor stands: column and row from 0; `shape` as in DECSCUSR (0–6)."""

    column: int = 0
    row: int = 0
    visible: bool = True
    shape: int = 0


class Modes(NamedTuple):
    """The terminal modes that decide how input is encoded."""

    application_cursor: bool = False
    bracketed_paste: bool = False
    focus_reports: bool = False
    alternate_screen: bool = False
    mouse: int = 0
    """0 off, else 9, 1000, 1002 or 1003."""
    mouse_sgr: bool = False
    kitty_flags: int = 0
    synchronized: bool = False
    application_keypad: bool = False
    backarrow: bool = False
    """Backspace sends BS instead of DEL (DECBKM)."""
    modify_other_keys: int = 0
    """xterm's modifyOtherKeys: 0 off, 1 keys that have no other encoding, 2 all."""
    mouse_extension: int = 0
    """Another encoding of mouse reports: 1016 (pixels) goes before SGR, 1015 and 1005 only without it."""


@dataclass(frozen=True)
class Screen:
    """What a person would see now: all visible rows, top to bottom."""

    columns: int = 80
    rows: tuple[Row, ...] = ()
    cursor: Cursor = field(default_factory=Cursor)
    modes: Modes = field(default_factory=Modes)
    title: str = ""


def row_text(row: Row) -> str:
    """Return a row's text without trailing blanks."""
    return "".join(run.text for run in row).rstrip()
