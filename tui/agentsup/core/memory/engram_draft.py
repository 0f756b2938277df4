"""What a person edits of an engram: a text in which nothing hides, how long it is, and where a tag goes.

Pure; places are line and character from 0, as an editor has them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from agentsup.core.checks.characters import word_count
from agentsup.core.memory.engram import REQUIRED, read_engram
from agentsup.core.memory.labels import TAG_LABELS, Tag
from agentsup.core.memory.lines import tagged
from agentsup.core.memory.model import Language
from agentsup.core.text import legible

COMPARED_MOST = 1000
"""Lines of a text up to which two of them are compared; beyond, all of the old and all of the new is shown."""

_CODE = re.compile("⟨([0-9a-f]{1,6})⟩")
_KEPT = frozenset("\n\t\u3000")


@dataclass(frozen=True)
class Draft:
    """A text as it is edited: whatever shows nothing or does harm on a screen stands there as its code, ⟨1b⟩."""

    text: str
    codes: Mapping[str, str] = field(default_factory=dict)
    """What the codes stand for; each that is left is that character again when the text is saved."""
    returns: bool = False
    """Whether its lines end with a return and a line feed."""


def draft_of(text: str) -> Draft:
    """Return a file's text as it is edited."""
    returns = "\r\n" in text and "\n" not in text.replace("\r\n", "")
    unified = text.replace("\r\n", "\n") if returns else text
    codes: dict[str, str] = {}
    parts = []
    for character in unified:
        shown = character if character in _KEPT else legible(character)
        if shown != character:
            codes[shown] = character
        parts.append(shown)
    return Draft("".join(parts), codes, returns)


def text_of(draft: Draft, edited: str) -> str:
    """Return the text that is meant by an edited draft, ended by one line end; empty where nothing stands there."""
    meant = _CODE.sub(lambda found: draft.codes.get(found[0], found[0]), edited).strip("\n")
    if not meant.strip():
        return ""
    return f"{meant}\n".replace("\n", "\r\n") if draft.returns else f"{meant}\n"


class Length(NamedTuple):
    """How long an engram is, as the checks count it."""

    words: int
    items: int


def length_of(text: str) -> Length:
    """Return how many words and items an engram has."""
    items = read_engram(text).items
    return Length(sum(word_count(item.text) for item in items), len(items))


def blank_engram(language: Language) -> str:
    """Return what a new engram begins with: the tags that it must have."""
    return "".join(f"[{TAG_LABELS[language][tag]}] \n" for tag in REQUIRED)


class Insertion(NamedTuple):
    """Text that goes to a place, and where the cursor stands behind it."""

    row: int
    column: int
    text: str
    cursor: tuple[int, int]


def tag_at(text: str, row: int, tag: Tag, fallback: Language) -> Insertion:
    """Return what makes a place for an item: on a line without a tag before its text, else on a line of its own."""
    label = TAG_LABELS[read_engram(text, fallback).language][tag]
    line = text.split("\n")[row]
    if tagged(line) is None:
        words = line.lstrip()
        written = f"[{label}] "
        return Insertion(row, len(line) - len(words), written, (row, len(line) + len(written)))
    written = f"\n[{label}] "
    return Insertion(row, len(line), written, (row + 1, len(written) - 1))


class Compared(NamedTuple):
    """A line of one of two texts, or of both."""

    mark: Literal[" ", "+", "-"]
    text: str


def compared(before: str, after: str) -> tuple[Compared, ...]:
    """Return all lines of two texts, the new one's in their order and those that are gone where they stood."""
    old, new = _lines(before), _lines(after)
    if max(len(old), len(new)) > COMPARED_MOST:
        return (*(Compared("-", line) for line in old), *(Compared("+", line) for line in new))
    told: list[Compared] = []
    for kind, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            told += [Compared(" ", line) for line in new[k:m]]
        else:
            told += [Compared("-", line) for line in old[i:j]]
            told += [Compared("+", line) for line in new[k:m]]
    return tuple(told)


def _lines(text: str) -> list[str]:
    text = text.replace("\r\n", "\n").removesuffix("\n")
    return text.split("\n") if text else []
