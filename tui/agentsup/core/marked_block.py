"""A short block of ours in a file that is the person's: AGENTS.md, CLAUDE.md.

It stands between two marker lines, at the end of the file, and can be taken out again without a trace. How the
block is set off says how the file was before: one line break before it where the file ended with one, two and
no line break behind it where it did not, none where there was no file at all.

Texts are those of whole files, line ends unchanged (`newline=""`); a byte order mark may stand in front.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BEGIN = "<!-- agentsup:begin -->"
END = "<!-- agentsup:end -->"

_MARKER = re.compile(r"^[ \t]*<!--[ \t]*agentsup:(begin|end)[ \t]*-->[ \t]*(?=\r?$)", re.MULTILINE)


class DamagedBlock(Exception):
    """The markers are no pair, so nobody can say what is ours; `line` (from 1) is that of the one in question."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


@dataclass(frozen=True)
class _Found:
    """A block in a text: from the start of its first marker to the end of its last one."""

    start: int
    inner_start: int
    inner_end: int
    end: int


def put(text: str | None, block: str) -> str:
    """Return a file's text with the block in it, in place of an earlier one; None stands for no file.

    Raises DamagedBlock, and ValueError for a block that has a marker in it.
    """
    if _MARKER.search(block):
        raise ValueError(block)
    if text is None:
        return _between_markers(block, "\n") + "\n"
    found = _find(text)
    if found is not None:
        line_end = "\r\n" if text.startswith("\r\n", found.inner_start) else "\n"
        return text[: found.start] + _between_markers(block, line_end) + text[found.end :]
    line_end = _line_end(text)
    if text.endswith("\n"):
        return text + line_end + _between_markers(block, line_end) + line_end
    return text + line_end * 2 + _between_markers(block, line_end)


def remove(text: str) -> str | None:
    """Return a file's text as it was before `put`; None where there was no file. Raises DamagedBlock."""
    found = _find(text)
    if found is None:
        return text
    line_end = "\r\n" if text.startswith("\r\n", found.inner_start) else "\n"
    before, after = text[: found.start], text[found.end :]
    if not after:
        before = before.removesuffix(line_end)
    before, after = before.removesuffix(line_end), after.removeprefix(line_end)
    return None if found.start == 0 and not after else before + after


def block_of(text: str) -> str | None:
    """Return what stands between the markers, without its outer line ends; None without them. Raises DamagedBlock."""
    found = _find(text)
    return None if found is None else text[found.inner_start : found.inner_end].strip("\r\n")


def _find(text: str) -> _Found | None:
    markers = list(_MARKER.finditer(text))
    if not markers:
        return None
    kinds = [marker[1] for marker in markers]
    if kinds != ["begin", "end"]:
        # The one that has no other of its pair, or else the first one too many.
        odd = 2 if kinds[:2] == ["begin", "end"] else 1 if kinds[:2] == ["begin", "begin"] else 0
        raise DamagedBlock(text.count("\n", 0, markers[odd].start()) + 1)
    begin, end = markers
    return _Found(begin.start(), begin.end(), end.start(), end.end())


def _between_markers(block: str, line_end: str) -> str:
    lines = block.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")
    return line_end.join((BEGIN, *lines, END))


def _line_end(text: str) -> str:
    """Return the line end that most of the lines have."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
