"""Which of its injections a session shows, and whether a person has anything to do about it."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from agentsup.core.catalogue import Catalogue
from agentsup.core.session import Injection, Session
from agentsup.core.text import legible, on_one_line

WAITS_FOR_HOOK, WAITS_FOR_PROMPT = "injection.waits-for-hook", "injection.waits-for-prompt"
"""Reasons of one that a hook will fetch."""

BREAKER = "injection.breaker"
"""Why one is kept while compactions follow each other with hardly any work between."""


def undecided(session: Session) -> Injection | None:
    """Return the newest injection that waits for a person or has failed, if there is one."""
    known = chain(() if session.injection is None else (session.injection,), reversed(session.unfinished))
    return _now(session, next((each for each in known if each.state in ("held", "failed")), None))


def shown_injection(session: Session) -> Injection | None:
    """Return the injection that a person should see: the newest, but not one that is over while another waits."""
    newest = session.injection
    is_over = newest is None or newest.state in ("confirmed", "dropped")
    return (undecided(session) or newest) if is_over else _now(session, newest)


def goes_by_itself(injection: Injection) -> bool:
    """Say whether one that is held waits for a hook alone: it goes, and nobody has to do anything."""
    return injection.state == "held" and injection.reason in (WAITS_FOR_HOOK, WAITS_FOR_PROMPT)


def _now(session: Session, injection: Injection | None) -> Injection | None:
    """Return it with what keeps it: an open breaker also keeps what a hook would fetch."""
    if injection is not None and session.loop.breaker.is_open and goes_by_itself(injection):
        return replace(injection, reason=BREAKER)
    return injection


def reason_now(session: Session, injection: Injection) -> str:
    """Return the reason to tell: an agent that is idle runs no hook before the person's next prompt."""
    if injection.reason == WAITS_FOR_HOOK and goes_by_itself(injection) and not session.turn:
        return WAITS_FOR_PROMPT
    return injection.reason


def injection_words(injection: Injection, catalogue: Catalogue, *, brief: bool = False) -> str:
    """Return where an injection stands; `brief`: its state and reason alone, in few words."""
    kind = injection.occasion.kind
    occasion = "occasion.restore" if brief and injection.occasion.restores else f"occasion.{kind}"
    key = "short" if brief else "line_by_hook" if injection.channel == "hook" else "line"
    if goes_by_itself(injection):
        key = "waits_short" if brief else "waits"
    elif injection.reason:
        key += "_with_reason"
    elif brief and injection.state == "confirmed":
        key = "confirmed_short"
    reason = f"{injection.reason}-short" if key == "waits_short" else injection.reason
    return catalogue.text(
        f"injection.{key}",
        occasion=catalogue.text(occasion) if catalogue.has(occasion) else legible(on_one_line(kind)),
        id=legible(on_one_line(injection.id)),
        state=catalogue.text(f"injection.{injection.state}"),
        reason=catalogue.text(reason) if reason else "",
    )
