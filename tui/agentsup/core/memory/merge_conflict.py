"""Marks that git leaves where two versions of a file could not be put together."""

from __future__ import annotations

import re

_MARKS = re.compile(r"^<{7}(?: [^\r\n]*)?\r?$.*?^={7}\r?$.*?^>{7}(?: [^\r\n]*)?\r?$", re.MULTILINE | re.DOTALL)


def conflict_line(text: str) -> int:
    """Return the line where the first conflict begins, from 1; 0 without one."""
    found = _MARKS.search(text.removeprefix("\ufeff")) if "<<<<<<<" in text and ">>>>>>>" in text else None
    return text.count("\n", 0, found.start() + 1) + 1 if found else 0
