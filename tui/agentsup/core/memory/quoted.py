"""Lines that are shown, not said: code fences and HTML comments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_FENCE = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})(.*)")


class _Mark(NamedTuple):
    """A line that can begin or end a passage."""

    line: int
    kind: str
    """A backtick, a tilde, or `<` of a comment."""
    length: int
    begins: bool
    ends: bool


def quoted(texts: Sequence[str]) -> list[int]:
    """Return for each line the number of the closed fence or comment it belongs to, marks included; 0 for none.

    One that is never closed counts as none: a stray mark must not hide the rest of a file.
    """
    hidden = [0] * len(texts)
    count = 0
    marks = _marks(texts)
    hopeless: dict[str, int] = {}
    position = 0
    while position < len(marks):
        mark = marks[position]
        position += 1
        if not mark.begins or mark.length >= hopeless.get(mark.kind, mark.length + 1):
            continue
        end = position - 1 if mark.kind == "<" and mark.ends else _end(marks, position)
        if end is None:
            hopeless[mark.kind] = mark.length
            continue
        count += 1
        for index in range(mark.line, marks[end].line + 1):
            hidden[index] = count
        position = end + 1
    return hidden


def _end(marks: list[_Mark], position: int) -> int | None:
    """Return where in the marks the passage ends that begins before `position`."""
    opening = marks[position - 1]
    for place in range(position, len(marks)):
        mark = marks[place]
        if mark.ends and mark.kind == opening.kind and mark.length >= opening.length:
            return place
    return None


def _marks(texts: Sequence[str]) -> list[_Mark]:
    marks: list[_Mark] = []
    for index, text in enumerate(texts):
        if "```" in text or "~~~" in text:
            fence = _FENCE.match(text)
            if fence:
                marks.append(_Mark(index, fence[1][0], len(fence[1]), True, not fence[2].strip()))
        if "<!--" in text or "-->" in text:
            begins = text.lstrip().startswith("<!--")
            ends = text.find("-->", text.index("<!--") + 4 if begins else 0) >= 0
            marks.append(_Mark(index, "<", 0, begins, ends))
    return marks
