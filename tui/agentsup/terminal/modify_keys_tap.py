"""Read xterm's modifyOtherKeys out of a program's output.

libghostty knows level 2 only and does not tell it, so the sequences are read beside it: XTMODKEYS
(`CSI > 4 ; level m`, without a level the initial one), `CSI > 4 n` and the full reset.
"""

from __future__ import annotations

import re

_SET, _RESET = b"\x1b[>", b"\x1bc"
_CHANGE = re.compile(rb"\x1b(?:\[>(\d*)(?:;(\d*))?([mn])|c)")
_OPEN = re.compile(rb"\x1b(?:\[(?:>[\d;]{0,16})?)?\Z")
_LONGEST = len(b"\x1b[>") + 16
_RESOURCE = b"4"


class ModifyKeysTap:
    """Follow the level through a stream that arrives in pieces."""

    def __init__(self) -> None:
        self.level = 0
        self._held = b""

    def feed(self, data: bytes) -> None:
        """Take output."""
        if self._held:
            data = self._held + data
        # Searches for plain bytes first: nearly all output has none of it, and a pattern is tried at each ESC.
        if (b">" in data and _SET in data) or (self.level and _RESET in data):
            for found in _CHANGE.finditer(data):
                self._change(found)
        unfinished = _OPEN.search(data, max(0, len(data) - _LONGEST))
        self._held = unfinished[0] if unfinished else b""

    def _change(self, found: re.Match[bytes]) -> None:
        resource, level, final = found.groups()
        if final is None or (final == b"m" and not resource):
            self.level = 0  # a full reset, or XTMODKEYS without anything: all to their initial values
        elif resource == _RESOURCE:
            self.level = int(level) if final == b"m" and level in (b"1", b"2") else 0
