"""The agent's life as the host sees it: started, taken over after a crash, ended, restarted, stopped."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import time
from collections.abc import Callable
from typing import Any

from agentsup.agents.adapter import Adapter, Place
from agentsup.core import events as ev
from agentsup.core.injector import PASTE_END
from agentsup.host.conversations import Conversations
from agentsup.host.keeper_side import KeeperSide
from agentsup.host.pty_screen import PtyScreen
from agentsup.host.ring import Ring
from agentsup.host.supervisor import Supervisor
from agentsup.host.writer import Writer
from agentsup.protocol import keeper_link
from agentsup.terminal.engine import StatusReported

KEEPERLESS_GRACE = 2.0
"""Seconds an agent is given to end by itself where the keeper has died."""

QUIT_PATIENCE = 1.5
"""Seconds given to the agent after each of its own quit keys."""


class AgentLife:
    """Connects pty, log and supervisor to the agent that the keeper has started."""

    def __init__(
        self,
        spec: dict[str, Any],
        adapter: Adapter,
        place: Place,
        keeper: KeeperSide,
        *,
        screen: PtyScreen,
        ring: Ring,
        writer: Writer,
        supervisor: Supervisor,
        conversations: Conversations,
        on_ended: Callable[[], None],
        on_over: Callable[[], None],
    ) -> None:
        self._spec, self._adapter, self._place, self._keeper = spec, adapter, place, keeper
        self._screen, self._ring, self._writer = screen, ring, writer
        self._supervisor, self._conversations = supervisor, conversations
        self._on_ended, self._on_over = on_ended, on_over
        self._loop = asyncio.get_running_loop()
        self._exited = asyncio.Event()
        self._restart: asyncio.Task[None] | None = None
        self.wanted_size: tuple[int, int] | None = None
        """The size of the interface that was used last; None before there was one."""

    def started(self, message: keeper_link.Message, master: int) -> None:
        """The keeper handed over the pty of a running agent."""
        self._screen.detach()
        restored = bool(message["restored"])
        report = None
        if restored:
            report = self._screen.replay()
        else:
            self._screen.reset()
        self._writer.attach(master)
        columns, rows = self.wanted_size or (message["columns"], message["rows"])
        self._screen.attach(master, columns, rows)
        self._exited.clear()
        self._supervisor.restarting = False
        self._supervisor.happened(ev.AgentStarted(message["started"], message["pid"], self._adapter.reports))
        if restored:
            self._take_over(report)
        self._adapter.began(self._place)
        self._conversations.follow(message["pid"])
        self._keeper.send({"kind": "ready"})

    def _take_over(self, report: StatusReported | None) -> None:
        """Go on where a host that crashed has stopped."""
        if self._ring.paste_open:
            self._writer.write("reply", PASTE_END)
            self._ring.set_paste(False)
        if self._ring.kept:
            lost = (("count", str(self._ring.kept)),)
            self._supervisor.happened(ev.NoticeRaised(time.time(), "keys.lost", lost))
            self._ring.set_kept(0)
        if report is not None and (state := self._adapter.state(report.fields, time.time())):
            self._supervisor.happened(state)
        self._supervisor.injections.key()  # nobody knows what was typed last: wait for what the agent draws
        self._screen.redraw()

    def exited(self, message: keeper_link.Message) -> None:
        """The agent's process has ended."""
        self._screen.flush()
        self._writer.detach()
        self._exited.set()
        self._conversations.close()
        self._supervisor.happened(ev.AgentExited(time.time(), message["code"], message["signal"]))
        self._on_ended()

    def not_restarted(self, message: keeper_link.Message) -> None:
        """The keeper could not start the agent afresh."""
        self._supervisor.restarting = False
        reason = (("reason", str(message["reason"])),)
        self._supervisor.happened(ev.NoticeRaised(time.time(), "restart.failed", reason))

    def closed(self) -> None:
        """The pty has closed: its descriptor's number may soon be somebody else's."""
        self._writer.detach()
        if self._keeper.lost:
            self.keeper_lost()

    def keeper_lost(self) -> None:
        """Nobody else is left to say that the agent has ended: a closed pty says it."""
        if self._screen.is_closed and self._supervisor.session.phase != "exited":
            self.exited({"code": None, "signal": None})

    def restart(self) -> str:
        """Begin a cold restart; return why it can't be, as a catalogue key, or nothing."""
        if self._keeper.lost:
            return "keeper.lost"
        if self._restart is not None and not self._restart.done():
            return "restart.running"
        self._restart = self._loop.create_task(self._cold_restart())
        return ""

    async def _cold_restart(self) -> None:
        """The agent's own way out first, then the keeper's signals, then a fresh agent with its memory."""
        self._supervisor.restarting = True
        self._supervisor.prepare()  # git is asked once more: what it says goes before what was written
        for keys in self._adapter.quit_keys():
            if self._exited.is_set():
                break
            self._writer.write("human", keys)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._exited.wait(), QUIT_PATIENCE)
        fresh = self._adapter.fresh_launch(self._place, await self._supervisor.injections.cold_start_prompt())
        columns, rows = self._screen.size
        self._keeper.send({"kind": "restart", "argv": fresh, "columns": columns, "rows": rows})

    def stop(self) -> None:
        """End the agent's whole tree, and the session."""
        if not self._keeper.lost:
            self._keeper.send({"kind": "stop"})
            return
        # Nobody else is left to do it: the agent's own process group, then this host.
        group = self._supervisor.session.agent.pid
        for number, wait in ((signal.SIGTERM, 0.0), (signal.SIGHUP, 0.0), (signal.SIGKILL, KEEPERLESS_GRACE)):
            self._loop.call_later(wait, _signal_group, group, number)
        self._loop.call_later(KEEPERLESS_GRACE + 0.1, self._end_alone)

    def _end_alone(self) -> None:
        shutil.rmtree(self._spec["folder"], ignore_errors=True)
        self._on_over()


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)
