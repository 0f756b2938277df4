"""Tell whether a state is older than the work: by what it says of itself, the newest commit, and the agent's calls."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime

from agentsup.core.memory.lines import lines
from agentsup.core.memory.model import Repository, Spot, Work
from agentsup.core.memory.state import TaskState

MOST_CALLS = 20
"""Tool calls without a state being written."""

GRACE = 600.0
"""Seconds by which a commit may be younger: the one that holds the state is made after it was written."""

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_UPDATE_LINE = re.compile(r"(?i)updat|modif|更新")


@dataclass(frozen=True)
class Stale:
    """Where a state says when it was written, and what is newer."""

    spot: Spot
    length: int
    values: tuple[tuple[str, str], ...]


def staleness(state: TaskState, text: str, repository: Repository, work: Work) -> Stale | None:
    """Return what shows that a state is old; None where nothing does. A label such as session-42 is no time."""
    commit = _older(state.updated_at, repository.head_time)
    if not commit and work.calls_since_state <= MOST_CALLS:
        return None
    spot = _spot(text, state.updated_at)
    values = (("updated", state.updated_at or "?"), ("commit", commit or "-"), ("calls", str(work.calls_since_state)))
    return Stale(spot, len(state.updated_at) if spot != Spot() else 0, values)


def _older(updated_at: str, head_time: float | None) -> str:
    """Return the newest commit's time, in words as exact as those it is compared with; empty where it is not newer."""
    if head_time is None:
        return ""
    try:
        head = datetime.fromtimestamp(head_time, UTC)
    except (ValueError, OverflowError, OSError):  # a commit's time may be any number
        return ""
    written = _time(updated_at)
    if isinstance(written, datetime):
        return head.isoformat(timespec="seconds") if head_time - written.timestamp() > GRACE else ""
    return head.date().isoformat() if written is not None and written < head.date() else ""


def _time(text: str) -> datetime | date | None:
    """Return a time with its zone, or a day; None for anything else. Without a zone a time is good for its day only."""
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        found = _DATE.match(text.strip())
        try:
            return date.fromisoformat(found[0]) if found else None
        except ValueError:
            return None
    return time if time.tzinfo is not None else time.date()


def _spot(text: str, updated_at: str) -> Spot:
    """Return where a text says when it was written."""
    places = [
        (Spot(line.number, line.text.index(updated_at) + 1), _UPDATE_LINE.search(line.text) is not None)
        for line in (lines(text) if updated_at else [])
        if updated_at in line.text
    ]
    told = [spot for spot, of_update in places if of_update] or [spot for spot, _ in places]
    return told[0] if told else Spot()
