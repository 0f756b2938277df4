"""What is typed into the agent: the injector's decisions, carried out on the pty.

The thinking is done in core, by the injector; here its proof is made, and its commands meet screen, writer and record.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from agentsup.agents.adapter import ARGUMENT_MOST, Adapter
from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.core.policy import Policy
from agentsup.core.restore.composition import RestoreText
from agentsup.core.restore.frame import Occasion
from agentsup.core.session import Session
from agentsup.host.aside import Aside
from agentsup.host.pty_screen import PtyScreen
from agentsup.host.restores import Restores
from agentsup.host.writer import PASTE_END, PASTE_START, Writer
from agentsup.store.engram_history import save_sent
from agentsup.store.evidence import bump_context_version
from agentsup.store.folders import random_name
from agentsup.store.injection_record import InjectionRecord

_ID_LENGTH = 6

_SETTLING = 0.05
"""Seconds between two looks whether the text of a cold restart is there."""

STATUS_FILE_FLASH = 0.3
"""Seconds an agent's file must say idle: Claude Code's does for 30 ms between two queued turns."""


class Injections:
    """Types restore texts into one agent, at the first moment that is proven safe."""

    def __init__(
        self,
        adapter: Adapter,
        restores: Restores,
        *,
        screen: PtyScreen,
        writer: Writer,
        record: InjectionRecord,
        memory_root: Path,
        policy: Policy,
        session: Callable[[], Session],
        fold: Callable[[ev.Event], None],
        may_type: Callable[[], bool],
        is_settled: Callable[[], bool],
    ) -> None:
        self._adapter, self._restores = adapter, restores
        self._screen, self._writer, self._record = screen, writer, record
        self._memory_root, self._session, self._fold = memory_root, session, fold
        self._policy = policy
        self._may_type, self._is_settled = may_type, is_settled
        self._aside = Aside()
        self._loop = asyncio.get_running_loop()
        self._injector = inj.Injector()
        self._last_key = 0.0
        self._outputs_at_key = -1
        self._idle_since = 0.0
        self._looking = False
        self._recorded = False
        self._wake: asyncio.TimerHandle | None = None
        self._earlier = record.read()
        self._restored = {
            occasion.rpartition(":")[2] for occasion, known in self._earlier.items() if known.state == "confirmed"
        }
        """Compactions whose restore has arrived: the log of a branch holds them once more."""
        self._numbered = 0

    # --- what happens

    def started(self) -> None:
        """A fresh agent was started."""
        self._injector = inj.started(self._injector)

    def ended(self) -> None:
        """The agent's process ended."""
        self._run(inj.ended(self._injector, time.time()))

    def moved(self, conversation: str) -> None:
        """The agent is in another conversation."""
        own = f"compaction:{conversation}:"
        self._numbered = sum(occasion.startswith(own) for occasion in self._earlier)
        self._run(inj.moved(self._injector, conversation, time.time()))

    def recorded(self, text: str) -> None:
        """The agent's log holds a message to the model."""
        self._run(inj.recorded(self._injector, text, time.time()))

    def idle(self, since: float) -> None:
        """The agent has said something of itself; where it is idle, it is so since then."""
        self._idle_since = since

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

    # --- restoring

    def compacted(self, event: ev.Compacted, *, since: float) -> None:
        """Restore after a compaction, unless it is of before `since`, or was restored already."""
        session = self._session()
        occasion = f"compaction:{session.conversation}:{event.id}"
        elsewhere = event.id in self._restored and occasion not in self._earlier
        if event.time < since or occasion in self._injector.known or elsewhere:
            return  # history of a resumed conversation, or a log that is read once more
        # Any script may compare it; memory that can't be written is said elsewhere.
        self._aside.do(lambda: bump_context_version(self._memory_root))
        earlier = self._earlier.get(occasion)
        if earlier is None:
            self._numbered += 1
        id = random_name(_ID_LENGTH) if earlier is None else earlier.id
        number = max(1, self._numbered)
        order = inj.Order(id, occasion, self._compose(id, number, event.mid_turn), event.mid_turn, number)
        if not (session.memory.engram.text or "").strip():
            self._fold(ev.NoticeRaised(time.time(), "memory.made-engram" if order.text else "memory.no-engram"))
        if not order.text:
            return
        if earlier is None:
            self._run(inj.enqueue(self._injector, order, time.time()))
        else:
            self._run(inj.resume(self._injector, order, earlier.state, time.time()))

    async def cold_start_prompt(self) -> str:
        """Return the first prompt of a cold restart, of what is on disk now; empty where there is nothing to restore.

        It is a word of a command line: one that no system takes would leave the person without an agent.
        """
        while not self._restores.settled:
            await asyncio.sleep(_SETTLING)
        id = random_name(_ID_LENGTH)
        text = self._restored_text("cold-start").text(id=id)
        if len(text.encode()) <= ARGUMENT_MOST:
            return text
        session = self._session()
        return self._restores.short("cold-start", session.memory, session.work).text(id=id)

    def prepared(self) -> None:
        """Compose what still waits anew: the agent may have written its engram since the compaction."""
        flight = self._injector.flight
        if flight is not None and flight.state in ("queued", "held"):
            flight = replace(flight, order=self._recomposed(flight.order))
        waiting = tuple(self._recomposed(order) for order in self._injector.waiting)
        self._injector = replace(self._injector, flight=flight, waiting=waiting)
        self.look()

    def _recomposed(self, order: inj.Order) -> inj.Order:
        text = self._compose(order.id, order.number, order.interrupted)
        return replace(order, text=text) if text and order.kind == "compaction" else order

    def _compose(self, id: str, number: int, interrupted: bool) -> str:
        return self._restored_text("compaction").text(id=id, number=number, interrupted=interrupted)

    def _restored_text(self, occasion: Occasion) -> RestoreText:
        session = self._session()
        return self._restores.of(occasion, session.memory, session.context.window, session.work)

    # --- the injector's commands

    def _proof(self) -> inj.Proof:
        screen = self._screen.settle()
        session = self._session()
        alive = session.phase != "exited" and self._screen.foreground() == session.agent.pid
        return inj.Proof(
            now=time.time(),
            alive=alive and self._may_type(),
            idle=session.phase == "idle" and not session.turn and self._is_settled_idle(session),
            blocked=session.phase == "waiting-for-approval",
            composer=self._adapter.composer(screen),
            bracketed_paste=screen.modes.bracketed_paste,
            raw=self._screen.is_raw(),
            last_key=self._last_key,
            echoed=self._screen.outputs > self._outputs_at_key,
            busy=self._writer.held_by == "paste",
            settled=self._is_settled(),
            composed=self._restores.settled,
        )

    def _is_settled_idle(self, session: Session) -> bool:
        """Say whether the agent has said that it is idle, for long enough where it says so between two turns too."""
        if session.reported not in ("idle", "done"):
            return False
        return session.reported_by == "report" or time.time() - self._idle_since >= STATUS_FILE_FLASH

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
        self._aside.do(lambda: save_sent(self._memory_root, order.text))  # only for `agentsup restore --diff`

    def _announce(self, event: ev.InjectionChanged) -> None:
        # Announced before it is done: so the intent is on disk before the first byte is written.
        if event.state not in ("queued", "held"):
            try:
                self._record.append(event)
                self._recorded = True
            except OSError:
                self._recorded = False
                self._fold(ev.NoticeRaised(event.time, "record.unwritable"))
        if event.state == "confirmed":
            self._restored.add(event.occasion.rpartition(":")[2])
        self._fold(event)

    def _wake_at(self, when: float) -> None:
        if self._wake is not None:
            self._wake.cancel()
        self._wake = self._loop.call_later(max(0.0, when - time.time()), self.look)
