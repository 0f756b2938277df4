"""What is sent to the agent: the injector's decisions, carried out on the pty and in the agent's hooks.

The thinking is done in core, by the injector; here its proof is made, and its commands meet screen, writer and record.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from agentsup.agents.adapter import Adapter
from agentsup.core import events as ev
from agentsup.core import figures
from agentsup.core import injector as inj
from agentsup.core.occasion import COMPACTION, CORRECTION, PERSONAL, START, Occasion
from agentsup.core.policy import Policy
from agentsup.core.restore.frame import RestoreForm
from agentsup.core.session import Session
from agentsup.core.text import sanitise
from agentsup.core.work import is_ours
from agentsup.host import clock
from agentsup.host.carrier import Carrier
from agentsup.host.injection_proof import Prover
from agentsup.host.left_behind import LeftBehind
from agentsup.host.orders import ID_LENGTH, Orders
from agentsup.host.pty_screen import PtyScreen
from agentsup.host.restore_texts import RestoreTexts
from agentsup.host.restores import Restores
from agentsup.host.sent_record import SentRecord
from agentsup.host.taken_back import TakenBack
from agentsup.host.typist import Typist
from agentsup.host.writer import Writer
from agentsup.store.evidence import bump_context_version
from agentsup.store.folders import random_name
from agentsup.store.injection_record import InjectionRecord

START_MISSED, REWOUND = "start.missed", "restore.rewound"
"""Said until another restore is sent, or the conversation is another one."""

_SETTLING = 0.05
"""Seconds between two looks whether the text of a cold restart is there."""


class Injections:
    """Sends texts to one agent: typed at the first moment that is proven safe, or by a hook that the agent runs."""

    def __init__(
        self,
        adapter: Adapter,
        restores: Restores,
        *,
        screen: PtyScreen,
        writer: Writer,
        record: InjectionRecord,
        memory_root: Path,
        policy: Policy,
        session: Callable[[], Session],
        fold: Callable[[ev.Event], None],
        tell: Callable[[ev.InjectionChanged], None],
        may_type: Callable[[], bool],
        is_settled: Callable[[], bool],
        is_caught_up: Callable[[], bool],
    ) -> None:
        """`is_caught_up`: whether what the log tells is news, and not what it held when it was begun."""
        self._adapter, self._writer, self._memory_root = adapter, writer, memory_root
        self._session, self._fold, self._tell = session, fold, tell
        self._is_caught_up = is_caught_up
        self._texts = RestoreTexts(restores, session, stops=policy.wait_after_recital, rest=record.rest)
        self._sent = SentRecord(record)
        self.verdicts = self._sent
        self._orders = Orders(adapter, self._texts, self._sent, policy=policy, session=session)
        self._prover = Prover(
            adapter, screen, session=session, may_type=may_type, is_settled=is_settled,
            is_caught_up=is_caught_up, is_composed=lambda: self._texts.settled,
        )  # fmt: skip
        self._typist = Typist(writer)
        self._carrier = Carrier(
            self._typist, self._sent, self._orders, memory_root=memory_root, fold=fold, tell=tell, look=self.look,
            recompose=self.prepared, redraw=lambda: screen.redraw(),
        )  # fmt: skip
        self._left = LeftBehind(self._carrier, self._sent, self._orders, fold)
        self._taken_back = TakenBack(self._carrier, self._sent, self._orders, self._left)
        self._run = self._carrier.run
        self._loop = asyncio.get_running_loop()
        self._looking = False
        self._owed: ev.Compacted | None = None
        """Of a log that is read as history: the compaction that nothing has followed so far, neither work nor ours."""
        self.key, self.idle = self._prover.key, self._prover.idle
        self._has_spoken = True
        """Whether the running turn has a prompt or a request: a command that a person runs has none."""
        self.turn_is_ours = False
        """Whether a text of agentsup's own has begun the running turn: that is not the person's work."""

    @property
    def _injector(self) -> inj.Injector:
        return self._carrier.injector

    # --- what happens

    def started(self) -> None:
        """A fresh agent was started."""
        self._typist.stop()
        self._carrier.injector = inj.started(self._injector)

    def ended(self) -> None:
        """The agent's process ended."""
        self._run(inj.ended(self._injector, clock.now()))

    def moved(self, conversation: str) -> None:
        """The agent is in another conversation; what hosts before this one had begun in it is taken up."""
        self._orders.begin(conversation)
        self._owed = None
        self._remembers()
        self._run(inj.moved(self._injector, conversation, clock.now()))
        self._left.moved(conversation)
        self.prepared()  # what a person has sent goes into any conversation, and is numbered in it

    def caught_up(self) -> None:
        """The log was read as far as it goes; compactions that it does not tell of were in a part that is not read."""
        self._left.unread(self._session().conversation)
        if (owed := self._owed) is not None:
            self._owed = None
            self.compacted(owed, since=0.0)
        self._run(inj.caught_up(self._injector, clock.now()))

    def recorded(self, text: str, *, is_typed: bool = True) -> None:
        """The agent's log holds a message to the model; `is_typed`: as if the person had said it."""
        if is_ours(text):
            self._owed = None
            if not self._is_caught_up():
                self._sent.met(self._session().conversation, text, is_typed=is_typed)
        with self._carrier.border():
            if not self._is_caught_up():
                self._left.unread(self._session().conversation, text)
            self._run(inj.recorded(self._injector, text, clock.now()))

    def happened(self, event: ev.Event) -> None:
        """See what an event of the agent's means for what waits for a hook, or for a person."""
        now = clock.now()
        match event:
            case ev.TurnStarted() if event.asked:
                self._owed = None
                flight = self._injector.flight
                sent = flight is not None and flight.state == "submitted"
                self.turn_is_ours = flight is not None and sent and flight.order.kind != PERSONAL
                self._has_spoken = False
                self._carrier.injector = inj.turn_began(self._injector)
                self._drop_start(but_late_hooks=True)
            case ev.UserMessageRecorded() | ev.TurnStarted():
                self._has_spoken = True
            case ev.TurnEnded() if not (self._has_spoken or event.message or event.interrupted):
                # A command of the person's own: the agent was asked nothing, and has run no hook.
                self._left.turn_ended = event.time
                self._carrier.injector = inj.turn_began(self._injector, has_begun=False)
            case ev.TurnEnded():
                self._left.turn_ended = event.time
                self._turn_ended(given_up=event.interrupted)
                self._run(inj.went_on(self._injector, now, ended=clock.at(event.time)))
                self._drop_start(but_late_hooks=False)
                self.turn_is_ours = False
            case ev.TokensReported(source="exact") if self._session().turn:
                self._has_spoken = True
                self._run(inj.went_on(self._injector, now))
            case ev.ConversationIdentified():
                # Before its log is read: what a person has let go on stays so when that is history.
                reset = self._sent.reset(event.conversation)
                if reset > self._session().loop.breaker.since:
                    self._fold(ev.BreakerReset(reset))
                if not self._session().loop.breaker.is_open:
                    self._fold(ev.NoticeCleared(time.time(), "breaker.open"))
            case ev.TurnTakenBack():
                with self._carrier.border():
                    self._taken_back.happened(event, self._session().conversation)
            case ev.Compacted():
                self._tell_of_the_breaker()
            case ev.CompactionFailed():
                conversation, when = self._session().conversation, clock.at(event.time)
                self._run(inj.compaction_failed(self._injector, conversation, when, now))
            case ev.BreakerReset():
                self._fold(ev.NoticeCleared(time.time(), "breaker.open"))
                conversation = self._session().conversation
                if event.time > self._sent.reset(conversation):
                    written = self._sent.breaker_reset(conversation, event.time)
                    self._carrier.tell_of_the_record(is_written=written)
            case _:
                pass

    def look(self) -> None:
        """Something changed that may let an injection go on: see soon, once for all that changed."""
        if self._injector.is_at_work and not self._looking:
            self._looking = True
            self._loop.call_soon(self._look)

    def _look(self) -> None:
        self._looking = False
        if not self._injector.is_at_work:
            return
        with self._carrier.border():
            # First the proof: what it reads from the pty may itself change the injector.
            proof = self._prover.proof(busy=self._writer.held_by == "paste", written=self._typist.is_done)
            self._run(inj.observe(self._injector, proof))

    # --- what is asked for

    def is_served(self, occasion: Occasion) -> bool:
        """Say whether something was sent or queued for this occasion once, also by a host before this one."""
        return occasion in self._injector.known or self._sent.earlier(occasion) is not None

    def send(self, occasion: Occasion, compose: Callable[[str], str]) -> str | None:
        """Queue a text, once per occasion; `compose` gives it for its id. Return the id.

        None where the occasion was served before, where there is no text, or while the breaker is open. A person's own
        text passes that; which engram of theirs holds is kept until it is closed.
        """
        return self._send(occasion, lambda: self._orders.text(occasion, lambda id: sanitise(compose(id))))

    def restore(self, occasion: Occasion, of: RestoreForm) -> str | None:
        """Queue a restore text, composed anew for as long as it waits; else as `send`."""
        return self._send(occasion, lambda: self._orders.restore(occasion, of))

    def _send(self, occasion: Occasion, make: Callable[[], inj.Order]) -> str | None:
        # Which engram of a person's holds nobody would say later.
        is_lasting = occasion.kind in (PERSONAL, CORRECTION)
        if self.is_served(occasion) or (self._session().loop.breaker.is_open and not is_lasting):
            return None
        order = make()
        if not order.text:
            return None
        self._orders.count(order)
        if order.number:
            self._remembers()
        self._run(inj.enqueue(self._injector, order, clock.now()))
        return order.id

    def withdraw(self, occasion: Occasion, reason: str) -> None:
        """Drop what is queued for an occasion and was not sent yet; `reason` is a catalogue key."""
        self._run(inj.withdraw(self._injector, occasion, reason, clock.now()))

    def by_hook(self, event: str, source: str, conversation: str) -> str:
        """Return the text for a hook that the agent runs now; empty for nothing. That it goes out is recorded first."""
        if not self._is_caught_up():
            return ""  # what is told is history: it may yet tell that this was served
        now = clock.now()
        breaker = self._session().loop.breaker.is_open
        call = inj.Call(
            event, source, conversation, now, breaker=breaker, early=self._adapter.early_hooks,
            most=self._adapter.hook_most,
        )  # fmt: skip
        before = self._injector
        step, orders = inj.handed_out(before, call, lambda: self._orders.unasked(call))
        self._run(step)
        if orders and not self._sent.is_whole:
            self._carrier.injector = before  # said twice is worse than said later
            when = time.time()
            known = {order.id for order in inj.orders(before)}
            for order in orders:
                state: ev.InjectionState = "held" if order.id in known else "dropped"
                self._tell(ev.InjectionChanged(when, order.id, order.occasion, state, "injection.no-record", "hook"))
            return ""
        for order in orders:
            self._orders.write_rest(order)
            self._carrier.keep(order)
        return inj.BETWEEN.join(order.text for order in orders)

    def is_too_long_for_a_hook(self, message_id: str) -> bool:
        """Say whether the text of an injection is none that the agent's hooks take."""
        known = (order for order in inj.orders(self._injector) if order.id == message_id)
        return any(not self._orders.fits_a_hook(order.text) for order in known)

    def choose(self, message_id: str, choice: inj.Choice) -> bool:
        """Carry out the person's choice about an injection; False where there is nothing to choose."""
        before = self._injector
        if choice == "hook" and (not self._orders.has_hooks or self.is_too_long_for_a_hook(message_id)):
            return False
        self._run(inj.choose(before, message_id, choice, clock.now()))
        if self._injector is before:
            return False
        self.prepared()  # another channel may want other words
        return True

    def engram_accepted(self) -> None:
        """A person has accepted or corrected the engram: what waited for that may go."""
        self._run(inj.accept(self._injector, clock.now()))

    # --- restoring

    def compacted(self, event: ev.Compacted, *, since: float) -> None:
        """Restore after a compaction, unless it is of before `since`, or was restored already."""
        with self._carrier.border():
            self._compacted(event, since)

    def _compacted(self, event: ev.Compacted, since: float) -> None:
        conversation, now = self._session().conversation, clock.now()
        occasion = Occasion(COMPACTION, conversation, event.id)
        earlier = self._sent.earlier(occasion)
        elsewhere = self._sent.was_restored(event.id) and earlier is None
        is_old = clock.is_old(event.time, since, caught_up=self._is_caught_up())
        is_known = occasion in self._injector.known or elsewhere  # the log is read once more
        # History of a resumed conversation: the newest that nothing has followed there is still owed.
        self._owed = replace(event, mid_turn=False) if is_old and not is_known else None
        if is_known or is_old:
            return
        self._remembers()
        # Any script may compare it; memory that can't be written is said elsewhere.
        self._carrier.aside.do(lambda: bump_context_version(self._memory_root))
        if earlier is not None:
            self._left.compacted(earlier, event)
            return
        order = self._orders.compaction(occasion, event)
        if not (self._session().memory.engram.text or "").strip():
            self._fold(ev.NoticeRaised(time.time(), "memory.made-engram" if order.text else "memory.no-engram"))
        paired = inj.paired(self._injector, occasion, clock.at(event.time), now)
        if paired is None and not order.text:
            return
        if paired is None:
            self._orders.count(order)
        self._run(paired if paired is not None else inj.enqueue(self._injector, order, now))

    async def cold_start_prompt(self) -> str:
        """Return the first prompt of a cold restart, of what is on disk now; empty where there is nothing of it."""
        while not self._texts.settled:
            await asyncio.sleep(_SETTLING)
        return self._texts.first_prompt(random_name(ID_LENGTH))

    def prepared(self) -> None:
        """Compose what still waits anew: the agent may have written its engram since the compaction."""
        flight = self._injector.flight
        # One that was recovered is known by the print of what was typed, whatever its order says now.
        waits = flight is not None and flight.state in ("queued", "held") and not flight.as_it_stands
        if flight is not None and (waits or flight.recovered):
            anew = self._orders.anew if flight.recovered else self._orders.waiting
            flight = replace(flight, order=anew(flight.order))
        waiting = tuple(map(self._orders.waiting, self._injector.waiting))
        hooked = tuple(
            replace(each, order=self._orders.waiting(each.order)) if each.state == "held" else each
            for each in self._injector.hooked
        )
        self._carrier.injector = replace(self._injector, flight=flight, waiting=waiting, hooked=hooked)
        self._orders.forget_all_but(inj.orders(self._injector))
        self.look()

    def _turn_ended(self, *, given_up: bool) -> None:
        before = self._injector
        self._carrier.injector = inj.turn_ended(before, given_up=given_up)
        if self._injector != before:
            self.prepared()  # none of them may still say what a text for the running turn says

    def _drop_start(self, *, but_late_hooks: bool) -> None:
        """Work has begun: what was to be known before it comes too late; a hook that runs with it may still come."""
        if self.turn_is_ours:
            return
        for order in inj.unsent(self._injector):
            if order.occasion.is_again:
                continue  # work has begun before it could be asked for
            if order.kind == START and not (but_late_hooks and order.channel == "hook" and order.late):
                self.withdraw(order.occasion, "injection.work-begun")
                self._fold(ev.NoticeRaised(time.time(), START_MISSED))

    def start_missed(self) -> None:
        """Work has begun before the restore of a session's start could be asked for: say so where there was any."""
        if self._texts.text("start", random_name(ID_LENGTH)):
            self._fold(ev.NoticeRaised(time.time(), START_MISSED))

    def rewound(self) -> None:
        """The person went back in the conversation: what was restored in it may be of the part that is gone."""
        happened = self._session().loop.happened
        if any(each.what == "confirmed" and each.occasion is not None and each.occasion.restores for each in happened):
            self._fold(ev.NoticeRaised(time.time(), REWOUND))

    def _remembers(self) -> None:
        """Another restore is on its way, or the conversation is another one: what was said of one is over."""
        for key in (START_MISSED, REWOUND):
            self._fold(ev.NoticeCleared(time.time(), key))

    def _tell_of_the_breaker(self) -> None:
        breaker = self._session().loop.breaker
        if breaker.is_open:
            values = (("count", str(breaker.in_a_row)), ("tokens", figures.short(breaker.burnt)))
            self._fold(ev.NoticeRaised(time.time(), "breaker.open", values))
