"""Which agents are known, by name."""

from __future__ import annotations

from agentsup.agents.adapter import Adapter
from agentsup.agents.claude import Claude
from agentsup.agents.codex import Codex
from agentsup.agents.generic import Generic

KNOWN: tuple[type[Adapter], ...] = (Codex, Claude)


def adapter_for(name: str, *, supervised: bool = True) -> Adapter:
    """Return the adapter of a known agent; one that only shows the program where there is none, or none is wanted."""
    for known in KNOWN:
        if known.name == name and supervised:
            return known()
    return Generic(name)


def is_known(adapter: Adapter) -> bool:
    """Say whether this is one of the agents we know, and not a program that merely has its name."""
    return isinstance(adapter, KNOWN)


def names() -> tuple[str, ...]:
    """Return the names of the known agents."""
    return tuple(known.name for known in KNOWN)
