"""The loop around compactions: what follows from what happens, and from what a person asks for.

It only connects: each part is told of every event after it was folded into the session, and decides by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from agentsup.core import events as ev
from agentsup.protocol import messages as m

if TYPE_CHECKING:
    from agentsup.host.supervisor import Supervisor


class Follower(Protocol):
    """A part of the loop."""

    def happened(self, event: ev.Event) -> None:
        """The session has this event in it now."""


HookCalled = Callable[[m.HookCalled, Callable[[bytes], None], Callable[[], bool]], None]
"""Takes a hook's call, what answers it, and what says whether the hook still waits."""


class MemoryLoop:
    """The parts of one session's loop."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self.followers: list[Follower] = []
        self._faulty: set[str] = set()
        self.inject: Callable[[m.InjectRequest], m.Outcome] = _nothing
        self.engram_saved: Callable[[m.EngramSaved], m.Outcome] = _nothing
        self.recital_answered: Callable[[m.RecitalAnswered], m.Outcome] = _nothing
        self.caught_up: Callable[[], None] = lambda: None
        """To be called when the log was read as far as it goes."""
        self.hook_called: HookCalled = lambda _message, answer, _is_there: answer(b"")

    def happened(self, event: ev.Event) -> None:
        """Tell every part; a fault of one is no fault of another's."""
        for follower in self.followers:
            try:
                follower.happened(event)
            except Exception as error:  # noqa: BLE001  the border around a part: the agent and the others go on
                self._failed(follower, error)

    def _failed(self, follower: Follower, error: Exception) -> None:
        """Tell the person, once a part: it may fail at every event."""
        part = type(follower).__name__
        if part not in self._faulty:
            self._faulty.add(part)
            self._supervisor.happened(part_failed(part, error))

    def breaker_closed(self) -> m.Outcome:
        """Go on with restores."""
        self._supervisor.happened(ev.BreakerReset(time.time()))
        return m.Outcome(True)


def part_failed(part: str, error: Exception) -> ev.NoticeRaised:
    """Return the notice of a fault of our own."""
    values = (("part", part), ("reason", f"{type(error).__name__}: {error}"[:80]))
    return ev.NoticeRaised(time.time(), "loop.part-failed", values)


def _nothing(_: object) -> m.Outcome:
    return m.Outcome(False, "injection.nothing-to-choose")
