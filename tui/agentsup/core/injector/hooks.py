"""What an agent's hooks get: handed out once, paired with the record of its compaction, never typed as well."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from agentsup.core.injector.queue import finish, go_on, replaces, taken, to_the_queue, unheard, wake
from agentsup.core.injector.values import (
    CONFIRM_DEADLINE,
    HOOK_GRACE,
    PAIRED_WITHIN,
    RECOVERY_PATIENCE,
    SAME_HOOK,
    Ahead,
    Command,
    Flight,
    Injector,
    Order,
    Step,
    announced,
)
from agentsup.core.occasion import COMPACTION, PERSONAL, START, Occasion

BEGINS = ("startup", "clear")
"""What an agent's SessionStart hook calls a session in which nothing was said yet."""

BETWEEN = "\n\n"
"""What stands between two texts that one hook gets."""


@dataclass(frozen=True)
class Call:
    """The agent runs a hook now, and waits for what it prints."""

    event: str
    source: str
    conversation: str
    now: float
    breaker: bool = False
    early: bool = False
    """The agent runs the hook of a compaction before its record can be read: it is for none that is known."""
    most: int | None = None
    """UTF-16 units that the agent takes from a hook; None for any number."""

    @property
    def kind(self) -> str:
        """The kind of restore that this hook is for; empty where it is for none."""
        if self.event != "SessionStart":
            return ""
        return COMPACTION if self.source == "compact" else START if self.source in BEGINS else ""


def handed_out(injector: Injector, call: Call, fresh: Callable[[], Order | None]) -> tuple[Step, tuple[Order, ...]]:
    """Return what a hook gets now, each announced as submitted; `fresh` makes a restore where none was asked for.

    Claude Code runs its hook before the record of the compaction can be read, Codex after it.
    """
    is_compaction = call.kind == COMPACTION
    waiting = tuple(flight for flight in _takeable(injector) if _is_for(flight, call))
    dropped: tuple[Command, ...] = ()
    if not waiting or (is_compaction and call.early):
        if is_compaction and not _is_expected(injector, call):
            return (injector, ()), ()
        order = fresh() if call.kind and not call.breaker else None
        if order is None:
            return (injector, ()), ()
        injector = replace(injector, known=injector.known | {order.occasion})
        waiting = (*waiting, Flight(order))
    *older, newest = waiting
    unsure = injector.flight
    if unsure is not None and unsure.recovered:
        older.append(unsure)  # it may be typed once more, and would come after a newer one
    older += (each for each in injector.hooked if each.recovered and each not in waiting)  # so may these
    for flight in [each for each in older if replaces(newest.order, each.order)]:
        injector, said = finish(injector, flight, "dropped", "injection.replaced", call.now)
        dropped = (*dropped, *said)
        waiting = tuple(each for each in waiting if each is not flight)
    waiting = _together(waiting, call.most)
    commands: tuple[Command, ...] = ()
    for flight in waiting:
        order = replace(flight.order, channel="hook")
        out = Flight(order, "submitted", since=call.now, begun=flight.begun)
        injector = taken(injector, flight)
        injector = replace(injector, hooked=(*injector.hooked, out))
        if is_compaction:
            ahead = Ahead(order.id, call.conversation, call.now, not order.occasion.is_ahead, call.early)
            injector, said = ran_ahead(injector, ahead, call.now)
            dropped = (*dropped, *said)
        elif order.kind == COMPACTION:
            injector = unheard(injector, order, call.now)  # its own hook may still come
        commands = (*commands, announced(out, call.now))
    injector, following = go_on(injector, call.now)
    return (injector, (*dropped, *commands, *following)), tuple(flight.order for flight in waiting)


def ran_ahead(injector: Injector, ahead: Ahead, now: float) -> Step:
    """A hook has got a restore: what one before it had got was for a compaction of which there is no record."""
    others = tuple(each for each in injector.ahead if each.id != ahead.id)
    if not ahead.early:
        recent = (each for each in others if ahead.time - each.time <= PAIRED_WITHIN)
        return replace(injector, ahead=(*recent, ahead)), ()
    old = (each for each in others if each.conversation == ahead.conversation)
    injector, said = _in_vain(injector, old, "injection.replaced", now)
    return replace(injector, ahead=(*(each for each in injector.ahead if each.id != ahead.id), ahead)), said


def compaction_failed(injector: Injector, conversation: str, when: float, now: float) -> Step:
    """The compaction for which a hook was run first has failed: what that has got is for no other one."""
    old = (each for each in injector.ahead if each.conversation == conversation and each.time <= when)
    return _in_vain(injector, old, "injection.no-compaction", now)


def _in_vain(injector: Injector, aheads: Iterable[Ahead], reason: str, now: float) -> Step:
    ids = {each.id for each in aheads if each.early}
    injector = replace(injector, ahead=tuple(each for each in injector.ahead if each.id not in ids))
    commands: tuple[Command, ...] = ()
    for flight in injector.hooked:
        if flight.order.id in ids:
            injector, said = finish(injector, flight, "dropped", reason, now)
            commands = (*commands, *said)
    return injector, commands


def paired(injector: Injector, occasion: Occasion, when: float, now: float) -> Step | None:
    """Take a compaction whose restore a hook has got before; None where there is none such.

    The log holds what a hook has said behind the compaction that it ran for: what was confirmed, or has failed, before
    that is read was said in vain.
    """
    near = [each for each in _unread(injector, occasion.conversation) if _may_be_of(each, when)]
    if not near or occasion in injector.known:
        return None
    ahead = min(near, key=lambda each: abs(each.time - when))
    injector = replace(
        injector, known=injector.known | {occasion},
        ahead=tuple(each for each in injector.ahead if each is not ahead),
    )  # fmt: skip
    flight = next(each for each in injector.hooked if each.order.id == ahead.id)
    named = replace(flight, order=replace(flight.order, occasion=occasion))
    before: tuple[Command, ...] = ()
    if ahead.named:
        before = (announced(replace(flight, state="dropped", reason="injection.replaced"), now),)
    injector = replace(injector, hooked=tuple(named if each is flight else each for each in injector.hooked))
    return injector, (*before, announced(named, now))


def _unread(injector: Injector, conversation: str) -> list[Ahead]:
    """Return what hooks have got in a conversation and its log does not hold so far."""
    ids = {flight.order.id for flight in injector.hooked}
    return [each for each in injector.ahead if each.conversation == conversation and each.id in ids]


def _may_be_of(ahead: Ahead, when: float) -> bool:
    """Say whether a hook may have been that of the compaction of then."""
    if ahead.time - when > PAIRED_WITHIN:
        return False
    return ahead.early or (when - ahead.time <= SAME_HOOK and (not ahead.named or when <= ahead.time))


def turn_began(injector: Injector, *, has_begun: bool = True) -> Injector:
    """The agent began to work on something: a hook that runs with the next prompt runs now.

    `has_begun`: False where it was no prompt after all, but a command that the person has run.
    """
    if not injector.hooked:
        return injector
    return replace(injector, hooked=tuple(replace(flight, begun=has_begun) for flight in injector.hooked))


def went_on(injector: Injector, now: float, *, ended: float | None = None) -> Step:
    """The agent has sent a request, or ended a turn (when): by then a hook should have been run, and be in the log."""
    # Before the record of its compaction no log holds what a hook has got, whatever turn has ended.
    early = {each.id for each in injector.ahead if each.early}
    flights = tuple(
        flight if flight.order.id in early else _expecting(flight, now, ended) for flight in injector.hooked
    )  # fmt: skip
    if flights == injector.hooked:
        return injector, ()
    injector = replace(injector, hooked=flights)
    return injector, tuple(command for flight in flights for command in wake(flight))


def overdue(injector: Injector, now: float, *, breaker: bool = False) -> Step:
    """Type what no hook has come for; fail what a hook has got and the log does not hold.

    `breaker`: whether it is open: a hook that came has got nothing, and is not to blame.
    """
    commands: tuple[Command, ...] = ()
    for flight in injector.hooked:
        if now < flight.due:
            continue
        if flight.state == "held":
            injector, said = to_the_queue(injector, flight, "" if breaker else "injection.hook-missed", now)
        elif flight.recovered:
            # Its host died: the hook has got nothing, or what it has got would be in the log of a turn that is over.
            injector, said = to_the_queue(injector, flight, "", now)
        else:
            injector, said = finish(injector, flight, "failed", "injection.not-recorded", now)
        commands = (*commands, *said)
    return injector, commands


def _expecting(flight: Flight, now: float, ended: float | None) -> Flight:
    """Return a flight with the time by which something has to come, now that the agent has gone on."""
    if flight.state == "held":
        if flight.order.late and not flight.begun:
            return flight
        return replace(flight, due=min(flight.due, now + HOOK_GRACE))
    if ended is None or flight.due < math.inf or ended < flight.since:
        return flight
    return replace(flight, due=now + (RECOVERY_PATIENCE if flight.recovered else CONFIRM_DEADLINE))


def _takeable(injector: Injector) -> tuple[Flight, ...]:
    """Return what a hook may take: what waits for one, and restores that were not typed so far."""
    held = tuple(flight for flight in injector.hooked if flight.state == "held")
    flight = injector.flight
    queued = (flight,) if flight is not None and flight.state in ("queued", "held") and not flight.recovered else ()
    return (*held, *queued, *(Flight(order) for order in injector.waiting))


def _is_for(flight: Flight, call: Call) -> bool:
    """Say whether a text is for the hook that is run now."""
    order = flight.order
    if not order.is_of(call.conversation) or (call.breaker and order.kind != PERSONAL) or order.gated:
        return False
    if call.most is not None and units(order.text) > call.most:
        return False
    if call.event == "UserPromptSubmit":
        return order.channel == "hook"
    return order.kind == call.kind != ""


def _together(flights: tuple[Flight, ...], most: int | None) -> tuple[Flight, ...]:
    """Return those that one hook can say in one: of what is longer the agent shows its model a part."""
    if most is None:
        return flights
    taken: set[str] = set()
    left = most
    for flight in sorted(flights, key=lambda each: not each.order.occasion.restores):
        size = units(flight.order.text) + units(BETWEEN)
        if not taken or size <= left:
            taken.add(flight.order.id)
            left -= size
    return tuple(flight for flight in flights if flight.order.id in taken)


def units(text: str) -> int:
    """Return the length of a text in UTF-16 units: so agents count that are written in JavaScript."""
    return len(text.encode("utf-16-le")) // 2


def _is_expected(injector: Injector, call: Call) -> bool:
    """Say whether a compaction is to be read of; not where this hook is that of one which was served already."""
    now, conversation = call.now, call.conversation
    # The agent may run it once more, or somebody else: the next record ends that.
    if not call.early and any(each[0] == conversation and now <= each[1] for each in injector.unheard):
        return False
    unpaired = (each for each in _unread(injector, conversation) if not each.named)
    return all(now - each.time > SAME_HOOK for each in unpaired)
