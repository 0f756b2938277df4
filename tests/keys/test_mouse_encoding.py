"""Mouse reports as libghostty's own encoder makes them, in every mode and encoding."""

from __future__ import annotations

from typing import Any

import pytest

from agentsup.host.mouse import encode_mouse
from agentsup.protocol.messages import Mouse
from agentsup.terminal.ghostty import GhosttyEngine
from agentsup.terminal.ghostty_callbacks import CELL_HEIGHT, CELL_WIDTH
from tests.keys.keyboard import ALT, CTRL, SHIFT

TRACKING = (0, 9, 1000, 1002, 1003)
ENCODINGS = ("", "1005", "1006", "1015", "1005;1015;1006")
BUTTONS = {0: "LEFT", 1: "MIDDLE", 2: "RIGHT", 64: "FOUR", 65: "FIVE", 66: "SIX", 67: "SEVEN"}
PLACES = ((0, 0), (9, 4), (94, 0), (95, 39), (199, 59))


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("tracking", TRACKING)
def test_reports_are_libghosttys(tracking: int, encoding: str) -> None:
    engine = GhosttyEngine(200, 60)
    for number in (tracking, *(encoding.split(";") if encoding else ())):
        engine.feed(b"\x1b[?%dh" % int(number))
    encoder = _Encoder(engine)
    wrong = []
    for mouse in _reports():
        ours, theirs = encode_mouse(mouse, engine.modes()), encoder.encode(mouse)
        if ours != theirs:
            wrong.append(f"{mouse}: {ours!r}, libghostty {theirs!r}")
    assert not wrong, "\n".join(wrong)


def test_pixels_are_the_middle_of_the_cell() -> None:
    engine = GhosttyEngine(80, 24)
    engine.feed(b"\x1b[?1006h\x1b[?1000h\x1b[?1016h")
    report = encode_mouse(Mouse("press", 0, 10, 5), engine.modes())
    assert report == b"\x1b[<0;%d;%dM" % (10 * CELL_WIDTH + 5, 5 * CELL_HEIGHT + 9)


def _reports() -> list[Mouse]:
    found = []
    for column, row in PLACES:
        for modifiers in ((False, False, False), (True, False, False), (False, True, False), (True, True, True)):
            for button in BUTTONS:
                found.append(Mouse("press", button, column, row, *modifiers))
                if button < 3:
                    found.append(Mouse("release", button, column, row, *modifiers))
                    found.append(Mouse("move", button, column, row, *modifiers))
            found.append(Mouse("move", 3, column, row, *modifiers))
    return found


class _Encoder:
    """libghostty's mouse encoder for a terminal."""

    def __init__(self, engine: GhosttyEngine) -> None:
        self._ffi, self._lib = engine._binding
        self._encoder = self._made("GhosttyMouseEncoder", "ghostty_mouse_encoder_new")
        self._event = self._made("GhosttyMouseEvent", "ghostty_mouse_event_new")
        self._lib.ghostty_mouse_encoder_setopt_from_terminal(self._encoder, engine._terminal)
        size = engine._binding.sized("GhosttyMouseEncoderSize")
        size.screen_width, size.screen_height = engine.columns * CELL_WIDTH, engine.rows * CELL_HEIGHT
        size.cell_width, size.cell_height = CELL_WIDTH, CELL_HEIGHT
        self._lib.ghostty_mouse_encoder_setopt(self._encoder, self._lib.GHOSTTY_MOUSE_ENCODER_OPT_SIZE, size)

    def _made(self, ctype: str, function: str) -> Any:
        pointer = self._ffi.new(f"{ctype} *")
        assert getattr(self._lib, function)(self._ffi.NULL, pointer) == 0
        return pointer[0]

    def encode(self, mouse: Mouse) -> bytes:
        """Return the report's bytes."""
        ffi, lib, event = self._ffi, self._lib, self._event
        action = {"press": "PRESS", "release": "RELEASE", "move": "MOTION"}[mouse.kind]
        lib.ghostty_mouse_event_set_action(event, getattr(lib, f"GHOSTTY_MOUSE_ACTION_{action}"))
        if mouse.button in BUTTONS:
            button = getattr(lib, f"GHOSTTY_MOUSE_BUTTON_{BUTTONS[mouse.button]}")
            lib.ghostty_mouse_event_set_button(event, button)
        else:
            lib.ghostty_mouse_event_clear_button(event)
        lib.ghostty_mouse_event_set_mods(event, SHIFT * mouse.shift | ALT * mouse.alt | CTRL * mouse.control)
        middle = (mouse.column * CELL_WIDTH + CELL_WIDTH // 2, mouse.row * CELL_HEIGHT + CELL_HEIGHT // 2)
        lib.ghostty_mouse_event_set_position(event, ffi.new("GhosttyMousePosition *", middle)[0])
        pressed = ffi.new("bool *", mouse.kind == "press" or mouse.button in BUTTONS)
        lib.ghostty_mouse_encoder_setopt(self._encoder, lib.GHOSTTY_MOUSE_ENCODER_OPT_ANY_BUTTON_PRESSED, pressed)
        buffer, length = ffi.new("char[64]"), ffi.new("size_t *")
        assert lib.ghostty_mouse_encoder_encode(self._encoder, event, buffer, 64, length) == 0
        return bytes(ffi.buffer(buffer, length[0]))
