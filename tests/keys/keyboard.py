"""A person's keyboard as an outer terminal encodes it: libghostty's own encoder, and xterm's where it has none.

Nothing of agentsup decides here what a key sends: the encoder is asked with the modes that the outer
terminal has been put into.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from agentsup.terminal.ghostty import GhosttyEngine

SHIFT, CTRL, ALT, SUPER = 1, 2, 4, 8
PRESS, RELEASE, REPEAT = 1, 0, 2


class Key(NamedTuple):
    """One event: the key as libghostty names it, modifiers, the text it makes, its text without Shift."""

    key: str
    modifiers: int = 0
    text: str = ""
    unshifted: str = ""
    action: int = PRESS

    @property
    def name(self) -> str:
        """How a person would say it."""
        words = [word for bit, word in ((CTRL, "Ctrl"), (ALT, "Alt"), (SHIFT, "Shift"), (SUPER, "Super"))
                 if self.modifiers & bit]  # fmt: skip
        how = {PRESS: "", RELEASE: " released", REPEAT: " repeated"}[self.action]
        return "+".join([*words, self.text or self.key]) + how


class Keyboard:
    """Encodes keys as the terminal `engine` stands for would."""

    def __init__(self, engine: GhosttyEngine) -> None:
        self._ffi, self._lib = engine._binding
        self._engine = engine
        self._encoder = self._made("GhosttyKeyEncoder", "ghostty_key_encoder_new")
        self._event = self._made("GhosttyKeyEvent", "ghostty_key_event_new")
        self._buffer = self._ffi.new("char[256]")
        self._length = self._ffi.new("size_t *")

    def _made(self, ctype: str, function: str) -> Any:
        pointer = self._ffi.new(f"{ctype} *")
        assert getattr(self._lib, function)(self._ffi.NULL, pointer) == 0
        return pointer[0]

    def encode(self, key: Key) -> bytes:
        """Return the bytes, empty where a key sends nothing."""
        modes = self._engine.modes()
        if modes.application_keypad and not modes.kitty_flags and (form := _xterm_keypad(key)):
            return form
        if modes.modify_other_keys == 1 and not modes.kitty_flags and (form := _xterm_other_key(key)):
            return form
        lib, event = self._lib, self._event
        lib.ghostty_key_encoder_setopt_from_terminal(self._encoder, self._engine._terminal)
        text = key.text.encode()
        lib.ghostty_key_event_set_action(event, key.action)
        lib.ghostty_key_event_set_key(event, getattr(lib, f"GHOSTTY_KEY_{key.key}"))
        lib.ghostty_key_event_set_mods(event, key.modifiers)
        consumed = key.modifiers & SHIFT if key.text != key.unshifted else 0
        lib.ghostty_key_event_set_consumed_mods(event, consumed)
        held = self._ffi.new("char[]", text)  # the event keeps no copy
        lib.ghostty_key_event_set_utf8(event, held, len(text))
        codepoint = ord(key.unshifted) if len(key.unshifted) == 1 else 0
        lib.ghostty_key_event_set_unshifted_codepoint(event, codepoint)
        failed = lib.ghostty_key_encoder_encode(self._encoder, event, self._buffer, 256, self._length)
        assert not failed, key
        return bytes(self._ffi.buffer(self._buffer, self._length[0]))


_KEYPAD = {
    **{f"NUMPAD_{number}": chr(ord("p") + number) for number in range(10)}, "NUMPAD_ADD": "k", "NUMPAD_SUBTRACT": "m",
    "NUMPAD_MULTIPLY": "j", "NUMPAD_DIVIDE": "o", "NUMPAD_DECIMAL": "n", "NUMPAD_EQUAL": "X", "NUMPAD_ENTER": "M",
}  # fmt: skip


def _xterm_keypad(key: Key) -> bytes:
    """xterm's keypad in application mode (DECKPAM); libghostty leaves it out while Num Lock is respected."""
    final = _KEYPAD.get(key.key, "")
    return b"\x1bO" + final.encode() if final and key.action == PRESS and not key.modifiers else b""


_OTHER_KEYS = {"ENTER": 13, "TAB": 9, "ESCAPE": 27, "BACKSPACE": 127}


def _xterm_other_key(key: Key) -> bytes:
    """xterm with modifyOtherKeys 1: keys whose modifiers would be lost otherwise (ctlseqs, XTMODKEYS)."""
    modifiers = 1 + (key.modifiers & SHIFT) + 2 * bool(key.modifiers & ALT) + 4 * bool(key.modifiers & CTRL)
    if key.action != PRESS or modifiers == 1:
        return b""
    if code := _OTHER_KEYS.get(key.key):
        return b"" if key == Key("TAB", SHIFT) else b"\x1b[27;%d;%d~" % (modifiers, code)
    if key.modifiers & CTRL and key.unshifted and key.unshifted in "0123456789,.;'=-":
        return b"\x1b[27;%d;%d~" % (modifiers, ord(key.text))
    return b""
