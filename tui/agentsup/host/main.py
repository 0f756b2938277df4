"""The host of one session: terminal, log, supervisor and clients around one event loop."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any, assert_never

import msgspec

from agentsup.agents.adapter import Place
from agentsup.agents.registry import adapter_for, has_log, is_known
from agentsup.core import events as ev
from agentsup.core.breaker import Breaker
from agentsup.core.continuity import Continuity, Hooks
from agentsup.core.policy import Policy
from agentsup.core.restore.frame import Budget
from agentsup.core.restore.preparation import Prepared
from agentsup.core.session import Agent, Session
from agentsup.host import peers
from agentsup.host.agent_life import AgentLife
from agentsup.host.clients import Client, Clients
from agentsup.host.conversations import Conversations
from agentsup.host.estimate import Estimate
from agentsup.host.folder_watch import FolderWatch
from agentsup.host.human_input import HumanInput
from agentsup.host.keeper_side import KeeperSide
from agentsup.host.loop_parts import Parts, attach
from agentsup.host.memory_notices import MemoryNotices
from agentsup.host.memory_watch import MemoryWatch
from agentsup.host.pty_screen import PtyScreen
from agentsup.host.requests import Requests
from agentsup.host.restores import Restores
from agentsup.host.ring import Ring
from agentsup.host.screen_reader import ScreenReader
from agentsup.host.supervisor import Supervisor, record_path
from agentsup.host.token_counter import TokenCounter
from agentsup.host.trust_side import TrustSide
from agentsup.host.writer import Writer
from agentsup.locale import restore_frame
from agentsup.protocol import keeper_link
from agentsup.protocol import messages as m
from agentsup.store.folders import own_folder
from agentsup.store.injection_record import InjectionRecord
from agentsup.terminal import engine as terminal
from agentsup.terminal import open_engine

FIRST_INTERFACE_PATIENCE = 5.0
"""Seconds a session whose program has ended waits for its first interface."""

CLIPBOARD = 1 << 17
"""Most bytes of a program's clipboard that are passed on; more than terminals take in one OSC 52."""

NOTIFIED = 500
"""Most characters of a notification's title and body."""


def main() -> None:
    """Run the host on the keeper's socket, whose descriptor is the only argument."""
    link = socket.socket(fileno=int(sys.argv[1]))
    asyncio.run(_serve(link))


async def _serve(link: socket.socket) -> None:
    keeper = KeeperSide(link)
    spec, listener = await keeper.spec()
    await Host(keeper, spec, listener).run()


def _colours(spec: dict[str, Any]) -> dict[str, tuple[int, int, int]]:
    """Return the outer terminal's colours, those that it told."""
    names = ("foreground", "background")
    return {name: (spec[name][0], spec[name][1], spec[name][2]) for name in names if spec[name]}


def _place(spec: dict[str, Any]) -> Place:
    return Place(
        spec["program"], tuple(spec["arguments"]), spec["env"], Path(spec["cwd"]), Path(spec["folder"]),
        spec["status_line"], spec["instructions"], tuple(spec["hook"]), spec["hook_trust"],
    )  # fmt: skip


def _readable(path: str) -> str:
    """Return a path as text that can be sent and shown: its name may be no UTF-8."""
    return os.fsencode(path).decode("utf-8", "replace")


class Host:
    """Makes the parts and connects them; each knows only what it is given."""

    def __init__(self, keeper: KeeperSide, spec: dict[str, Any], listener: socket.socket) -> None:
        self._loop = asyncio.get_running_loop()
        self._keeper = keeper
        self._over = asyncio.Event()
        self._seen = False
        self._session_due = False
        self._titled = ""
        self._adapter = adapter_for(spec["agent"], supervised=spec["supervised"])
        self._writer = Writer(lambda: self._human.drained())
        ring = Ring(Path(spec["folder"]) / "ring")
        self._writer.on_paste, self._writer.on_kept = ring.set_paste, ring.set_kept
        self._screen = PtyScreen(
            open_engine(spec["columns"], spec["rows"], scrollback=spec["scrollback"], **_colours(spec)),
            ring,
            on_reply=lambda data: self._writer.write("reply", data),
            on_event=self._terminal_event,
            on_frame=self._frame,
            on_closed=lambda: self._life.closed(),
        )
        self._place = _place(spec)
        budget = Budget(spec["restore_tokens"], spec["restore_ceiling"])
        self._restores = Restores(
            spec["memory_root"], spec["language"], restore_frame(spec["language"]), budget,
            on_ready=self._prepared, on_failed=lambda: self._notices.say_once("memory.not-composed"),
            witnessed=lambda: self._trust.witnessed(), outputs=lambda: self._trust.outputs, cloned=spec["repository"],
        )  # fmt: skip
        self._supervisor = self._supervise(spec)
        self._human = HumanInput(self._screen, self._writer, self._supervisor.injections.key)
        happened = self._supervisor.happened
        self._reader = ScreenReader(
            self._adapter.name, self._screen, happened, figures=not has_log(self._adapter)
        )  # fmt: skip
        self._estimate = self._estimated(spec["estimate"])
        self._human.listener = self._estimate
        watch = FolderWatch()
        self._notices = MemoryNotices(happened, lambda: self._supervisor.session)
        self._trust = TrustSide(
            spec, watch, happened=happened, prepare=self._supervisor.prepare,
            remember=lambda values: keeper.send({"kind": "remember", "values": dict(values)}),
        )  # fmt: skip
        self._conversations = Conversations(
            self._adapter, self._place, watch,
            on_conversation=self._supervisor.conversation, on_line=self._supervisor.log.line,
            on_long_line=self._supervisor.log.long_line, on_reading=self._supervisor.log.left_out,
            on_restart=self._supervisor.log_restarted, on_trouble=self._supervisor.log.troubled,
            on_caught_up=self._supervisor.caught_up, on_event=self._supervisor.happened,
        )  # fmt: skip
        self._life = AgentLife(
            spec, self._adapter, self._place, keeper, screen=self._screen, ring=ring, writer=self._writer,
            supervisor=self._supervisor, conversations=self._conversations,
            on_ended=self._finish_if_unseen, on_over=self._end,
        )  # fmt: skip
        requests = Requests(
            self._screen, self._supervisor, self._life, self._human, on_seen=self._was_seen,
            on_announced=self._trust.announced,
        )  # fmt: skip
        self._clients = Clients(
            listener, self._screen, own_uid=os.getuid(), on_message=requests.take, on_gone=self._client_gone,
            session=requests.session_message,
        )  # fmt: skip
        self._human.clients = requests.clients = self._clients
        MemoryWatch(Path(spec["memory_root"]), watch, self._supervisor.happened, self._supervisor.prepare)
        self._close_loop = attach(
            self._supervisor, spec,
            Parts(self._adapter, self._place, self._conversations, self._screen, self._restores),
        )  # fmt: skip
        if not ring.lasting:
            self._notice("ring.none")
        for key, values in spec["notices"]:
            self._supervisor.happened(ev.NoticeRaised(time.time(), key, tuple(values.items())))

    async def run(self) -> None:
        """Serve until the session is over."""
        self._keeper.serve(self._keeper_said, self._keeper_lost)
        self._loop.call_later(1.0, peers.prepare)
        await self._over.wait()
        self._clients.close_all()
        self._screen.detach()
        self._reader.close()
        self._restores.close()
        self._close_loop()
        self._trust.audit()
        self._trust.close()
        if self._estimate is not None:
            self._estimate.close()

    def _supervise(self, spec: dict[str, Any]) -> Supervisor:
        agent = Agent(self._adapter.name, version=spec["version"])
        record = record_path(Path(spec["data_folder"]), spec["session"])
        own_folder(record.parent)
        policy = msgspec.convert(spec["policy"], Policy)
        return Supervisor(
            Session(
                spec["session"],
                _readable(spec["cwd"]),
                agent,
                started=spec["started"],
                loop=Continuity(
                    Hooks(installed=bool(spec["hook"])),
                    breaker=Breaker(policy.breaker_compactions, policy.breaker_percent),
                ),
            ),
            self._adapter,
            self._place,
            self._restores,
            screen=self._screen,
            writer=self._writer,
            record=InjectionRecord(record, Path(spec["memory_root"])),
            memory_root=Path(spec["memory_root"]),
            policy=policy,
            on_change=self._session_changed,
            on_turn_end=lambda: self._trust.turn_ended(),
            is_settled=lambda: self._conversations.settled(),
            is_caught_up=lambda: self._conversations.caught_up,
        )

    def _estimated(self, programs: str) -> Estimate | None:
        """Return the estimate of the tokens, where the setting wants one and no log says better."""
        wanted = programs == "all" or (programs == "agents" and is_known(self._adapter))
        if not wanted or has_log(self._adapter):
            return None
        return Estimate(
            self._screen, self._supervisor.happened, patterns=lambda: self._reader.patterns,
            has_figures=lambda: self._reader.has_figures, counter=TokenCounter,
        )  # fmt: skip

    def _prepared(self, prepared: Prepared) -> None:
        """Restore texts of what is on disk now are there."""
        self._notices.are(prepared.notices)
        self._trust.prepared(prepared.trust)
        self._supervisor.injections.prepared()

    # --- the keeper

    def _keeper_said(self, message: keeper_link.Message, descriptors: tuple[int, ...]) -> None:
        match message["kind"]:
            case "agent":
                self._life.started(message, descriptors[0])
                self._reader.restart()
                if self._estimate is not None and not message["restored"]:
                    self._estimate.restart()
            case "exited":
                self._life.exited(message)
            case "not-restarted":
                self._life.not_restarted(message)
            case "end":
                self._end()
            case _:
                pass  # a newer keeper may say more

    def _keeper_lost(self) -> None:
        # The agent and this host go on, and the person is told.
        self._notice("keeper.lost")
        self._life.keeper_lost()

    def _notice(self, key: str) -> None:
        self._supervisor.happened(ev.NoticeRaised(time.time(), key))

    def _end(self) -> None:
        self._clients.broadcast(m.Goodbye("goodbye.stopped"))
        self._over.set()

    def _was_seen(self) -> None:
        self._seen = True

    def _finish_if_unseen(self) -> None:
        """End the session once the agent is gone and no interface is left to look at it."""
        gone = self._supervisor.session.phase == "exited" and not self._supervisor.restarting
        if not gone or self._clients.interfaces:
            return
        if not self._seen:
            # The interface is still on its way: it is to show the last screen of a program that was quicker.
            self._seen = True
            self._loop.call_later(FIRST_INTERFACE_PATIENCE, self._finish_if_unseen)
        elif self._keeper.lost:
            self._life.stop()
        else:
            self._keeper.send({"kind": "finish"})

    # --- the terminal

    def _frame(self, full: bool, rows: set[int]) -> None:
        self._clients.damaged(full, rows)
        self._supervisor.injections.look()
        self._conversations.agent_wrote()
        self._title_says()
        self._reader.frame()
        if self._estimate is not None:
            self._estimate.frame()

    def _title_says(self) -> None:
        report = self._adapter.title_state(self._screen.title, time.time())
        if report is not None and report.state != self._titled:
            self._titled = report.state
            self._supervisor.happened(report)

    def _terminal_event(self, event: terminal.TerminalEvent) -> None:
        match event:
            case terminal.BellRang():
                self._clients.broadcast(m.Bell())
            case terminal.StatusReported():
                report = self._adapter.state(event.fields, time.time())
                if report is not None:
                    # At once: a proof that is being made of this very output has to know it.
                    self._supervisor.happened(report)
            case terminal.NotificationSent(title, body):
                self._clients.broadcast(m.Notification(title[:NOTIFIED], body[:NOTIFIED]))
            case terminal.ClipboardWritten(data):
                self._clients.broadcast(m.ClipboardWritten(data[:CLIPBOARD], len(data) > CLIPBOARD))
            case terminal.TitleChanged():
                pass  # the next frame carries it
            case _:
                assert_never(event)

    # --- the clients

    def _client_gone(self, client: Client) -> None:
        self._human.gone(client)
        self._session_changed()
        if client.role == "ui":
            self._finish_if_unseen()

    def _session_changed(self) -> None:
        if not self._session_due:
            self._session_due = True
            self._loop.call_soon(self._send_session)

    def _send_session(self) -> None:
        self._session_due = False
        self._clients.session_changed()
