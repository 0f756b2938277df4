"""What is known of the loop around compactions: hooks, the recital, the breaker, and what has happened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from agentsup.core import breaker as storms
from agentsup.core import events as ev
from agentsup.core.breaker import Breaker
from agentsup.core.occasion import Occasion

HAPPENED_MOST = 100
"""Entries of what has happened that are kept: the newest."""


@dataclass(frozen=True)
class Hooks:
    """Hooks of ours in the running agent: heard of at `heard` last (Unix seconds), 0 never in this process."""

    heard: float = 0.0
    installed: bool = False
    """Whether the agent was started with any."""


@dataclass(frozen=True)
class Recital:
    """What the agent has read back after a restore, and how it was."""

    id: str
    verdict: ev.Verdict
    said: str
    by: ev.Judge = "comparison"
    missing: tuple[str, ...] = ()
    time: float = 0.0


@dataclass(frozen=True)
class Happened:
    """One entry of the log view."""

    time: float
    kind: Literal["compaction", "injection", "verdict", "engram", "breaker"]
    what: str
    """Of a compaction its trigger, of an injection its state, of a verdict the verdict, of an engram the outcome."""
    by: ev.Judge = "comparison"
    """Of a verdict: who gave it."""
    before: int | None = None
    after: int | None = None
    """Of a compaction: tokens in use."""
    id: str = ""
    occasion: Occasion | None = None
    reason: str = ""
    channel: ev.Channel = "stdin"
    """These are of an injection."""


@dataclass(frozen=True)
class Continuity:
    """The loop's part of a session."""

    hooks: Hooks = Hooks()
    recital: Recital | None = None
    breaker: Breaker = Breaker()
    happened: tuple[Happened, ...] = ()


def after(known: Continuity, event: ev.Event, *, same_conversation: bool = True) -> Continuity:
    """Return what is known after `event`."""
    breaker = storms.after(known.breaker, event, same_conversation=same_conversation)
    opens = breaker.is_open and not known.breaker.is_open
    if breaker is not known.breaker:
        known = replace(known, breaker=breaker)
    match event:
        case ev.AgentStarted():
            return replace(known, hooks=Hooks(installed=known.hooks.installed), recital=None)
        case ev.ConversationIdentified() if not same_conversation:
            return replace(known, recital=None)
        case ev.HookHeard():
            return replace(known, hooks=replace(known.hooks, heard=event.time))
        case ev.Compacted():
            entry = Happened(event.time, "compaction", event.trigger, before=event.before, after=event.after)
            known = replace(known, recital=None, happened=_with(known, entry))
            opened = Happened(event.time, "breaker", "open")
            return replace(known, happened=_with(known, opened)) if opens else known
        case ev.InjectionChanged():
            return replace(known, happened=_with_injection(known, event))
        case ev.RecitalJudged():
            recital = Recital(event.id, event.verdict, event.said, event.by, event.missing, event.time)
            entry = Happened(event.time, "verdict", event.verdict, by=event.by)
            return replace(known, recital=recital, happened=_with(known, entry))
        case ev.EngramTaken():
            return replace(known, happened=_with(known, Happened(event.time, "engram", event.outcome)))
        case ev.BreakerReset():
            entry = Happened(event.time, "breaker", "reset")
            # It is told once more with every return to the conversation.
            return known if entry in known.happened else replace(known, happened=_with(known, entry))
        case _:
            return known


def _with_injection(known: Continuity, event: ev.InjectionChanged) -> tuple[Happened, ...]:
    """Return what has happened with a state of an injection: it may wait again and again, for changing reasons."""
    entry = Happened(
        event.time, "injection", event.state, id=event.id, occasion=event.occasion, reason=event.reason,
        channel=event.channel,
    )  # fmt: skip
    if event.state in ("queued", "held", "writing", "submitted"):
        same = ("injection", event.state, event.id)
        others = (each for each in known.happened if (each.kind, each.what, each.id) != same)
        known = replace(known, happened=tuple(others))
    return _with(known, entry)


def _with(known: Continuity, entry: Happened) -> tuple[Happened, ...]:
    return (*known.happened, entry)[-HAPPENED_MOST:]
