"""Read lines the way people and agents really write them: both widths of brackets and colons, any bullet."""

from __future__ import annotations

import re
from typing import NamedTuple

_BULLET = re.compile(r"^(\s*)((?:[-*•]|\d{1,4}[.)、．])(?:\s+|(?<=[•、])))(.*?)\s*$")
_HEADING = re.compile(r"^\s{0,3}(#{1,6})\s*(.+?)\s*#*\s*$")
_TAGGED = re.compile(r"^\s*(?:[-*•]\s*)?[\[［【]\s*([^\[\]［］【】]{1,16}?)\s*[\]］】]\s*[:：]?\s*(.*?)\s*$")
_KEYED = re.compile(r"^\s*(?:[-*•]\s*)?([^:：\s`][^:：`]{0,40}?)\s*[:：]\s*(.*?)\s*$")


class Line(NamedTuple):
    """A line of a file, without its end; numbers from 1."""

    number: int
    text: str


class Found(NamedTuple):
    """A label and what follows it; `column` (from 1) is where `rest` begins."""

    label: str
    rest: str
    column: int


def lines(text: str) -> list[Line]:
    """Return the lines of a text; a byte order mark and any form of line end are no part of them.

    Split at line ends only: not at the other characters that `str.splitlines` knows.
    """
    unified = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    parts = unified.split("\n")
    if parts and not parts[-1]:
        parts.pop()
    return [Line(number, part) for number, part in enumerate(parts, 1)]


def heading(line: str) -> Found | None:
    """Return a heading's text without # and a final colon; `label` are the #s."""
    match = _HEADING.match(line)
    if match is None:
        return None
    return Found(match[1], match[2].rstrip(":： "), match.start(2) + 1)


def bullet(line: str) -> Found | None:
    """Return the text of a list item, `-`, `*`, `•` or numbered; `label` is the mark."""
    match = _BULLET.match(line)
    return Found(match[2].strip(), match[3], match.start(3) + 1) if match else None


def tagged(line: str) -> Found | None:
    """Return what stands behind a bracket tag at the start of a line; `label` is the tag as written."""
    match = _TAGGED.match(line)
    return Found(match[1].strip(), match[2], match.start(2) + 1) if match else None


def keyed(line: str) -> Found | None:
    """Return what stands behind `key:` at the start of a line; `label` is the key as written."""
    match = _KEYED.match(line)
    return Found(match[1].strip(), match[2], match.start(2) + 1) if match else None
