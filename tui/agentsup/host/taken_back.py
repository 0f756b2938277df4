"""What the agent has forgotten because a person took its turn back: told, and restored once more where that is owed."""

from __future__ import annotations

from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.host import clock
from agentsup.host.carrier import Carrier
from agentsup.host.left_behind import LeftBehind
from agentsup.host.orders import Orders
from agentsup.host.sent_record import SentRecord
from agentsup.store.injection_record import Recorded


class TakenBack:
    """Finds out which texts of ours went with a turn. Each is told once, and a restore sent in its place once.

    Also where the log is read again: the record has how the text that was taken back has ended, and the restore that
    was sent in its place is of an occasion of its own.
    """

    def __init__(self, carrier: Carrier, sent: SentRecord, orders: Orders, left: LeftBehind) -> None:
        self._carrier, self._sent, self._orders, self._left = carrier, sent, orders, left

    def happened(self, event: ev.TurnTakenBack, conversation: str) -> None:
        """See what of ours was in it. A restore is owed as long as the agent goes on with what it was for."""
        for known in self._sent.arrived(conversation, event.texts):
            is_owed = known.occasion.restores and known.occasion.cause == event.compaction
            if known.state == "confirmed":
                self._tell(known, is_over=known.occasion.restores and not is_owed)
            if is_owed:
                self._restore(known)

    def _tell(self, known: Recorded, *, is_over: bool) -> None:
        order = inj.Order(known.id, known.occasion, "", number=known.number, channel=known.channel)
        sent = known.print or inj.Print(known.id)
        self._carrier.run(inj.taken_back(self._carrier.injector, order, sent, clock.now(), is_over=is_over))

    def _restore(self, known: Recorded) -> None:
        again = known.occasion.again(known.id)
        if again in self._carrier.injector.known:
            return
        if (earlier := self._sent.earlier(again)) is not None:
            self._left.compacted(earlier)
        elif (order := self._orders.again(known)).text:
            self._orders.count(order)
            self._carrier.run(inj.enqueue(self._carrier.injector, order, clock.now()))
