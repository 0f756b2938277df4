"""Which agents are known, by name."""

from __future__ import annotations

from agentsup.agents.adapter import Adapter
from agentsup.agents.codex import Codex
from agentsup.agents.generic import Generic

KNOWN: tuple[type[Codex], ...] = (Codex,)


def adapter_for(name: str) -> Adapter:
    """Return the adapter of a known agent, else one that only shows the program."""
    for known in KNOWN:
        if known.name == name:
            return known()
    return Generic(name)


def names() -> tuple[str, ...]:
    """Return the names of the known agents."""
    return tuple(known.name for known in KNOWN)
