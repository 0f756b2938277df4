"""Have the project's executables run: at turn ends, by a process of its own, and never twice at once."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence

import msgspec

from agentsup.core.trust.running import UnitsRun, UnitsWanted
from agentsup.host.asked_process import AskedProcess

COMMAND: tuple[str, ...] = (sys.executable, "-P", "-m", "agentsup.restoring.units")

DEADLINE = 75.0
"""Seconds after which the process is ended: it has its own, shorter limits."""


class UnitRunner:
    """Asks for one run after the other; what is asked during one is asked once after it."""

    def __init__(
        self,
        root: str,
        seconds: int,
        *,
        witnessed: Callable[[], tuple[str, ...] | None],
        on_run: Callable[[UnitsRun], None],
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._root, self._seconds = root, seconds
        self._witnessed, self._on_run = witnessed, on_run
        self._process = AskedProcess(command, deadline=DEADLINE, on_answer=self._answered, on_none=self._failed)
        self.unreaped = self._process.unreaped
        self._loop = asyncio.get_running_loop()
        self._again = False
        self.outputs_sha = ""
        """Of what the last run has kept: nothing else is taken for outputs of units. Empty before the first run."""

    def ask(self) -> None:
        """Have the units run; soon, or once more after the run that is under way."""
        if self._process.running:
            self._again = True
            return
        self._again = False
        wanted = UnitsWanted(self._root, self._witnessed(), self._seconds)
        try:
            request = msgspec.msgpack.encode(wanted)
        except ValueError:  # a folder's name that is no UTF-8
            return
        self._process.start(request)

    def close(self) -> None:
        """End what is under way."""
        self._process.close()

    def _answered(self, answer: bytes) -> None:
        try:
            run = msgspec.msgpack.decode(answer, type=UnitsRun)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            run = UnitsRun()
        self._over(run)

    def _failed(self) -> None:
        self._over(UnitsRun())

    def _over(self, run: UnitsRun) -> None:
        if self._again:
            self._loop.call_soon(self.ask)
        if run.ran:
            self.outputs_sha = run.outputs_sha
        self._on_run(run)
