"""One text on its way through the pty: typed on proof, submitted on proof, confirmed by the log alone.

queued → held(reason) → writing → submitted → confirmed | failed(reason); dropped by the person
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import assert_never

from agentsup.core.injector import hooks, leftover
from agentsup.core.injector.evidence import may_stand, shows
from agentsup.core.injector.proof import WAITS_FOR_A_PERSON, hold_reason
from agentsup.core.injector.queue import finish, has_begun, pass_by, replaces
from agentsup.core.injector.typing import Composer
from agentsup.core.injector.values import (
    CONFIRM_DEADLINE,
    KEYS_PATIENCE,
    LOOK_AGAIN,
    MOST_RETURNS,
    PASTE_DEADLINE,
    QUIET,
    RECOVERY_PATIENCE,
    REDRAW_PATIENCE,
    REFUSED_PAUSE,
    SLOWEST,
    SUBMIT_PATIENCE,
    Command,
    DrawAnew,
    Flight,
    Injector,
    LetKeysGo,
    OpenPaste,
    Order,
    PressReturn,
    Proof,
    Standing,
    Step,
    WakeAt,
    announced,
)

_LOOKED_AT_AGAIN = frozenset({
    "injection.unseen", "injection.conversation", "injection.composing", "injection.working", "injection.mode",
})  # fmt: skip
"""Reasons that end without anything being seen on the screen."""


def observe(injector: Injector, proof: Proof) -> Step:
    """Go as far as the proof allows."""
    before: tuple[Command, ...] = ()
    if proof.caught_up:
        injector, before = hooks.overdue(injector, proof.now, breaker=proof.breaker)
    injector, stands = leftover.look_for(injector, proof)
    injector, commands = _observed(injector, replace(proof, busy=proof.busy or injector.behind is not None))
    injector, keys = _let_keys_go(injector, proof)
    return injector, (*before, *stands, *commands, *keys, *_alarms(injector, proof.now))


def _observed(injector: Injector, proof: Proof) -> Step:
    flight = injector.flight
    if flight is None:
        return injector, ()
    match flight.state:
        case "queued" | "held":
            return _try_to_type(injector, flight, proof)
        case "writing":
            return _try_to_submit(injector, flight, proof)
        case "submitted":
            return _await_record(injector, flight, proof)
        case "confirmed" | "dropped" | "failed":
            return injector, ()  # it has left its lane
        case _:
            assert_never(flight.state)


def _alarms(injector: Injector, now: float) -> tuple[Command, ...]:
    """Return when to look again, whatever woke us up this time."""
    times = [flight.due for flight in injector.hooked]
    flight = injector.flight
    if flight is not None and flight.state == "writing":
        times.append(flight.since + typing_deadline(flight))
    elif flight is not None and flight.state == "submitted":
        times.append(flight.since + (RECOVERY_PATIENCE if flight.recovered else SUBMIT_PATIENCE))
    if injector.behind is not None:
        times.append(min(now + QUIET, injector.behind.since + KEYS_PATIENCE))
    return tuple(WakeAt(time) for time in times if now < time < math.inf)


def _try_to_type(injector: Injector, flight: Flight, proof: Proof) -> Step:
    if flight.reason == "injection.no-record" and proof.now < flight.since + REFUSED_PAUSE:
        return injector, (WakeAt(flight.since + REFUSED_PAUSE),)
    if leftover.is_gone(flight, proof):
        return finish(injector, flight, "failed", "injection.not-shown", proof.now)
    reason = hold_reason(leftover.proof_for_enter(flight, proof), flight.order)
    if reason in WAITS_FOR_A_PERSON and not flight.as_it_stands:
        injector, freed = pass_by(injector, partial(_may_go, proof), proof.now)
        if freed:
            return injector, (announced(replace(flight, state="held", reason=reason), proof.now), *freed)
    if reason:
        commands: tuple[Command, ...] = ()
        if reason == "injection.keys":
            quiet = proof.last_key + QUIET + 0.01
            commands = (WakeAt(quiet if quiet > proof.now else proof.now + LOOK_AGAIN),)
        elif reason in _LOOKED_AT_AGAIN:
            commands = (WakeAt(proof.now + LOOK_AGAIN),)
        if (flight.state, flight.reason) == ("held", reason):
            return injector, commands
        held = replace(flight, state="held", reason=reason)
        return replace(injector, flight=held), (announced(held, proof.now), *commands)
    if flight.as_it_stands:
        submitted = _with_return(replace(flight, state="submitted", reason="", as_it_stands=False), proof)
        return replace(injector, flight=submitted), (announced(submitted, proof.now), PressReturn())
    writing = replace(flight, state="writing", reason="", since=proof.now, sent=None)
    commands = (
        announced(writing, proof.now),
        OpenPaste(flight.order),
    )
    return replace(injector, flight=writing), commands


def _let_keys_go(injector: Injector, proof: Proof) -> Step:
    """Keep an Enter from a text that was given up until that is seen to be gone, and not for ever."""
    behind = injector.behind
    if behind is None:
        return injector, ()
    if behind.outputs < 0:
        behind = replace(behind, outputs=proof.outputs)
    # An agent that has not drawn since has perhaps not read it yet.
    gone = proof.written and proof.outputs > behind.outputs and not may_stand(proof.composer, behind.typing)
    behind = replace(behind, gone=min(behind.gone, proof.now) if gone else math.inf)
    waited, seen = proof.now - behind.since, proof.now - behind.gone
    if waited < KEYS_PATIENCE and seen < QUIET:
        return replace(injector, behind=behind), ()
    late = seen < QUIET
    stands: tuple[Command, ...] = ()
    injector = replace(injector, behind=None)
    if late and injector.standing is None:
        injector, stands = leftover.told(injector, Standing(behind.id, len(behind.typing.whole), sendable=False))
    return injector, (LetKeysGo(late), *stands, WakeAt(proof.now))


def _may_go(proof: Proof, order: Order) -> bool:
    return hold_reason(proof, order) not in WAITS_FOR_A_PERSON


def typing_deadline(flight: Flight) -> float:
    """Return the seconds in which the text has to be in the pty and on the screen."""
    return PASTE_DEADLINE + len(flight.order.text) / SLOWEST


def _try_to_submit(injector: Injector, flight: Flight, proof: Proof) -> Step:
    safe = proof.alive and proof.idle and not proof.blocked and proof.written and proof.settled
    if safe and shows(proof.composer, flight.order.typed):
        submitted = _with_return(replace(flight, state="submitted"), proof)
        return replace(injector, flight=submitted), (PressReturn(), announced(submitted, proof.now))
    if proof.now - flight.since < typing_deadline(flight):
        return injector, ()
    reason = "injection.not-shown" if proof.written else "injection.blocked"
    return finish(injector, flight, "failed", reason, proof.now)


def _with_return(flight: Flight, proof: Proof) -> Flight:
    """Return a flight for which a carriage return is sent now."""
    return replace(flight, since=proof.now, returns=flight.returns + 1, outputs=proof.outputs)


def _await_record(injector: Injector, flight: Flight, proof: Proof) -> Step:
    waited = proof.now - flight.since
    if waited < SUBMIT_PATIENCE:
        return injector, ()
    if flight.recovered:
        return _recover(injector, flight, proof)
    untouched = proof.now - proof.last_key >= QUIET and proof.last_key < flight.since
    stuck = (
        proof.alive and proof.idle and not proof.blocked and untouched and proof.settled
        and shows(proof.composer, flight.order.typed)
    )  # fmt: skip
    if stuck and flight.returns < MOST_RETURNS:
        # What was drawn before the first tells nothing of what that has opened, and one that was not read still counts.
        if proof.outputs > flight.outputs and proof.now - flight.asked >= REDRAW_PATIENCE:
            return replace(injector, flight=_with_return(flight, proof)), (PressReturn(),)
        if proof.outputs == flight.outputs and proof.read and flight.asked < flight.since:
            asking = replace(flight, asked=proof.now)
            return replace(injector, flight=asking), (DrawAnew(), WakeAt(proof.now + REDRAW_PATIENCE))
    if (waited < CONFIRM_DEADLINE or not proof.caught_up) and not (stuck and flight.returns >= MOST_RETURNS):
        return injector, (WakeAt(proof.now + 1.0),)
    return finish(injector, flight, "failed", "injection.not-recorded", proof.now)


def _recover(injector: Injector, flight: Flight, proof: Proof) -> Step:
    """In the log: confirmed elsewhere. Whole in the composer: submitted. In neither, proven: typed once more."""
    waited = proof.now - flight.since
    if waited < RECOVERY_PATIENCE or not proof.caught_up:
        return injector, ()
    if not flight.order.text:
        # Nobody knows its words any more: only the log could have confirmed it.
        return finish(injector, flight, "failed", "injection.interrupted", proof.now)
    reason = hold_reason(proof, flight.order)
    if reason in ("", *WAITS_FOR_A_PERSON):
        newer = (*injector.waiting, *(each.order for each in injector.hooked))
        if any(replaces(each, flight.order) for each in newer):
            return finish(injector, flight, "dropped", "injection.replaced", proof.now)
        again = Flight(flight.order, "queued", since=proof.now, sent=flight.sent)
        injector = has_begun(replace(injector, flight=again), again)
        return injector, (announced(again, proof.now), WakeAt(proof.now))
    # All of it stands there, and nothing else: what its host would have seen before it pressed Enter.
    stands = reason == "injection.draft" and leftover.is_all_of_it(proof.composer, flight)
    if stands and not hold_reason(replace(proof, composer=Composer("empty")), flight.order):
        submitted = replace(flight, since=proof.now, recovered=False)
        return replace(injector, flight=submitted), (PressReturn(),)
    if waited >= CONFIRM_DEADLINE:
        return finish(injector, flight, "failed", "injection.interrupted", proof.now)
    return injector, (WakeAt(proof.now + 1.0),)


def caught_up(injector: Injector, now: float) -> Step:
    """The log was read as far as it goes: what hosts before this one had begun is waited for from now on."""
    flight, again = injector.flight, now + RECOVERY_PATIENCE
    if flight is not None and flight.recovered:
        injector = replace(injector, flight=replace(flight, since=now))
    hooked = tuple(
        replace(each, due=again) if each.recovered and each.due < again else each for each in injector.hooked
    )
    return replace(injector, hooked=hooked), (WakeAt(now), WakeAt(again))
