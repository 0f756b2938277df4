"""Files of known sections with list items, STATE.md and TASK.md: what they are made of, and how names are known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from agentsup.core.memory.labels import NOTHING
from agentsup.core.memory.model import Language, Spot
from agentsup.core.memory.state import Step

KeptKind = Literal["text", "heading", "comment", "code", "updated", "updated_by"]


@dataclass(frozen=True)
class Kept:
    """A line that is no item, or the lines of a comment or of code: written back as it is."""

    text: str
    kind: KeptKind = "text"
    before: int = 0
    """In a known section: how many items stand above it."""
    spot: Spot = field(default=Spot(), compare=False)


@dataclass(frozen=True)
class Part:
    """A stretch of a file: a known section, or, without a name, what stands outside of them."""

    name: str = ""
    kept: tuple[Kept, ...] = ()
    spaced: bool = field(default=False, compare=False)
    """Whether a blank line follows the heading."""
    spot: Spot = field(default=Spot(), compare=False)


@dataclass(frozen=True)
class Sections:
    """A file: the items by section, and the parts as they follow each other."""

    items: Mapping[str, tuple[Step, ...]]
    parts: tuple[Part, ...] = ()
    language: Language = "en"


@dataclass(frozen=True)
class Names:
    """The names that a kind of file knows its sections by."""

    headings: Mapping[str, str]
    """Section by name, lower case."""
    keys: Mapping[str, str]
    """Section by key of a `key: value` line, for a file without any known heading."""
    order: tuple[str, ...]
    """How sections follow each other where the file does not say otherwise."""
    labels: Mapping[Language, Mapping[str, str]]
    anywhere: Mapping[str, str] = field(default_factory=dict)
    """Those of `keys` that are a key at the beginning of any line, below headings too."""
    prose: frozenset[str] = frozenset()
    """Sections whose lines are one item up to a blank line, and are written without bullets."""


class Named(NamedTuple):
    """A known name in a line: its section, the name as written, and what follows it, from `at` on, from 0."""

    section: str
    label: str
    rest: str
    at: int


class Heading(NamedTuple):
    """A heading; without a blank behind its #s, it is one only if its name is known: `#42 is fixed` is not."""

    level: int
    spaced: bool
    text: str
    column: int


class Entry(NamedTuple):
    """A line as part of a list; `column`, from 1, is where its text begins."""

    indent: int
    bullet: bool
    text: str
    column: int


WORD = re.compile(r"[^\W_]")
"""A letter or a digit: what has none says nothing."""

GAP: Final = ("[… ", " left out …]")
"""How a line begins and ends that stands for a part of a text that was not read."""

_BULLET = re.compile(r"([ \t]*)((?:[-*•+]|\d{1,4}[.)、．])(?:\s+|(?<=[•、])|$))?")
_TO_COME = ("next", "in_progress")
_TICKED = re.compile(r"\[[xX✓✔√]\](?=\s|$)")
_BOX = re.compile(r"\[[ xX✓✔√~/-]?\](?=\s|$)\s*")
_MARKS = " \t*_`~#()（）[]［］【】<>《》.。!！,，;；-—–"
_EXTRAS = re.compile(r"[(（\[［【][^()（）\[\]［］【】]*[)）\]］】]")
_NUMBERED = re.compile(r"^(?:\d{1,3}[.)、．:：]\s*|[一二三四五六七八九十]{1,3}[、．.]\s*)")
_SEPARATORS = re.compile(r"[/／|｜·•&]")
_SCRIPTS = re.compile(r"[\u4e00-\u9fff]+|[^\u4e00-\u9fff]+")
_COLON = re.compile(r"[:：]")
_DASH = re.compile(r"\s[-–—]+\s|——")
_LETTER = re.compile(r"[^\W\d_]")
_NAME_MOST = 80


def entry(row: str) -> Entry:
    """Return a line's indent in columns, and its text behind the bullet."""
    match = _BULLET.match(row)
    begin = match.end() if match else 0
    indent = match[1] if match else ""
    text = row[begin:].rstrip()
    bare = text.lstrip()
    return Entry(len(indent.expandtabs(4)), bool(match and match[2]), bare, begin + len(text) - len(bare) + 1)


def heading(row: str) -> Heading | None:
    """Return a line as a heading; None where it is none."""
    bare = row.lstrip(" ")
    if not bare.startswith("#") or len(row) - len(bare) > 3:
        return None
    rest = bare.lstrip("#")
    level = len(bare) - len(rest)
    text = rest.strip()
    if not text or level > 6:
        return None
    return Heading(level, rest[0].isspace(), text, len(row) - len(rest.lstrip()) + 1)


def named(title: str, names: Mapping[str, str]) -> Named | None:
    """Return the section that a heading names, however it is decorated; what follows a colon or dash is its rest.

    Takes numbers, marks, brackets, counts, and a second name in the other language beside the name.
    """
    for separator in (_colon(title), _DASH.search(title, 0, _NAME_MOST)):
        if separator and (found := _split(title, separator, names)):
            same = _section(found.rest, names) == found.section
            return found._replace(rest="") if same or not _LETTER.search(found.rest) else found
    section = _section(title, names)
    return Named(section, title, "", len(title)) if section else None


def keyed(text: str, names: Mapping[str, str]) -> Named | None:
    """Return what a line says whose key, before a colon, is known."""
    separator = _colon(text)
    return _split(text, separator, names) if separator else None


def plain(text: str) -> str:
    """Return an item's text in one line, without a box at its beginning; empty where it says nothing, or `none`."""
    if "\n" in text or "\r" in text:
        text = " ".join(part.strip() for part in text.replace("\r", "\n").split("\n") if part.strip())
    text = text.replace("\ufeff", "").strip()
    while text.startswith("[") and (box := _BOX.match(text)):
        text = text[box.end() :].strip()
    if not WORD.search(text) or (len(text) < 20 and text.strip(_MARKS).lower() in NOTHING):
        return ""
    return text


def of_box(section: str, text: str) -> str:
    """Return the section of an item with its box: a step to come whose box is ticked is done."""
    return "completed" if section in _TO_COME and _TICKED.match(text) else section


def settled(section: str, text: str, names: Names) -> tuple[str, str]:
    """Return the section an item belongs to and its text; an empty text is no item.

    An item that begins with a key that counts anywhere belongs to that key.
    """
    text = plain(text)
    while names.anywhere and (found := keyed(text, names.anywhere)):
        section, text = found.section, plain(found.rest)
    return section, text


def _colon(text: str) -> re.Match[str] | None:
    return _COLON.search(text, 0, _NAME_MOST)


def _split(text: str, separator: re.Match[str], names: Mapping[str, str]) -> Named | None:
    label, rest = text[: separator.start()], text[separator.end() :].strip()
    section = _section(label, names)
    if not section:
        return None
    opening = label.strip()[: len(label.strip()) - len(label.strip().lstrip("*_"))]
    if opening and not label.rstrip().endswith(opening):
        rest = rest.removeprefix(opening).lstrip()
    return Named(section, label, rest, len(text.rstrip()) - len(rest))


def _section(text: str, names: Mapping[str, str]) -> str:
    """Return the section of a name; empty without one."""
    if len(text) > _NAME_MOST:
        return ""
    bare = _EXTRAS.sub(" ", text)
    if not WORD.search(bare):
        bare = text
    bare = _cleaned(bare)
    if bare in names:
        return names[bare]
    for pieces in (_SEPARATORS.split(bare), _SCRIPTS.findall(bare)):
        sections = {names.get(_cleaned(piece), "") for piece in pieces if WORD.search(piece)}
        if len(sections) == 1 and "" not in sections:
            return sections.pop()
    return ""


def _cleaned(name: str) -> str:
    name = name.replace("’", "'").lower()
    first = WORD.search(name)
    if first is None:
        return ""
    name = _NUMBERED.sub("", name[first.start() :])
    while name and not WORD.match(name[-1]):
        name = name[:-1]
    return " ".join(name.replace("_", " ").replace("-", " ").split())
