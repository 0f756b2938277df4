"""When and how a text is typed into the agent: a state machine without I/O.

Inputs are orders, proofs (what is known at this instant) and log records; outputs are commands for the
host. The rule that comes first: carriage return is sent only to an idle agent, on positive proof from its
screen, at that instant. An Enter while an approval is open approves it, so a state report alone never
suffices. Only the agent's own log confirms.

    queued → held(reason) → writing → submitted → confirmed | failed(reason); dropped by the person
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, assert_never

from agentsup.core.events import InjectionChanged, InjectionState
from agentsup.core.text import squeezed

QUIET = 0.3
"""Seconds without a human key before anything is typed."""

RECOVERY_PATIENCE = 3.0
"""Seconds a recovered injection waits for its record before the empty composer proves that it never arrived."""

LOOK_AGAIN = 0.5
"""Seconds until a doubt that no event may end is looked at again."""

REFUSED_PAUSE = 5.0
"""Seconds until a refused injection is tried again."""

PASTE_DEADLINE = 4.0
"""Seconds for the pasted text to show in the composer."""

SUBMIT_PATIENCE = 2.0
"""Seconds after a carriage return with the text still in the composer before it is sent once more."""

CONFIRM_DEADLINE = 20.0
"""Seconds from the last carriage return to the record in the agent's log."""

LEAST_TAIL = 100
"""Characters (blanks apart) of our text's tail that must show where the composer has scrolled."""

MOST_RETURNS = 3
"""Carriage returns for one injection, each under the full rule; the text itself is never repeated."""


@dataclass(frozen=True)
class Composer:
    """The agent's input box as its screen shows it."""

    kind: Literal["empty", "text", "unknown"] = "unknown"
    text: str = ""
    pasted: int | None = None
    """Characters of a paste that is shown as a placeholder only; None where the text itself is shown."""
    scrolled: bool = False
    """More text stands above what is shown."""
    pasted_lines: int | None = None
    """As `pasted`, where the placeholder tells the paste's line breaks instead."""


_LOOKED_AT_AGAIN = frozenset({
    "injection.unseen", "injection.conversation", "injection.composing", "injection.working", "injection.mode",
})  # fmt: skip
"""Reasons that end without anything being seen on the screen."""


@dataclass(frozen=True)
class Proof:
    """What is known at this instant."""

    now: float
    alive: bool
    """The process on the pty is the one we started, and it runs."""
    idle: bool
    """The agent's own records and reports say that it waits for input."""
    blocked: bool
    """The agent says that a question to the person is open."""
    composer: Composer
    bracketed_paste: bool
    raw: bool
    """The tty is not in canonical mode, where a line is cut at 4,096 bytes."""
    last_key: float
    echoed: bool
    """The agent has drawn something since the last human key."""
    busy: bool = False
    """A person's paste is open in the writer."""
    settled: bool = True
    """The agent is still in the conversation that its log was followed in."""
    composed: bool = True
    """The text is of what is on disk now."""


@dataclass(frozen=True)
class Order:
    """A text to be typed, once: `id` stands in its first line, `occasion` names what it is for."""

    id: str
    occasion: str
    text: str
    interrupted: bool = False
    """A restore whose compaction came in the middle of a turn; its text is composed anew while it waits."""

    number: int = 1

    @property
    def kind(self) -> str:
        """The first part of the occasion, such as `compaction`."""
        return self.occasion.partition(":")[0]


@dataclass(frozen=True)
class Flight:
    """The order at the head of the queue and how far it has come."""

    order: Order
    state: InjectionState = "queued"
    reason: str = ""
    since: float = 0.0
    returns: int = 0
    recovered: bool = False
    """A host before this one had begun it: whether the text was typed is not known."""


@dataclass(frozen=True)
class Injector:
    """One order in flight, the others behind it."""

    flight: Flight | None = None
    waiting: tuple[Order, ...] = ()
    known: frozenset[str] = frozenset()
    """Occasions that were taken once; a second order for one of them is ignored."""


@dataclass(frozen=True)
class OpenPaste:
    """Store the intent, keep human keys back, and write the text as one paste."""

    order: Order


@dataclass(frozen=True)
class PressReturn:
    """Write one carriage return, then let human keys through again."""


@dataclass(frozen=True)
class ReleaseKeys:
    """Let human keys through again: nothing more is typed now."""


@dataclass(frozen=True)
class Announce:
    """Tell everybody (and the record on disk) that the injection changed its state."""

    event: InjectionChanged


@dataclass(frozen=True)
class WakeAt:
    """Observe again at this time, whatever happens before."""

    time: float


Command = OpenPaste | PressReturn | ReleaseKeys | Announce | WakeAt
Step = tuple[Injector, tuple[Command, ...]]


def enqueue(injector: Injector, order: Order, now: float) -> Step:
    """Take an order; one occasion is served once."""
    if order.occasion in injector.known:
        return injector, ()
    known = injector.known | {order.occasion}
    # Every restore replaces all earlier ones, so of those that were not typed yet only the newest is kept.
    waiting = tuple(behind for behind in injector.waiting if behind.kind != order.kind)
    queued = Flight(order, "queued", since=now)
    commands: tuple[Command, ...] = (_announce(queued, now), WakeAt(now))
    flight = injector.flight
    if flight is not None:
        if flight.order.kind != order.kind or flight.state in ("writing", "submitted"):
            return replace(injector, waiting=(*waiting, order), known=known), ()
        commands = (_announce(replace(flight, state="dropped", reason="injection.replaced"), now), *commands)
    return Injector(queued, waiting, known), commands


def resume(injector: Injector, order: Order, state: InjectionState, now: float) -> Step:
    """Take up an order that a host before this one had begun, as far as its record tells."""
    known = injector.known | {order.occasion}
    if injector.flight is not None or state not in ("writing", "submitted", "failed"):
        return replace(injector, known=known), ()
    if state == "failed":
        flight = Flight(order, "failed", "injection.not-recorded", now)
    else:
        flight = Flight(order, "submitted", since=now, returns=MOST_RETURNS, recovered=True)
    return replace(injector, flight=flight, known=known), (_announce(flight, now), WakeAt(now + RECOVERY_PATIENCE))


def refuse(injector: Injector, reason: str, now: float) -> Step:
    """The host could not begin what it was told to: hold the flight, try again later."""
    if injector.flight is None:
        return injector, ()
    held = replace(injector.flight, state="held", reason=reason, since=now)
    return replace(injector, flight=held), (_announce(held, now), WakeAt(now + REFUSED_PAUSE))


def moved(injector: Injector, conversation: str, now: float) -> Step:
    """The agent is in another conversation: what was to be restored into the one before is dropped."""
    own = f"compaction:{conversation}:"
    waiting = tuple(order for order in injector.waiting if order.kind != "compaction" or order.occasion.startswith(own))
    injector = replace(injector, waiting=waiting)
    flight = injector.flight
    if flight is None or flight.order.kind != "compaction" or flight.order.occasion.startswith(own):
        return injector, ()
    if flight.state in ("writing", "submitted"):
        return injector, ()  # it is typed already: its record or its deadline ends it
    return _finish(injector, flight, "dropped", "injection.other-conversation", now)


def started(injector: Injector) -> Injector:
    """A fresh agent: nothing that was meant for the one before is typed into it."""
    return Injector(known=injector.known)


def observe(injector: Injector, proof: Proof) -> Step:
    """Go as far as the proof allows."""
    flight = injector.flight
    if flight is None:
        return injector, ()
    match flight.state:
        case "queued" | "held":
            return _try_to_paste(injector, flight, proof)
        case "writing":
            return _try_to_submit(injector, flight, proof)
        case "submitted":
            return _await_record(injector, flight, proof)
        case "failed":
            return injector, ()  # stays on screen until the person has handled it
        case "confirmed" | "dropped":
            return injector, ()
        case _:
            assert_never(flight.state)


def recorded(injector: Injector, text: str, now: float) -> Step:
    """Confirm the flight if the agent's log now holds its text as a message to the model."""
    flight = injector.flight
    if flight is None or flight.order.id not in text.partition("\n")[0]:
        return injector, ()
    # Confirmed in any state: a person may press Enter on a text whose own carriage return was withheld.
    return _finish(injector, flight, "confirmed", "", now)


def ended(injector: Injector, now: float) -> Step:
    """The agent's process ended: what is in flight can't arrive any more."""
    flight = injector.flight
    if flight is None or flight.state in ("failed", "confirmed", "dropped"):
        return replace(injector, waiting=()), ()
    return _finish(replace(injector, waiting=()), flight, "failed", "injection.agent-gone", now)


def choose(injector: Injector, id: str, choice: Literal["drop", "retry"], now: float) -> Step:
    """Carry out what the person decided about a held or failed injection."""
    flight = injector.flight
    if flight is None or flight.order.id != id or flight.state not in ("queued", "held", "failed"):
        return injector, ()
    if choice == "drop":
        return _finish(injector, flight, "dropped", "", now)
    again = replace(flight, state="queued", reason="", since=now, returns=0)
    return replace(injector, flight=again), (_announce(again, now), WakeAt(now))


def _try_to_paste(injector: Injector, flight: Flight, proof: Proof) -> Step:
    reason = hold_reason(proof)
    if reason:
        commands: tuple[Command, ...] = ()
        if reason == "injection.keys":
            commands = (WakeAt(proof.last_key + QUIET + 0.01),)
        elif reason in _LOOKED_AT_AGAIN:
            commands = (WakeAt(proof.now + LOOK_AGAIN),)
        if (flight.state, flight.reason) == ("held", reason):
            return injector, commands
        held = replace(flight, state="held", reason=reason)
        return replace(injector, flight=held), (_announce(held, proof.now), *commands)
    writing = replace(flight, state="writing", reason="", since=proof.now)
    commands = (
        _announce(writing, proof.now),
        OpenPaste(flight.order),
        WakeAt(proof.now + PASTE_DEADLINE),
    )
    return replace(injector, flight=writing), commands


def hold_reason(proof: Proof) -> str:
    """Return why nothing may be typed now, as a catalogue key; empty where it may."""
    if not proof.alive:
        return "injection.agent-gone"
    if proof.blocked:
        return "injection.approval"
    if not proof.idle:
        return "injection.working"
    if proof.busy or proof.now - proof.last_key < QUIET:
        return "injection.keys"
    if proof.composer.kind == "text":
        return "injection.draft"
    if proof.composer.kind == "unknown":
        return "injection.unseen"
    if not proof.echoed:
        return "injection.keys"
    if not proof.settled:
        return "injection.conversation"
    if not proof.composed:
        return "injection.composing"
    if not proof.bracketed_paste or not proof.raw:
        return "injection.mode"
    return ""


def _try_to_submit(injector: Injector, flight: Flight, proof: Proof) -> Step:
    safe = proof.alive and proof.idle and not proof.blocked
    if safe and shows(proof.composer, flight.order.text):
        submitted = replace(flight, state="submitted", since=proof.now, returns=flight.returns + 1)
        commands = (PressReturn(), _announce(submitted, proof.now), WakeAt(proof.now + SUBMIT_PATIENCE))
        return replace(injector, flight=submitted), commands
    if proof.now - flight.since < PASTE_DEADLINE:
        return injector, ()
    failed = replace(flight, state="failed", reason="injection.not-shown", since=proof.now)
    return replace(injector, flight=failed), (ReleaseKeys(), _announce(failed, proof.now))


def _await_record(injector: Injector, flight: Flight, proof: Proof) -> Step:
    waited = proof.now - flight.since
    if waited < SUBMIT_PATIENCE:
        return injector, ()
    if flight.recovered:
        return _recover(injector, flight, proof)
    untouched = proof.now - proof.last_key >= QUIET and proof.last_key < flight.since
    stuck = (
        proof.alive and proof.idle and not proof.blocked and untouched
        and shows(proof.composer, flight.order.text)
    )  # fmt: skip
    if stuck and flight.returns < MOST_RETURNS:
        again = replace(flight, since=proof.now, returns=flight.returns + 1)
        return replace(injector, flight=again), (PressReturn(), WakeAt(proof.now + SUBMIT_PATIENCE))
    if waited < CONFIRM_DEADLINE and not (stuck and flight.returns >= MOST_RETURNS):
        return injector, (WakeAt(proof.now + 1.0),)
    failed = replace(flight, state="failed", reason="injection.not-recorded", since=proof.now)
    return replace(injector, flight=failed), (_announce(failed, proof.now),)


def _recover(injector: Injector, flight: Flight, proof: Proof) -> Step:
    """In the log: confirmed elsewhere. In the composer: failed, for a person. In neither, proven: once more."""
    waited = proof.now - flight.since
    if waited < RECOVERY_PATIENCE:
        return injector, (WakeAt(flight.since + RECOVERY_PATIENCE),)
    if not hold_reason(proof):
        again = Flight(flight.order, "queued", since=proof.now)
        return replace(injector, flight=again), (_announce(again, proof.now), WakeAt(proof.now))
    if shows(proof.composer, flight.order.text) or waited >= CONFIRM_DEADLINE:
        failed = replace(flight, state="failed", reason="injection.interrupted", since=proof.now, recovered=False)
        return replace(injector, flight=failed), (_announce(failed, proof.now),)
    return injector, (WakeAt(proof.now + 1.0),)


def shows(composer: Composer, text: str) -> bool:
    """Say whether the composer holds exactly our text, as far as its screen can tell.

    A placeholder states its length; shown text must be all of ours, or the tail of it where it scrolled.
    """
    if composer.kind != "text":
        return False
    if composer.pasted is not None:
        return composer.pasted == len(text)
    if composer.pasted_lines is not None:
        return composer.pasted_lines == text.count("\n")
    seen, ours = squeezed(composer.text), squeezed(text)
    return seen == ours or (composer.scrolled and len(seen) >= LEAST_TAIL and ours.endswith(seen))


def _finish(injector: Injector, flight: Flight, state: InjectionState, reason: str, now: float) -> Step:
    done = replace(flight, state=state, reason=reason)
    release = (ReleaseKeys(),) if flight.state == "writing" else ()
    if state == "failed":
        return replace(injector, flight=done), (*release, _announce(done, now))
    if not injector.waiting:
        return replace(injector, flight=None), (*release, _announce(done, now))
    following = Flight(injector.waiting[0], "queued", since=now)
    commands = (*release, _announce(done, now), _announce(following, now), WakeAt(now))
    return replace(injector, flight=following, waiting=injector.waiting[1:]), commands


def _announce(flight: Flight, now: float) -> Announce:
    order = flight.order
    return Announce(InjectionChanged(now, order.id, order.occasion, flight.state, flight.reason))
