"""Which text comes next: orders taken, replaced, dropped, taken up after a crash, and decided about by a person."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from agentsup.core.events import Channel, InjectionState
from agentsup.core.injector.evidence import Print, arrived
from agentsup.core.injector.values import (
    HOOK_PATIENCE,
    MOST_RETURNS,
    RECOVERY_PATIENCE,
    REFUSED_PAUSE,
    Behind,
    Choice,
    Command,
    Flight,
    Injector,
    Order,
    Step,
    StopTyping,
    WakeAt,
    announced,
    failed,
)
from agentsup.core.occasion import COMPACTION, PERSONAL, START

_UNSENT: tuple[InjectionState, ...] = ("queued", "held")
_BEGUN: tuple[InjectionState, ...] = ("writing", "submitted")


def enqueue(injector: Injector, order: Order, now: float) -> Step:
    """Take an order; one occasion is served once. Restores go before everything else."""
    if order.occasion in injector.known:
        return injector, ()
    injector = replace(injector, known=injector.known | {order.occasion})
    injector, dropped = without(injector, lambda flight: replaces(order, flight.order), "injection.replaced", now)
    if order.channel == "hook":
        waits = Flight(order, "held", "injection.waits-for-hook", now)
        if not order.late:
            waits = replace(waits, due=now + HOOK_PATIENCE)
        injector = _heard(replace(injector, hooked=(*injector.hooked, waits)), order)
        injector, said = go_on(injector, now)
        return injector, (*dropped, announced(waits, now), *wake(waits), *said)
    return after(dropped, _line_up(unheard(injector, order, now), order, now))


def replaces(new: Order, old: Order) -> bool:
    """Say whether an order makes another one pointless that was not sent: every restore replaces all earlier ones."""
    if new.kind == PERSONAL:
        return False
    return new.kind == old.kind or (new.kind == COMPACTION and old.kind == START)


def _line_up(injector: Injector, order: Order, now: float, reason: str = "", *, first: bool = False) -> Step:
    """Put an order where it belongs in the queue."""
    waiting, flight = injector.waiting, injector.flight
    said = announced(Flight(order, "queued", reason, now), now)
    urgent = first or order.occasion.restores
    if urgent and flight is not None and flight.state in _UNSENT and (first or not flight.order.occasion.restores):
        waiting, flight = (flight.order, *waiting), None
    place = len(waiting)
    if urgent:
        place = 0 if first else sum(each.occasion.restores for each in waiting)
    injector = replace(injector, flight=flight, waiting=(*waiting[:place], order, *waiting[place:]))
    if flight is not None:
        return injector, (said,)
    following, *behind = injector.waiting
    if following.id != order.id:
        return after((said,), go_on(injector, now))
    came_up = Flight(order, "queued", reason, now)
    return replace(injector, flight=came_up, waiting=tuple(behind)), (said, WakeAt(now))


def go_on(injector: Injector, now: float) -> Step:
    """Let the next order come up where nothing is on its way."""
    if injector.flight is not None or not injector.waiting:
        return injector, ()
    following = Flight(injector.waiting[0], "queued", since=now)
    injector = replace(injector, flight=following, waiting=injector.waiting[1:])
    return injector, (announced(following, now), WakeAt(now))


def pass_by(injector: Injector, may: Callable[[Order], bool], now: float) -> Step:
    """Let the first order that may go before what is held; nothing where there is none."""
    flight, following = injector.flight, next((order for order in injector.waiting if may(order)), None)
    if flight is None or following is None:
        return injector, ()
    waiting = (flight.order, *(order for order in injector.waiting if order is not following))
    queued = Flight(following, "queued", since=now)
    return replace(injector, flight=queued, waiting=waiting), (announced(queued, now), WakeAt(now))


def finish(injector: Injector, flight: Flight, state: InjectionState, reason: str, now: float) -> Step:
    """End a flight of any lane, and let the next one come up."""
    typed = injector.flight is not None and injector.flight.order.id == flight.order.id
    stop: tuple[Command, ...] = ()
    if typed and flight.state == "writing":
        stop = (StopTyping(), WakeAt(now))
        injector = replace(injector, behind=Behind(flight.order.id, flight.order.typed, now))
    if flight.state in _BEGUN:
        injector = has_begun(injector, flight)
    injector = taken(injector, flight)
    if state == "failed":
        injector, said = failed(injector, flight, reason, now)
    else:
        injector = replace(injector, left=tuple(each for each in injector.left if each.order.id != flight.order.id))
        said = (announced(replace(flight, state=state, reason=reason), now),)
    return after((*stop, *said), go_on(injector, now))


def resume(
    injector: Injector, order: Order, state: InjectionState, now: float, *, sent: Print | None = None,
    since: float | None = None, turn_ended: bool = False,
) -> Step:  # fmt: skip
    """Take up an order that a host before this one had begun, as far as its record tells.

    `sent` is the print of what that host had sent at `since`.
    """
    injector = has_begun(replace(injector, known=injector.known | {order.occasion}), Flight(order))
    # By hook it may have gone with that of a prompt: its own is still to be expected, for a while.
    injector = unheard(injector, order if order.channel == "stdin" else replace(order, late=False), now)
    if state == "failed":
        return failed(injector, Flight(order, sent=sent), "injection.not-recorded", now)
    if state not in ("writing", "submitted"):
        return injector, ()
    begun = Flight(order, "submitted", since=now, returns=MOST_RETURNS, recovered=True, sent=sent)
    if order.channel == "hook":
        handed = replace(begun, since=since if since is not None else now)
        if turn_ended:
            handed = replace(handed, due=now + RECOVERY_PATIENCE)
        injector = replace(injector, hooked=(*injector.hooked, handed))
        return injector, (announced(handed, handed.since), *wake(handed))  # the next host is to know since when
    if injector.flight is not None:
        return failed(injector, begun, "injection.interrupted", now)
    return replace(injector, flight=begun), (announced(begun, now), WakeAt(now + RECOVERY_PATIENCE))


def refuse(injector: Injector, reason: str, now: float) -> Step:
    """The host could not begin what it was told to: hold the flight, try again later."""
    if injector.flight is None:
        return injector, ()
    held = replace(injector.flight, state="held", reason=reason, since=now)
    return replace(injector, flight=held), (announced(held, now), WakeAt(now + REFUSED_PAUSE))


def recorded(injector: Injector, text: str, now: float) -> Step:
    """The agent's log holds this as a message to the model: confirm what is in it, fail what is there in parts."""
    commands: tuple[Command, ...] = ()
    for flight in _all(injector):
        # Also what has failed: a person may press Enter on a text whose own carriage return was withheld. But what was
        # never begun can't have arrived, whoever quotes it.
        if flight.state not in _BEGUN and flight.order.id not in injector.begun:
            continue
        arrival = arrived(text, flight.print)
        if arrival == "merged" and flight.order.channel == "hook":
            arrival = "whole"  # the agent, and other hooks, say what they like behind it
        match arrival:
            case "whole":
                injector, said = finish(injector, flight, "confirmed", "", now)
            case "merged" if flight.reason != "injection.merged":
                injector, said = finish(injector, flight, "failed", "injection.merged", now)
            case "cut" if flight.reason != "injection.altered":
                injector, said = finish(injector, flight, "failed", "injection.altered", now)
            case _:
                continue
        commands = (*commands, *said)
    return injector, commands


def has_begun(injector: Injector, flight: Flight) -> Injector:
    """Note that some of a text may have gone out, whatever becomes of it."""
    return replace(injector, begun=injector.begun | {flight.order.id})


def choose(injector: Injector, id: str, choice: Choice, now: float) -> Step:
    """Carry out what the person decided about an injection that was not sent, or has failed."""
    if choice == "accept":
        return accept(injector, now, id)
    flight = next((each for each in _all(injector) if each.order.id == id), None)
    if flight is None or flight.state not in (*_UNSENT, "failed"):
        return injector, ()
    if choice == "retry" and (stands := _standing(injector, id)) is not None:
        return _send_as_it_stands(injector, stands, now)
    if choice != "drop" and (not flight.order.text or (choice == "hook" and flight.order.gated)):
        return injector, ()
    if choice == "drop":
        return finish(unheard(injector, flight.order, now), flight, "dropped", "", now)
    channel: Channel = "hook" if choice == "hook" else "stdin"
    if flight.order.channel == channel == "hook" and flight.state == "held":
        return injector, ()
    order = replace(flight.order, channel=channel)
    if flight is injector.flight and channel == "stdin":
        again = replace(flight, state="queued", reason="", since=now, returns=0)
        return replace(injector, flight=again), (announced(again, now), WakeAt(now))
    injector = taken(injector, flight)
    if channel == "stdin":
        injector = unheard(injector, flight.order, now)
        return _line_up(injector, order, now, first=True)
    waits = Flight(replace(order, late=True), "held", "injection.waits-for-prompt", now)
    injector = replace(injector, hooked=(*injector.hooked, waits))
    return after((announced(waits, now),), go_on(injector, now))


def _standing(injector: Injector, id: str) -> Flight | None:
    """Return a text that stands in the composer and may be sent as it is."""
    standing, flight = injector.standing, injector.flight
    if standing is None or standing.id != id or not standing.sendable or (flight and flight.state not in _UNSENT):
        return None
    return next((each for each in injector.left if each.order.id == id), None)


def _send_as_it_stands(injector: Injector, stands: Flight, now: float) -> Step:
    """Let a text that was given up and stands in the composer be submitted: nothing else could go before."""
    other, id = injector.flight, stands.order.id
    injector = unheard(taken(injector, stands), stands.order, now)
    waiting = injector.waiting
    if other is not None and other.order.id != id:
        waiting = (other.order, *waiting)
    again = replace(stands, state="queued", reason="", since=now, returns=0, as_it_stands=True)
    return replace(injector, flight=again, waiting=waiting), (announced(again, now), WakeAt(now))


def accept(injector: Injector, now: float, id: str = "") -> Step:
    """A person has accepted or corrected the engram: what waited for that may go (`id`: only this one)."""

    def free(order: Order) -> Order:
        return replace(order, gated=False) if id in ("", order.id) else order

    flight = injector.flight
    if flight is not None:
        flight = replace(flight, order=free(flight.order))
    changed = replace(injector, flight=flight, waiting=tuple(map(free, injector.waiting)))
    return (injector, ()) if changed == injector else (changed, (WakeAt(now),))


def unheard(injector: Injector, order: Order, now: float) -> Injector:
    """Note that a compaction is served otherwise: the hook that its agent may still run for it gets nothing."""
    if order.kind != COMPACTION:
        return injector
    conversation = order.occasion.conversation
    until = math.inf if order.late else now + 10 * HOOK_PATIENCE
    others = tuple(entry for entry in injector.unheard if entry[0] != conversation)
    return replace(injector, unheard=(*others, (conversation, until)))


def unsent(injector: Injector) -> tuple[Order, ...]:
    """Return what waits, whatever for."""
    return tuple(flight.order for flight in _all(injector) if flight.state in _UNSENT)


def orders(injector: Injector) -> tuple[Order, ...]:
    """Return everything that is not over: what waits, what is on its way, and what has failed."""
    return tuple(flight.order for flight in _all(injector))


def _heard(injector: Injector, order: Order) -> Injector:
    return replace(injector, unheard=tuple(entry for entry in injector.unheard if not order.is_of(entry[0])))


def to_the_queue(injector: Injector, flight: Flight, reason: str, now: float) -> Step:
    """What waited for a hook, or was handed out to one in vain, is typed instead."""
    if flight.state in _BEGUN:
        injector = has_begun(injector, flight)
    injector = unheard(taken(injector, flight), flight.order, now)
    return _line_up(injector, replace(flight.order, channel="stdin"), now, reason)


def _all(injector: Injector) -> tuple[Flight, ...]:
    """Return everything that is known of, whatever lane it is in."""
    flight = (injector.flight,) if injector.flight is not None else ()
    return (*flight, *injector.hooked, *injector.shelf, *(Flight(order) for order in injector.waiting))


def taken(injector: Injector, flight: Flight) -> Injector:
    """Return the injector without a flight, wherever it was."""
    id = flight.order.id
    return replace(
        injector,
        flight=None if injector.flight is not None and injector.flight.order.id == id else injector.flight,
        waiting=tuple(order for order in injector.waiting if order.id != id),
        hooked=tuple(each for each in injector.hooked if each.order.id != id),
        shelf=tuple(each for each in injector.shelf if each.order.id != id),
    )


def without(injector: Injector, goes: Callable[[Flight], bool], reason: str, now: float) -> Step:
    """Drop all that goes and was not sent; what comes up instead is the caller's to say."""
    commands: tuple[Command, ...] = ()
    for flight in _all(injector):
        if flight.state in (*_UNSENT, "failed") and goes(flight):
            injector = taken(injector, flight)
            commands = (*commands, announced(replace(flight, state="dropped", reason=reason), now))
    return injector, commands


def wake(flight: Flight) -> tuple[Command, ...]:
    """Return the command to look at a flight when it is due."""
    return (WakeAt(flight.due),) if flight.due < math.inf else ()


def after(before: tuple[Command, ...], step: Step) -> Step:
    """Return a step with these commands before its own."""
    return step[0], (*before, *step[1])
