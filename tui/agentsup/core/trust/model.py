"""What people have approved in a project, and what of its memory came from others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Subject = Literal["scripts", "rule", "content", "history", "seen"]
"""What an entry is about: the manifest of what runs and instructs; a HARD decision; the text of a guarded file; the
commits that memory came with; that a person was shown what is there and approved none of it."""

Verdict = Literal["allow", "deny", "doubt"]
"""`doubt` is a host's: all entries after number `key` were written while it watched, and nobody announced them."""


@dataclass(frozen=True)
class Entry:
    """A line of the trust record."""

    number: int
    """From 1, without gaps."""
    time: float
    subject: Subject
    key: str
    """Which one: a rule's digest, a guarded file's path; empty for scripts and history. Of a doubt: a number."""
    sha: str
    """What was approved: digest of a manifest, SHA-256 of a file's bytes (`missing` without one), a commit."""
    verdict: Verdict
    by: str
    """How it came about: `interface`, `terminal /dev/pts/3`, `found` (there before the first session), `host`."""
    text: str = ""
    """SHA-256 of the stored text that belongs to it; empty where there is none."""


@dataclass(frozen=True)
class Rule:
    """A HARD decision that a person has approved, as it was then."""

    digest: str
    title: str
    reason: str = ""
    rejected: bool = False
    id: str = ""


@dataclass(frozen=True)
class Accepted:
    """A guarded file as a person has last accepted it; `text` is None where there was none."""

    path: str
    sha: str
    text: str | None


@dataclass(frozen=True)
class Origin:
    """Where memory came from: the newest commit of somebody else that touched the file. All of it foreign text."""

    commit: str
    """Abbreviated hash; empty where git gives no answer."""
    author: str
    """Name and address."""


@dataclass(frozen=True)
class UnitOutput:
    """What an approved executable of init.d has printed."""

    name: str
    """The unit: NN-name."""
    text: str
    problem: str = ""
    """A catalogue key where it failed: `unit.failed`, `unit.late`, `unit.cut`, …"""
    detail: str = ""
    """One line: its exit code or its first error line."""


@dataclass(frozen=True)
class Approvals:
    """What holds by the record of a project."""

    scripts: str = ""
    """Digest of the manifest that may run and instruct; empty without an approval."""
    rules: tuple[Rule, ...] = ()
    contents: tuple[Accepted, ...] = ()
    commit: str = ""
    """Memory in this commit and before it counts as the person's own."""
    answered: bool = False
    """Whether a person has ever answered here."""
    begun: bool = False
    """Whether the record speaks of what is there, doubted or not: a file that it doesn't know was made since."""
    seen: str = ""
    """The commit whose memory a person has seen last, and left as data (the newest `seen` entry's sha)."""
    problem: str = ""
    """A catalogue key where the record is void: `trust.tampered`, `trust.unreadable`."""


@dataclass(frozen=True)
class Trust:
    """What composing a restore text needs to know. Without an approval nothing is approved."""

    rules: tuple[Rule, ...] = ()
    contents: tuple[Accepted, ...] = ()
    foreign: tuple[tuple[str, Origin], ...] = ()
    """By path: memory files that came from others and were never approved here."""
    may_run: bool = False
    """Whether what init.d and the templates hold now is exactly what was approved."""
    outputs: tuple[UnitOutput, ...] = ()
    """Of approved units, from the last run of exactly these bytes."""
    waiting: tuple[str, ...] = ()
    """All files of a manifest that would run or instruct, and may not."""
    answered: bool = False
    """Whether a person has ever answered here: else everything is asked at once, as a first use."""
    begun: bool = False
    """Whether the record speaks of what is there: guarded files that were never accepted are then only data."""
    unseen: bool = False
    """Whether there are foreign files that came after what a person has seen last."""
    problem: str = ""
