"""What is known of the loop around compactions: hooks, the recital, the breaker, and what has happened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from agentsup.core import events as ev

HAPPENED_MOST = 100
"""Entries of what has happened that are kept: the newest."""


@dataclass(frozen=True)
class Hooks:
    """Hooks of ours in the running agent: heard of at `heard` last (Unix seconds), 0 never in this process."""

    heard: float = 0.0
    first: float = 0.0


@dataclass(frozen=True)
class Recital:
    """What the agent has read back after a restore, and how it was."""

    id: str
    verdict: ev.Verdict
    said: str
    by: Literal["comparison", "person"] = "comparison"
    missing: tuple[str, ...] = ()
    time: float = 0.0


@dataclass(frozen=True)
class Happened:
    """One entry of the log view."""

    time: float
    kind: Literal["compaction", "injection", "verdict", "engram", "breaker"]
    what: str
    """Of a compaction its trigger, of an injection its state, of a verdict the verdict, of an engram the outcome."""
    detail: str = ""
    """Of an injection its occasion and reason, each on a line; else empty."""
    before: int | None = None
    after: int | None = None


@dataclass(frozen=True)
class Breaker:
    """Counts compactions that follow each other with too little new work between them."""

    in_a_row: int = 0
    baseline: int | None = None
    """Tokens in use right after the last compaction or restore; None as long as nobody knows."""
    burnt: int = 0
    """Tokens that these compactions have used up."""
    reset: float = 0.0
    """When a person let it go on: compactions before do not count."""


@dataclass(frozen=True)
class Continuity:
    """The loop's part of a session."""

    hooks: Hooks = Hooks()
    recital: Recital | None = None
    breaker: Breaker = Breaker()
    happened: tuple[Happened, ...] = ()


def after(known: Continuity, event: ev.Event, *, same_conversation: bool = True) -> Continuity:
    """Return what is known after `event`."""
    match event:
        case ev.AgentStarted():
            return replace(known, hooks=Hooks(), recital=None, breaker=Breaker(reset=known.breaker.reset))
        case ev.ConversationIdentified() if not same_conversation:
            return replace(known, recital=None, breaker=Breaker(reset=known.breaker.reset))
        case ev.HookHeard():
            return replace(known, hooks=Hooks(event.time, known.hooks.first or event.time))
        case ev.Compacted():
            entry = Happened(event.time, "compaction", event.trigger, "", event.before, event.after)
            return replace(known, recital=None, happened=_with(known, entry))
        case ev.InjectionChanged():
            detail = f"{event.occasion}\n{event.reason}"
            return replace(known, happened=_with(known, Happened(event.time, "injection", event.state, detail)))
        case ev.RecitalJudged():
            recital = Recital(event.id, event.verdict, event.said, event.by, event.missing, event.time)
            entry = Happened(event.time, "verdict", event.verdict, event.by)
            return replace(known, recital=recital, happened=_with(known, entry))
        case ev.EngramTaken():
            return replace(known, happened=_with(known, Happened(event.time, "engram", event.outcome)))
        case ev.BreakerReset():
            entry = Happened(event.time, "breaker", "reset")
            return replace(known, breaker=Breaker(reset=event.time), happened=_with(known, entry))
        case _:
            return known


def _with(known: Continuity, entry: Happened) -> tuple[Happened, ...]:
    return (*known.happened, entry)[-HAPPENED_MOST:]
