"""Which agents are known, by name."""

from __future__ import annotations

from agentsup.agents.adapter import Adapter, NoLog
from agentsup.agents.claude import Claude
from agentsup.agents.codex import Codex
from agentsup.agents.demo import Demo
from agentsup.agents.generic import Generic, ScreenOnly

KNOWN: tuple[type[Adapter], ...] = (Codex, Claude, Demo)

SCREEN_ONLY = ("gemini", "opencode", "aider", "qwen", "copilot")
"""Agents of which only the screen is read: figures are taken from it, and nothing is ever typed."""


def adapter_for(name: str, *, supervised: bool = True) -> Adapter:
    """Return the adapter of a known agent; one that only shows the program where there is none, or none is wanted."""
    for known in KNOWN:
        if known.name == name and supervised:
            return known()
    return ScreenOnly(name) if supervised and name in SCREEN_ONLY else Generic(name)


def is_known(adapter: Adapter) -> bool:
    """Say whether this is one of the agents we know, and not a program that merely has its name."""
    return isinstance(adapter, (*KNOWN, ScreenOnly))


def has_log(adapter: Adapter) -> bool:
    """Say whether the agent writes a log that is read."""
    return not isinstance(adapter.decoder(), NoLog)


def names() -> tuple[str, ...]:
    """Return the names of the known agents."""
    return (*names_with_log(), *SCREEN_ONLY)


def names_with_log() -> tuple[str, ...]:
    """Return the names of the agents whose log is read."""
    return tuple(known.name for known in KNOWN)
