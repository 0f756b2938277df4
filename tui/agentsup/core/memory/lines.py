"""Read lines the way people and agents really write them: both widths of brackets and colons, any bullet."""

from __future__ import annotations

import re
from typing import NamedTuple

_TAGGED = re.compile(r"^\s*(?:[-*•]\s*)?[\[［【]([^\[\]［］【】]{1,40})[\]］】][\s:：]*(.*)$", re.DOTALL)
_KEYED = re.compile(r"^\s*(?:[-*•]\s*)?([^:：\s`][^:：`]{0,60})[:：](.*)$", re.DOTALL)
# Blanks at the ends are taken off afterwards: a pattern that did it would take the square of a line's length.
_TAG_MOST, _KEY_MOST = 16, 41


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


def tagged(line: str) -> Found | None:
    """Return what stands behind a bracket tag at the start of a line; `label` is the tag as written."""
    return _found(_TAGGED.match(line), _TAG_MOST)


def keyed(line: str) -> Found | None:
    """Return what stands behind `key:` at the start of a line; `label` is the key as written."""
    return _found(_KEYED.match(line), _KEY_MOST)


def _found(match: re.Match[str] | None, most: int) -> Found | None:
    label = match[1].strip() if match else ""
    if match is None or not 0 < len(label) <= most:
        return None
    rest = match[2].lstrip()
    return Found(label, rest.rstrip(), match.end(2) - len(rest) + 1)
