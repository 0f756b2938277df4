"""The leader: the one key agentsup keeps for itself, in every form a terminal may send it."""

from __future__ import annotations

import re
from typing import Literal

_CSI_U = re.compile(rb"\x1b\[(\d+)(?::[\d:]*)?;(\d+)(?::(\d))?(?:;[\d:]*)?u")
_MODIFY_OTHER_KEYS = re.compile(rb"\x1b\[27;(\d+);(\d+)~")
_CONTROL = 4
_LOCKS = 64 | 128  # caps lock and num lock, which say nothing about what was meant

DEFAULT = "ctrl+\\"


class BadLeader(ValueError):
    """The setting names no key that can be a leader."""


class Leader:
    """A leader key: "ctrl+" and one of a–z, \\ ] ^ _ or space."""

    def __init__(self, name: str = DEFAULT) -> None:
        prefix, _, key = name.lower().partition("+")
        key = " " if key == "space" else key
        if prefix != "ctrl" or len(key) != 1 or key not in "abcdefghijklmnopqrstuvwxyz\\]^_ " or key in "ijm":
            # Ctrl+I, J and M are Tab, line feed and Enter: no terminal can tell them apart.
            raise BadLeader(name)
        self.byte = bytes([ord(key.upper()) & 0x1F])
        self._code = ord(key)
        self.key = f"ctrl+{key}"
        """How Textual calls it, where it is a letter."""
        self.label = f"Ctrl+{'Space' if key == ' ' else key.upper()}"

    def find(self, text: bytes) -> int:
        """Return where the leader stands in plain input, -1 if nowhere."""
        return text.find(self.byte)

    def match(self, sequence: bytes) -> Literal["press", "repeat", "release"] | None:
        """Tell whether an escape sequence is the leader (kitty's or xterm's form), and what happened to it."""
        if found := _CSI_U.fullmatch(sequence):
            code, modifiers, event = int(found[1]), int(found[2]), found[3]
        elif found := _MODIFY_OTHER_KEYS.fullmatch(sequence):
            code, modifiers, event = int(found[2]), int(found[1]), None
        else:
            return None
        if code != self._code or (modifiers - 1) & ~_LOCKS != _CONTROL:
            return None
        return "release" if event == b"3" else "repeat" if event == b"2" else "press"
