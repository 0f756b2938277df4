"""The supervisor: folds what happens into the session, and does what follows from it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from agentsup.agents.adapter import Adapter, Conversation, Place
from agentsup.agents.registry import has_log
from agentsup.core import events as ev
from agentsup.core.policy import Policy
from agentsup.core.session import Session, apply, failed_compaction
from agentsup.host import clock
from agentsup.host.agent_log import AgentLog
from agentsup.host.injections import Injections
from agentsup.host.memory_loop import MemoryLoop
from agentsup.host.path_guard import PathGuard
from agentsup.host.pty_screen import PtyScreen
from agentsup.host.restores import Restores
from agentsup.host.writer import Writer
from agentsup.store.injection_record import InjectionRecord

LOG_LAG = 2.0
"""Seconds an idle agent's log is waited for; Claude Code writes up to 0.6 s late."""

ENGRAM_NOTICES = frozenset({"memory.made-engram", "memory.no-engram"})
"""What is said for as long as there is no engram."""


class Supervisor:
    """Watches over one agent."""

    def __init__(
        self,
        session: Session,
        adapter: Adapter,
        place: Place,
        restores: Restores,
        *,
        screen: PtyScreen,
        writer: Writer,
        record: InjectionRecord,
        memory_root: Path,
        policy: Policy,
        on_change: Callable[[], None],
        on_turn_end: Callable[[], None],
        is_settled: Callable[[], bool],
        is_caught_up: Callable[[], bool],
    ) -> None:
        """`is_caught_up`: whether what the log tells is news."""
        self.session = session
        self.restarting = False
        self._adapter, self._place, self._restores = adapter, place, restores
        self._on_change, self._on_turn_end, self._is_caught_up = on_change, on_turn_end, is_caught_up
        self._loop = asyncio.get_running_loop()
        self.injections = Injections(
            adapter, restores, screen=screen, writer=writer, record=record, session=lambda: self.session,
            memory_root=memory_root, policy=policy, fold=self._fold, tell=self._sent,
            may_type=lambda: not self.restarting, is_settled=is_settled,
            is_caught_up=is_caught_up,
        )  # fmt: skip
        self.loop = MemoryLoop(self)
        self.log = AgentLog(adapter, self.happened, path=lambda: self.session.log.path)
        self._guard = PathGuard(place.project, memory_root)
        self._conversation = ""
        self._started = 0.0
        self._worked = False
        """Whether the agent was given something to do, or has done something, since restore texts were asked for."""
        self._idle_timer: asyncio.TimerHandle | None = None

    def happened(self, event: ev.Event) -> None:
        """Fold an event, and do what follows from it."""
        failed = failed_compaction(self.session, event)
        if failed is not None:
            self.session = apply(self.session, failed)
            self.injections.happened(failed)
        window, request = self.session.context.window, self.session.work.last_request
        self._fold(event)
        if self.session.context.window not in (None, window):
            self._limit(self.session.context.window or 0, event.time)
            self.prepare(awaited=self._restores.is_narrower(self.session.context.window, window))
        match event:
            case ev.AgentStarted():
                self._started, self._conversation = event.time, ""
                self.injections.started()
            case ev.AgentExited():
                self.injections.ended()
            case ev.CompactionStarted() | ev.ActivitySeen(compacting=True):
                self._prepare_work()  # so that the text is there when it is over
            case ev.Compacted():
                self._prepare_work()
                self.injections.compacted(event, since=self._started)
            case ev.UserMessageRecorded() | ev.ContextRecorded():
                self._worked |= self.session.work.last_request != request
                self.injections.recorded(event.text, is_typed=isinstance(event, ev.UserMessageRecorded))
            case ev.ToolUsed() if not clock.is_old(event.time, self._started, caught_up=self._is_caught_up()):
                self._worked = True
                for notice in self._guard.judged(event):
                    self._fold(notice)
            case ev.MemoryRead():
                self._guard.read(event.memory)
                self._clear_engram_notices()
                self.prepare()
            case ev.TurnEnded():
                # Of what is written without a tool the watch tells: then this is a look at git, and nobody waits.
                self._prepare_work(files=True)
                self._on_turn_end()
            case ev.AgentStateReported() if event.by == self.session.reported_by:
                self.injections.idle(event.time)
                self._wait_for_the_log()  # what it still has to say about a turn after which the agent is idle
            case ev.TurnStarted():
                self._wait_for_the_log()  # the log may say so late, when the agent is idle again
            case _:
                pass
        self.injections.happened(event)
        self.loop.happened(event)
        self.injections.look()

    def prepare(self, *, files: bool = True, awaited: bool = True) -> None:
        """Have the restore texts composed anew: what they are made of may have changed; see `Restores.ask`."""
        if has_log(self._adapter):
            self._restores.ask(self.session.context.window, self.session.work, files=files, awaited=awaited)

    def _prepare_work(self, *, files: bool = False) -> None:
        """Have them composed anew of what the agent has done; that is waited for where it has done something."""
        awaited, self._worked = self._worked, False
        self.prepare(files=files, awaited=awaited)

    def _clear_engram_notices(self) -> None:
        if (self.session.memory.engram.text or "").strip():
            for notice in self.session.notices:
                if notice.key in ENGRAM_NOTICES:
                    self._fold(ev.NoticeCleared(time.time(), notice.key))

    def conversation(self, found: Conversation) -> None:
        """The agent is in this conversation now; its log is read from the start."""
        if found.id != self._conversation:
            self._conversation = found.id
            self.injections.moved(found.id)
        elif found.log and self.session.log.path not in ("", found.log):
            self.injections.rewound()  # Codex goes on in another file then
        self.log.begin()
        self.happened(ev.ConversationIdentified(time.time(), found.id, found.log))

    def caught_up(self) -> None:
        """The log was read as far as it goes: what it does not say by now, it will not say of what is past."""
        self.injections.caught_up()
        self.loop.caught_up()
        self._wait_for_the_log()

    def log_restarted(self) -> None:
        """The log is read from its start once more: it was cut or written anew."""
        session = self.session
        self.session = apply(session, ev.ConversationIdentified(time.time(), "", ""))
        self.conversation(Conversation(session.conversation, session.log.path))

    def _fold(self, event: ev.Event) -> None:
        self.session = apply(self.session, event)
        self._on_change()

    def _sent(self, event: ev.InjectionChanged) -> None:
        """An injection has changed: the loop is told a moment later, for it may send something because of that."""
        self._fold(event)
        self._loop.call_soon(self.loop.happened, event)

    def _wait_for_the_log(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
        if self.session.reported in ("idle", "done") and (self.session.turn or self.session.attempt):
            self._idle_timer = self._loop.call_later(LOG_LAG, self._idle)

    def _idle(self) -> None:
        """The log has had its time: a turn or a compaction that it says nothing of was given up."""
        self._idle_timer = None
        session = self.session
        if session.phase != "idle" or not self._is_caught_up():
            return
        if session.turn:
            self.happened(ev.TurnEnded(time.time(), session.turn, interrupted=True))
        elif session.attempt:
            self.happened(ev.CompactionFailed(time.time(), "cancelled"))

    def _limit(self, window: int, when: float) -> None:
        """Work out where the agent compacts by itself: it depends on the window."""
        tokens = self._adapter.compacts_at(window, self._place)
        self.session = apply(self.session, ev.CompactionLimitKnown(when, tokens))


def record_path(data: Path, session: str) -> Path:
    """Return where a session's injections are recorded."""
    return data / "sessions" / f"{session}.injections.jsonl"
