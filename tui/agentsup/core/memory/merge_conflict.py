"""Marks that git leaves where two versions of a file could not be put together."""

from __future__ import annotations

import re

_BEGINS, _DIVIDES, _ENDS = (
    re.compile(rf"^{mark}\r?$", re.MULTILINE) for mark in (r"<{7}(?: [^\r\n]*)?", "={7}", r">{7}(?: [^\r\n]*)?")
)


def conflict_line(text: str) -> int:
    """Return the line where the first conflict begins, from 1; 0 without one."""
    text = text.removeprefix("\ufeff")
    begins = _BEGINS.search(text)
    # Each is looked for once: what follows none of the first mark's kind follows no other one.
    divides = _DIVIDES.search(text, begins.end()) if begins else None
    if begins is None or divides is None or not _ENDS.search(text, divides.end()):
        return 0
    return text.count("\n", 0, begins.start() + 1) + 1
