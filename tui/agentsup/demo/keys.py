"""Bytes from the terminal become keys: typed text, pastes and named keys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from agentsup.core.text import sanitise

KeyName = Literal[
    "enter", "newline", "tab", "escape", "backspace", "delete", "up", "down", "left", "right", "home", "end",
    "page-up", "page-down", "ctrl-c", "ctrl-d", "ctrl-g", "ctrl-k", "ctrl-u", "ctrl-w",
]  # fmt: skip

ESCAPE_PATIENCE = 0.03
"""Seconds after which a lone ESC is the Escape key and not the beginning of a sequence."""

_PASTE_START, _PASTE_END = b"\x1b[200~", b"\x1b[201~"

_CONTROLS: dict[int, KeyName] = {
    0x01: "home", 0x03: "ctrl-c", 0x04: "ctrl-d", 0x05: "end", 0x07: "ctrl-g", 0x08: "backspace", 0x09: "tab",
    0x0A: "newline", 0x0B: "ctrl-k", 0x0D: "enter", 0x15: "ctrl-u", 0x17: "ctrl-w", 0x7F: "backspace",
}  # fmt: skip

_FINALS: dict[bytes, KeyName] = {
    b"A": "up", b"B": "down", b"C": "right", b"D": "left", b"H": "home", b"F": "end",
}  # fmt: skip

_NUMBERS: dict[bytes, KeyName] = {
    b"1": "home", b"3": "delete", b"4": "end", b"5": "page-up", b"6": "page-down", b"7": "home", b"8": "end",
}  # fmt: skip

_SEQUENCE = re.compile(rb"\x1b(?:\[([0-?]*)[ -/]*([@-~])|O([@-~]))")
_BEGUN = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")
_PRINTABLE = re.compile(rb"[^\x00-\x1f\x7f]+")


@dataclass(frozen=True)
class Typed:
    """Text that arrived without paste marks."""

    text: str


@dataclass(frozen=True)
class Pasted:
    """A bracketed paste: line ends are newlines, control characters are gone."""

    text: str


@dataclass(frozen=True)
class Pressed:
    """A key that is no text."""

    name: KeyName


Key = Typed | Pasted | Pressed


class KeyDecoder:
    """Decodes bytes that arrive in pieces, however they are cut."""

    def __init__(self) -> None:
        self._rest = b""

    @property
    def pending(self) -> bool:
        """Whether a lone ESC, or a sequence that may be one, waits for what follows."""
        return bool(_BEGUN.match(self._rest))

    def feed(self, data: bytes) -> list[Key]:
        """Return the keys that `data` completes."""
        self._rest += data
        keys: list[Key] = []
        while self._rest:
            taken, key = _next(self._rest)
            if not taken:
                break
            self._rest = self._rest[taken:]
            if key is not None:
                keys.append(key)
        return keys

    def flush(self) -> list[Key]:
        """Nothing followed: what was begun is the Escape key, and then text."""
        if not self.pending:
            return []
        rest, self._rest = self._rest[1:], b""
        return [Pressed("escape"), *self.feed(rest)]


def _next(data: bytes) -> tuple[int, Key | None]:
    """Return how many bytes the first key takes, 0 where it is not complete, and the key if it means something."""
    if data.startswith(_PASTE_START):
        end = data.find(_PASTE_END)
        if end < 0:
            return 0, None
        text = data[len(_PASTE_START) : end].decode("utf-8", "replace")
        return end + len(_PASTE_END), Pasted(sanitise(text))
    if data[0] == 0x1B:
        return _escape(data)
    if name := _CONTROLS.get(data[0]):
        return 1, Pressed(name)
    if match := _PRINTABLE.match(data):
        return _text(match[0], more=match.end() < len(data))
    return 1, None


def _escape(data: bytes) -> tuple[int, Key | None]:
    if match := _SEQUENCE.match(data):
        parameters, final, single = match[1] or b"", match[2] or match[3], match[3]
        numbered = final == b"~" and not single
        name = _NUMBERS.get(parameters.partition(b";")[0]) if numbered else _FINALS.get(final)
        return match.end(), Pressed(name) if name else None
    if _BEGUN.match(data):
        return 0, None
    if data[1:2] in (b"\r", b"\n"):
        return 2, Pressed("newline")  # Alt+Enter
    return 1, Pressed("escape")


def _text(found: bytes, *, more: bool) -> tuple[int, Key | None]:
    """Decode printable bytes; a character that was cut at the end waits for its rest."""
    whole = len(found)
    if not more:
        for back in range(1, min(4, whole) + 1):
            byte = found[-back]
            if byte < 0x80:
                break
            if byte >= 0xC0:
                needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
                whole -= back if needed > back else 0
                break
    # C1 controls are escapes of their own where a terminal reads them.
    text = sanitise(found[:whole].decode("utf-8", "replace"))
    return whole, Typed(text) if text else None
