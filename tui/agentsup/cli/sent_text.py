"""Follow a text that was queued in a session until it has arrived, or never will."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from agentsup.cli import sessions
from agentsup.core.problems import UsageProblem
from agentsup.core.session import Injection, Session
from agentsup.protocol import messages as m

POLL = 0.1
"""Seconds between two looks."""

HOST_PATIENCE = 8.0
"""Seconds for which the host may be gone, or not know the text: a new one first looks for it in the agent's log."""

State = Literal["unknown", "queued", "held", "writing", "submitted", "confirmed", "failed", "dropped"]
FINAL = ("confirmed", "failed", "dropped")


@dataclass(frozen=True)
class Standing:
    """How it stands with a text; `behind`: it is another one that is held for this reason."""

    state: State
    reason: str = ""
    behind: bool = False

    @property
    def is_final(self) -> bool:
        """Say whether nothing more will happen by itself."""
        return self.state in FINAL


class SentText:
    """One text in a session's queue."""

    def __init__(self, found: sessions.Found, id: str) -> None:
        self._found, self.id = found, id

    def follow(self, seconds: float, told: Callable[[Standing], None]) -> Standing:
        """Wait for the end, or so many seconds; `told` hears of every change. Return how it stands then."""
        end = time.monotonic() + seconds
        last, known = Standing("queued"), time.monotonic()
        while True:
            standing = self._look()
            now = time.monotonic()
            if standing is not None:
                known = now
                if standing != last:
                    last = standing
                    told(standing)
                if standing.is_final:
                    return standing
            elif now - known > HOST_PATIENCE:
                # What was typed may have arrived all the same.
                return last if last.state in ("writing", "submitted") else Standing("unknown")
            if now >= end:
                return last
            time.sleep(min(POLL, max(0.0, end - now)))

    def take_back(self) -> Standing:
        """Drop it where it was not typed yet; return how it stands."""
        try:
            sessions.ask(self._found, m.InjectionChoice(self.id, "drop"))
        except UsageProblem:
            return Standing("unknown")
        return self._look() or Standing("unknown")

    def _look(self) -> Standing | None:
        """Return how it stands now; None where the host does not answer, or knows nothing of it."""
        try:
            answer = sessions.ask(self._found, m.StatusRequest())
        except UsageProblem:
            return None
        return standing_of(answer.session, self.id) if isinstance(answer, m.SessionChanged) else None


def standing_of(session: Session, id: str) -> Standing | None:
    """Return how it stands with a text of this id; None where the session knows nothing of it."""
    newest = session.injection
    for known in (*session.unfinished, *((newest,) if newest is not None else ())):
        if known.id == id:
            return Standing(known.state, known.reason) if known.state != "queued" else _queued(session, known)
    for entry in reversed(session.loop.happened):
        if entry.kind == "injection" and entry.id == id:
            return Standing(_state(entry.what), entry.reason)
    if newest is None or newest.state in ("confirmed", "dropped"):
        return None
    return Standing("queued", newest.reason, behind=True)


def _queued(session: Session, mine: Injection) -> Standing:
    """Return how one that is queued stands: behind another one, where that is held."""
    others = (each for each in session.unfinished if each.id != mine.id and each.channel == "stdin")
    first = next((each for each in others if each.state == "held"), None)
    return Standing("queued", mine.reason) if first is None else Standing("queued", first.reason, behind=True)


def _state(word: str) -> State:
    states: tuple[State, ...] = ("queued", "held", "writing", "submitted", "confirmed", "failed", "dropped")
    return next((state for state in states if state == word), "unknown")
