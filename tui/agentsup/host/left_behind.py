"""What hosts before this one have begun to send: taken up as far as the record and the agent's log tell of it."""

from __future__ import annotations

from collections.abc import Callable

from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.host import clock
from agentsup.host.carrier import Carrier
from agentsup.host.orders import Orders
from agentsup.host.sent_record import SentRecord
from agentsup.store.injection_record import Recorded


class LeftBehind:
    """Gives the injector of this host what those before it had not brought to an end."""

    def __init__(self, carrier: Carrier, sent: SentRecord, orders: Orders, fold: Callable[[ev.Event], None]) -> None:
        self._carrier, self._sent, self._orders, self._fold = carrier, sent, orders, fold
        self.turn_ended = 0.0
        """When the newest turn of this conversation has ended."""

    def moved(self, conversation: str) -> None:
        """The agent is in another conversation: take up what was begun in it, but for compactions that have a name."""
        self.turn_ended = 0.0
        for known in self._sent.begun(conversation):
            if self._is_new(known):
                self._resume(self._carrier.injector, self._orders.taken_up(known), known)
        for ahead, known in self._sent.ahead(conversation, early=self._orders.has_early_hooks):
            if self._is_new(known):
                self._carrier.run(inj.ran_ahead(self._carrier.injector, ahead, clock.now()))
                self._resume(self._carrier.injector, self._orders.taken_up(known), known)

    def compacted(self, known: Recorded, event: ev.Compacted | None = None) -> None:
        """Go on with what was done for a compaction; what is over is shown as it was."""
        if known.state in ("confirmed", "dropped"):
            # Not told to the loop: what follows from it has followed.
            self._fold(ev.InjectionChanged(known.time, known.id, known.occasion, known.state, "", known.channel))
        self._resume(
            self._carrier.injector, self._orders.taken_up(known, event), known,
            turn_ended=self.turn_ended > known.time,
        )  # fmt: skip

    def unread(self, conversation: str, text: str | None = None) -> None:
        """Go on with the restores of compactions that the log did not tell of: all, or those that are in a text."""
        for known in self._sent.begun_compactions(conversation):
            arrived = text is None or inj.arrived(text, known.print or inj.Print(known.id)) != "no"
            if arrived and self._is_new(known):
                self.compacted(known)

    def _is_new(self, known: Recorded) -> bool:
        return known.occasion not in self._carrier.injector.known

    def _resume(self, injector: inj.Injector, order: inj.Order, known: Recorded, *, turn_ended: bool = False) -> None:
        self._carrier.run(
            inj.resume(
                injector, order, known.state, clock.now(), sent=known.print, since=clock.at(known.time),
                turn_ended=turn_ended,
            )
        )  # fmt: skip
