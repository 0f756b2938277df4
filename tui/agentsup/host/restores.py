"""Restore texts, composed ahead by a process of its own, so that one is at hand the moment the agent compacts."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence

import msgspec

from agentsup.core.memory.model import Memory, Work
from agentsup.core.restore.composition import RestoreText, compose
from agentsup.core.restore.frame import LEAST, Budget, Frame, Occasion
from agentsup.core.restore.preparation import Prepared, Said, Wanted
from agentsup.host.reaper import Reaper
from agentsup.tokens import guess

COMMAND: tuple[str, ...] = (sys.executable, "-P", "-m", "agentsup.restoring")
# -P: as in cli/launch.py, nothing in the current folder may be taken for a module of ours.

DEADLINE = 20.0
"""Seconds after which a process that has not answered is ended."""

PATIENCE = 8.0
"""Seconds for which a restore waits for the text of what was written last."""

PAUSE = 0.2
"""Seconds in which what changes is taken together."""


class Restores:
    """The newest restore texts of a project. One process at a time; what is asked meanwhile is asked once after it."""

    def __init__(
        self,
        root: str,
        language: str,
        frame: Frame,
        budget: Budget,
        *,
        on_ready: Callable[[tuple[Said, ...]], None],
        on_failed: Callable[[], None],
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._root, self._language, self._frame, self._budget = root, language, frame, budget
        self._on_ready, self._on_failed, self._command = on_ready, on_failed, command
        self._loop = asyncio.get_running_loop()
        self._prepared: Prepared | None = None
        self._wanted: Wanted | None = None
        self._told: tuple[int | None, Work] | None = None
        self._asked: float | None = None
        """Since when something is asked for that has not been answered."""
        self._process: subprocess.Popen[bytes] | None = None
        self._answer = b""
        self._reaper = Reaper(self._loop)
        self.unreaped = self._reaper.unreaped
        self._timer: asyncio.TimerHandle | None = None

    def ask(self, window: int | None, work: Work, *, files: bool = True) -> None:
        """Have the texts composed anew, soon.

        `files`: whether something on disk may have changed; where nothing has, equal work needs no new text.
        """
        if not files and (window, work) == self._told:
            return
        self._told = (window, work)
        self._wanted = Wanted(self._root, self._language, self._budget, window, work)
        self._asked = self._asked or self._loop.time()
        if self._process is None and self._timer is None:
            self._timer = self._loop.call_later(PAUSE, self._start)

    def of(self, occasion: Occasion, memory: Memory, window: int | None, work: Work) -> RestoreText:
        """Return the newest text of an occasion; where there is none yet, one of what the host itself has read."""
        found = self._prepared.of(occasion) if self._prepared is not None else None
        if found and found.limit <= self._budget.limit(window):
            return found
        # Guessed by the bytes: 14 % too high on a mix of prose, code and Chinese, so rather too short than too long.
        return compose(
            memory, self._budget, window, frame=self._frame, count=guess, occasion=occasion, work=work,
        )  # fmt: skip

    def short(self, occasion: Occasion, memory: Memory, work: Work) -> RestoreText:
        """Return as short a text as there is, of what the host itself has read."""
        return compose(memory, Budget(LEAST), None, frame=self._frame, count=guess, occasion=occasion, work=work)

    @property
    def settled(self) -> bool:
        """Say whether the newest text is of what is on disk, or that is not to be waited for."""
        return self._asked is None or self._loop.time() - self._asked > PATIENCE

    def close(self) -> None:
        """End what is under way."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdout is not None
        self._loop.remove_reader(process.stdout.fileno())
        process.stdout.close()
        with contextlib.suppress(OSError):
            process.kill()
        self._reaper.take(process)

    def _start(self) -> None:
        self._timer = None
        wanted, self._wanted = self._wanted, None
        if wanted is None:
            return
        try:
            with tempfile.TemporaryFile() as request:
                request.write(msgspec.msgpack.encode(wanted))
                request.seek(0)
                process = subprocess.Popen(
                    self._command, stdin=request, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
                )  # fmt: skip
        except (OSError, ValueError):  # ValueError: a folder's name that is no UTF-8
            self._failed()
            return
        assert process.stdout is not None
        self._process, self._answer = process, b""
        self._loop.add_reader(process.stdout.fileno(), self._readable)
        self._timer = self._loop.call_later(DEADLINE, self._late)

    def _readable(self) -> None:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        data = process.stdout.read(1 << 16)
        if data:
            self._answer += data
            return
        try:
            prepared = msgspec.msgpack.decode(self._answer, type=Prepared)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self._failed()
            return
        self._over()
        self._prepared = prepared
        self._on_ready(prepared.notices)

    def _late(self) -> None:
        self._timer = None
        self._failed()

    def _failed(self) -> None:
        """There is no answer: what was composed earlier is older than what the host itself has read."""
        self._prepared, self._told = None, None
        self._over()
        self._on_failed()

    def _over(self) -> None:
        """The process has answered, or never will: go on with what was asked meanwhile."""
        self.close()
        if self._wanted is None:
            self._asked = None
        else:
            self._timer = self._loop.call_later(PAUSE, self._start)
