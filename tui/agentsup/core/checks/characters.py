"""Characters that do harm in a text that is shown in a terminal and typed into one; and how many words it has."""

from __future__ import annotations

import re

from agentsup.core.memory.lines import lines
from agentsup.core.memory.model import Spot
from agentsup.core.text import INVISIBLE

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""C0 and C1 controls but tab and line ends, other line ends, and marks that change the direction of writing."""

_CJK = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")


def first_control(text: str) -> tuple[Spot, str] | None:
    """Return the place and the number (`U+001B`) of the first such character; None without one."""
    if _CONTROL.search(text) is None:
        return None
    for number, line in lines(text):
        if match := _CONTROL.search(line):
            return Spot(number, match.start() + 1), f"U+{ord(match[0]):04X}"
    return None


def first_invisible(text: str) -> tuple[Spot, str] | None:
    """Return the same of the first character that shows nothing, by which only a program is told something."""
    if INVISIBLE.search(text) is None:
        return None
    for number, line in lines(text):
        for match in INVISIBLE.finditer(line):
            if not _belongs(line, match.start()):
                return Spot(number, match.start() + 1), f"U+{ord(match[0]):04X}"
    return None


def _belongs(line: str, at: int) -> bool:
    """Say whether it is a part of a sign: how an emoji is shown, or what joins two of them, or two letters."""
    before, after = line[at - 1 : at], line[at + 1 : at + 2]
    if line[at] in "\ufe0e\ufe0f":
        return bool(before) and (not before.isascii() or before in "#*0123456789") and not INVISIBLE.match(before)
    if line[at] in "\u200c\u200d":
        shown = before and not before.isascii() and (before in "\ufe0e\ufe0f" or not INVISIBLE.match(before))
        return bool(shown) and not after.isascii() and not INVISIBLE.match(after)
    return False


def word_count(text: str) -> int:
    """Return how many words a text has: a CJK character is one, and so is a run of other letters and digits."""
    return sum(1 for _ in _WORD.finditer(text))
