"""Encode a mouse report as the program asked for it (modes 9, 1000, 1002, 1003; 1005, 1006, 1015 and 1016)."""

from __future__ import annotations

from agentsup.core.screen import Modes
from agentsup.protocol.messages import Mouse
from agentsup.terminal.ghostty_callbacks import CELL_HEIGHT, CELL_WIDTH

_MOTION, _NO_BUTTON, _WHEEL = 32, 3, 64
_LEGACY_LIMIT, _UTF8_LIMIT = 222, 2014
"""Last column or row the legacy encodings can say: one byte, or two of UTF-8, for 33 more."""


def encode_mouse(mouse: Mouse, modes: Modes) -> bytes:
    """Return the report's bytes; empty where the program did not ask for it."""
    if not _wanted(mouse, modes.mouse):
        return b""
    code = mouse.button + 4 * mouse.shift + 8 * mouse.alt + 16 * mouse.control
    if modes.mouse == 9:
        code = mouse.button  # X10's mouse knows no modifiers
    if mouse.kind == "move":
        code += _MOTION
    if modes.mouse_extension == 1016:
        # Nobody here knows pixels; the middle of the cell, in the cells' size that programs are told.
        place = (mouse.column * CELL_WIDTH + CELL_WIDTH // 2 + 1, mouse.row * CELL_HEIGHT + CELL_HEIGHT // 2 + 1)
        return _sgr(code, *place, released=mouse.kind == "release")
    if modes.mouse_sgr:
        return _sgr(code, mouse.column + 1, mouse.row + 1, released=mouse.kind == "release")
    if mouse.kind == "release":
        code = code - mouse.button + _NO_BUTTON
    return _without_release(code, mouse.column, mouse.row, modes.mouse_extension)


def _sgr(code: int, x: int, y: int, *, released: bool) -> bytes:
    return b"\x1b[<%d;%d;%d%c" % (code, x, y, b"m" if released else b"M")


def _without_release(code: int, column: int, row: int, extension: int) -> bytes:
    """The older encodings, in which a release does not say of which button."""
    if extension == 1015:
        return b"\x1b[%d;%d;%dM" % (32 + code, column + 1, row + 1)
    if max(column, row) > (_UTF8_LIMIT if extension == 1005 else _LEGACY_LIMIT):
        return b""
    values = (32 + code, 33 + column, 33 + row)
    return b"\x1b[M" + ("".join(map(chr, values)).encode() if extension == 1005 else bytes(values))


def _wanted(mouse: Mouse, mode: int) -> bool:
    match mouse.kind:
        case "press":
            return mode >= 1000 or (mode == 9 and mouse.button < _NO_BUTTON)
        case "release":
            return mode >= 1000 and mouse.button < _WHEEL
        case "move":
            return mode == 1003 or (mode == 1002 and mouse.button < _NO_BUTTON)
