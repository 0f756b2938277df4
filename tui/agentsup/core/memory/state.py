"""The task's state: one model, whatever file form it is kept in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from agentsup.core.memory.labels import NOTHING
from agentsup.core.memory.model import Language, Spot, StateForm

UNKNOWN = "unknown"
"""The safe default of a field that a file lacks: an agent that reads it asks."""

# Behind a path, a #, a letter or a hyphen it is part of a file name, a colour, a UUID; behind `commit/` of a link
# and between the dots of a range it is a hash.
_HEX = re.compile(r"(?:(?<![\w./#-])|(?<=/commit/)|(?<=\.\.))([0-9a-f]{7,40})(?![\w/-]|\.\w)", re.ASCII)
_SAID_TO_BE = re.compile(r"(?:\b(?:commits?|sha|hash|rev|revision)|提交|哈希)[ :：=@`(（]{0,3}$", re.IGNORECASE)
_CODE = re.compile(r"(?<!`)(`+)([^`\n]+)\1")
# Set off by a blank, or full width, or with a hash or a command in it; the brackets of `parse()` are none of these.
_BRACKETED = re.compile(
    r"(?:(?:\s\(|（)(?:`[^`]*`|[^()（）`])+|\((?:[^()`]*`[^`]+`[^()`]*|[^()`]*[0-9a-f]{7,40}[^()`]*))[)）]$"
)


@dataclass(frozen=True)
class Step:
    """One item of a list in a state; `spot` is where its text begins."""

    text: str
    spot: Spot = field(default=Spot(), compare=False)

    @property
    def commits(self) -> tuple[str, ...]:
        """The commit hashes that the text names: 7 to 40 hexadecimal digits, letters and figures mixed.

        One hash in 27 is short and has figures only: such a one counts behind the word commit, and in full length.
        """
        found = []
        for match in _HEX.finditer(self.text):
            name = match[1]
            mixed = not name.isdigit() and any(c.isdigit() for c in name)
            if mixed or len(name) == 40 or _SAID_TO_BE.search(self.text, max(0, match.start() - 16), match.start()):
                found.append(name)
        return tuple(dict.fromkeys(found))

    @property
    def commands(self) -> tuple[str, ...]:
        """What stands in backticks, commit hashes aside: commands, but also names of files and symbols."""
        commits = self.commits
        found = (match[2].strip() for match in _CODE.finditer(self.text))
        return tuple(dict.fromkeys(code for code in found if code and code not in commits))


@dataclass(frozen=True)
class TaskState:
    """What is done and what is next. Empty where a file says nothing."""

    scope: tuple[Step, ...] = ()
    completed: tuple[Step, ...] = ()
    in_progress: tuple[Step, ...] = ()
    next: tuple[Step, ...] = ()
    blocked: tuple[Step, ...] = ()
    evidence: tuple[Step, ...] = ()
    status: str = ""
    """Only task.json has one."""
    updated_at: str = ""
    """ISO 8601, or a label such as session-42."""
    updated_by: str = ""
    form: StateForm = "markdown"
    language: Language = "en"
    others: tuple[Any, ...] = ()
    """What the form does not know, as its codec keeps it."""

    @property
    def next_step(self) -> str:
        """The one next step."""
        return self.next[0].text if self.next else ""


def steps(*texts: str) -> tuple[Step, ...]:
    """Return list items of these texts."""
    return tuple(Step(text) for text in texts)


def with_progress(
    state: TaskState, *, task: str = "", done: str = "", now: str = "", following: tuple[str, ...] = (),
    blocked: str = "", at: str = "", by: str = "",
) -> TaskState:  # fmt: skip
    """Return a state after progress was made: `done` moves to the completed ones, `now` to what is under way.

    Done twice is done once: an item that is already there is not added again, but gets the newer evidence.
    What says `none` leaves nothing in its place.
    """
    completed, under_way, coming, blocking = state.completed, state.in_progress, state.next, state.blocked
    if done:
        completed = _with_done(completed, done)
        under_way, coming, blocking = (_without(done, each) for each in (under_way, coming, blocking))
    if now:
        under_way = _said(now)
        coming = _without(now, coming)
    if following:
        coming = _said(*following)
    return replace(
        state,
        scope=_said(task) if task else state.scope,
        completed=completed,
        in_progress=under_way,
        next=coming,
        blocked=_said(blocked) if blocked else blocking,
        updated_at=at or state.updated_at,
        updated_by=by or state.updated_by,
    )


def _said(*texts: str) -> tuple[Step, ...]:
    return steps(*(text for text in texts if _key(text) not in NOTHING))


def _with_done(completed: tuple[Step, ...], done: str) -> tuple[Step, ...]:
    same = _bare(done)
    known = [step for step in completed if _bare(step.text) == same]
    has_evidence = _key(done) != same
    if known and (not has_evidence or any(_key(step.text) == _key(done) for step in known)):
        return completed
    return (*_without(done, completed), Step(done))


def _without(text: str, items: tuple[Step, ...]) -> tuple[Step, ...]:
    same = _bare(text)
    return tuple(step for step in items if _bare(step.text) != same)


def _key(text: str) -> str:
    """Return what is compared of a text: the same words are the same item."""
    return " ".join(text.casefold().split()).rstrip(" .。")


def _bare(text: str) -> str:
    """Return what is compared of an item's text, without the evidence in brackets at its end."""
    key = _key(text)
    found = _BRACKETED.search(key)
    return _key(key[: found.start()]) or key if found else key
