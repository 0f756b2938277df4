"""Encode a mouse report as the program asked for it (modes 9, 1000, 1002, 1003 and 1006)."""

from __future__ import annotations

from agentsup.core.screen import Modes
from agentsup.protocol.messages import Mouse

_MOTION, _NO_BUTTON, _WHEEL = 32, 3, 64
_LEGACY_LIMIT = 222
"""Last column or row the legacy encoding can say in one byte."""


def encode_mouse(mouse: Mouse, modes: Modes) -> bytes:
    """Return the report's bytes; empty where the program did not ask for it."""
    if not _wanted(mouse, modes.mouse):
        return b""
    code = mouse.button + 4 * mouse.shift + 8 * mouse.alt + 16 * mouse.control
    if mouse.kind == "move":
        code += _MOTION
    if modes.mouse_sgr:
        end = "m" if mouse.kind == "release" else "M"
        return f"\x1b[<{code};{mouse.column + 1};{mouse.row + 1}{end}".encode()
    if mouse.kind == "release":
        code = code - mouse.button + _NO_BUTTON
    if mouse.column > _LEGACY_LIMIT or mouse.row > _LEGACY_LIMIT:
        return b""
    return b"\x1b[M" + bytes((32 + code, 33 + mouse.column, 33 + mouse.row))


def _wanted(mouse: Mouse, mode: int) -> bool:
    match mouse.kind:
        case "press":
            return mode != 0
        case "release":
            return mode >= 1000 and mouse.button < _WHEEL
        case "move":
            return mode == 1003 or (mode == 1002 and mouse.button < _NO_BUTTON)
