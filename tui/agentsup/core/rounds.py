"""What the journal says of a round: one turn that the agent was asked for, folded from what happens in it.

A round is judged by the memory that the agent had in its context, so what was restored stays with the rounds that
follow, until the agent compacts or goes to another conversation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agentsup.core import events as ev
from agentsup.core.memory.engram import read_engram
from agentsup.core.redaction import redacted
from agentsup.core.session import Session
from agentsup.core.text import on_one_line, squeezed
from agentsup.core.work import is_ours

RETRIEVED_MOST = 20
"""Ids of looked-up records that a round keeps."""

RECITALS_MOST = 20
"""Restores of which is remembered in which round they were read back: the newest."""

NAME_MOST = 200
"""Characters of the agent's own names for turns and conversations that are kept."""

Memory = Literal["none", "store", "engram", "both", "engram+recite", "both+recite"]
"""What the agent had in its context: looked-up records, the engram, both; and whether it has read back."""

_RECALL = re.compile(r"\bagentsup\s+recall\s+(?:--json\s+)?([\w][\w./-]{0,79})")


@dataclass(frozen=True)
class Place:
    """A line of the agent's log: the file, and where in it the line begins, in bytes."""

    log: str
    offset: int


@dataclass(frozen=True)
class Round:
    """One round, as the journal has it. Tokens are those in use; None where nobody knows."""

    round: int
    """Its number in the project's journal, from 1; 0 before it stands there."""
    time: float
    """When the agent was asked, Unix seconds."""
    context_before: int | None = None
    context_after: int | None = None
    window: int | None = None
    trigger: Literal["", "auto", "manual", "unknown"] = ""
    """Of the compaction in this round or before it since the last one; empty where there was none."""
    engram: str = ""
    """The beginning of the SHA-256 of the engram on disk when it began; empty where there was none."""
    retrieved: tuple[str, ...] = ()
    """Ids of the records that the agent has looked up."""
    strategy: Memory = "none"
    injected_tokens: int = 0
    """Of our texts that reached the model in this round, guessed by their size."""
    recite: Literal["", "right", "wrong", "unclear"] = ""
    """How what the agent read back was, if it did."""
    next_action_correct: bool | None = None
    """What a person has said; None as long as nobody has."""
    input_ref: Place | None = None
    """The line that holds what the agent was asked."""
    output_ref: Place | None = None
    """The line that holds the last thing it said, else the one that ends its turn."""
    conversation: str = ""
    turn: str = ""
    """The agent's own names: they tell a log that is read once more."""

    @property
    def told_strategy(self) -> str:
        """The word for the memory in its context, beside what is told of a read-back in this very round."""
        return self.strategy.removesuffix("+recite") if self.recite else self.strategy


@dataclass(frozen=True)
class Judged:
    """A verdict on what was read back in a round that has already ended."""

    conversation: str
    turn: str
    recite: ev.Verdict


@dataclass(frozen=True)
class Held:
    """What the context holds of memory."""

    engram: bool = False
    store: bool = False
    recited: bool = False

    @property
    def strategy(self) -> Memory:
        """The word for it."""
        if self.engram and self.recited:
            return "both+recite" if self.store else "engram+recite"
        if self.engram:
            return "both" if self.store else "engram"
        return "store" if self.store else "none"


@dataclass(frozen=True)
class Rounds:
    """The round that runs, and what the next one will need to know."""

    conversation: str = ""
    running: Round | None = None
    asked: bool = False
    """Whether what the agent was asked in it has been recorded."""
    held: Held = Held()
    trigger: Literal["", "auto", "manual", "unknown"] = ""
    """Of a compaction since the last round."""
    injected: int = 0
    """Tokens of ours that came since the last round."""
    last: str = ""
    """The turn of the last round."""
    recitals: tuple[tuple[str, str], ...] = ()
    """Restores that were read back, and in which turn."""


Step = tuple[Rounds, tuple[Round | Judged, ...]]
"""What is known after an event, and what there is to write."""


def after(
    known: Rounds, event: ev.Event, session: Session, *, at: Place | None, count: Callable[[str], int]
) -> Step:  # fmt: skip
    """Return what is known after an event and what it has ended.

    `session` has the event in it; `at` is the line of the log that it comes from, `count` guesses the tokens of a text.
    """
    match event:
        case ev.AgentStarted():
            return Rounds(), ()
        case ev.ConversationIdentified():
            if event.conversation == known.conversation:
                return Rounds(event.conversation), ()  # its log is read from its start once more
            return Rounds(event.conversation), _ended(known, session, None)[1]
        case ev.TurnStarted(asked=True):
            known, ended = _ended(known, session, None)
            return _begun(known, event, session, at), ended
        case ev.TurnEnded() if known.running is not None and kept_name(event.turn) in ("", known.running.turn):
            return _ended(known, session, at)
        case ev.AgentExited():
            return _ended(known, session, None)
        case ev.RecitalJudged():
            return _judged(known, event)
        case _:
            return _within(known, event, session, at=at, count=count), ()


def _within(
    known: Rounds, event: ev.Event, session: Session, *, at: Place | None, count: Callable[[str], int]
) -> Rounds:  # fmt: skip
    """Return what is known after something that ends no round."""
    running = known.running
    match event:
        case ev.UserMessageRecorded():
            known = _told(known, event.text, session, count)
            if known.running is None or known.asked or at is None:
                return known
            return replace(known, running=replace(known.running, input_ref=at), asked=True)
        case ev.ContextRecorded():
            return _told(known, event.text, session, count)
        case ev.AgentMessageRecorded() if running is not None and at is not None:
            return replace(known, running=replace(running, output_ref=at))
        case ev.ToolUsed(kind="run") if found := _RECALL.findall(event.command):
            return _looked_up(known, found)
        case ev.Compacted():
            known = replace(known, held=Held())  # what was restored is part of a summary now, if of anything
            if running is None:
                return replace(known, trigger=event.trigger)
            return replace(known, running=replace(running, trigger=event.trigger))
        case _:
            return known


def _begun(known: Rounds, event: ev.TurnStarted, session: Session, at: Place | None) -> Rounds:
    running = Round(
        0, event.time, session.context.used, window=session.context.window, trigger=known.trigger,
        engram=session.memory.engram.sha[:12], injected_tokens=known.injected, input_ref=at,
        conversation=kept_name(known.conversation), turn=kept_name(event.turn),
    )  # fmt: skip
    return replace(known, running=running, asked=False, trigger="", injected=0)


def _ended(known: Rounds, session: Session, at: Place | None) -> Step:
    """Return what is known after the running round, and that round."""
    if known.running is None:
        return known, ()
    ended = replace(
        known.running, context_after=session.context.used, window=session.context.window or known.running.window,
        strategy=known.held.strategy, output_ref=known.running.output_ref or at,
    )  # fmt: skip
    return replace(known, running=None, last=ended.turn), (ended,)


def _told(known: Rounds, text: str, session: Session, count: Callable[[str], int]) -> Rounds:
    """Return what is known after a text reached the model, where it is one of ours."""
    if not is_ours(text):
        return known
    held = replace(known.held, engram=known.held.engram or _holds_engram(text, session))
    if known.running is None:
        return replace(known, held=held, injected=known.injected + count(text))
    tokens = known.running.injected_tokens + count(text)
    return replace(known, held=held, running=replace(known.running, injected_tokens=tokens))


def _holds_engram(text: str, session: Session) -> bool:
    """Say whether the engram is in a text: its tasks are, whatever was shortened or is asked about it."""
    tasks = read_engram(session.memory.engram.text or "").texts("task")
    told = squeezed(text)
    return bool(tasks) and all(squeezed(task) in told for task in tasks)


def kept_name(text: str) -> str:
    """Return a name of the agent's own as the journal has it."""
    return on_one_line(text)[:NAME_MOST]


def _looked_up(known: Rounds, found: Sequence[str]) -> Rounds:
    known = replace(known, held=replace(known.held, store=True))
    found = [id for id in found if redacted(id) is id]
    if known.running is None:
        return known
    retrieved = tuple(dict.fromkeys((*known.running.retrieved, *found)))[:RETRIEVED_MOST]
    return replace(known, running=replace(known.running, retrieved=retrieved))


def _judged(known: Rounds, event: ev.RecitalJudged) -> Step:
    """Return what is known after a verdict: on the round in which it was read back, which may be over by now."""
    running = known.running
    newest = running.turn if running is not None else known.last
    turn = dict(known.recitals).get(event.id) or kept_name(event.turn) or newest
    if event.id not in dict(known.recitals):  # else it is judged once more, perhaps after a compaction
        recitals = (*known.recitals, (event.id, turn))[-RECITALS_MOST:]
        known = replace(known, recitals=recitals, held=replace(known.held, recited=True))
    if running is not None and running.turn == turn:
        return replace(known, running=replace(running, recite=event.verdict)), ()
    return known, (Judged(kept_name(known.conversation), turn, event.verdict),) if turn else ()
