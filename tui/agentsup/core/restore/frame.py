"""The sentences around the facts, and how long the whole may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentsup.core.memory.model import Language

RestoreForm = Literal["compaction", "again", "start", "cold-start", "asked", "asked-again"]
"""After a compaction, and in short where another one was typed into the conversation; at the start of a session; as
the first prompt of a cold restart; by a command, and in short."""

SHORT_FORMS: tuple[RestoreForm, ...] = ("again", "asked-again")
"""These name a file with the rest."""

Then = Literal["wait", "answer", "go-on", "stop"]
"""What an agent does once it has read back: wait; answer what it is asked beside the restore, which a hook brings;
go on with the turn that the compaction interrupted; or stop in the middle of that."""

TARGET = 2_000
"""Tokens of a restore text by default. Shorter beats longer: 5k → 2k cured agents that read only the restore."""

CEILING_PERCENT = 8
"""Of the model's window: no restore text is longer."""

SHORT = 500
"""Tokens of the short text: engram and the one next step."""

LEAST = 400
"""Tokens that are allowed however small the window is: below that nothing can be said."""


@dataclass(frozen=True)
class Budget:
    """How many tokens a restore text may have."""

    target: int = TARGET
    ceiling_percent: int = CEILING_PERCENT

    def limit(self, window: int | None) -> int:
        """Return the most tokens for a model with this window; None is a window that nobody knows."""
        if window is None:
            return max(LEAST, self.target)
        return max(LEAST, min(self.target, window * self.ceiling_percent // 100))


@dataclass(frozen=True)
class Frame:
    """The sentences of one language. {names} in them are filled in."""

    language: Language
    header: str
    """After a compaction: {id} and {number}. The first character of every header is a letter."""
    again_header: str
    """As `header`, of the short text; {rest} is the file with all of it."""
    start_header: str
    """At the start of a session: {id} and {number}."""
    cold_header: str
    """At a cold restart: {id}."""
    asked_header: str
    sent_header: str
    """As asked for, where a person has had it sent: {id} and {number}."""
    sent_again_header: str
    """As `sent_header`, of the short text; {rest} is the file with all of it."""
    legend: str
    """What the tags mean, and when to record progress."""
    engram: str
    """The name of the block that must survive."""
    automatic: str
    """Stands in an engram that was made from the log."""
    aged: str
    """An engram older than the last edit: {rounds}, {files}."""
    recite: str
    go_on: str
    wait: str
    answer: str
    """Ends a restore that comes with a prompt of the person's."""
    stop: str
    """Instead of `go_on`, where the agent is not to go on by itself."""
    unasked: str
    """Ends a restore that is typed though nothing has happened: at a session's start, or asked for by a person."""
    begin: str
    """Ends a cold start: what to do first."""
    protocol: str
    """How an agent without any memory goes to work."""
    trailer: str
    """{id}: the last line; that it is there proves that all of the text is."""
    cut: str
    """Stands where lines were left out: {count} of them, all of them in {path}."""
    shortened: str
    """Stands where a line was shortened by {count} characters."""
    completed_more: str
    """{count} completed steps that are not listed, in {path}."""
    contract: str
    """{count} signatures, in {path}."""
    git: str
    """{head} and {files} that are not committed."""
    git_clean: str
    """{head}."""
    state_old: str
    """The state in {path} is older than what git says."""
    commit_unknown: str
    """Behind a completed step whose commit git does not know."""
    snapshot: str
    """{calls} tool calls since the state was written; what follows is agentsup's own."""
    void_hard: str
    """Behind a decision that is HARD in its file, and was approved by nobody."""
    rule_kept: str
    """Behind an approved one that {path} says otherwise, or no longer."""
    not_accepted: str
    """{path}: a file that is not as a person has accepted it; what was accepted stands there."""
    never_accepted: str
    """{path}: one that no person has ever accepted; it stands there as data."""
    fence: str
    """Above foreign memory: {origin}. Below it stands only its mark."""
    not_run: str
    """{path}: a unit that runs, and was not approved."""
    not_run_yet: str
    """{path}: one that was approved, and has not run since."""
    unit_problem: str
    """{path}, {problem}, {detail}: one that has not done what it should."""
    unit_problems: tuple[tuple[str, str], ...]
    """What can be wrong with one, by the keys of the catalogue."""
    unreadable: str
    """{path}, {line}, {column}: a file that could not be read."""
    parts_left_out: str
    """{path}: a file so large that only parts of it were read."""

    def following(self, then: Then) -> str:
        """Return what ends the request to read back."""
        return {"wait": self.wait, "answer": self.answer, "go-on": self.go_on, "stop": self.stop}[then]
