"""What a person may choose about the loop around compactions: a text that waits or failed, the breaker, a read-back."""

from __future__ import annotations

from collections.abc import Callable

from agentsup.core.catalogue import Catalogue
from agentsup.core.session import Session, goes_by_itself, undecided
from agentsup.protocol.messages import BreakerClosed, ClientMessage, InjectionChoice
from agentsup.ui.prompt_bar import Choice

GATE, BREAKER = "injection.gate", "injection.breaker"
"""Reasons of a hold that a choice of their own ends."""


def wants_judging(session: Session) -> bool:
    """Say whether the agent has read back something that a person should look at."""
    recital = session.loop.recital
    return recital is not None and recital.by == "comparison" and recital.verdict != "right"


def waits_for_person(session: Session) -> bool:
    """Say whether something goes no further, or was lost, until a person does something."""
    injection = undecided(session)
    waits = injection is not None and not goes_by_itself(injection)
    wrong = wants_judging(session) and session.loop.recital is not None and session.loop.recital.verdict == "wrong"
    return waits or session.loop.breaker.is_open or wrong


def loop_choices(session: Session | None, catalogue: Catalogue) -> list[Choice]:
    """Return what is to be decided now, what ends a wait first."""
    if session is None:
        return []
    text = catalogue.text
    choices = []
    if wants_judging(session):
        choices.append(recital_choice(catalogue))
    if session.loop.breaker.is_open:
        choices.append(Choice("b", "b", "breaker", text("loop_menu.breaker")))
    injection = undecided(session)
    if injection is None:
        return choices
    by_hand = injection.reason not in (GATE, BREAKER)
    if injection.state == "held" and injection.reason == GATE:
        choices.append(Choice("a", "a", "accept", text("loop_menu.accept")))
    if by_hand:
        held = "loop_menu.type" if injection.channel == "hook" else "loop_menu.send"
        label = "menu.retry" if injection.state == "failed" else held
        choices.append(Choice("v", "v", "retry", text(label, id=injection.id)))
    if by_hand and injection.channel == "stdin" and session.loop.hooks.installed:
        choices.append(Choice("h", "h", "hook", text("loop_menu.hook", id=injection.id)))
    choices.append(Choice("x", "x", "drop", text("menu.drop", id=injection.id)))
    return choices


def recital_choice(catalogue: Catalogue) -> Choice:
    """Return the choice that shows what the agent has read back."""
    return Choice("c", "c", "recital", catalogue.text("loop_menu.recital"))


def tell(action: str, session: Session | None, ask: Callable[[ClientMessage], object]) -> None:
    """Tell the host what was chosen; nothing where that is no longer to be decided."""
    if action == "breaker":
        ask(BreakerClosed())
        return
    injection = undecided(session) if session is not None else None
    if injection is None:
        return
    match action:
        case "drop" | "retry" | "hook" | "accept":
            ask(InjectionChoice(injection.id, action))
        case _:
            pass
