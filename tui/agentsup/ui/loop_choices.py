"""What a person may choose about the loop around compactions: a text that waits or failed, the breaker, a read-back."""

from __future__ import annotations

from collections.abc import Callable

from agentsup.core.catalogue import Catalogue
from agentsup.core.session import Session, standing
from agentsup.core.shown_injection import BREAKER, goes_by_itself, undecided
from agentsup.protocol.messages import BreakerClosed, ClientMessage, EngramSaved, InjectionChoice
from agentsup.ui.prompt_bar import Choice

FOUND = "engram.found-stays"
"""The notice of an engram that was found on disk, of which a person may say that it is theirs."""

GATE = "injection.gate"
"""Why one is held that, as one held by the breaker, a choice of its own lets go."""


Waiting = tuple[str, str, float]
"""Something that waits for a person: what, its id, and since when where it may come again."""


def wants_judging(session: Session) -> bool:
    """Say whether the agent has read back something that a person should look at."""
    recital = session.loop.recital
    return recital is not None and recital.by == "comparison" and recital.verdict != "right"


def what_waits(session: Session) -> frozenset[Waiting]:
    """Return what goes no further, or was lost, until a person does something."""
    injection, recital, breaker = undecided(session), session.loop.recital, session.loop.breaker
    waits: set[Waiting] = set()
    if injection is not None and not goes_by_itself(injection):
        # Why one is held may change with every key; that it has failed once more is news.
        waits.add((injection.state, injection.id, injection.time if injection.state == "failed" else 0.0))
    if breaker.is_open:
        waits.add(("breaker", "", breaker.since))
    if recital is not None and wants_judging(session) and recital.verdict == "wrong":
        waits.add(("recital", recital.id, recital.time))
    return frozenset(waits)


def loop_choices(session: Session | None, catalogue: Catalogue) -> list[Choice]:
    """Return what is to be decided now, what ends a wait first; nothing once the agent has ended."""
    if session is None or session.phase == "exited":
        return []
    text = catalogue.text
    choices = []
    if wants_judging(session):
        choices.append(recital_choice(catalogue))
    if session.loop.breaker.is_open:
        choices.append(Choice("b", "b", "breaker", text("loop_menu.breaker")))
    if is_found := _is_found(session):
        choices.append(Choice("a", "a", "accept", text("loop_menu.found")))
    if standing(session):
        # Nothing else can be typed before that is away.
        send, leave = text("loop_menu.press_enter"), text("loop_menu.leave")
        return [*choices, Choice("v", "v", "retry", send), Choice("x", "x", "drop", leave)]
    injection = undecided(session)
    if injection is None:
        return choices
    by_hand = injection.reason not in (GATE, BREAKER)
    if injection.state == "held" and injection.reason == GATE and not is_found:
        choices.append(Choice("a", "a", "accept", text("loop_menu.accept")))
    if by_hand:
        held = "loop_menu.type" if injection.channel == "hook" else "loop_menu.send"
        label = "menu.retry" if injection.state == "failed" else held
        choices.append(Choice("v", "v", "retry", text(label)))
    if by_hand and injection.channel == "stdin" and session.loop.hooks.installed:
        choices.append(Choice("h", "h", "hook", text("loop_menu.hook")))
    choices.append(Choice("x", "x", "drop", text("menu.drop")))
    return choices


def recital_choice(catalogue: Catalogue) -> Choice:
    """Return the choice that shows what the agent has read back."""
    return Choice("c", "c", "recital", catalogue.text("loop_menu.recital"))


def tell(action: str, session: Session | None, now: Session | None, ask: Callable[[ClientMessage], object]) -> None:
    """Tell the host what was chosen of what `session` offered; of an engram only while it is `now` still that one."""
    if action == "breaker":
        ask(BreakerClosed())
        return
    if session is None or now is None:
        return
    if action == "accept" and session.memory.engram.sha != now.memory.engram.sha:
        return  # nobody has seen what is there by now
    if action == "accept" and _is_found(session):
        ask(EngramSaved(session.memory.engram.sha))  # what waits for an engram that is right goes with it
        return
    if (id := standing(session)) and action in ("drop", "retry"):
        ask(InjectionChoice(id, "drop" if action == "drop" else "retry"))
        return
    injection = undecided(session)
    if injection is None:
        return
    match action:
        case "drop" | "retry" | "hook" | "accept":
            ask(InjectionChoice(injection.id, action))
        case _:
            pass


def _is_found(session: Session) -> bool:
    return any(notice.key == FOUND for notice in session.notices)
