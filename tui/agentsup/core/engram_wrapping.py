"""Put together again what an agent has wrapped: an item is one line, and some agents break lines at a width.

A remark below the last item looks much like the rest of it. Only what can be nothing else counts as that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentsup.core.memory.engram import tag_of
from agentsup.core.memory.lines import tagged
from agentsup.core.text import columns

NARROWEST = 60
"""Columns of the narrowest width at which agents break lines."""

MOST_LINES = 24
"""Lines that are put together: an engram has 200 words."""

_NO_PROSE = re.compile(r"#{1,6}\s|[>|<=]|[-*+•](?:\s|$)|\d{1,3}[.)、]\s|`{3,}|~{3,}|(?:\s*[-*_]){3,}$")
"""How a heading, a quotation, a table, a comment, an item of a list, a fence and a rule begin."""

_QUESTION = re.compile(r"[?？][\"'”’)）]*$")
_SENTENCE_ENDS = re.compile(r"[.!?。！？…][\"'”’)）`]*$")
_GOES_ON = re.compile(r"(?:[,;:，、；：(（/&+—–]|[\s\w]-)$")
_WORD = re.compile(r"[A-Z][a-z']*\.?(?=$|[\s,;:!])")
"""A word that may begin a sentence: no name of code, and no path."""

_BREAKS_INSIDE = re.compile(r"(?:\w-|\S/)$")
"""A line that was broken within a word or a path."""


def unwrapped(paragraph: Sequence[str]) -> list[str]:
    """Return the lines of a paragraph, each item with what was wrapped onto the lines below it."""
    joined: list[str] = []
    last, count, widest = "", 0, 0
    """The line above as it stands, empty where none of an item does; how many the item has; the widest so far."""
    for line in paragraph:
        if tag_of(line):
            found = tagged(line)
            joined.append(line)
            last, count = line if found and found.rest else "", 1
        elif last and count < MOST_LINES and _belongs(line, joined[-1], last, widest):
            joined[-1] = _put_together(joined[-1], line.strip())
            last, count = line, count + 1
        else:
            joined.append(line)
            last = ""
        widest = max(widest, columns(line))
    return joined


def _belongs(line: str, item: str, last: str, widest: int) -> bool:
    """Say whether a line can only be the rest of the item above it."""
    text = line.strip()
    if tagged(line) or _NO_PROSE.match(text) or _QUESTION.search(text):
        return False
    if _indent(line) > _indent(item) or _is_open(item) or _GOES_ON.search(last):
        return True
    if _SENTENCE_ENDS.search(last) or _WORD.match(text):
        return False
    return text[0].islower() or _was_full(last, text, widest)


def _is_open(item: str) -> bool:
    """Say whether code or a bracket in an item goes on in the next line."""
    return item.count("`") % 2 == 1 or item.count("(") > item.count(")") or item.count("（") > item.count("）")


def _was_full(last: str, text: str, widest: int) -> bool:
    """Say whether a line was as wide as lines are: with what follows it would have been wider than all above it."""
    first = text[:1] if _is_wide(text[0]) else text.split()[0]
    return columns(last) >= NARROWEST and columns(last) + 1 + columns(first) > widest


def _put_together(item: str, text: str) -> str:
    is_one = _BREAKS_INSIDE.search(item) or (_is_wide(item[-1]) and _is_wide(text[0]))
    return f"{item}{text}" if is_one else f"{item} {text}"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_wide(character: str) -> bool:
    return columns(character) > 1
