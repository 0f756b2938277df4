"""The lines of a file of decisions, by what each is taken alone."""

from __future__ import annotations

import re
from itertools import accumulate, repeat
from typing import Literal, NamedTuple

from agentsup.core.memory import decision_words as words
from agentsup.core.memory.decision import ARCHIVE_LINE
from agentsup.core.memory.quoted import quoted

Kind = Literal["blank", "quoted", "heading", "key", "bullet", "index", "special", "text"]
"""`special`: quotes, tables, rules."""

_PARTS = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_SPACES = frozenset(" \t")
_BULLETS = frozenset("-*+•0123456789")


Found = tuple[str, ...]
"""What a line is made of. A heading: #s, title. A key: bullet, key in lower case, value. A bullet: indent, mark,
text. The last one goes to the line's end. A quoted line: the number of its passage."""


class Lines(NamedTuple):
    """The lines of a text, in columns: they are many."""

    texts: list[str]
    """Without ends."""
    kinds: list[Kind]
    founds: list[Found]
    offsets: list[int]
    """Where each begins, and where the last ends."""


def columns(text: str) -> int:
    """Return the columns before the first character that is no space; a tab goes to the next fourth."""
    return len(text[: len(text) - len(text.lstrip(" \t"))].expandtabs(4))


def indent_of(text: str) -> int:
    """Return `columns`, fast for most lines."""
    return columns(text) if text[:1] in _SPACES else 0


def lines(text: str) -> Lines:
    """Return the lines of a text by what they are, whatever form their ends have."""
    if "\r" in text:
        parts = _PARTS.findall(text)
        texts = [part.rstrip("\r\n") for part in parts]
        offsets = [0, *accumulate(map(len, parts))]
    else:  # much faster, and nearly always the case
        texts = text.split("\n")
        offsets = [0, *accumulate(len(line) + 1 for line in texts)]
        offsets[-1] = len(text)
        if not texts[-1]:
            texts.pop()
            offsets.pop()
    kinds: list[Kind] = []
    founds: list[Found] = []
    marked = any(mark in text for mark in ("```", "~~~", "<!--"))
    for line, shown in zip(texts, quoted(texts) if marked else repeat(0, len(texts)), strict=True):
        each, found = ("quoted", (str(shown),)) if shown else kind(line)
        kinds.append(each)
        founds.append(found)
    return Lines(texts, kinds, founds, offsets)


def kind(text: str) -> tuple[Kind, Found]:
    """Return what a line is that stands in no fence or comment, and what it is made of."""
    if (":" in text or "：" in text) and (key := words.key(text)):
        return "key", key
    first = text.lstrip()[:1]
    if not first:
        return "blank", ()
    if first == "#" and (found := words.HEADING.match(text)):
        return "heading", found.groups()
    if first in _BULLETS and not words.RULE.match(text) and (found := words.BULLET.match(text)):
        return "bullet", found.groups()
    if first == ">":
        return "index" if ARCHIVE_LINE.match(text) else "special", ()
    return "special" if first == "|" or words.RULE.match(text) else "text", ()
