"""What the agent says of itself in-band: OSC 7501 state reports, each perhaps a little late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from agentsup.demo.agenda import Agenda

State = Literal["idle", "working", "blocked", "done", "clear"]


class Reports:
    """Writes state reports in the order in which they were made."""

    def __init__(self, emit: Callable[[str], None], agenda: Agenda, delay: float) -> None:
        self._emit, self._agenda, self._delay = emit, agenda, delay
        self._last: State = "clear"
        self._latest_due = 0.0

    def say(self, state: State, kind: str = "", *, after: float = 0.0) -> None:
        """Report a state, `after` seconds later than others would be."""
        if state == self._last:
            return
        self._last = state
        report = f"\x1b]7501;state={state}:app=demo{f':kind={kind}' if kind else ''}\x1b\\"
        late = self._delay + after
        due = max(self._agenda.now + late, self._latest_due)
        if due <= self._agenda.now:
            self._emit(report)
            return
        self._latest_due = due
        self._agenda.at(due, lambda: self._emit(report))

    def key(self) -> None:
        """A key was pressed: after it, a turn that is done is just idleness."""
        if self._last == "done":
            self.say("idle")

    def goodbye(self) -> str:
        """Return the report for the end."""
        return "\x1b]7501;state=clear\x1b\\"
