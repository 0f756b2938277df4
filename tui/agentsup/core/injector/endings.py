"""What is not sent after all, or not as it was: withdrawn, or meant for a turn, conversation or agent that is gone."""

from __future__ import annotations

from dataclasses import replace

from agentsup.core.injector.evidence import Print
from agentsup.core.injector.queue import after, finish, go_on, has_begun, unsent, without
from agentsup.core.injector.values import MOST_RETURNS, Flight, Injector, Order, Step, announced, failed
from agentsup.core.occasion import START, Occasion


def withdraw(injector: Injector, occasion: Occasion, reason: str, now: float) -> Step:
    """Drop what is queued for an occasion and was not sent yet."""
    injector, dropped = without(injector, lambda flight: flight.order.occasion == occasion, reason, now)
    return after(dropped, go_on(injector, now))


def moved(injector: Injector, conversation: str, now: float) -> Step:
    """The agent is in another conversation: what was meant for the one before is dropped, unless it was sent.

    What is being typed for it, or may be typed once more, has failed; what was submitted gets no Enter of ours again.
    What was never begun is forgotten: the log of a conversation is read again when the agent returns to it.
    """
    never_sent = {
        order.occasion for order in unsent(injector)
        if not order.is_of(conversation) and order.id not in injector.begun
    }  # fmt: skip
    injector, dropped = without(
        injector, lambda flight: not flight.order.is_of(conversation), "injection.other-conversation", now
    )
    injector, flight = replace(injector, unheard=(), known=injector.known - never_sent), injector.flight
    if flight is not None and not flight.order.is_of(conversation):
        injector = replace(injector, flight=replace(flight, returns=MOST_RETURNS))
    for handed in injector.hooked:
        if handed.state == "submitted" and handed.order.kind == START and not handed.order.is_of(conversation):
            # Nothing was said where it was handed out: no log will ever hold it.
            injector, said = finish(injector, handed, "dropped", "injection.other-conversation", now)
            dropped = (*dropped, *said)
    for each in (injector.flight, *injector.hooked):
        if each is None or each.order.is_of(conversation) or not (each.state == "writing" or each.recovered):
            continue
        injector, said = finish(injector, each, "failed", "injection.other-conversation", now)
        dropped = (*dropped, *said)
    return after(dropped, go_on(injector, now))


def taken_back(injector: Injector, order: Order, print: Print, now: float, *, is_over: bool = False) -> Step:
    """The agent has taken back the turn in which a text had arrived: it has failed, unless nobody needs it (`is_over`).

    A person may send it from the composer once more. What is sent instead is another order.
    """
    flight, reason = Flight(order, sent=print), "injection.taken-back"
    if is_over:
        return injector, (announced(replace(flight, state="dropped", reason=reason), now),)
    return failed(has_begun(injector, flight), flight, reason, now)


def started(injector: Injector) -> Injector:
    """A fresh agent: nothing that was meant for the one before is sent to it."""
    return Injector(known=injector.known, standing=injector.standing)


def ended(injector: Injector, now: float) -> Step:
    """The agent's process ended: what is on its way can't arrive any more, and what waits has nowhere to go."""
    gone = "injection.agent-gone"
    never_sent = {order.occasion for order in unsent(injector) if order.id not in injector.begun}
    injector = replace(injector, known=injector.known - never_sent)  # a conversation that is resumed is owed it
    injector, commands = without(injector, lambda flight: flight.state != "failed", gone, now)
    # Nothing waits any more, so nothing comes up.
    if injector.flight is not None:
        injector, said = finish(injector, injector.flight, "failed", gone, now)
        commands = (*commands, *said)
    for flight in injector.hooked:
        injector, said = finish(injector, flight, "failed", gone, now)
        commands = (*commands, *said)
    return injector, commands


def broke(injector: Injector, now: float) -> Step:
    """A fault of agentsup's own: what was on its way has failed, and what waits behind it comes up."""
    if injector.flight is None:
        return injector, ()
    return finish(injector, injector.flight, "failed", "injection.fault", now)


def turn_ended(injector: Injector, *, given_up: bool) -> Injector:
    """A turn is over: what a hook fetches now goes with another prompt, and asks not to go on with that turn.

    Nor does any text, not even one sent again, where the person has ended it (`given_up`). Where it ended by itself it
    may have stopped in the middle, for want of its memory: a typed text still asks to go on if it is not done.
    """

    def over(order: Order) -> Order:
        return replace(order, interrupted=False) if order.interrupted else order

    def told(flight: Flight) -> Flight:
        return replace(flight, order=over(flight.order))

    injector = replace(injector, hooked=tuple(map(told, injector.hooked)))
    if not given_up:
        return injector
    return replace(
        injector, flight=told(injector.flight) if injector.flight is not None else None,
        waiting=tuple(map(over, injector.waiting)), shelf=tuple(map(told, injector.shelf)),
    )  # fmt: skip
