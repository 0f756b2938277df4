"""Time: a clock that can be replaced, and what is due when.

Everything that happens later goes through one agenda, so that a script runs exactly as written: a delay
counts from when the step before it was due, not from when the program came round to it.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> float:
        """Return seconds that never go back."""

    def date(self) -> float:
        """Return Unix seconds."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Return the monotonic clock."""
        return time.monotonic()

    def date(self) -> float:
        """Return Unix seconds."""
        return time.time()


@dataclass(order=True)
class Entry:
    """One thing to do; `cancelled` when it shall not be done any more."""

    due: float
    number: int
    action: Callable[[], None] = field(compare=False)
    cancelled: bool = field(default=False, compare=False)


class Agenda:
    """What is due when; runs nothing by itself."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._entries: list[Entry] = []
        self._number = 0
        self._due: float | None = None

    @property
    def now(self) -> float:
        """The time it is: for an action of the agenda, the time at which it was due."""
        return self.clock.now() if self._due is None else self._due

    def after(self, seconds: float, action: Callable[[], None]) -> Entry:
        """Do something in so many seconds."""
        return self.at(self.now + max(0.0, seconds), action)

    def at(self, due: float, action: Callable[[], None]) -> Entry:
        """Do something at this time; equal times in the order in which they were asked for."""
        self._number += 1
        entry = Entry(due, self._number, action)
        heapq.heappush(self._entries, entry)
        return entry

    def next_due(self) -> float | None:
        """Return when the next thing is due."""
        while self._entries and self._entries[0].cancelled:
            heapq.heappop(self._entries)
        return self._entries[0].due if self._entries else None

    def run_next(self) -> bool:
        """Do the first thing that is due now; say whether there was one."""
        due = self.next_due()
        if due is None or due > self.clock.now():
            return False
        entry = heapq.heappop(self._entries)
        self._due = entry.due
        try:
            entry.action()
        finally:
            self._due = None
        return True
