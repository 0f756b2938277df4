"""What the agent reads back after a restore: held against memory, told to the person, and asked for once more."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from agentsup.core import events as ev
from agentsup.core.recital import MISSING_NEXT, MISSING_TASK, TABOO, Expected, Judged, compare, expected
from agentsup.core.recital.correction import Sentences, correction
from agentsup.core.redaction import redacted
from agentsup.core.restore.difference import name_of
from agentsup.core.restore.frame import Frame
from agentsup.core.session import Session
from agentsup.core.text import sanitise
from agentsup.locale import load, recital_words, restore_frame
from agentsup.protocol import messages as m

RECITED = ("compaction", "recital")
"""Kinds of texts of ours that ask for a read-back."""

SAID_MOST = 2_000
"""Characters of a read-back that are kept."""

MESSAGES_MOST = 3
"""Messages in which a read-back may come: agents announce what they are about to do before they answer."""

PAIRED = 5.0
"""Seconds by which a hook's text may be there before the record of the compaction that it belongs to."""

BOTH, TASK, NEXT, FORBIDDEN = (f"recital.wrong-{name}" for name in ("both", "task", "next", "taboo"))
NOTICES = (BOTH, TASK, NEXT, FORBIDDEN)


class Queue(Protocol):
    """Takes texts to be sent, each once."""

    def send(self, occasion: str, compose: Callable[[str], str]) -> str | None:
        """Queue a text that is composed with its id; return the id, None where it is not taken."""


class Recitals:
    """Judges the first thing that the agent says after a restore that asked for it."""

    def __init__(
        self,
        queue: Queue,
        *,
        language: str,
        session: Callable[[], Session],
        happened: Callable[[ev.Event], None],
        is_caught_up: Callable[[], bool] = lambda: True,
    ) -> None:
        """`is_caught_up`: whether what the log tells is news, and not what it held when it was begun."""
        self._is_caught_up = is_caught_up
        self._queue, self._session, self._happened = queue, session, happened
        self._frame: Frame = restore_frame(language)
        text = load(language).text
        names = ("header", "said", "memory", "next", "silent")
        # The header is filled in when its id is known.
        self._sentences = Sentences(*(text(f"recital.{name}", id="{id}") for name in names))
        self._begun = time.time()
        """Of this host: what a cold start was told before is history."""
        self._started = self._looked = self._since = 0.0
        self._conversation = ""
        self._awaited = ""
        self._is_there = False
        """Whether the text that is answered was met in what the log holds of before."""
        self._beside = False
        """Whether a hook brought what is answered: beside a prompt of the person's, if no turn was interrupted."""
        self._known = Expected()
        self._said: list[str] = []

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
            case ev.UserMessageRecorded() | ev.ContextRecorded() if self._is_history(event.time):
                self._look()
                self._is_there |= bool(self._awaited) and self._awaited in event.text
            case ev.UserMessageRecorded() if event.time >= self._started:
                self._look()
                self._cold_start(event.text)
            case ev.AgentMessageRecorded() | ev.TurnEnded() if self._is_history(event.time):
                self._passed(event.time)
            case ev.AgentMessageRecorded() if event.time >= self._started:
                self._look()
                self._heard(event.text)
            case ev.TurnEnded() if self._awaited:
                self._turn_ended(event)
            case _:
                self._look()

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

        if self._queue.send(f"recital:{recital.id}", compose) is None:
            return m.Outcome(False, "recital.not-sent")
        return m.Outcome(True)

    # --- which text is answered

    def _look(self) -> None:
        """Take up what was confirmed since the last look: the injector tells the session, and not its followers."""
        for entry in self._session().loop.happened:
            if entry.kind == "injection" and entry.what == "confirmed" and entry.time > self._looked:
                self._looked = entry.time
                occasion, _, rest = entry.detail.partition("\n")
                id = rest.rpartition("\n")[2]
                if occasion.partition(":")[0] in RECITED and not self._is_judged(id):
                    self._since = entry.time
                    newest = self._session().injection
                    self._await(id, beside=newest is not None and newest.id == id and newest.channel == "hook")

    def _cold_start(self, text: str) -> None:
        """The first prompt of a cold restart asks for a read-back too; it is an argument, so nobody confirms it."""
        name = name_of(text, self._frame)
        if name is not None and name.occasion == "cold-start" and not self._is_judged(name.id):
            self._await(name.id)

    def _await(self, id: str, *, beside: bool = False) -> None:
        self._awaited, self._said, self._beside, self._is_there = id, [], beside, False
        # As it is now: by the time it answers, the agent may have written its memory anew.
        self._known = self._expected()
        self._clear_notices()

    def _is_judged(self, id: str) -> bool:
        recital = self._session().loop.recital
        return recital is not None and recital.id == id

    def _expected(self) -> Expected:
        session = self._session()
        return expected(session.memory, session.work.last_request)

    def _forget(self) -> None:
        """Await no answer to anything that has arrived so far."""
        self._look()
        self._awaited, self._said = "", []
        self._clear_notices()

    def _is_history(self, when: float) -> bool:
        return when >= self._started and (when < self._begun or not self._is_caught_up())

    def _passed(self, said: float) -> None:
        """What was said before this host began is history: its answer is over, and memory is another one by now."""
        self._look()
        # What a host before this one saw arrive may be answered yet, whatever was said before it arrived: the log may
        # have told that host so late that the answer was on its way.
        if self._is_there or not said < self._since < self._begun:
            self._forget()

    # --- what is said

    def _heard(self, text: str) -> None:
        if not self._awaited or not text.strip():
            return
        self._said.append(text)
        judged = self._judged()
        empty_handed = judged.verdict == "wrong" and set(judged.missing) == {MISSING_TASK, MISSING_NEXT}
        if not empty_handed or len(self._said) >= MESSAGES_MOST:
            self._tell(judged)

    def _turn_ended(self, event: ev.TurnEnded) -> None:
        if not self._said and event.message.strip():
            self._said.append(event.message)
        if self._said:
            self._tell(self._judged())
        elif event.interrupted:
            self._forget()

    def _judged(self) -> Judged:
        return compare(self._known, "\n".join(self._said), recital_words())

    def _tell(self, judged: Judged) -> None:
        if self._may_go_without and not judged.is_read_back:
            # It did what it was asked, and nobody can say what it knows.
            judged = Judged("wrong", (TABOO,)) if TABOO in judged.missing else Judged("unclear")
        id, said = self._awaited, sanitise(redacted("\n".join(self._said)))[:SAID_MOST]
        self._awaited, self._said = "", []
        self._happened(ev.RecitalJudged(time.time(), id, judged.verdict, said, missing=judged.missing))
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
