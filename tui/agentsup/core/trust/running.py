"""What is asked for and what comes back where approved units are run by another process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class UnitsWanted:
    """Whose units are to be run; `witnessed` as `store.trust_record.approvals` takes it."""

    root: str
    witnessed: tuple[str, ...] | None = None
    seconds: int = 5


@dataclass(frozen=True)
class UnitsRun:
    """How many units were run, and what of the work tree changed meanwhile."""

    ran: int = 0
    changed: tuple[str, ...] = ()
    """Paths relative to the root, sorted, fit to be shown."""
    outputs_sha: str = ""
    """SHA-256 of what was kept of their outputs; empty where nothing was."""
