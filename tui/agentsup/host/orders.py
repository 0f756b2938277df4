"""What is to be sent, put into words: its name, its number, its channel, and how it is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from agentsup.agents.adapter import Adapter
from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.core.occasion import COMPACTION, START, Occasion, ahead
from agentsup.core.policy import Policy
from agentsup.core.restore.frame import RestoreForm, Then
from agentsup.core.session import Session
from agentsup.host.restore_texts import RestoreTexts
from agentsup.host.sent_record import SentRecord
from agentsup.store.folders import random_name
from agentsup.store.injection_record import Recorded

ID_LENGTH = 6

_SHORT: dict[RestoreForm, RestoreForm] = {"compaction": "again", "asked": "asked-again"}
"""What a restore becomes that is typed where another one stands: the long ones would pile up."""


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
        self._forms: dict[str, RestoreForm] = {}
        """By id, as what a restore that waits is composed anew."""
        self._numbered = 0
        """The highest number in this conversation that an order has got, sent or not."""

    @property
    def has_hooks(self) -> bool:
        """Say whether hooks of ours were installed and may be used."""
        return self._policy.hooks and self._policy.channel != "stdin"

    @property
    def has_early_hooks(self) -> bool:
        """Say whether the agent runs the hook of a compaction before its record can be read."""
        return self._adapter.early_hooks

    def begin(self, conversation: str) -> None:
        """Number the restores of another conversation."""
        self._sent.conversation, self._numbered = conversation, 0

    def count(self, order: inj.Order) -> None:
        """An order was taken: the next restore has the next number."""
        self._numbered = max(self._numbered, order.number)

    def text(self, occasion: Occasion, compose: Callable[[str], str]) -> inj.Order:
        """Return the order of a text that is composed once, with its id."""
        order = inj.Order(random_name(ID_LENGTH), occasion, "", late=self._adapter.late_hooks)
        return self._with(order, compose(order.id))

    def restore(self, occasion: Occasion, form: RestoreForm) -> inj.Order:
        """Return the order of a restore, composed anew for as long as it waits."""
        late = self._adapter.late_hooks or occasion.kind == START  # else the hook of the first prompt brings it
        return self._made(inj.Order(random_name(ID_LENGTH), occasion, "", number=self._next, late=late), form)

    def compaction(self, occasion: Occasion, event: ev.Compacted) -> inj.Order:
        """Return the restore of a compaction."""
        return self._compaction(random_name(ID_LENGTH), occasion, event.mid_turn, trigger=event.trigger)

    def again(self, known: Recorded) -> inj.Order:
        """Return a restore in place of one that the agent has taken back: no hook comes for it but that of a prompt."""
        order = inj.Order(random_name(ID_LENGTH), known.occasion.again(known.id), "", number=self._next, late=True)
        return self._made(order, "compaction" if order.kind == COMPACTION else "start")

    def unasked(self, call: inj.Call) -> inj.Order | None:
        """Return what a hook gets for which nothing was asked for so far; None for nothing."""
        if not self.has_hooks or self._policy.gate or call.kind != COMPACTION:
            return None  # whether a session begins anew others decide, and ask before its hook is answered
        id = random_name(ID_LENGTH)
        order = self._compaction(id, ahead(call.conversation, id), bool(self._session().turn))
        fits = bool(order.text) and self.fits_a_hook(order.text)
        return replace(order, channel="hook") if fits else None

    def taken_up(self, known: Recorded, event: ev.Compacted | None = None) -> inj.Order:
        """Return what a host before this one had begun; only of restores are the words known."""
        mid_turn = event.mid_turn if event is not None else False
        order = inj.Order(
            known.id, known.occasion, "", mid_turn, self._sent.number(known.id), known.channel,
            late=self._adapter.late_hooks,
        )  # fmt: skip
        if not order.occasion.restores:
            return order
        self._forms[order.id] = "compaction" if order.kind == COMPACTION else "start"
        return self.anew(replace(order, anew=True))

    def anew(self, order: inj.Order) -> inj.Order:
        """Return an order with the text of what is on disk now."""
        form = self._forms.get(order.id)
        made = self._with(order, self._words(order, form)) if form is not None else order
        return made if made.text else order

    def waiting(self, order: inj.Order) -> inj.Order:
        """Return an order that waits as it is to be sent now: its number is above those of all that was sent before."""
        if order.id in self._forms and order.number <= self._sent.newest(self._sent.conversation, but=order.id):
            order = replace(order, number=self._next)
            self.count(order)
        return self.anew(order)

    def forget_all_but(self, orders: Iterable[inj.Order]) -> None:
        """Remember only how these are composed anew: the others are over."""
        self._forms = {order.id: self._forms[order.id] for order in orders if order.id in self._forms}

    def write_rest(self, order: inj.Order) -> bool:
        """Write the file that a short text names; False where that can't be."""
        if order.id not in self._forms or self._texts.rest is None or not self._texts.rest.is_named(order.text):
            return True  # a text that only speaks of it has nothing to put there
        return self._sent.write_rest(order.text, self._whole(order))

    def kept(self, order: inj.Order) -> str:
        """Return what `agentsup restore --diff` is to know of it as sent last; empty where it is no restore."""
        return self._whole(order) if order.number else ""

    def _whole(self, order: inj.Order) -> str:
        """Return the text of an order, all of it where only a short form goes out."""
        form = self._forms.get(order.id)
        return (self._text(order, form) or order.text) if form in _SHORT else order.text

    @property
    def _next(self) -> int:
        return max(self._numbered, self._sent.newest(self._sent.conversation)) + 1

    def _compaction(self, id: str, occasion: Occasion, mid_turn: bool, *, trigger: ev.Trigger = "unknown") -> inj.Order:
        late = self._adapter.late_hooks and trigger != "auto" and not mid_turn
        gated = self._policy.gate
        return self._made(inj.Order(id, occasion, "", mid_turn, self._next, late=late, gated=gated), "compaction")

    def _made(self, order: inj.Order, form: RestoreForm) -> inj.Order:
        order = replace(order, channel=self._channel(order), anew=True)
        made = self._with(order, self._words(order, form))
        if made.channel == "hook" and not self.fits_a_hook(made.text):
            order = replace(order, channel="stdin")
            made = self._with(order, self._words(order, form))
        self._forms[order.id] = form
        return made

    def _words(self, order: inj.Order, form: RestoreForm) -> str:
        """Return a restore; typed once more in a conversation, the short form: the long ones stay in it."""
        conversation = order.occasion.conversation or self._sent.conversation
        again = order.channel == "stdin" and self._texts.can_be_short and self._sent.typed(conversation) > 0
        return self._text(order, _SHORT.get(form, form) if again else form)

    def _text(self, order: inj.Order, form: RestoreForm) -> str:
        return self._texts.text(form, order.id, number=order.number, then=_then(order))

    def _with(self, order: inj.Order, text: str) -> inj.Order:
        return replace(order, text=text, typing=self._adapter.typing(text) if text else None)

    def _channel(self, order: inj.Order) -> ev.Channel:
        """Return how it is sent: a restore by a hook, where that was accepted and is proven to be loaded."""
        if not self.has_hooks or order.gated or not order.occasion.restores:
            return "stdin"
        # The hook of a session's start is the first that there is: nothing can have been heard before it.
        proven = self._policy.channel == "hook" or order.kind == START or self._session().loop.hooks.heard > 0
        return "hook" if proven else "stdin"

    def fits_a_hook(self, text: str) -> bool:
        """Say whether a text is short enough for the agent's hooks."""
        most = self._adapter.hook_most
        return most is None or inj.units(text) <= most


def _then(order: inj.Order) -> Then:
    if order.interrupted:
        return "go-on"
    # Where nothing was interrupted, the hook is run for a prompt of the person's.
    return "answer" if order.channel == "hook" else "wait"
