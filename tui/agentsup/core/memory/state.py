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
_SPAN = re.compile(r"`[^`]*`")


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
    # Only proof is left out of the comparison: `write tests (unit)` is not `write tests (integration)` with news.
    same = _bare(done, proof=True)
    known = [step for step in completed if _bare(step.text, proof=True) == same]
    if known and (_key(done) == same or any(_key(step.text) == _key(done) for step in known)):
        return completed
    return (*(step for step in completed if step not in known), Step(done))


def _without(text: str, items: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return open items without the one that `text` is about: the same words, else those without its brackets."""
    proven = _bare(text, proof=True)
    for words in (_key(text), proven, _bare(text)):
        if any(_key(step.text) == words for step in items):
            return tuple(step for step in items if _key(step.text) != words)
    left = tuple(step for step in items if _bare(step.text) != proven)
    return left if len(left) == len(items) - 1 else items


def _key(text: str) -> str:
    """Return what is compared of a text: the same words are the same item."""
    return " ".join(text.casefold().split()).rstrip(" .。")


def _bare(text: str, *, proof: bool = False) -> str:
    """Return what is compared of an item's text, without the brackets at its end; `proof`: only if they prove it.

    Proof has a command or a hash in it. Other brackets are set off by a blank, or full width: `parse(x)` has none.
    """
    key = _key(text)
    masked = _SPAN.sub(lambda code: "x" * len(code[0]), key)
    if not masked.endswith((")", "）")):
        return key
    begin = max(masked.rfind("("), masked.rfind("（"))
    if begin < 0 or any(bracket in masked[begin:-1] for bracket in ")）"):
        return key
    said = key[begin + 1 : -1]
    set_off = not proof and (masked[begin] == "（" or key[begin - 1 : begin].isspace())
    if not set_off and "`" not in said and not Step(said).commits:
        return key
    return _key(key[:begin]) or key
