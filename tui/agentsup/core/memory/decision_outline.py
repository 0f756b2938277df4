"""Which lines of a file are a decision each, judged by content: people write headings of any level, and lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from agentsup.core.memory import decision_words as words
from agentsup.core.memory.decision_lines import Kind, Lines, indent_of
from agentsup.core.memory.labels import DECISION_GROUPS, DECISION_KEYS, DECISION_TITLES, DecisionStatus

Form = Literal["heading", "bullet", "prose"]
Role = Literal["decision", "loose", "group", "key", "text"]
"""Of a heading. `loose`: a title or a chapter, decisions may be list items below it; `key`: its text is a key of the
decision above; `text`: it belongs to that decision's text."""


@dataclass(slots=True)
class Section:
    """A heading and the lines down to the next."""

    level: int
    title: words.Title
    name: str
    """The title for the tables."""
    any_key: bool = False
    """Whether it has keys of its own, not only of the list items below it."""
    nested: bool = False
    """Whether list items below it have keys."""
    told: bool = False
    """Whether it begins with keys, a reason or a confidence among them."""
    bullets: bool = False
    empty: bool = True

    @property
    def marked(self) -> bool:
        """Whether the title says a status or a confidence."""
        return bool(self.title.status or self.title.confidence)

    @property
    def sure(self) -> bool:
        """Whether it can only be a decision."""
        if self.name in DECISION_TITLES or self.name in DECISION_GROUPS:
            return self.told or self.marked
        return self.any_key or self.marked


class Part(NamedTuple):
    """Lines from `start` to before `end` that are one decision, or none."""

    start: int
    end: int
    form: Form
    group: DecisionStatus | None = None
    """The status that the group's heading says."""


class Outline(NamedTuple):
    """All lines of a file, in parts."""

    parts: list[Part]
    sections: dict[int, Section]
    """By the index of the heading's line."""
    roles: dict[int, Role]


def outline(lines: Lines) -> Outline:
    """Return the parts of a file, in order and without gaps."""
    sections = _sections(lines)
    roles = dict(zip(sections, _roles(list(sections.values())), strict=True))
    walk = _Walk(lines, sections, roles)
    for index, kind in enumerate(lines.kinds):
        if kind != "blank" and (walk.form != "heading" or kind in ("heading", "index")):
            walk.step(index, kind)
    walk.begin("prose", len(lines.kinds))
    return Outline(walk.parts, sections, roles)


def _sections(lines: Lines) -> dict[int, Section]:
    sections: dict[int, Section] = {}
    current: Section | None = None
    item = -1
    for index, (kind, found) in enumerate(zip(lines.kinds, lines.founds, strict=True)):
        if kind == "heading":
            title = words.title(found[1])
            current, item = Section(len(found[0]), title, title.text.lower()), -1
            sections[index] = current
        elif kind == "index":
            current = None  # it ends what stands above it
        elif current and kind != "blank":
            current.empty = False
            if kind == "bullet":
                indent = indent_of(lines.texts[index])
                current.bullets, item = True, indent if item < 0 or indent <= item + 1 else item
            elif kind == "key":
                if 0 <= item < indent_of(lines.texts[index]) - 1:
                    current.nested = True
                    continue
                current.any_key = True
                current.told = current.told or (item < 0 and DECISION_KEYS[found[1]] in ("reason", "confidence"))
    return sections


def _roles(sections: Sequence[Section]) -> list[Role]:
    deepest = max((section.level for section in sections if section.name not in DECISION_KEYS), default=0)
    tops = sum(section.level == 1 for section in sections)
    roles: list[Role] = []
    inside = 0
    for place, section in enumerate(sections):
        following = sections[place + 1] if place + 1 < len(sections) else None
        deeper = following is not None and following.level > section.level
        keyed = following is not None and deeper and following.name in DECISION_KEYS and not following.any_key
        first = place == 0 and section.level == 1 and not section.marked and (deeper or tops == 1)
        role: Role
        if inside and section.level > inside and section.name in DECISION_KEYS and not section.any_key:
            role = "key"
        elif not section.told and section.name in DECISION_GROUPS:
            role = "group"
        elif not section.told and not keyed and (first or section.name in DECISION_TITLES):
            role = "loose"
        elif section.sure or keyed:
            role = "decision"
        elif inside and section.level > max(inside, 2):
            role = "text"
        elif section.nested:
            role = "group"
        elif following and deeper and (following.sure or following.level == 2) and not section.bullets:
            role = "loose"
        else:
            role = "loose" if section.empty and section.level < deepest else "decision"
        if role not in ("key", "text"):
            inside = section.level if role == "decision" else 0
        roles.append(role)
    return roles


class _Walk:
    """Goes down the lines and cuts them into parts."""

    def __init__(self, lines: Lines, sections: dict[int, Section], roles: dict[int, Role]) -> None:
        self.parts: list[Part] = []
        self.form: Form = "prose"
        self._lines, self._sections, self._roles = lines, sections, roles
        self._headings = "decision" in roles.values()
        self._start, self._base = 0, 0
        self._group: DecisionStatus | None = None
        self._group_level = 0
        self._inherited: DecisionStatus | None = None

    def begin(self, form: Form, index: int) -> None:
        """End a part before a line, and let the next begin there."""
        if self._start < index:
            self.parts.append(Part(self._start, index, self.form, self._inherited))
        self._start, self.form = index, form
        self._inherited = None if form == "prose" else self._group

    def step(self, index: int, kind: Kind) -> None:
        """Take a line; inside a decision with a heading only headings and index lines matter."""
        if kind == "heading":
            self._heading(index)
        elif kind == "bullet":
            self._bullet(index)
        elif self.form != "prose" and (kind == "index" or not self._belongs(index, kind)):
            self.begin("prose", index)

    def _heading(self, index: int) -> None:
        role, section = self._roles[index], self._sections[index]
        if role in ("key", "text"):
            if self.form == "bullet":  # the decision ended above: these are words
                self.begin("prose", index)
            return
        if section.level <= self._group_level:
            self._group, self._group_level = None, 0
        if role == "group":
            self._group, self._group_level = DECISION_GROUPS.get(section.name, "active"), section.level
        if role == "decision":
            self.begin("heading", index)
        elif self.form != "prose":
            self.begin("prose", index)

    def _bullet(self, index: int) -> None:
        indent = indent_of(self._lines.texts[index])
        if self.form == "bullet" and indent > self._base + 1:
            return
        if self._headings and not self._group:
            title = words.title(self._lines.founds[index][2])
            if not title.confidence and not title.status:
                if self.form != "prose":
                    self.begin("prose", index)
                return
        self.begin("bullet", index)
        self._base = indent

    def _belongs(self, index: int, kind: Kind) -> bool:
        """Tell whether a line belongs to the list item above it."""
        if kind == "key" or indent_of(self._lines.texts[index]) > self._base + 1:
            return True
        if kind == "quoted":  # the rest of a passage that began there
            return self._lines.founds[index - 1] == self._lines.founds[index]
        return kind == "text" and self._lines.kinds[index - 1] != "blank"
