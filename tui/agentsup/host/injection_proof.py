"""What is known at this instant about the agent's screen, its state and the person's hands: the injector's proof."""

from __future__ import annotations

from collections.abc import Callable

from agentsup.agents.adapter import Adapter
from agentsup.core import injector as inj
from agentsup.core.session import Session
from agentsup.host import clock
from agentsup.host.pty_screen import PtyScreen

STATUS_FILE_FLASH = 0.3
"""Seconds an agent's file must say idle: Claude Code's does for 30 ms between two queued turns."""


class Prover:
    """Remembers the little that no look at the screen can tell, and looks at the rest when it is asked."""

    def __init__(
        self,
        adapter: Adapter,
        screen: PtyScreen,
        *,
        session: Callable[[], Session],
        may_type: Callable[[], bool],
        is_settled: Callable[[], bool],
        is_caught_up: Callable[[], bool],
        is_composed: Callable[[], bool],
    ) -> None:
        self._adapter, self._screen, self._session = adapter, screen, session
        self._may_type, self._is_settled, self._is_composed = may_type, is_settled, is_composed
        self._is_caught_up = is_caught_up
        self._last_key = 0.0
        self._outputs_at_key = -1
        self._idle_since = 0.0

    def key(self) -> None:
        """A person has typed or pasted something."""
        self._last_key = clock.now()
        self._outputs_at_key = self._screen.outputs
        self._screen.key()

    def idle(self, since: float) -> None:
        """The agent has said something of itself; where it is idle, it is so since then, by the system's clock."""
        self._idle_since = clock.at(since)

    def proof(self, *, busy: bool, written: bool) -> inj.Proof:
        """Look now. `busy`: a person's paste is open; `written`: all that we typed is in the pty."""
        screen = self._screen.settle()
        session = self._session()
        echoed = self._screen.outputs > self._outputs_at_key
        alive = session.phase != "exited" and self._screen.foreground() == session.agent.pid
        return inj.Proof(
            now=clock.now(),
            alive=alive and self._may_type(),
            idle=session.phase == "idle" and not session.turn and self._is_settled_idle(session),
            blocked=session.phase == "waiting-for-approval",
            composer=self._adapter.composer(screen),
            bracketed_paste=screen.modes.bracketed_paste,
            raw=self._screen.is_raw(),
            last_key=self._last_key,
            echoed=echoed,
            read=self._screen.is_all_read(),
            busy=busy,
            settled=self._is_settled(),
            caught_up=self._is_caught_up(),
            composed=self._is_composed(),
            written=written,
            breaker=session.loop.breaker.is_open,
            outputs=self._screen.outputs,
        )

    def _is_settled_idle(self, session: Session) -> bool:
        """Say whether the agent has said that it is idle, for long enough where it says so between two turns too."""
        if session.reported not in ("idle", "done"):
            return False
        return session.reported_by == "report" or clock.now() - self._idle_since >= STATUS_FILE_FLASH
