"""Cut a Markdown text into lines and into what must not be read as lines: code between fences, comments.

Takes time in proportion to the text, whatever is in it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

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
    unclosed: dict[str, int] = {}
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
        elif (fence := fence_mark(start)) and (end := _fence_end(rows, index, fence, unclosed)):
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


def _fence_end(rows: list[str], index: int, mark: str, unclosed: dict[str, int]) -> int:
    """Return the index of the row that closes a fence; 0 without one.

    `unclosed` remembers by character the shortest mark that nothing closes any more, so that a text of
    opening fences is not searched again and again.
    """
    character = mark[0]
    if len(mark) >= unclosed.get(character, len(mark) + 1):
        return 0
    for end in range(index + 1, len(rows)):
        row = rows[end].strip(" \t")
        if row.startswith(mark) and not row.strip(character):
            return end
    unclosed[character] = len(mark)
    return 0


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
