"""Cut a Markdown text into lines and into what must not be read as lines: code between fences, comments.

Takes time in proportion to the text, whatever is in it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from agentsup.core.memory.fences import Mark, ends_of

COMMENT, COMMENT_END = "<!--", "-->"


class Block(NamedTuple):
    """A line, or the lines of a code block with its fences or of a comment; `number` is the first one's, from 1."""

    kind: Literal["line", "code", "comment"]
    number: int
    text: str


def blocks(text: str) -> list[Block]:
    """Return the parts of a text in order.

    Byte order marks are dropped wherever they are: files are put together of others. A fence that nothing
    closes is a line; a comment that nothing closes ends with its line, and is returned closed.
    """
    rows = text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not rows[-1]:
        rows.pop()
    last_end = _last_comment_end(rows) if COMMENT in text else -1
    fence_ends = _fence_ends(rows) if "```" in text or "~~~" in text else {}
    found: list[Block] = []
    index = 0
    while index < len(rows):
        row = rows[index]
        start = row.lstrip(" \t")
        if start.startswith(COMMENT):
            end = _comment_end(rows, index, last_end)
            closed = "\n".join(rows[index : end + 1]) if end >= index else f"{row.rstrip()} {COMMENT_END}"
            found.append(Block("comment", index + 1, closed))
            index = max(end, index) + 1
        elif end := fence_ends.get(index, 0):
            found.append(Block("code", index + 1, "\n".join(rows[index : end + 1])))
            index = end + 1
        else:
            found.append(Block("line", index + 1, row))
            index += 1
    return found


def fence_mark(start: str) -> str:
    """Return the mark of a fence that a line opens, behind its indent; empty where it is none."""
    if not start.startswith(("```", "~~~")):
        return ""
    rest = start.lstrip(start[0])
    if start[0] == "`" and "`" in rest:
        return ""
    return start[: len(start) - len(rest)]


def _fence_ends(rows: list[str]) -> dict[int, int]:
    """Return by the index of each row that can open a fence that of the row that closes it."""
    marks = []
    for index, row in enumerate(rows):
        bare = row.strip(" \t")
        if mark := fence_mark(bare):
            marks.append(Mark(index, mark[0], len(mark), True, mark == bare))
    return {mark.line: marks[end].line for mark, end in zip(marks, ends_of(marks), strict=True) if end >= 0}


def _last_comment_end(rows: list[str]) -> int:
    return next((index for index in range(len(rows) - 1, -1, -1) if COMMENT_END in rows[index]), -1)


def _comment_end(rows: list[str], index: int, last_end: int) -> int:
    """Return the index of the row in which a comment ends; -1 without one."""
    row = rows[index]
    if row.find(COMMENT_END, row.index(COMMENT) + len(COMMENT)) >= 0:
        return index
    if last_end <= index:
        return -1
    return next(end for end in range(index + 1, len(rows)) if COMMENT_END in rows[end])
