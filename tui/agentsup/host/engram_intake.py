"""Take over the engram that the agent writes at the end of a turn; ask for one, and send back one with errors.

What is decided is decided in core; here it meets the agent's log, a process that judges and writes, and the queue of
texts for the agent.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from agentsup.core import events as ev
from agentsup.core.catalogue import Catalogue
from agentsup.core.engram_commands import PLACE
from agentsup.core.engram_intake import (
    MOST_ATTEMPTS,
    Judged,
    Knowledge,
    Message,
    Wanted,
    after,
    is_due,
    is_left_out,
    judged,
    message_of,
)
from agentsup.core.redaction import redacted
from agentsup.core.session import Session
from agentsup.host import clock
from agentsup.host.asked_process import AskedProcess
from agentsup.host.compaction_notes import CompactionNotes
from agentsup.host.engram_talk import EngramTalk
from agentsup.host.engram_versions import EngramVersions
from agentsup.host.own_engram import named
from agentsup.host.text_queue import TextQueue
from agentsup.protocol import messages as m
from agentsup.store import atomic
from agentsup.store.decoding import NotText, decode
from agentsup.store.engram_history import written_at

COMMAND: tuple[str, ...] = (sys.executable, "-P", "-m", "agentsup.restoring.intake")

DEADLINE = 10.0
"""Seconds for one engram; a restore text waits for it."""

QUIET = 0.15
"""Seconds after a turn's end in which nothing more may be read of the log: it may be read from its start."""

LATEST = 1.0
"""Seconds after which it is judged all the same: the agent may go on at once."""

SAVED_MOST = 64 << 10
"""Bytes of an engram that a person has saved: it is read on the loop, and has 200 words."""

FOUND = "engram.found-stays"

NOTICES = frozenset({
    "engram.faulty", "engram.persons-stays", FOUND, "engram.not-saved", "engram.unfit",
    "engram.not-judged", "engram.left-out",
})  # fmt: skip
"""What is said until there is a good engram."""

_OF_THE_LOG = (
    ev.TurnStarted, ev.TurnEnded, ev.UserMessageRecorded, ev.AgentMessageRecorded, ev.ContextRecorded, ev.ToolUsed,
)  # fmt: skip


class EngramIntake:
    """Follows one agent and its engram."""

    def __init__(
        self,
        root: Path,
        queue: TextQueue,
        catalogue: Catalogue,
        *,
        ask_percent: int,
        session: Callable[[], Session],
        tell: Callable[[ev.Event], None],
        on_written: Callable[[], None],
        is_caught_up: Callable[[], bool],
        command: Sequence[str] = COMMAND,
    ) -> None:
        """`ask_percent`: how full the context is from when on an engram is asked for; 0: never.

        `is_caught_up`: whether what the log tells is news, and not what it held when it was begun.
        """
        self._is_caught_up = is_caught_up
        self._root, self._talk = root, EngramTalk(queue, catalogue, session)
        self._ask_percent, self._session, self._tell, self._on_written = ask_percent, session, tell, on_written
        self._loop = asyncio.get_running_loop()
        self._known = Knowledge()
        self._conversation, self._started = session().conversation, 0.0
        self._ended: ev.TurnEnded | None = None
        """The newest turn's end, until it is clear what follows from it."""
        self._message: Message | None = None
        """What is to be judged next."""
        self._judging: tuple[str, Message] | None = None
        """What is judged or was last, and of which conversation it is."""
        self._followed: set[str] = set()
        """What was judged, and all done that follows from it."""
        self._untold = ""
        self._saved = False
        """Whether a person has saved one since it was begun to judge this."""
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._writing = 0.0
        """Since when there has always been something to judge, the last time that there was."""
        self._process = AskedProcess(
            command, deadline=DEADLINE, on_answer=self._answered, on_none=lambda: self._judged(None)
        )
        self.unreaped = self._process.unreaped
        self._versions = EngramVersions(root, known=lambda: self._known, on_found=lambda: self._raise(FOUND))
        self._notes = CompactionNotes(root, catalogue.language, session=session, tell=tell)
        self._versions.read(session().memory.engram)

    @property
    def writing_since(self) -> float | None:
        """Since when, by the loop's clock, an engram is about to be written: a text with the one before would be old.

        None where none is.
        """
        return self._writing if self._message is not None or self._process.running else None

    def close(self) -> None:
        """Follow no more; what was said last is judged all the same, by a process that goes on without this one."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._ended = None  # nobody is asked any more
        if self._message is not None:
            self._settled()

    def happened(self, event: ev.Event) -> None:
        """Follow what the agent says, does and hears."""
        match event:
            case ev.AgentStarted():
                self._started, self._known = event.time, Knowledge(started=event.time)
            case ev.ConversationIdentified() if event.conversation != self._conversation:
                self._conversation, self._known = event.conversation, Knowledge(started=self._started)
                self._ended = self._message = None
                self._talk.moved(event.conversation)
            case ev.TurnEnded() if not self._is_old(event.time):
                self._turn_ended(event)
            case ev.Compacted() if not self._is_old(event.time):
                self._talk.withdraw("injection.compacted-meanwhile", corrections=False)
                self._notes.compacted(event)
            case ev.AgentExited() if self._timer is not None:
                self._timer.cancel()
                self._settled()  # the host may end at once; the process goes on
            case ev.MemoryRead():
                self._versions.read(event.memory.engram)
            case _:
                pass
        if time.time() < self._known.started:
            # The clock was set back: by its time what a person writes now is of before the agent's start.
            self._known = replace(self._known, started=0.0)
        known_by = named(event, self._root) if isinstance(event, ev.ToolUsed) else event
        self._known = after(self._known, known_by)
        if isinstance(event, ev.UserMessageRecorded | ev.ContextRecorded):
            self._talk.learnt(self._known)
        if self._ended is not None and isinstance(event, _OF_THE_LOG):
            self._wait(anew=isinstance(event, ev.TurnEnded))

    def _is_old(self, when: float) -> bool:
        return clock.is_old(when, self._started, caught_up=self._is_caught_up())

    def saved(self, request: m.EngramSaved) -> m.Outcome:
        """A person has saved an engram, or says that what is on disk is theirs: it holds, and the agent is told."""
        path = self._root / PLACE
        try:
            data = atomic.read(path, SAVED_MOST, beneath=self._root).data or b""
            text = redacted(decode(data))
            modified = written_at(os.stat(path, follow_symlinks=False)) if data else 0.0
        except (OSError, NotText):
            return m.Outcome(False, "engram.saved-unreadable")
        if hashlib.sha256(data).hexdigest() != request.sha:
            return m.Outcome(False, "engram.saved-differs")
        if not text.strip():
            return m.Outcome(False, "engram.saved-empty")  # nothing that anybody could have accepted
        self._clear(*NOTICES, "engram.review")
        self._talk.withdraw("injection.replaced", corrections=True)
        self._on_written()  # before: what waits is to be composed of this one
        self._talk.accepted()
        self._versions.saved(text)
        self._saved = True
        # As the history knows it: without secrets.
        self._untold = "" if request.tell else hashlib.sha256(text.encode()).hexdigest()
        if not request.tell:
            return m.Outcome(True)
        id = None if self._is_restored_soon() else self._talk.correct(self._known, text, modified)
        return m.Outcome(True, "", (("id", id),) if id else ())

    # --- a turn's end

    def _turn_ended(self, event: ev.TurnEnded) -> None:
        message = message_of(event, self._known)
        if message is not None and message.id in self._followed:
            self._ended = self._message = None  # the log is read once more, and this is the newest that it tells
        else:
            self._ended = event
            self._said(message)

    def _said(self, message: Message | None) -> None:
        if message is not None:
            if self.writing_since is None:
                self._writing = self._loop.time()
            self._message = message

    def _wait(self, *, anew: bool) -> None:
        now = self._loop.time()
        if anew or self._timer is None:
            self._due = now + LATEST
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(min(now + QUIET, self._due), self._settled)

    def _settled(self) -> None:
        self._timer = None
        if self._process.running:
            return  # what comes now is looked at after it
        ended, self._ended = self._ended, None
        message, self._message = self._message, None
        if message is not None:
            self._judging, self._saved = (self._conversation, message), False
            last = self._known.attempts >= MOST_ATTEMPTS
            wanted = Wanted(str(self._root), message, last=last, untold=self._untold)
            try:
                self._process.start(msgspec.msgpack.encode(wanted))
            except ValueError:  # a folder's name that is no UTF-8
                self._judged(None)
        elif ended is not None and not ended.interrupted:
            if is_left_out(ended, self._session().memory.engram):
                self._raise("engram.left-out")
            self._ask()

    def _ask(self) -> None:
        session = self._session()
        context, edited = session.context, session.work.edited_since_engram
        fraction = context.fraction
        of_limit = context.used / context.compacts_at if context.used and context.compacts_at else None
        due = is_due(fraction=fraction, of_limit=of_limit, percent=self._ask_percent, edited=bool(edited))
        if session.turn or not due:
            return
        # Of the window, as the gauge has it; where that is not much, of what the agent fills before it compacts.
        share = fraction if fraction is not None and 100 * fraction >= self._ask_percent else of_limit
        self._talk.ask(round(100 * (share or fraction or 0)), len(edited), len(session.compactions))

    # --- what has become of it

    def _answered(self, data: bytes) -> None:
        try:
            answer: Judged | None = msgspec.msgpack.decode(data, type=Judged)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            answer = None
        self._judged(answer)

    def _judged(self, answer: Judged | None) -> None:
        """Do what follows; None: nobody has judged it."""
        if answer is None:
            self._raise("engram.not-judged")
        else:
            self._follow(answer)
        if self._ended is not None and self._timer is None:
            self._settled()

    def _follow(self, answer: Judged) -> None:
        assert self._judging is not None
        conversation, message = self._judging
        if conversation != self._conversation:
            # Whoever has said it is gone: it is only told that it is on disk.
            if answer.outcome in ("stored", "same"):
                self._on_written()
            return
        if answer.outcome != "not-written":
            self._followed.add(message.id)
        step = judged(self._known, answer, time.time())
        self._known = step.known
        if step.event is not None:
            self._tell(step.event)
        match answer.outcome:
            case "stored" | "same":
                self._clear(*NOTICES)
                # A person's that was saved over it meanwhile is news all the same.
                self._talk.withdraw("injection.engram-written", corrections=not self._saved)
                self._on_written()
            case "found-stays":
                self._raise(FOUND)
            case "persons-stays":
                self._raise("engram.persons-stays")
                if answer.persons:
                    self._talk.correct(self._known, answer.persons, answer.modified)
            case "faulty" if step.send_back:
                self._talk.send_back(message, step.send_back, answer.findings)
            case "faulty":
                self._raise("engram.faulty", errors=len(answer.errors), most=MOST_ATTEMPTS)
            case "known":
                pass
            case "not-written":
                self._raise("engram.not-saved" if answer.reason else "engram.unfit", reason=answer.reason)

    def _is_restored_soon(self) -> bool:
        """Say whether a restore text waits to be sent: it is composed anew, with what was saved."""
        return any(each.state in ("queued", "held") and each.occasion.restores for each in self._session().unfinished)

    def _raise(self, key: str, **values: object) -> None:
        named = tuple((name, str(value)) for name, value in values.items() if value != "")
        self._tell(ev.NoticeRaised(time.time(), key, named))

    def _clear(self, *keys: str) -> None:
        for notice in self._session().notices:
            if notice.key in keys:
                self._tell(ev.NoticeCleared(time.time(), notice.key))
