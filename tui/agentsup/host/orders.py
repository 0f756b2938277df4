"""What is to be sent, put into words: its name, its number, its channel, and how it is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from agentsup.agents.adapter import Adapter
from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.core.policy import Policy
from agentsup.core.restore.frame import Occasion, Then
from agentsup.core.session import Session
from agentsup.host.restore_texts import RestoreTexts
from agentsup.host.sent_record import SentRecord
from agentsup.store.folders import random_name
from agentsup.store.injection_record import Recorded

ID_LENGTH = 6

Words = Callable[[inj.Order], str]
"""Gives the text of an order, whose own text is not looked at."""


class Orders:
    """Makes the orders of one session, and their texts anew for as long as they wait."""

    def __init__(
        self,
        adapter: Adapter,
        texts: RestoreTexts,
        sent: SentRecord,
        *,
        policy: Policy,
        session: Callable[[], Session],
    ) -> None:
        self._adapter, self._texts, self._sent = adapter, texts, sent
        self._policy, self._session = policy, session
        self._anew: dict[str, Words] = {}
        """By id, how what waits is composed anew."""
        self._numbered = 0

    @property
    def has_hooks(self) -> bool:
        """Say whether hooks of ours were installed and may be used."""
        return self._policy.hooks and self._policy.channel != "stdin"

    def begin(self, conversation: str) -> None:
        """Number the restores of another conversation."""
        self._numbered = self._sent.numbered(conversation)

    def count(self) -> None:
        """A compaction was taken: the next restore has the next number."""
        self._numbered += 1

    def new(self, occasion: str, words: Words, *, anew: bool, interrupted: bool = False) -> inj.Order:
        """Return an order; `anew`: its text is composed again for as long as it waits."""
        order = inj.Order(random_name(ID_LENGTH), occasion, "", interrupted, late=self._adapter.late_hooks)
        return self._made(order, words, anew=anew)

    def compaction(self, occasion: str, event: ev.Compacted) -> inj.Order:
        """Return the restore of a compaction."""
        return self._compaction(random_name(ID_LENGTH), occasion, event.mid_turn, trigger=event.trigger)

    def unasked(self, call: inj.Call) -> inj.Order | None:
        """Return what a hook gets for which nothing was asked for so far; None for nothing."""
        if not self.has_hooks or self._policy.gate or call.kind != "compaction":
            return None  # whether a session begins anew others decide, and ask before its hook is answered
        id = random_name(ID_LENGTH)
        order = self._compaction(id, inj.ahead_occasion(id, call.conversation), bool(self._session().turn))
        fits = bool(order.text) and self._fits_a_hook(order.text)
        return replace(order, channel="hook") if fits else None

    def taken_up(self, known: Recorded, event: ev.Compacted | None = None) -> inj.Order:
        """Return what a host before this one had begun; only of restores are the words known."""
        mid_turn = event.mid_turn if event is not None else False
        order = inj.Order(
            known.id, known.occasion, "", mid_turn, max(1, self._numbered), known.channel, late=self._adapter.late_hooks
        )  # fmt: skip
        if order.kind not in inj.RESTORES:
            return order
        words = self._compaction_words if order.kind == "compaction" else self.restored("start")
        self._anew[order.id] = words
        return self._worded(replace(order, anew=True), words)

    def anew(self, order: inj.Order) -> inj.Order:
        """Return an order with the text of what is on disk now."""
        words = self._anew.get(order.id)
        made = self._worded(order, words) if words is not None else order
        return made if made.text else order

    def forget_all_but(self, orders: Iterable[inj.Order]) -> None:
        """Remember only how these are composed anew: the others are over."""
        self._anew = {order.id: self._anew[order.id] for order in orders if order.id in self._anew}

    def restored(self, of: Occasion) -> Words:
        """Return the words of a restore."""
        return lambda order: self._texts.text(of, order.id, number=order.number, then=_then(order))

    def write_rest(self, order: inj.Order) -> bool:
        """Write the file that a short text names; False where that can't be."""
        if self._texts.rest is None or str(self._texts.rest) not in order.text:
            return True
        return self._sent.write_rest(self._whole(order))

    def kept(self, order: inj.Order) -> str:
        """Return what `agentsup restore --diff` is to know of it as sent last; empty where it is no restore."""
        return self._whole(order) if order.id in self._anew or order.kind in inj.RESTORES else ""

    def _whole(self, order: inj.Order) -> str:
        """Return the text of an order, all of it where only a short form goes out."""
        if order.kind != "compaction":
            return order.text
        return self.restored("compaction")(order) or order.text

    def _compaction(self, id: str, occasion: str, mid_turn: bool, *, trigger: ev.Trigger = "unknown") -> inj.Order:
        late = self._adapter.late_hooks and trigger != "auto" and not mid_turn
        gated = self._policy.gate
        order = inj.Order(id, occasion, "", mid_turn, self._numbered + 1, late=late, gated=gated)
        return self._made(order, self._compaction_words, anew=True)

    def _compaction_words(self, order: inj.Order) -> str:
        """Return a restore; typed once more in a conversation, the short form: the long ones stay in it."""
        again = order.channel == "stdin" and self._texts.can_be_short and self._sent.typed(_conversation(order)) > 0
        return self.restored("again" if again else "compaction")(order)

    def _made(self, order: inj.Order, words: Words, *, anew: bool) -> inj.Order:
        order = replace(order, channel=self._channel(order), anew=anew)
        made = self._worded(order, words)
        if made.channel == "hook" and not self._fits_a_hook(made.text):
            made = self._worded(replace(made, channel="stdin"), words)
        if anew:
            self._anew[order.id] = words
        return made

    def _worded(self, order: inj.Order, words: Words) -> inj.Order:
        text = words(order)
        return replace(order, text=text, typing=self._adapter.typing(text) if text else None)

    def _channel(self, order: inj.Order) -> ev.Channel:
        """Return how it is sent: a restore by a hook, where that was accepted and is proven to be loaded."""
        if not self.has_hooks or order.gated or order.kind not in inj.RESTORES:
            return "stdin"
        # The hook of a session's start is the first that there is: nothing can have been heard before it.
        proven = self._policy.channel == "hook" or order.kind == "start" or self._session().loop.hooks.heard > 0
        return "hook" if proven else "stdin"

    def _fits_a_hook(self, text: str) -> bool:
        most = self._adapter.hook_most
        return most is None or len(text.encode("utf-16-le")) // 2 <= most


def _then(order: inj.Order) -> Then:
    if order.interrupted:
        return "go-on"
    # Where nothing was interrupted, the hook is run for a prompt of the person's.
    return "answer" if order.channel == "hook" else "wait"


def _conversation(order: inj.Order) -> str:
    return order.occasion.split(":")[1]
