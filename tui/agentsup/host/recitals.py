"""What the agent reads back after a restore: held against memory, told to the person, and asked for once more."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from agentsup.core import events as ev
from agentsup.core.memory.model import Memory
from agentsup.core.occasion import COLD, COMPACTION, RECITAL, Occasion
from agentsup.core.recital import MISSING_NEXT, MISSING_TASK, TABOO, Expected, Judged, compare, expected
from agentsup.core.recital.correction import Sentences, correction
from agentsup.core.redaction import redacted
from agentsup.core.restore.difference import name_of
from agentsup.core.restore.frame import Frame
from agentsup.core.session import Session
from agentsup.core.text import sanitise
from agentsup.core.work import is_ours
from agentsup.host import clock
from agentsup.host.text_queue import TextQueue
from agentsup.locale import load, recital_words, restore_frame
from agentsup.protocol import messages as m
from agentsup.store.injection_record import Recorded

RECITED = (COMPACTION, RECITAL)
"""Kinds of texts of ours that ask for a read-back."""

SAID_MOST = 2_000
"""Characters of a read-back that are kept."""

MESSAGES_MOST = 3
"""Messages in which a read-back may come: agents announce what they are about to do before they answer."""

PAIRED = 5.0
"""Seconds by which a hook's text may be there before the record of the compaction that it belongs to."""

BOTH, TASK, NEXT, FORBIDDEN = (f"recital.wrong-{name}" for name in ("both", "task", "next", "taboo"))
NOTICES = (BOTH, TASK, NEXT, FORBIDDEN)


class Verdicts(Protocol):
    """Remembers, over the hosts of a session, after which texts was judged what was read back."""

    def unjudged(self) -> list[Recorded]:
        """Return what hosts before this one saw arrive, of the kinds that ask for it, and did not judge."""

    def was_judged(self, id: str) -> bool:
        """Say whether a verdict was given."""

    def judged(self, id: str, when: float) -> None:
        """Remember that it was."""


class Recitals:
    """Judges the first thing that the agent says after a restore that asked for it."""

    def __init__(
        self,
        queue: TextQueue,
        verdicts: Verdicts,
        *,
        language: str,
        session: Callable[[], Session],
        happened: Callable[[ev.Event], None],
        is_caught_up: Callable[[], bool],
    ) -> None:
        """`is_caught_up`: whether what the log tells is news, and not what it held when it was begun."""
        self._is_caught_up = is_caught_up
        self._queue, self._verdicts, self._session, self._happened = queue, verdicts, session, happened
        self._frame: Frame = restore_frame(language)
        text = load(language).text
        names = ("header", "said", "memory", "next", "silent")
        # The header is filled in when its id is known.
        self._sentences = Sentences(*(text(f"recital.{name}", id="{id}") for name in names))
        self._begun = time.time()
        """Of this host: what the log tells of before is history."""
        self._left = [each for each in verdicts.unjudged() if each.occasion.kind in RECITED]
        """What hosts before this one saw arrive and did not judge."""
        self._started = self._since = 0.0
        self._looked: frozenset[str] = frozenset()
        """Ids of what was seen to be confirmed."""
        self._conversation = ""
        self._awaited = ""
        self._is_there = False
        """Whether the text that is answered was met in what the log holds of before."""
        self._beside = False
        """Whether a hook brought what is answered: beside a prompt of the person's, if no turn was interrupted."""
        self._has_memory = session().memory != Memory()
        """Whether memory was read since this host began."""
        self._known: Expected | None = None
        self._said: list[str] = []
        self._turn = ""
        """The turn of what the log holds of before of the answer."""
        self._is_over = self._is_silent = False
        """Whether the turn of the answer has ended."""

    def happened(self, event: ev.Event) -> None:
        """See whether a restore has arrived, and judge what the agent says then."""
        match event:
            case ev.AgentStarted():
                self._started = event.time
                self._forget()
            case ev.AgentExited():
                self._forget()
            case ev.Compacted():
                self._look()
                if event.time - self._since > PAIRED:
                    self._forget()
            case ev.ConversationIdentified() if event.conversation != self._conversation:
                self._conversation = event.conversation
                self._forget()
            case ev.TurnTakenBack() if self._awaited and any(self._awaited in text for text in event.texts):
                self._forget()
            case ev.MemoryRead():
                self._look()
                self._has_memory = True
                self._judge()
            case ev.UserMessageRecorded() | ev.ContextRecorded() if not self._is_old(event.time):
                self._look()
                self._came(event)
            case ev.AgentMessageRecorded() if not self._is_old(event.time):
                self._look()
                if self._may_answer(event.time):
                    self._heard(event.text, event.time)
            case ev.TurnEnded() if self._awaited:
                if self._may_answer(event.time):
                    self._turn_ended(event)
            case _:
                self._look()

    def caught_up(self) -> None:
        """The log was read as far as it goes: judge what no host before this one has."""
        self._judge()

    def answered(self, answer: m.RecitalAnswered) -> m.Outcome:
        """Record a person's verdict; send a correction where that is wanted."""
        recital = self._session().loop.recital
        if recital is None or recital.id != answer.id:
            return m.Outcome(False, "recital.gone")
        verdict: ev.Verdict = "right" if answer.right else "wrong"
        missing = () if answer.right else recital.missing
        self._happened(ev.RecitalJudged(time.time(), recital.id, verdict, recital.said, "person", missing))
        self._clear_notices()
        if answer.right or not answer.resend:
            return m.Outcome(True)
        known = self._expected()

        def compose(id: str) -> str:
            return correction(recital.said, known, self._sentences, self._frame, id=id)

        if self._queue.send(Occasion(RECITAL, self._session().conversation, recital.id), compose) is None:
            return m.Outcome(False, "recital.not-sent")
        return m.Outcome(True)

    # --- which text is answered

    def _look(self) -> None:
        """Take up what was confirmed since the last look: the injector tells the session, and not its followers."""
        confirmed = [each for each in self._session().loop.happened if each.occasion and each.what == "confirmed"]
        looked, self._looked = self._looked, frozenset(each.id for each in confirmed)
        for entry in confirmed:
            is_recited = entry.occasion is not None and entry.occasion.kind in RECITED
            if is_recited and entry.id not in looked and not self._is_judged(entry.id):
                self._await(entry.id, entry.time, beside=entry.channel == "hook")

    def _came(self, event: ev.UserMessageRecorded | ev.ContextRecorded) -> None:
        """A text has reached the model; what a host before this one saw arrive is answered behind it."""
        is_history = self._is_history(event.time)
        if is_history and self._left and is_ours(event.text):
            for each in self._left:
                if each.id in event.text and not self._is_judged(each.id):
                    self._await(each.id, each.time, beside=each.channel == "hook")
        if self._is_silent and isinstance(event, ev.UserMessageRecorded) and not is_ours(event.text):
            self._forget()  # a turn went by in silence: what comes now answers the person
        if isinstance(event, ev.UserMessageRecorded):
            self._cold_start(event)
        if is_history and self._awaited and self._awaited in event.text:
            self._is_there, self._since = True, min(self._since, event.time)

    def _cold_start(self, event: ev.UserMessageRecorded) -> None:
        """The first prompt of a cold restart is an argument that nobody types: here is the word that it has arrived."""
        name = name_of(event.text, self._frame)
        if name is None or name.occasion != "cold-start":
            return
        newest = self._session().injection
        if newest is None or newest.time < event.time:
            cold = Occasion(COLD, self._session().conversation)
            self._happened(ev.InjectionChanged(event.time, name.id, cold, "confirmed"))
        if not self._is_judged(name.id):
            self._await(name.id, event.time)

    def _await(self, id: str, since: float, *, beside: bool = False) -> None:
        if id == self._awaited:
            return
        self._awaited, self._since, self._said, self._beside, self._is_there = id, since, [], beside, False
        self._turn, self._is_over, self._is_silent = "", False, False
        # As it is now: by the time it answers, the agent may have written its memory anew.
        self._known = self._expected() if self._has_memory else None
        self._clear_notices()

    def _is_judged(self, id: str) -> bool:
        recital = self._session().loop.recital
        return (recital is not None and recital.id == id) or self._verdicts.was_judged(id)

    def _expected(self) -> Expected:
        session = self._session()
        return expected(session.memory, session.work.last_request)

    def _forget(self) -> None:
        """Await no answer to anything that has arrived so far."""
        self._look()
        self._awaited, self._said = "", []
        self._clear_notices()

    def _is_history(self, when: float) -> bool:
        is_caught_up = self._is_caught_up()
        of_before = not is_caught_up or clock.is_old(when, self._begun, caught_up=is_caught_up)
        return of_before and not self._is_old(when)

    def _is_old(self, when: float) -> bool:
        """Say whether that is of another session: what a resumed conversation's log begins with."""
        return clock.is_old(when, self._started, caught_up=self._is_caught_up())

    def _may_answer(self, when: float) -> bool:
        """Say whether what was said then was said after the restore had come, and not in the turn before it."""
        return not self._is_history(when) or self._is_there or when >= self._since

    # --- what is said

    def _heard(self, text: str, when: float) -> None:
        if not self._awaited or self._is_over or not text.strip() or len(self._said) >= MESSAGES_MOST:
            return
        self._said.append(text)
        if self._is_history(when):
            self._turn = self._session().turn
        self._judge()

    def _turn_ended(self, event: ev.TurnEnded) -> None:
        if not self._said and event.message.strip():
            self._said.append(event.message)
            self._turn = event.turn if self._is_history(event.time) else ""
        if self._said:
            self._is_over = True
            self._judge()
        elif event.interrupted:
            self._forget()
        else:
            self._is_silent = True

    def _judge(self) -> None:
        """Judge what was said, once that may be done: not before log and memory were read, by a host that took over."""
        if not self._awaited or not self._is_caught_up() or (self._is_late and not self._has_memory):
            return
        if self._known is None:
            self._known = self._expected()
        for count in range(1, len(self._said) + 1):
            said = "\n".join(self._said[:count])
            judged = compare(self._known, said, recital_words())
            empty_handed = judged.verdict == "wrong" and set(judged.missing) == {MISSING_TASK, MISSING_NEXT}
            if not empty_handed or count >= MESSAGES_MOST or (self._is_over and count == len(self._said)):
                self._tell(said, judged)
                return

    @property
    def _is_late(self) -> bool:
        """Whether it came before this host began, and so before this host has read any memory."""
        return self._since < self._begun

    def _tell(self, said: str, judged: Judged) -> None:
        if self._may_go_without and not judged.is_read_back:
            # It did what it was asked, and nobody can say what it knows.
            judged = Judged("wrong", (TABOO,)) if TABOO in judged.missing else Judged("unclear")
        memory = self._session().memory
        has_changed = max(memory.engram.modified, memory.state.modified) > self._since
        if self._is_late and has_changed and judged.verdict == "wrong":
            judged = Judged("unclear")  # it was told another memory
        id, turn, said = self._awaited, self._turn, sanitise(redacted(said))[:SAID_MOST]
        self._awaited, self._said = "", []
        self._happened(ev.RecitalJudged(time.time(), id, judged.verdict, said, missing=judged.missing, turn=turn))
        # Behind it: told once more after a crash in between is better than never.
        self._verdicts.judged(id, time.time())
        if judged.verdict == "wrong":
            self._happened(ev.NoticeRaised(time.time(), _notice(judged.missing)))

    @property
    def _may_go_without(self) -> bool:
        """Whether the agent was asked for something beside the restore, and may have done just that."""
        compactions = self._session().compactions
        return self._beside and bool(compactions) and not compactions[-1].mid_turn

    def _clear_notices(self) -> None:
        for notice in self._session().notices:
            if notice.key in NOTICES:
                self._happened(ev.NoticeCleared(time.time(), notice.key))


def _notice(missing: tuple[str, ...]) -> str:
    if TABOO in missing:
        return FORBIDDEN
    if MISSING_TASK in missing and MISSING_NEXT in missing:
        return BOTH
    return TASK if MISSING_TASK in missing else NEXT
