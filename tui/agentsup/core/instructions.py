"""What an agent is told when agentsup starts it: how it keeps what must outlive its context.

The words are a template, which a project may replace; here they are only filled in and made fit for a command
line.
"""

from __future__ import annotations

from dataclasses import dataclass

from agentsup.core.catalogue import filled
from agentsup.core.text import sanitise
from agentsup.core.trust.names import is_plain


@dataclass(frozen=True)
class Examples:
    """Two engrams: they teach better than rules. A shipped pair, or the last one that the person corrected."""

    good: str
    bad: str


@dataclass(frozen=True)
class Places:
    """Where in the project the agent finds what it is told of."""

    state: str = ".agent/STATE.md"
    decisions: str = ".agent/DECISIONS.md"
    version: str = ".agent/state/context-version"
    """Counts the compactions; for an agent that does not notice them."""


def compose_instructions(template: str, examples: Examples, places: Places | None = None) -> str:
    """Return the instructions: {good}, {bad}, {state}, {decisions} and {version} filled in.

    Without control characters, and empty for a template without words.
    """
    places, usual = places or Places(), Places()
    return sanitise(
        filled(
            template.removeprefix("\ufeff"),
            good=examples.good.strip(),
            bad=examples.bad.strip(),
            state=_path(places.state, usual.state),
            decisions=_path(places.decisions, usual.decisions),
            version=_path(places.version, usual.version),
        )
    ).strip()


def _path(path: str, usual: str) -> str:
    """Return a path that is a word; in place of another the usual one: names of folders may be whole sentences."""
    return path if is_plain(path) else usual
