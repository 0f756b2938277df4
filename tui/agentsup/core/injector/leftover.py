"""A text of ours that was given up and stands in the composer: known again, told, and sent as it stands if asked for.

Nothing is typed to it and nothing cleared: only the person knows what else they have written there.
"""

from __future__ import annotations

from dataclasses import replace

from agentsup.core.injector.evidence import may_stand, print_of, shows
from agentsup.core.injector.proof import hold_reason
from agentsup.core.injector.typing import Composer
from agentsup.core.injector.values import Flight, Injector, Proof, Standing, Step, TellStanding
from agentsup.core.text import squeezed


def look_for(injector: Injector, proof: Proof) -> Step:
    """Tell which text of ours that was given up stands in the composer, whenever that changes."""
    flight, composer = injector.flight, proof.composer
    if flight is not None and (flight.as_it_stands or flight.state in ("writing", "submitted")):
        return injector, ()
    if not proof.alive or (composer.kind == "empty" and proof.idle and injector.behind is None):
        return told(replace(injector, left=()), None)
    if composer.kind == "unknown" or not proof.written:
        return injector, ()
    found = (_standing(injector, each, composer) for each in reversed(injector.left))
    return told(injector, next((each for each in found if each is not None), None))


def told(injector: Injector, standing: Standing | None) -> Step:
    """Say what stands there, if that is news."""
    if standing == injector.standing:
        return injector, ()
    return replace(injector, standing=standing), (TellStanding(standing),)


def is_all_of_it(composer: Composer, flight: Flight) -> bool:
    """Say whether a composer holds what was typed, perhaps by a host before this one, and nothing else."""
    order = flight.order
    if composer.kind != "text":
        return False
    if composer.pasted is None and composer.pasted_lines is None and not composer.scrolled:
        return print_of(order.id, composer.text) == flight.print
    return flight.print == print_of(order.id, order.text) and shows(composer, order.typed)


def proof_for_enter(flight: Flight, proof: Proof) -> Proof:
    """Return the proof for an Enter on what stands: all of the rule, but that the composer holds just this text."""
    if flight.as_it_stands and is_all_of_it(proof.composer, flight):
        return replace(proof, composer=Composer("empty"))
    return proof


def is_gone(flight: Flight, proof: Proof) -> bool:
    """Say whether what was to be sent as it stands does not stand there any more, or not alone."""
    is_there = not flight.as_it_stands or is_all_of_it(proof.composer, flight)
    return not is_there and hold_reason(proof, flight.order) in ("", "injection.draft")


def _standing(injector: Injector, flight: Flight, composer: Composer) -> Standing | None:
    order = flight.order
    size = flight.sent.size if flight.sent is not None else len(order.text)
    if is_all_of_it(composer, flight):
        lanes = (*(each.order for each in (*injector.shelf, *injector.hooked)), *injector.waiting)
        held = injector.flight is not None and injector.flight.order.id == order.id
        return Standing(order.id, size, sendable=held or any(each.id == order.id for each in lanes))
    seen = squeezed(f"{composer.lead}{composer.text}")
    is_known = injector.standing is not None and injector.standing.id == order.id
    last = squeezed(order.typed.whole.rstrip().rpartition("\n")[2])
    # Its header shows, or its last line that names it, or what was seen of it before has not gone since.
    if (order.id in seen and ("agentsup" in seen or (order.id in last and last in seen))) or (
        is_known and may_stand(composer, order.typed)
    ):
        return Standing(order.id, size, sendable=False)
    return None
