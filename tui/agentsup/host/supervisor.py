"""The supervisor: folds what happens into the session, and carries out what the injector decides.

The thinking is done in core, by `apply` and the injector; this is where their commands meet the pty.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from agentsup.agents.adapter import Adapter, Conversation, Place
from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.core.restore import Frame, compose, compose_cold_start
from agentsup.core.session import Session, apply, failed_compaction
from agentsup.host.agent_log import AgentLog
from agentsup.host.pty_screen import PtyScreen
from agentsup.host.writer import PASTE_END, PASTE_START, Writer
from agentsup.store.folders import random_name
from agentsup.store.injection_record import InjectionRecord

_ID_LENGTH = 6

STATUS_FILE_FLASH = 0.3
"""Seconds an agent's file must say idle: Claude Code's does for 30 ms between two queued turns."""

LOG_LAG = 2.0
"""Seconds an idle agent's log is waited for; Claude Code writes up to 0.6 s late."""


class Supervisor:
    """Watches over one agent."""

    def __init__(
        self,
        session: Session,
        adapter: Adapter,
        place: Place,
        frame: Frame,
        *,
        screen: PtyScreen,
        writer: Writer,
        record: InjectionRecord,
        on_change: Callable[[], None],
        is_settled: Callable[[], bool],
    ) -> None:
        self.session = session
        self.restarting = False
        self._adapter, self._place, self._frame = adapter, place, frame
        self._screen, self._writer, self._record = screen, writer, record
        self._on_change, self._is_settled = on_change, is_settled
        self._loop = asyncio.get_running_loop()
        self._injector = inj.Injector()
        self.log = AgentLog(adapter, self.happened, path=lambda: self.session.log.path)
        self._conversation = ""
        self._started = 0.0
        self._last_key = 0.0
        self._outputs_at_key = -1
        self._looking = False
        self._recorded = False
        self._wake: asyncio.TimerHandle | None = None
        self._idle_since = 0.0
        self._idle_timer: asyncio.TimerHandle | None = None
        self._earlier = record.read()
        self._restored = {
            occasion.rpartition(":")[2] for occasion, known in self._earlier.items() if known.state == "confirmed"
        }
        """Compactions whose restore has arrived: the log of a branch holds them once more."""
        self._restores = 0

    # --- what happens

    def happened(self, event: ev.Event) -> None:
        """Fold an event, and do what follows from it."""
        failed = failed_compaction(self.session, event)
        if failed is not None:
            self.session = apply(self.session, failed)
        window = self.session.context.window
        self.session = apply(self.session, event)
        if self.session.context.window not in (None, window):
            self._limit(self.session.context.window or 0, event.time)
        self._on_change()
        match event:
            case ev.AgentStarted():
                self._started, self._conversation = event.time, ""
                self._injector = inj.started(self._injector)
            case ev.AgentExited():
                self._run(inj.ended(self._injector, time.time()))
            case ev.Compacted():
                self._compacted(event)
            case ev.UserMessageRecorded():
                self._run(inj.recorded(self._injector, event.text, time.time()))
            case ev.MemoryRead():
                self._memory_changed()
            case ev.AgentStateReported() if event.by == self.session.reported_by:
                self._state_reported(event)
            case ev.TurnStarted():
                self._wait_for_the_log()  # the log may say so late, when the agent is idle again
            case _:
                pass
        self.look()

    def _state_reported(self, event: ev.AgentStateReported) -> None:
        """Wait for what the log still has to say about a turn after which the agent is idle."""
        self._idle_since = event.time
        self._wait_for_the_log()

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
        if session.phase != "idle":
            return
        if session.turn:
            self.happened(ev.TurnEnded(time.time(), session.turn, interrupted=True))
        elif session.attempt:
            self.happened(ev.CompactionFailed(time.time(), "cancelled"))

    def conversation(self, found: Conversation) -> None:
        """The agent is in this conversation now; its log is read from the start."""
        if found.id != self._conversation:
            self._conversation = found.id
            own = f"compaction:{found.id}:"
            self._restores = sum(occasion.startswith(own) for occasion in self._earlier)
            self._run(inj.moved(self._injector, found.id, time.time()))
        self.log.begin()
        self.happened(ev.ConversationIdentified(time.time(), found.id, found.log))

    def log_restarted(self) -> None:
        """The log is read from its start once more: it was cut or written anew."""
        session = self.session
        self.session = apply(session, ev.ConversationIdentified(time.time(), "", ""))
        self.conversation(Conversation(session.conversation, session.log.path))

    def _limit(self, window: int, when: float) -> None:
        """Work out where the agent compacts by itself: it depends on the window."""
        tokens = self._adapter.compacts_at(window, self._place)
        self.session = apply(self.session, ev.CompactionLimitKnown(when, tokens))

    def key(self) -> None:
        """A person has typed or pasted something."""
        self._last_key = time.time()
        self._outputs_at_key = self._screen.outputs
        self._screen.key()

    def look(self) -> None:
        """Something changed that may let an injection go on: see soon, once for all that changed."""
        flight = self._injector.flight
        if flight is not None and flight.state != "failed" and not self._looking:
            self._looking = True
            self._loop.call_soon(self._look)

    def _look(self) -> None:
        self._looking = False
        if self._injector.flight is not None:
            # First the proof: what it reads from the pty may itself change the injector.
            proof = self._proof()
            self._run(inj.observe(self._injector, proof))

    def choose(self, message_id: str, choice: str) -> bool:
        """Carry out the person's choice about an injection; False where there is nothing to choose."""
        if choice not in ("drop", "retry"):
            return False
        before = self._injector
        self._run(inj.choose(before, message_id, "drop" if choice == "drop" else "retry", time.time()))
        return self._injector is not before

    def cold_start_prompt(self) -> str:
        """Return the first prompt of a cold restart; empty where there is nothing to restore."""
        return compose_cold_start(self.session.memory, self._frame, id=random_name(_ID_LENGTH), number=1).text

    # --- restoring

    def _compacted(self, event: ev.Compacted) -> None:
        occasion = f"compaction:{self.session.conversation}:{event.id}"
        elsewhere = event.id in self._restored and occasion not in self._earlier
        if event.time < self._started or occasion in self._injector.known or elsewhere:
            return  # history of a resumed conversation, or a log that is read once more
        earlier = self._earlier.get(occasion)
        if earlier is None:
            self._restores += 1
        id = random_name(_ID_LENGTH) if earlier is None else earlier.id
        number = max(1, self._restores)
        order = inj.Order(id, occasion, self._compose(id, number, event.mid_turn), event.mid_turn, number)
        if not order.text:
            self.happened(ev.NoticeRaised(time.time(), "memory.no-engram"))
        elif earlier is None:
            self._run(inj.enqueue(self._injector, order, time.time()))
        else:
            self._run(inj.resume(self._injector, order, earlier.state, time.time()))

    def _compose(self, id: str, number: int, interrupted: bool) -> str:
        return compose(self.session.memory, self._frame, id=id, number=number, interrupted=interrupted).text

    def _memory_changed(self) -> None:
        """Compose what still waits anew: the agent may have written its engram since the compaction."""
        flight = self._injector.flight
        if flight is not None and flight.state in ("queued", "held"):
            flight = replace(flight, order=self._recomposed(flight.order))
        waiting = tuple(self._recomposed(order) for order in self._injector.waiting)
        self._injector = replace(self._injector, flight=flight, waiting=waiting)

    def _recomposed(self, order: inj.Order) -> inj.Order:
        text = self._compose(order.id, order.number, order.interrupted)
        return replace(order, text=text) if text and order.kind == "compaction" else order

    # --- the injector's commands

    def _proof(self) -> inj.Proof:
        screen = self._screen.settle()
        session = self.session
        alive = session.phase != "exited" and self._screen.foreground() == session.agent.pid
        return inj.Proof(
            now=time.time(),
            alive=alive and not self.restarting,
            idle=session.phase == "idle" and not session.turn and self._is_settled_idle(),
            blocked=session.phase == "waiting-for-approval",
            composer=self._adapter.composer(screen),
            bracketed_paste=screen.modes.bracketed_paste,
            raw=self._screen.is_raw(),
            last_key=self._last_key,
            echoed=self._screen.outputs > self._outputs_at_key,
            busy=self._writer.held_by == "paste",
            settled=self._is_settled(),
        )

    def _is_settled_idle(self) -> bool:
        """Say whether the agent has said that it is idle, for long enough where it says so between two turns too."""
        if self.session.reported not in ("idle", "done"):
            return False
        return self.session.reported_by == "report" or time.time() - self._idle_since >= STATUS_FILE_FLASH

    def _run(self, step: inj.Step) -> None:
        self._injector, commands = step
        for command in commands:
            match command:
                case inj.OpenPaste():
                    if not self._recorded:
                        # Typed without a record, a host after a crash would type it again.
                        self._run(inj.refuse(self._injector, "injection.no-record", time.time()))
                        return
                    self._paste(command.order)
                case inj.PressReturn():
                    self._writer.write("injection", b"\r")
                    self._writer.release("injection")
                case inj.ReleaseKeys():
                    self._writer.release("injection")
                case inj.Announce():
                    self._announce(command.event)
                case inj.WakeAt():
                    self._wake_at(command.time)
                case _:
                    assert_never(command)

    def _paste(self, order: inj.Order) -> None:
        self._writer.hold("injection")
        self._writer.write("injection", PASTE_START + order.text.encode() + PASTE_END)

    def _announce(self, event: ev.InjectionChanged) -> None:
        # Announced before it is done: so the intent is on disk before the first byte is written.
        if event.state not in ("queued", "held"):
            try:
                self._record.append(event)
                self._recorded = True
            except OSError:
                self._recorded = False
                self.session = apply(self.session, ev.NoticeRaised(event.time, "record.unwritable"))
        if event.state == "confirmed":
            self._restored.add(event.occasion.rpartition(":")[2])
        self.session = apply(self.session, event)
        self._on_change()

    def _wake_at(self, when: float) -> None:
        if self._wake is not None:
            self._wake.cancel()
        self._wake = self._loop.call_later(max(0.0, when - time.time()), self.look)


def record_path(data: Path, session: str) -> Path:
    """Return where a session's injections are recorded."""
    return data / "sessions" / f"{session}.injections.jsonl"
