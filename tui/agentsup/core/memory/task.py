"""TASK.md and CONTRACT.md: what is to be done and where, and the interfaces that must stay as they are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from agentsup.core.memory.blocks import Block, blocks
from agentsup.core.memory.labels import TASK_KEYS, TASK_LABELS, TASK_ORDER, TASK_SECTIONS
from agentsup.core.memory.model import Language, Spot
from agentsup.core.memory.path_rules import Rule, covers, relative, rules_in
from agentsup.core.memory.section_parts import completed_parts
from agentsup.core.memory.section_reading import read_sections
from agentsup.core.memory.section_writing import write_sections
from agentsup.core.memory.sections import WORD, Entry, Names, Part, Sections, entry, heading, keyed, settled
from agentsup.core.memory.state import Step

_PATHS = {name: section for name, section in TASK_SECTIONS.items() if section in ("allowed", "forbidden")}
_NAMES = Names(TASK_SECTIONS, {**TASK_SECTIONS, **TASK_KEYS}, TASK_ORDER, TASK_LABELS, _PATHS, frozenset({"goal"}))
_SIGNATURE = re.compile(r"[(`]|->|\w\.\w")
_COMMENT = re.compile(r"(?:#|//|--|/\*|\*|\"\"\"|''')\s*(.*)")
_FILE = re.compile(r"[\w./-]*\w\.\w+")


@dataclass(frozen=True)
class TaskFile:
    """What a TASK.md says. Empty where it says nothing."""

    goal: tuple[Step, ...] = ()
    scope: tuple[Step, ...] = ()
    allowed: tuple[Step, ...] = ()
    """Items as written; see `is_allowed` for the paths in them."""
    forbidden: tuple[Step, ...] = ()
    acceptance: tuple[Step, ...] = ()
    language: Language = "en"
    others: tuple[Any, ...] = ()
    """Everything around the items, as parts."""


@dataclass(frozen=True)
class Signature:
    """One interface of a contract; `place` is the heading or the file that it stands below."""

    text: str
    place: str = ""
    spot: Spot = field(default=Spot(), compare=False)


@dataclass(frozen=True)
class Contract:
    """A CONTRACT.md: its signatures, and its text as it is."""

    entries: tuple[Signature, ...] = ()
    text: str = ""


def read_task(text: str, fallback: Language = "en") -> TaskFile:
    """Return what a TASK.md says; `fallback` is the language of one without known names. Never raises.

    Lines that begin with a key for paths (`Forbidden: docs/`) count wherever they stand; a title (`# Task: …`) says
    the goal where nothing else does.
    """
    sections = read_sections(text, _NAMES, fallback)
    items = sections.items
    parts = sections.parts
    goal = items["goal"] or _titled_goal(parts)
    if goal and not items["goal"]:
        parts = completed_parts(parts, frozenset({"goal"}), TASK_ORDER)
    return TaskFile(
        goal, items["scope"], items["allowed"], items["forbidden"], items["acceptance"],
        sections.language, parts,
    )  # fmt: skip


def _titled_goal(parts: tuple[Part, ...]) -> tuple[Step, ...]:
    first = parts[0].kept[0] if parts and not parts[0].name and parts[0].kept else None
    title = heading(first.text) if first and first.kind == "heading" else None
    found = keyed(title.text, TASK_KEYS) if title and title.level == 1 else None
    if first is None or title is None or found is None:
        return ()
    section, text = settled("goal", found.rest, _NAMES)
    return (Step(text, Spot(first.spot.line, first.spot.column + found.at)),) if text and section == "goal" else ()


def write_task(task: TaskFile) -> str:
    """Return a task's TASK.md: canonical items and headings, everything else as it was read."""
    parts = tuple(part for part in task.others if isinstance(part, Part) and (part.name or part.kept))
    items = {
        "goal": task.goal or _titled_goal(parts), "scope": task.scope, "allowed": task.allowed,
        "forbidden": task.forbidden, "acceptance": task.acceptance,
    }  # fmt: skip
    return write_sections(Sections(items, parts, task.language), _NAMES)


def is_allowed(task: TaskFile, path: str, root: str = "") -> bool | None:
    """Say whether a task lets a path be changed; None where it says nothing about it.

    `root` is the project's absolute folder, needed where the path or the task's paths are absolute. What is
    forbidden is so even where it is allowed; where anything is allowed, everything else is not.
    """
    path = relative(path, root)
    if any(covers(rule, path, root) for rule in _rules(task.forbidden)):
        return False
    allowed = _rules(task.allowed)
    return any(covers(rule, path, root) for rule in allowed) if allowed else None


def read_contract(text: str) -> Contract:
    """Return a contract's signatures: list items, lines of code, and headings with a signature of their own."""
    reader = _ContractReader()
    for block in blocks(text):
        reader.take(block)
    return Contract(reader.result(), text)


class _ContractReader:
    """Takes the blocks of a CONTRACT.md in order."""

    def __init__(self) -> None:
        self._entries: list[Signature] = []
        self._title: Signature | None = None
        """A heading with a signature; an entry unless there are some below it."""
        self._place = ""
        self._inner: tuple[int, str] | None = None
        """Of a list item that only says where those in the list below it are: its indent and text."""
        self._indent = 0

    def take(self, block: Block) -> None:
        """Read the next block."""
        kind, number, row = block
        if kind == "code":
            self._add(_of_code(row, number, self._inner[1] if self._inner else self._place))
        elif kind == "line" and (head := heading(row)) and head.spaced:
            self._add([self._title] if self._title else [])
            self._place, self._inner, self._indent = head.text, None, 0
            if head.level > 1 and _SIGNATURE.search(head.text):
                self._title = Signature(head.text, "", Spot(number, head.column))
        elif kind == "line" and (line := entry(row)).bullet and WORD.search(line.text):
            self._item(number, line)

    def result(self) -> tuple[Signature, ...]:
        """Return everything that was read."""
        return (*self._entries, *([self._title] if self._title else []))

    def _item(self, number: int, line: Entry) -> None:
        if self._inner and line.indent <= self._inner[0]:
            self._inner = None
        if line.indent > self._indent and self._entries and "(" not in self._entries[-1].text:
            self._inner = self._indent, self._entries.pop().text
        self._indent = line.indent
        place = self._inner[1] if self._inner else self._place
        self._add([Signature(line.text, place, Spot(number, line.column))])

    def _add(self, found: list[Signature]) -> None:
        if found:
            self._title = None
            self._entries += found


def _of_code(text: str, number: int, place: str) -> list[Signature]:
    """Return a code block's lines; a comment that names a file says where the lines below it are."""
    found: list[Signature] = []
    for offset, row in enumerate(text.split("\n")[1:-1], 1):
        said = row.strip()
        comment = _COMMENT.match(said)
        if comment:
            place = file[0] if (file := _FILE.fullmatch(comment[1].strip(" */"))) else place
        elif WORD.search(said):
            found.append(Signature(said, place, Spot(number + offset, len(row) - len(row.lstrip()) + 1)))
    return found


def _rules(items: tuple[Step, ...]) -> list[Rule]:
    return [rule for step in items for rule in rules_in(step.text)]
