"""Restore texts, composed ahead by a process of its own, so that one is at hand the moment the agent compacts."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec

from agentsup.core.memory.model import Memory, Work
from agentsup.core.restore.composition import RestoreText, compose
from agentsup.core.restore.frame import LEAST, Budget, Frame, RestoreForm
from agentsup.core.restore.preparation import Prepared, Wanted
from agentsup.core.trust.model import Origin, Trust
from agentsup.host.asked_process import AskedProcess
from agentsup.tokens import guess

COMMAND: tuple[str, ...] = (sys.executable, "-P", "-m", "agentsup.restoring")
# -P: as in cli/launch.py, nothing in the current folder may be taken for a module of ours.

DEADLINE = 20.0
"""Seconds after which a process that has not answered is ended."""

PATIENCE = 8.0
"""Seconds for which a restore waits for the text of what was written last."""

LONGEST_PATIENCE = 20.0
"""The same where something is written all the time."""

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
        on_ready: Callable[[Prepared], None],
        on_failed: Callable[[], None],
        witnessed: Callable[[], tuple[str, ...] | None] = lambda: None,
        outputs: Callable[[], str | None] = lambda: None,
        cloned: bool = False,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._root, self._language, self._frame, self._budget = root, language, frame, budget
        self._on_ready, self._on_failed = on_ready, on_failed
        self._witnessed, self._outputs = witnessed, outputs
        self._cloned = cloned
        """Whether the memory may be of others, as long as nobody has found out."""
        self._loop = asyncio.get_running_loop()
        self._fresh: float | None = self._loop.time()
        """Since when nothing was asked for: a host that has just begun has not read memory yet."""
        self._prepared: Prepared | None = None
        self._trust: Trust | None = None
        self._wanted: Wanted | None = None
        self._told: tuple[int | None, Work] | None = None
        self._asked: float | None = None
        """Since when something awaited has not been answered."""
        self._unsettled: float | None = None
        """Since when there has always been such a thing."""
        self._more: float | None = None
        """Since when something awaited is asked for that the process which runs can't know of."""
        self._process = AskedProcess(command, deadline=DEADLINE, on_answer=self._answered, on_none=self._failed)
        self.unreaped = self._process.unreaped
        self._timer: asyncio.TimerHandle | None = None
        self.awaited_since: Callable[[], float | None] = lambda: None
        """Since when, by the loop's clock, memory is about to be written, if it is: the newest text is of before."""

    def ask(self, window: int | None, work: Work, *, files: bool = True, awaited: bool = True) -> None:
        """Have the texts composed anew, soon.

        `files`: whether something on disk may have changed; where nothing has, equal work needs no new text.
        `awaited`: whether a restore is to wait for the new text, because something of weight has changed.
        """
        self._fresh = None
        if not files and (window, work) == self._told:
            return
        self._told = (window, work)
        self._wanted = Wanted(self._root, self._language, self._budget, window, work)
        if awaited:
            self._more = self._more or self._loop.time()
            self._asked = self._asked or self._more
            self._unsettled = self._unsettled or self._asked
        if not self._process.running and self._timer is None:
            self._timer = self._loop.call_later(PAUSE, self._start)

    def is_narrower(self, window: int | None, than: int | None) -> bool:
        """Say whether a text that was composed for another window may be too long for this one."""
        return self._budget.limit(window) < self._budget.limit(than)

    def of(self, occasion: RestoreForm, memory: Memory, window: int | None, work: Work) -> RestoreText:
        """Return the newest text of an occasion; where there is none yet, one of what the host itself has read."""
        found = self._prepared.of(occasion) if self._prepared is not None else None
        # An empty one says that there is nothing, as long as nothing has changed since.
        if found is not None and (found or self._asked is None) and found.limit <= self._budget.limit(window):
            return found
        # Guessed by the bytes: 14 % too high on a mix of prose, code and Chinese, so rather too short than too long.
        return compose(
            self._trusted(memory), self._budget, window, frame=self._frame, count=guess, occasion=occasion, work=work,
        )  # fmt: skip

    def short(self, occasion: RestoreForm, memory: Memory, work: Work) -> RestoreText:
        """Return as short a text as there is, of what the host itself has read."""
        known = self._trusted(memory)
        return compose(known, Budget(LEAST), None, frame=self._frame, count=guess, occasion=occasion, work=work)

    @property
    def settled(self) -> bool:
        """Say whether the newest text is of what is on disk, or that is not to be waited for."""
        now, awaited = self._loop.time(), self.awaited_since()
        if awaited is not None and now - awaited <= LONGEST_PATIENCE:
            return False
        if self._fresh is not None and now - self._fresh <= PATIENCE:
            return False
        if self._asked is None or self._unsettled is None:
            return True
        return now - self._asked > PATIENCE or now - self._unsettled > LONGEST_PATIENCE

    def close(self) -> None:
        """End what is under way."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._process.close()

    def _trusted(self, memory: Memory) -> Memory:
        """Return what the host has read with what is known of it; of a clone of which nothing is known all is data."""
        trust = self._trust or Trust()
        if self._trust is None and self._cloned:
            documents = (memory.engram, memory.state, memory.task)
            trust = Trust(foreign=tuple((document.path, Origin("", "")) for document in documents))
        # Of the guarded files the host reads the task alone: the others were not removed.
        contents = tuple(accepted for accepted in trust.contents if accepted.path == memory.task.path)
        return replace(memory, trust=replace(trust, contents=contents))

    def _start(self) -> None:
        self._timer = None
        wanted, self._wanted, self._more = self._wanted, None, None
        if wanted is None:
            return
        try:
            known = replace(wanted, witnessed=self._witnessed(), outputs_sha=self._outputs())
            request = msgspec.msgpack.encode(known)
        except ValueError:  # a folder's name that is no UTF-8
            self._failed()
            return
        self._process.start(request)

    def _answered(self, answer: bytes) -> None:
        try:
            prepared = msgspec.msgpack.decode(answer, type=Prepared)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self._failed()
            return
        self._prepared, self._trust = prepared, prepared.trust
        self._over()
        self._on_ready(prepared)

    def _failed(self) -> None:
        """There is no answer: what was composed earlier is older than what the host itself has read."""
        self._prepared, self._told = None, None
        self._over()
        self._on_failed()

    def _over(self) -> None:
        """The process has answered, or never will: go on with what was asked meanwhile."""
        self._asked = self._more
        if self._asked is None:
            self._unsettled = None
        if self._wanted is not None:
            self._timer = self._loop.call_later(PAUSE, self._start)
