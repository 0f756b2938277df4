"""Read a file of known sections the way people and agents really write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agentsup.core.memory.blocks import Block, blocks, fence_mark
from agentsup.core.memory.labels import label_language
from agentsup.core.memory.model import Language, Spot
from agentsup.core.memory.section_parts import BLANK, OpenPart, completed_parts, merged
from agentsup.core.memory.sections import (
    GAP,
    WORD,
    Entry,
    Heading,
    Kept,
    KeptKind,
    Named,
    Names,
    Sections,
    entry,
    heading,
    keyed,
    named,
    of_box,
    plain,
    settled,
)
from agentsup.core.memory.state import Step
from agentsup.core.memory.updates import read_update

_COLON = re.compile("[:：]")
_SIMPLE_ITEM = re.compile(r"(?:[-*+]|\d{1,4}\.) (?:\[ \] )?(?=[^\s\[<])")


def read_sections(text: str, names: Names, fallback: Language) -> Sections:
    """Return a file's items and everything around them; `fallback` is the language of one without known names.

    Where no heading is known, `key: value` lines are the sections.
    """
    found = blocks(text)
    by_key = not any(_known_heading(block, names) for block in found)
    reader = _Reader(names, by_key)
    for block in found:
        reader.take(block)
    return reader.result(fallback)


def _known_heading(block: Block, names: Names) -> bool:
    if block.kind != "line" or "#" not in block.text[:4]:
        return False
    title = heading(block.text)
    return title is not None and named(title.text, names.headings) is not None


@dataclass
class _Item:
    """An item whose lines are being read."""

    section: str
    texts: list[str]
    spot: Spot
    joins: bool = False
    """Whether the next line belongs to it, although it is not indented."""


@dataclass
class _Key:
    """A `key:` line whose list may still go on."""

    section: str
    indent: int
    bullet: bool
    open: bool
    """Whether prose below still belongs to it."""
    filled: bool


class _Reader:
    """Takes a text's blocks in order."""

    def __init__(self, names: Names, by_key: bool) -> None:
        self._names = names
        self._by_key = by_key
        self._keys: Mapping[str, str] = names.keys if by_key else names.anywhere
        self._items: dict[str, list[Step]] = {name: [] for name in names.order}
        self._language: Language | None = None
        self._parts = [OpenPart("", Spot())]
        self._part = self._parts[0]
        self._item: _Item | None = None
        self._key: _Key | None = None
        self._fresh = False
        """Whether the last line was the heading of a section."""

    def take(self, block: Block) -> None:
        """Read the next block."""
        kind, number, text = block
        if kind == "line" and not text.strip():
            self._blank()
            return
        self._fresh = False
        if kind == "code":
            self._code(number, text)
        elif kind == "comment":
            self._keep(number, text, "updated" if read_update(text) else "comment")
        elif not (self._part.name and not self._keys and self._simple(number, text)):
            self._line(number, text)

    def result(self, fallback: Language) -> Sections:
        """Return everything that was read."""
        self._finish()
        items = {name: tuple(steps) for name, steps in self._items.items()}
        parts = merged(self._parts)
        present = frozenset(name for name, steps in items.items() if steps)
        return Sections(items, completed_parts(parts, present, self._names.order), self._language or fallback)

    def _simple(self, number: int, text: str) -> bool:
        """Take what most lines of a long file are, as the rest of this class would, in a third of the time."""
        match = _SIMPLE_ITEM.match(text)
        if match:
            self._finish()
            self._start(self._part.name, number, match.end() + 1, text[match.end() :])
        elif text[0].isalpha() and self._part.name not in self._names.prose and not _COLON.search(text, 0, 48):
            self._finish()
            self._start(self._part.name, number, 1, text)
        elif self._item and text.startswith("  ") and text[2:3].isalpha():
            self._item.texts.append(text.strip())
        else:
            return False
        return True

    def _line(self, number: int, row: str) -> None:
        title = heading(row)
        if title and self._heading(number, title):
            return
        line = entry(row)
        if self._keys and self._opens_key(number, line):
            return
        section = self._target(line)
        if not section:
            self._keep(number, row, _kind(row))
        elif kind := self._note(row, line):
            self._keep(number, row.rstrip(), kind)
        elif line.bullet or WORD.search(row):
            self._take_item(number, line, section)

    def _blank(self) -> None:
        if self._fresh:
            self._part.spaced = True
            self._fresh = False
        if self._item:
            self._item.joins = False
        if self._key and self._key.filled:
            self._key.open = False
            if not self._by_key and not self._key.bullet:
                self._finish()
                self._key = None
        if not self._part.name:
            self._part.kept.append(BLANK)

    def _heading(self, number: int, title: Heading) -> bool:
        """Take a heading; False where the line is none."""
        found = None if self._by_key else named(title.text, self._names.headings)
        if found is None and not title.spaced:
            return False
        self._finish()
        self._key = None
        if found:
            self._open(number, title, found)
            return True
        # A heading below a section's own divides that section; any other ends it.
        inside = bool(self._part.name) and title.level > self._part.level
        if not inside and self._part.name:
            self._part = OpenPart("", Spot(number, 1))
            self._parts.append(self._part)
            # As it is written, the section has two #s: what ends it must not be below it then.
            title = title._replace(level=min(title.level, 2))
        level = max(title.level, 3) if inside else title.level
        self._keep(number, f"{'#' * level} {title.text}", "heading", title.column)
        return True

    def _open(self, number: int, title: Heading, found: Named) -> None:
        self._language = self._language or label_language(found.label)
        self._part = OpenPart(found.section, Spot(number, title.column), title.level)
        self._parts.append(self._part)
        self._fresh = True
        if found.rest:
            self._start(found.section, number, title.column + found.at, found.rest)

    def _opens_key(self, number: int, line: Entry) -> bool:
        """Take a line that begins with a key; False where it does not."""
        if not line.bullet and line.indent:
            return False
        text, column = _unboxed(line)
        found = keyed(text, self._keys)
        if found is None:
            return False
        self._finish()
        self._language = self._language or label_language(found.label)
        if self._by_key and all(part.name != found.section for part in self._parts):
            self._parts.append(OpenPart(found.section, Spot(number, column)))
        filled = bool(found.rest)
        self._key = _Key(found.section, line.indent, line.bullet, not filled and not line.bullet, filled)
        if filled:
            self._start(found.section, number, column + found.at, found.rest)
        return True

    def _target(self, line: Entry) -> str:
        """Return the section that a line belongs to; empty for none."""
        key = self._key
        if key is None:
            return self._part.name
        if key.bullet and line.indent > key.indent:
            return key.section
        if not key.bullet and (line.bullet or line.indent or key.open):
            if line.bullet:
                key.open = False
            key.filled = True
            return key.section
        self._finish()
        self._key = None
        return self._part.name

    def _note(self, row: str, line: Entry) -> KeptKind | None:
        """Return the kind of a section's line that is kept; None for an item, and for a fence without an end."""
        if line.bullet:
            return None
        if not WORD.search(row):
            return None if fence_mark(line.text) else "text"
        if line.indent:
            return None
        if row.startswith(GAP[0]) and row.rstrip().endswith(GAP[1]):
            return "text"
        update = read_update(row)
        return "updated_by" if update and update.kind == "updated_by" else "updated" if update else None

    def _take_item(self, number: int, line: Entry, section: str) -> None:
        item = self._item
        if item and not line.bullet and (line.indent or item.joins):
            item.texts.append(line.text)
            return
        self._finish()
        text, column = _unboxed(line)
        self._start(of_box(section, line.text), number, column, text)
        if self._item:
            self._item.joins = not line.bullet and section in self._names.prose

    def _start(self, section: str, number: int, column: int, text: str) -> None:
        self._item = _Item(section, [text], Spot(number, column))

    def _finish(self) -> None:
        """End the item that was being read."""
        item = self._item
        if item is None:
            return
        self._item = None
        text = item.texts[0] if len(item.texts) == 1 else " ".join(item.texts)
        section, text = settled(item.section, text, self._names)
        if text:
            self._items[section].append(Step(text, item.spot))

    def _code(self, number: int, text: str) -> None:
        """Take code: below an item it belongs to that, in a section each line is an item."""
        rows = text.split("\n")
        if self._item and rows[0][:1] in " \t":
            self._item.texts += [row.strip() if "`" in row else f"`{row.strip()}`" for row in _inside(rows)]
            return
        self._finish()
        section = self._part.name
        if self._key and self._key.open and not self._key.filled:
            section = self._key.section
            self._key.filled = True
        else:
            self._key = None
        if not section:
            self._part.kept.append(Kept(text, "code", 0, Spot(number, 1)))
            return
        for offset, row in enumerate(rows[1:-1], 1):
            if WORD.search(row):
                self._start(section, number + offset, len(row) - len(row.lstrip()) + 1, row)
                self._finish()

    def _keep(self, number: int, text: str, kind: KeptKind, column: int = 1) -> None:
        self._finish()
        before = len(self._items[self._part.name]) if self._part.name else 0
        self._part.kept.append(Kept(text, kind, before, Spot(number, column)))


def _inside(rows: list[str]) -> list[str]:
    return [row for row in rows[1:-1] if WORD.search(row)]


def _kind(row: str) -> KeptKind:
    """Return the kind of a line outside of the known sections."""
    update = read_update(row)
    return "text" if update is None else "updated_by" if update.kind == "updated_by" else "updated"


def _unboxed(line: Entry) -> tuple[str, int]:
    """Return a line's text without a box at its beginning, and the column where it begins."""
    if not line.text.startswith("["):
        return line.text, line.column
    text = plain(line.text)
    return (text, line.column + len(line.text) - len(text)) if text else (line.text, line.column)
