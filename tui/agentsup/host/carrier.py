"""Carries out what the injector decides: types, records before it types, tells everybody, and looks again in time."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.core.session import STANDING, STANDING_STUCK
from agentsup.host import clock
from agentsup.host.aside import Aside
from agentsup.host.memory_loop import part_failed
from agentsup.host.orders import Orders
from agentsup.host.sent_record import SentRecord
from agentsup.host.typist import Typist
from agentsup.store.engram_history import save_sent

_NUMBERED = ("writing", "submitted", "confirmed")
"""States of a restore with which what waits behind it gets a higher number, or becomes shorter."""


class Carrier:
    """Has the injector as it is now."""

    def __init__(
        self,
        typist: Typist,
        sent: SentRecord,
        orders: Orders,
        *,
        memory_root: Path,
        fold: Callable[[ev.Event], None],
        tell: Callable[[ev.InjectionChanged], None],
        look: Callable[[], None],
        recompose: Callable[[], None],
        redraw: Callable[[], None],
    ) -> None:
        """`look`: look again, soon; `recompose`: what waits may have to say something else.

        `redraw`: have the agent draw its screen anew.
        """
        self._typist, self._sent, self._orders = typist, sent, orders
        self._memory_root = memory_root
        self._fold, self._tell, self._look, self._recompose = fold, tell, look, recompose
        self._redraw = redraw
        self.aside = Aside()
        self._loop = asyncio.get_running_loop()
        self._wake: asyncio.TimerHandle | None = None
        self.injector = inj.Injector()
        self._tells_of_keys = self._is_unwritten = self._is_faulty = False

    def run(self, step: inj.Step) -> None:
        """Take a step of the injector's, and do what it says."""
        self.injector, commands = step
        self._sent.is_whole = True
        for command in commands:
            match command:
                case inj.OpenPaste():
                    refusal = self._begin(command.order)
                    if refusal:  # what else was to be done is done all the same: others wait for their time
                        self.run(inj.refuse(self.injector, refusal, clock.now()))
                case inj.PressReturn():
                    self._typist.submit()
                case inj.DrawAnew():
                    self._redraw()
                case inj.StopTyping():
                    self._typist.stop(keep_enter=True)
                case inj.LetKeysGo():
                    self._let_keys_go(command)
                case inj.TellStanding():
                    self._tell_standing(command.standing)
                case inj.Announce():
                    self._announce(command)
                case inj.WakeAt():
                    self._wake_at(command.time)
                case _:
                    assert_never(command)
        self._tell_of_kept_keys()

    @contextlib.contextmanager
    def border(self) -> Iterator[None]:
        """Keep a fault of our own from the host: the agent goes on, and what was on its way is shown as failed."""
        try:
            yield
        except Exception as error:  # noqa: BLE001  as around the other parts of the loop
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        if not self._is_faulty:
            self._is_faulty = True
            self._fold(part_failed("Injections", error))
        if self.injector.flight is None:
            return
        with contextlib.suppress(Exception):  # the same fault, perhaps
            self.run(inj.broke(self.injector, clock.now()))
        if self.injector.behind is not None:
            # A look that fails lets no key go.
            self._loop.call_later(inj.KEYS_PATIENCE + inj.QUIET, self._give_keys_back, self.injector.behind.id)
        self._look()

    def _give_keys_back(self, id: str) -> None:
        behind = self.injector.behind
        if behind is not None and behind.id == id:
            self.injector = replace(self.injector, behind=None)
            self._let_keys_go(inj.LetKeysGo(late=True))
            self._tell_of_kept_keys()

    def keep(self, order: inj.Order) -> None:
        """Remember a restore that goes out, for `agentsup restore --diff`."""
        if text := self._orders.kept(order):
            self.aside.do(lambda: save_sent(self._memory_root, text))

    def _begin(self, order: inj.Order) -> str:
        """Type a text; return why that can't be, as a catalogue key."""
        # Typed without a record, a host after a crash would type it again.
        if not self._sent.is_whole:
            return "injection.no-record"
        if not self._orders.write_rest(order):
            self._loop.call_soon(self._recompose)  # it may have to name another file
            return "injection.no-record"
        if not self._typist.type(order.typed):
            return "injection.keys"
        self.keep(order)
        return ""

    def _announce(self, command: inj.Announce) -> None:
        # Announced before it is done: so the intent is on disk before the first byte is written.
        # The record is read beside the agent's log, which has the system's time.
        event = replace(command.event, time=clock.told(command.event.time))
        # What was dropped for now only has left nothing that another host has to know.
        is_forgotten = event.state == "dropped" and event.occasion not in self.injector.known
        try:
            if event.state not in ("queued", "held") and not is_forgotten:
                self._sent.append(event, command.print, command.number)
                self.tell_of_the_record(is_written=self._sent.is_whole)
        finally:
            self._tell(event)
        if event.reason == "injection.hook-missed":
            self._fold(ev.NoticeRaised(event.time, "hook.missed"))
            self._loop.call_soon(self._recompose)
        if command.number and event.state in _NUMBERED:
            self._loop.call_soon(self._recompose)

    def tell_of_the_record(self, *, is_written: bool) -> None:
        """Something was to be recorded: tell the person where it could not be, until it can."""
        if not is_written:
            self._fold(ev.NoticeRaised(time.time(), "record.unwritable"))
        elif self._is_unwritten:
            self._fold(ev.NoticeCleared(time.time(), "record.unwritable"))
        self._is_unwritten = not is_written

    def _tell_of_kept_keys(self) -> None:
        is_behind = self.injector.behind is not None or self._tells_of_keys
        if is_behind and self._typist.keeps_keys != self._tells_of_keys:
            self._tells_of_keys = not self._tells_of_keys
            kind = ev.NoticeRaised if self._tells_of_keys else ev.NoticeCleared
            self._fold(kind(time.time(), "keys.behind"))

    def _let_keys_go(self, command: inj.LetKeysGo) -> None:
        if command.late and self._typist.keeps_keys:
            # What follows an Enter can't be kept for ever: then nobody could delete the text before it.
            self._fold(ev.NoticeRaised(time.time(), "keys.sent-behind"))
        self._typist.let_keys_go()

    def _tell_standing(self, standing: inj.Standing | None) -> None:
        raised = "" if standing is None else STANDING if standing.sendable else STANDING_STUCK
        for key in (STANDING, STANDING_STUCK):
            if key != raised:
                self._fold(ev.NoticeCleared(time.time(), key))
        if standing is not None:
            values = (("id", standing.id), ("size", f"{standing.size:,}"))
            self._fold(ev.NoticeRaised(time.time(), raised, values))

    def _wake_at(self, when: float) -> None:
        delay = max(0.0, when - clock.now())
        if self._wake is not None:
            if self._wake.when() <= self._loop.time() + delay:
                return  # that look will say when to look again
            self._wake.cancel()
        self._wake = self._loop.call_later(delay, self._woken)

    def _woken(self) -> None:
        self._wake = None
        self._look()
