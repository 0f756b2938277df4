"""What happens to an engram that an agent has written: pure decisions; others ask git, write files and send texts.

Whose the text in the file is, and what follows from it when the agent says another one:

    the agent's   it has said just this at a turn's end, or has given every line of it to a tool that did not fail; or
                  the file has had it before as the agent's, and a git command of the agent's has brought it back.
                  The new one replaces it.
    a person's    agentsup has saved it for a person: the editor, `agentsup engram set`, or a word that what was found
                  is theirs. It stands until the agent knows it, and the agent is told of it as a correction by hand.
    found         anything else, whoever wrote it: a person's own editor, a script, a change of one line within it. It
                  stands until the agent knows it. The person is told, and nothing is said to the agent in their name.

What the agent knows is not guessed: its log shows which texts have reached it and when, and whether it has read the
whole file. What was declined, has failed or has shown a part proves nothing.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from typing import Literal

from agentsup.core import events as ev
from agentsup.core.checks.finding import Finding
from agentsup.core.engram_block import LEAST_TAGS, block_elsewhere, engram_block, is_same
from agentsup.core.engram_commands import is_engram, moves, shows
from agentsup.core.memory.engram import tag_of
from agentsup.core.memory.model import Document
from agentsup.core.redaction import redacted
from agentsup.core.text import TEXT_ID, sanitise
from agentsup.core.work import is_ours

MOST_ATTEMPTS = 2
"""How often an engram with errors is sent back; then what stands is left as it is."""

TOLD_MOST = 3
TOLD_LONGEST = 1 << 17
"""Texts that have reached the agent and are remembered, the newest with an engram in them; and characters of one."""

WRITTEN_WITHIN = 30.0
"""Seconds between a file's time and when the log tells of it: of a command it tells when that has ended."""

_CLOCKS = 1.0
"""Seconds by which a log's times may differ from a file's."""

_ATTEMPT = re.compile(rf"^agentsup\b.{{0,40}}?\b(?:engram|印记) {TEXT_ID} \((\d)/\d\)")
"""The header of a text that sends an engram back, as the catalogue has it: which attempt it is."""


@dataclass(frozen=True)
class Told:
    """A text with an engram that has reached the agent: its lines, without blank ones and without secrets."""

    time: float
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Knowledge:
    """What the log says that this conversation's agent knows of the engram, and what it was asked for."""

    started: float = 0.0
    """When the agent's process was started."""
    begun: float = 0.0
    """When this conversation's first message or turn was; 0 before there was one. Long ago where it is gone on with."""
    told: tuple[Told, ...] = ()
    read: float = 0.0
    """When it last read the whole file by its tool for that."""
    shown: float = 0.0
    """When a command of its own last showed it the file, as far as that can be told."""
    gave: Told | None = None
    """What it last gave to a tool or a command that may have written it to the file."""
    moved: float = 0.0
    """When a command of its own last had git write files as they were before."""
    said: Told | None = None
    """The newest engram of its own."""
    attempts: int = 0
    """How often its engram was sent back since one was right."""


def after(known: Knowledge, event: ev.Event) -> Knowledge:
    """Return what is known after an event of the agent's log."""
    match event:
        case ev.TurnStarted():
            return known if known.begun else replace(known, begun=event.time)
        case ev.UserMessageRecorded() | ev.ContextRecorded():
            known = known if known.begun else replace(known, begun=event.time)
            return _heard(known, event)
        case ev.ToolUsed():
            return known if event.failed else _used(known, event)
        case ev.TurnEnded():
            message = message_of(event, known)
            return known if message is None else replace(known, said=Told(event.time, _lines(message.block)))
        case ev.Compacted():
            return replace(known, attempts=0)
        case _:
            return known


def _used(known: Knowledge, event: ev.ToolUsed) -> Knowledge:
    match event.kind:
        case "read" if is_engram(event.path) and not event.part:
            return replace(known, read=event.time)
        case "edit" if is_engram(event.path) and event.content:
            return _given(known, event.time, event.content)
        case "run":
            command = event.command
            known = replace(known, shown=event.time) if shows(command) else known
            known = replace(known, moved=event.time) if moves(command) else known
            return _given(known, event.time, command) if "engram" in command else known
        case _:
            return known


def _given(known: Knowledge, time: float, text: str) -> Knowledge:
    lines = _with_engram(text)
    return replace(known, gave=Told(time, lines)) if lines else known


def _with_engram(text: str) -> tuple[str, ...]:
    """Return a text's lines where there is an engram in it."""
    lines = _lines(text[:TOLD_LONGEST]) if "[" in text else ()
    return lines if len({tag_of(line) for line in lines} - {None}) >= LEAST_TAGS else ()


def _heard(known: Knowledge, event: ev.UserMessageRecorded | ev.ContextRecorded) -> Knowledge:
    text = event.text[:TOLD_LONGEST]
    if lines := _with_engram(text):
        known = replace(known, told=(*known.told, Told(event.time, lines))[-TOLD_MOST:])
    if isinstance(event, ev.ContextRecorded):
        return known
    if found := _ATTEMPT.match(text.lstrip()):
        return replace(known, attempts=max(known.attempts, int(found[1])))
    # A person has asked for something: what comes of it is another engram, unless this agent can't write one.
    given_up = known.attempts >= MOST_ATTEMPTS
    return known if is_ours(text) or given_up else replace(known, attempts=0)


def wrote(known: Knowledge, text: str, modified: float) -> bool:
    """Say whether it was the agent that has written this into the file, which was modified then."""
    lines, said, gave = _lines(text), known.said, known.gave
    # One whose writer was killed before it could record that: it follows the message.
    if said is not None and said.lines == lines and said.time - _CLOCKS <= modified <= said.time + WRITTEN_WITHIN:
        return True
    return bool(lines) and gave is not None and _told_of(gave.time, modified) and _stands_in(gave.lines, lines)


def brought_back(known: Knowledge, modified: float) -> bool:
    """Say whether a git command of the agent's may have written the file, which was modified then."""
    return _told_of(known.moved, modified)


def _told_of(time: float, modified: float) -> bool:
    """Say whether what the log tells of at a time may have been when the file was modified."""
    return modified - _CLOCKS <= time <= modified + WRITTEN_WITHIN


def knows(known: Knowledge, text: str, since: float, *, is_found: bool = False) -> bool:
    """Say whether the agent knows an engram that is there `since` then: it was told of it after that, or has read it.

    What was there before both its process and its conversation is no correction of what it does. What a command of
    its own has shown counts only for one that was found in the file (`is_found`), of which nobody knows whose it is.
    """
    read = max(known.read, known.shown) if is_found else known.read
    if 0 < since <= max(read, min(known.started, known.begun)):
        return True
    wanted = _lines(text)
    since -= _CLOCKS
    if known.said is not None and known.said.time >= since and known.said.lines == wanted:
        return True
    return any(told.time >= since and _stands_in(told.lines, wanted) for told in known.told)


def is_overtaken(message: Message, since: float) -> bool:
    """Say whether an engram of the agent's that is there `since` then is newer than what a message says."""
    return since > message.time + _CLOCKS


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line for each in redacted(sanitise(text)).split("\n") if (line := each.strip(" \t\ufeff")))


def _stands_in(lines: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Say whether an engram stands in a text, and is not a part of another one there."""
    count = len(wanted)
    for start in range(len(lines) - count + 1):
        if lines[start : start + count] == wanted:
            around = (*lines[max(0, start - 1) : start], *lines[start + count : start + count + 1])
            if not any(map(tag_of, around)):
                return True
    return False


@dataclass(frozen=True)
class Message:
    """What an agent has said at the end of a turn, with what was known then."""

    time: float
    block: str
    known: Knowledge

    @property
    def id(self) -> str:
        """What tells it from others, however often and in whatever log it is read."""
        return occasion_name(self.block, self.time)


def message_of(event: ev.TurnEnded, known: Knowledge) -> Message | None:
    """Return the engram of a turn's end; None where it has none."""
    block = engram_block(event.message) if event.message and not event.interrupted else None
    return None if block is None else Message(event.time, block, known)


def is_left_out(event: ev.TurnEnded, standing: Document) -> bool:
    """Say whether a turn's end has an engram that nobody takes: its message does not end with it.

    None is left out that is also in the file, or older than that.
    """
    if event.interrupted or message_of(event, Knowledge()) is not None or event.time < standing.modified:
        return False
    block = block_elsewhere(event.message)
    return block is not None and not is_same(block, standing.text or "")


@dataclass(frozen=True)
class Wanted:
    """A request: what is to become of this engram?"""

    root: str
    message: Message
    last: bool = False
    """Whether it was sent back often enough: what can be mended without the agent is mended."""
    untold: str = ""
    """SHA-256 of the version that a person has saved last, where the agent is not to be told of it: it stands."""


@dataclass(frozen=True)
class Judged:
    """The answer."""

    outcome: Literal["stored", "same", "faulty", "persons-stays", "found-stays", "not-written", "known"]
    """`known`: it was judged before, and nothing follows from it any more."""
    findings: tuple[Finding, ...] = ()
    """Where it is faulty: what is wrong, the errors first."""
    persons: str = ""
    """The person's version that stands, where the agent is to be told of it; and when its file was written."""
    modified: float = 0.0
    reason: str = ""
    """Where nothing was written: why; empty where the file is no text, or a merge has stopped in it."""

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Return what has to be mended."""
        return tuple(finding for finding in self.findings if finding.severity == "error")


@dataclass(frozen=True)
class Step:
    """What follows from an answer."""

    known: Knowledge
    event: ev.EngramTaken | None = None
    send_back: int = 0
    """The number of this attempt, where it goes back to the agent."""


def judged(known: Knowledge, answer: Judged, time: float) -> Step:
    """Return what follows: the event to tell, and whether the engram goes back to the agent."""
    match answer.outcome:
        case "stored" | "same" | "persons-stays" | "found-stays":
            return Step(replace(known, attempts=0), ev.EngramTaken(time, answer.outcome))
        case "faulty":
            errors = len(answer.errors)
            if known.attempts >= MOST_ATTEMPTS:
                return Step(known, ev.EngramTaken(time, "refused", errors))
            attempt = known.attempts + 1
            return Step(replace(known, attempts=attempt), ev.EngramTaken(time, "sent-back", errors), attempt)
        case "not-written" | "known":
            return Step(known)


NEARLY = 0.9
"""Share of what an agent compacts at from which the engram is asked for in any case: a person may let it compact
before the window is as full as the setting says."""


def is_due(*, fraction: float | None, of_limit: float | None = None, percent: int, edited: bool) -> bool:
    """Say whether the engram is to be asked for at this turn's end.

    `fraction`: how full the context is, `of_limit` by what the agent compacts at; `percent`: from when on, 0 never;
    `edited`: whether the agent has edited files since the engram was written.
    """
    full = fraction is not None and fraction * 100 >= percent
    return edited and percent > 0 and (full or (of_limit is not None and of_limit >= NEARLY))


def occasion_name(text: str, time: float) -> str:
    """Return what stands in the name of an occasion for an engram of a moment: the same text may come again."""
    return hashlib.sha256(f"{time!r} {text}".encode()).hexdigest()[:12]
