"""Decisions as values: what was decided, what was rejected, and how far each can be trusted."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from agentsup.core.memory.labels import ARCHIVED_LABELS, Confidence, DecisionStatus
from agentsup.core.memory.model import Language, Spot

ARCHIVE_LINE = re.compile(rf"\s*>\s?(?:{'|'.join(ARCHIVED_LABELS.values())})[:：]\s*(\S.*?)[:：]\s+(\S+(?:, \S+)*)\s*$")
"""An index line: the archive's path and the ids that went there."""


class Written(NamedTuple):
    """How a decision stands in its file: what is put back unless the decision was changed."""

    text: str
    """Its lines as they are, without the end of the last."""
    blank: str
    """That end, and the blank lines behind it."""
    values: tuple[object, ...]
    """What was read from the text: `Decision.values` of an unchanged one is the same."""
    form: Literal["heading", "bullet"] = "heading"
    mark: str = "##"
    """What stands before the title: the #s, or the bullet behind its indent."""
    named: str = ""
    """The id that the text itself gives, if it does."""
    bound: bool = False
    """Whether the text says all this only where it stands: below the heading of a group, or without a key."""


@dataclass(frozen=True)
class Decision:
    """One decision; a new one needs no more than a title."""

    title: str
    reason: str = ""
    """Lines without blank ones between them."""
    confidence: Confidence | None = None
    """None where the file has no tag or an unknown one; see `trust`."""
    source: str = ""
    """Who or what says so, as written: `user`, `agent`, a file."""
    date: str = ""
    """As written."""
    status: DecisionStatus = "active"
    replaced_by: str = ""
    """Of a stale one: the id or the words of what replaced it."""
    files: tuple[str, ...] = ()
    """Paths as written."""
    id: str = ""
    """For commands; a new one gets its own when it is added."""
    unknown_tag: str = ""
    """The tag as written where it is none of the four."""
    others: tuple[str, ...] = ()
    """Lines that are none of the above, without ends, indented relative to the first."""
    spot: Spot = field(default=Spot(), compare=False)
    """Where the title begins."""
    tag_spot: Spot = field(default=Spot(), compare=False)
    """Where the confidence stands; the title's place if it stands nowhere."""
    written: Written | None = field(default=None, compare=False, repr=False)
    """None of a new one."""

    @classmethod
    def read(cls, *values: object) -> Decision:
        """Return one of the values of all fields in their order: three times as fast as calling the class."""
        decision = object.__new__(cls)
        vars(decision).update(zip(cls.__match_args__, values, strict=True))
        return decision

    @property
    def trust(self) -> Confidence:
        """How far it is to be followed: untagged counts as TENTATIVE, overturned as STALE."""
        return "STALE" if self.status == "stale" else self.confidence or "TENTATIVE"

    @property
    def values(self) -> tuple[object, ...]:
        """Everything that its text says."""
        return (
            self.title, self.reason, self.confidence, self.source, self.date, self.status, self.replaced_by,
            self.files, self.id, self.unknown_tag, self.others,
        )  # fmt: skip


@dataclass(frozen=True)
class Prose:
    """Lines between decisions that are none: titles, groups, notes. `before` counts the decisions above."""

    before: int
    text: str
    """As it is, without the end of its last line."""
    blank: str = field(default="", compare=False)
    """That end, and the blank lines behind it."""


class Archived(NamedTuple):
    """An index line: decisions that were moved to an archive."""

    file: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Decisions:
    """A file of decisions, the oldest first."""

    decisions: tuple[Decision, ...] = ()
    others: tuple[Prose, ...] = ()
    language: Language = "en"
    grouped: bool = field(default=False, compare=False)
    """Whether headings of groups (`## Rejected`) say the status of what stands below them."""
    opening: str = field(default="", compare=False)
    """A byte order mark, where the file has one."""
    line_end: str = field(default="\n", compare=False)

    @property
    def active(self) -> tuple[Decision, ...]:
        """Those that hold."""
        return tuple(decision for decision in self.decisions if decision.status == "active")

    @property
    def rejected(self) -> tuple[Decision, ...]:
        """The alternatives that must not be proposed again."""
        return tuple(decision for decision in self.decisions if decision.status == "rejected")

    @property
    def archives(self) -> tuple[Archived, ...]:
        """What the file says that it has given to archives."""
        lines = (line for prose in self.others if ">" in prose.text for line in re.split(r"\r\n|\r|\n", prose.text))
        found = (ARCHIVE_LINE.match(line) for line in lines)
        return tuple(Archived(line[1], tuple(line[2].split(", "))) for line in found if line)
