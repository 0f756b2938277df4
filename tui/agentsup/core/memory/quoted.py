"""Lines that are shown, not said: code fences and HTML comments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentsup.core.memory.fences import Mark, ends_of

_FENCE = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})(.*)")


def quoted(texts: Sequence[str]) -> list[int]:
    """Return for each line the number of the closed fence or comment it belongs to, marks included; 0 for none.

    One that is never closed counts as none: a stray mark must not hide the rest of a file.
    """
    hidden = [0] * len(texts)
    count = 0
    marks = _marks(texts)
    ends = ends_of(marks)
    position = 0
    while position < len(marks):
        mark = marks[position]
        end = position if mark.kind == "<" and mark.ends else ends[position]
        if not mark.begins or end < 0:
            position += 1
            continue
        count += 1
        for index in range(mark.line, marks[end].line + 1):
            hidden[index] = count
        position = end + 1
    return hidden


def _marks(texts: Sequence[str]) -> list[Mark]:
    marks: list[Mark] = []
    for index, text in enumerate(texts):
        if "```" in text or "~~~" in text:
            fence = _FENCE.match(text)
            if fence:
                marks.append(Mark(index, fence[1][0], len(fence[1]), True, not fence[2].strip()))
        if "<!--" in text or "-->" in text:
            begins = text.lstrip().startswith("<!--")
            ends = text.find("-->", text.index("<!--") + 4 if begins else 0) >= 0
            marks.append(Mark(index, "<", 0, begins, ends))
    return marks
