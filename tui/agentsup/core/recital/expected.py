"""What an agent that has its memory back would say: task, next step, and what it must leave alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agentsup.core.memory.engram import read_engram
from agentsup.core.memory.labels import NOTHING
from agentsup.core.memory.model import Memory
from agentsup.core.memory.problems import Unparsable
from agentsup.core.memory.state import UNKNOWN, Step, TaskState
from agentsup.core.memory.state_forms import read_state
from agentsup.core.redaction import redacted_all

_UNSAID = NOTHING | {UNKNOWN, "未知", "不详", ""}

MOST = 30
"""Items of a list that are compared: no engram and no state that is worth its name has more."""

LONGEST = 600
"""Characters of an item that are compared."""

ALTOGETHER = 6_000
"""Characters of all items that are compared: each is held against many others, and the host waits for it."""


@dataclass(frozen=True)
class Expected:
    """The lines of memory that a read-back is held against; empty where memory says nothing."""

    task: tuple[str, ...] = ()
    """Any of them is the task."""
    next: tuple[str, ...] = ()
    """Any of them is a right next step, the best first."""
    taboos: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """Steps that are done, or not due yet: one of those as the next step is a wrong one."""


def expected(memory: Memory, last_request: str = "") -> Expected:
    """Return what is to be read back; where there is no engram, the person's last request is the task."""
    engram = read_engram(memory.engram.text or "")
    state = _state(memory)
    pending = engram.texts("pending")
    following = _said(step.text for step in (*state.next[:1], *state.in_progress))
    task = _said((*engram.texts("task"), *(step.text for step in state.scope[:1] if not engram.texts("task"))))
    lists = (
        task or _said([last_request]),
        # What is under way and what is open first are next steps too: memory does not say which of them comes first.
        (*following, *_said(pending[:1] if following else pending)),
        _said(engram.texts("taboo")),
        (*_said(_texts(state.completed[-MOST:], state.next[1:])), *_said(engram.texts("progress"))),
    )
    return Expected(*_cut(lists))


def _state(memory: Memory) -> TaskState:
    try:
        return read_state(memory.state_form, memory.state.text or "")
    except Unparsable:
        return TaskState()


def _texts(*lists: tuple[Step, ...]) -> list[str]:
    return [step.text for steps in lists for step in steps]


def _cut(lists: Iterable[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Yield lists that are no longer than is compared altogether; what comes first stays."""
    left = ALTOGETHER
    for texts in lists:
        kept = []
        for text in texts:
            kept.append(text[:left])
            left -= len(kept[-1])
        yield tuple(filter(None, kept))


def _said(texts: Iterable[str]) -> tuple[str, ...]:
    found = [text[:LONGEST] for text in texts if text.strip(" .。").lower() not in _UNSAID]
    return redacted_all(found[:MOST])
