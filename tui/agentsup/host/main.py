"""The host of one session: terminal, log, supervisor and clients around one event loop."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any, assert_never

from agentsup.agents.registry import adapter_for
from agentsup.core import events as ev
from agentsup.core.session import Agent, Session
from agentsup.host import peers
from agentsup.host.clients import Client, Clients
from agentsup.host.conversations import Conversations
from agentsup.host.folder_watch import FolderWatch
from agentsup.host.memory_watch import MemoryWatch
from agentsup.host.mouse import encode_mouse
from agentsup.host.pty_screen import PtyScreen
from agentsup.host.ring import Ring
from agentsup.host.supervisor import Supervisor, record_path
from agentsup.host.writer import PASTE_END, PASTE_START, Source, Writer
from agentsup.locale import restore_frame
from agentsup.protocol import keeper_link
from agentsup.protocol import messages as m
from agentsup.store.folders import own_folder
from agentsup.store.injection_record import InjectionRecord
from agentsup.terminal import engine as terminal
from agentsup.terminal import open_engine

BEAT_INTERVAL = 2.0
BACKLOG_LIMIT = 1 << 18
"""Bytes waiting for the pty at which the clients' input is no longer read."""

_ONLY_INTERFACES = (m.Keys, m.Paste, m.Mouse, m.Focus, m.Resize)

FIRST_INTERFACE_PATIENCE = 5.0
"""Seconds a session whose program has ended waits for its first interface."""

QUIT_PATIENCE = 1.5
"""Seconds given to the agent after each of its own quit keys."""


def main() -> None:
    """Run the host on the keeper's socket, whose descriptor is the only argument."""
    link = socket.socket(fileno=int(sys.argv[1]))
    asyncio.run(Host(link).run())


class Host:
    """Connects the parts; each of them knows only what it is given."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._receiver = keeper_link.Receiver(link)
        self._ended = asyncio.Event()
        self._restart: asyncio.Task[None] | None = None
        self._exited = asyncio.Event()
        self._paster: Client | None = None
        self._keeper = 0
        self._seen = False
        self._last_size: tuple[int, int] | None = None

    async def run(self) -> None:
        """Serve until the keeper ends the session."""
        self._loop = asyncio.get_running_loop()
        self._link.setblocking(False)
        spec, listener = await self._first_message()
        self._open(spec, listener)
        self._loop.add_reader(self._link.fileno(), self._from_keeper)
        self._beat()
        self._from_keeper()
        await self._ended.wait()
        self.clients.close_all()
        self.screen.detach()

    async def _first_message(self) -> tuple[dict[str, Any], socket.socket]:
        """Return the session's spec and the listening socket; what came with them stays to be read."""
        self._early: list[tuple[keeper_link.Message, tuple[int, ...]]] = []
        while True:
            ready = asyncio.Event()
            self._loop.add_reader(self._link.fileno(), ready.set)
            await ready.wait()
            self._loop.remove_reader(self._link.fileno())
            messages = self._receiver.receive()
            if messages is None:
                raise SystemExit(1)
            self._early += messages
            if self._early:
                message, descriptors = self._early.pop(0)
                return message["spec"], socket.socket(fileno=descriptors[0])

    def _open(self, spec: dict[str, Any], listener: socket.socket) -> None:
        self._spec = spec
        self._keeper = os.getppid()
        self.adapter = adapter_for(spec["agent"])
        self.writer = Writer(self._drained)
        self._ring = Ring(Path(spec["folder"]) / "ring")
        self.writer.on_paste = self._ring.set_paste
        self.screen = PtyScreen(
            open_engine(spec["columns"], spec["rows"], scrollback=spec["scrollback"]),
            self._ring,
            on_reply=lambda data: self.writer.write("reply", data),
            on_event=self._terminal_event,
            on_frame=self._frame,
        )
        project = Path(spec["cwd"])
        session = Session(
            spec["session"], str(project), Agent(self.adapter.name, version=spec.get("version", "")),
            started=spec["started"],
        )  # fmt: skip
        record = record_path(Path(spec["data_folder"]), spec["session"])
        own_folder(record.parent)
        self.supervisor = Supervisor(
            session, self.adapter, restore_frame(spec["language"]), screen=self.screen, writer=self.writer,
            record=InjectionRecord(record), on_change=self._session_changed,
        )  # fmt: skip
        self._session_due = False
        self._watch = FolderWatch()
        self.conversations = Conversations(
            self.adapter, self._watch,
            on_conversation=self.supervisor.conversation, on_line=self.supervisor.line,
        )  # fmt: skip
        self.clients = Clients(
            listener, self.screen, own_uid=os.getuid(), on_message=self._message, on_gone=self._gone,
            session=self._session_message,
        )  # fmt: skip
        self.memory = MemoryWatch(project, self._watch, self.supervisor.happened)
        for key, values in spec.get("notices", ()):
            self.supervisor.happened(ev.NoticeRaised(time.time(), key, tuple(values.items())))

    # --- the keeper

    def _beat(self) -> None:
        self._to_keeper({"kind": "beat"})
        self._loop.call_later(BEAT_INTERVAL, self._beat)

    def _to_keeper(self, message: keeper_link.Message) -> None:
        try:
            keeper_link.send(self._link, message)
        except OSError:
            return  # the end of the link is noticed where it is read

    def _from_keeper(self) -> None:
        messages = self._receiver.receive()
        for message, descriptors in (*self._early, *(messages or ())):
            self._keeper_message(message, descriptors)
        self._early = []
        if messages is None:
            # The keeper died: the agent and this host go on, and the person is told.
            self._loop.remove_reader(self._link.fileno())
            self.supervisor.happened(ev.NoticeRaised(time.time(), "keeper.lost"))

    def _keeper_message(self, message: keeper_link.Message, descriptors: tuple[int, ...]) -> None:
        match message["kind"]:
            case "agent":
                self._agent_started(message, descriptors[0])
            case "exited":
                self._agent_exited(message)
            case "end":
                self.clients.broadcast(m.Goodbye("goodbye.stopped"))
                self._ended.set()
            case _:
                pass  # a newer keeper may say more

    def _agent_started(self, message: keeper_link.Message, master: int) -> None:
        self.screen.detach()
        if not message["restored"]:
            self.screen.reset()
        report = self.screen.replay() if message["restored"] else None
        self.writer.attach(master)
        columns, rows = self._last_size or (message["columns"], message["rows"])
        self.screen.attach(master, columns, rows)
        self._exited.clear()
        self.supervisor.restarting = False
        self.supervisor.happened(ev.AgentStarted(message["started"], message["pid"], self.adapter.reports))
        if message["restored"]:
            self._take_over(report)
        self.conversations.follow(message["pid"])

    def _take_over(self, report: terminal.StatusReported | None) -> None:
        """Go on where a host that crashed has stopped."""
        if self._ring.paste_open:
            self.writer.write("reply", PASTE_END)
            self._ring.set_paste(False)
        if report is not None:
            self._terminal_event(report)
        self.supervisor.key()  # nobody knows what was typed last: wait for what the agent draws
        self.screen.redraw()

    def _agent_exited(self, message: keeper_link.Message) -> None:
        self.screen.settle()
        self.writer.detach()
        self._exited.set()
        self.conversations.close()
        self.supervisor.happened(ev.AgentExited(time.time(), message["code"], message["signal"]))
        self._finish_if_unseen()

    def _finish_if_unseen(self) -> None:
        """End the session once the agent is gone and no interface is left to look at it."""
        gone = self.supervisor.session.phase == "exited" and not self.supervisor.restarting
        if not gone or self.clients.interfaces:
            return
        if self._seen:
            self._to_keeper({"kind": "finish"})
        else:
            # The interface is still on its way: it is to show the last screen of a program that was quicker.
            self._seen = True
            self._loop.call_later(FIRST_INTERFACE_PATIENCE, self._finish_if_unseen)

    # --- the terminal

    def _frame(self, full: bool, rows: set[int]) -> None:
        self.clients.damaged(full, rows)
        self.supervisor.look()
        self.conversations.agent_wrote()

    def _terminal_event(self, event: terminal.TerminalEvent) -> None:
        match event:
            case terminal.BellRang():
                self.clients.broadcast(m.Bell())
            case terminal.StatusReported():
                report = self.adapter.state(event.fields, time.time())
                if report is not None:
                    # Told to the supervisor once the bytes around it are on the screen.
                    self._loop.call_soon(self.supervisor.happened, report)
            case terminal.TitleChanged() | terminal.NotificationSent() | terminal.ClipboardWritten():
                pass
            case _:
                assert_never(event)

    def _drained(self) -> None:
        self.clients.pause_reading(False)

    def _type(self, data: bytes, source: Source = "human") -> None:
        self.writer.write(source, data)
        if self.writer.backlog > BACKLOG_LIMIT:
            self.clients.pause_reading(True)

    # --- the clients

    def _session_message(self) -> m.SessionChanged:
        return m.SessionChanged(self.supervisor.session, len(self.clients.interfaces))

    def _session_changed(self) -> None:
        if not self._session_due:
            self._session_due = True
            self._loop.call_soon(self._send_session)

    def _send_session(self) -> None:
        self._session_due = False
        self.clients.session_changed()

    def _message(self, client: Client, message: m.ClientMessage) -> None:
        expected = isinstance(message, m.Hello) if not client.role else True
        if not expected or (client.role == "command" and isinstance(message, _ONLY_INTERFACES)):
            self.clients.close(client)
            return
        match message:
            case m.Hello():
                self._hello(client, message)
            case m.Keys():
                self.supervisor.key()
                self._take_size(client)
                self._type(message.data)
            case m.Paste():
                self._paste(client, message)
            case m.Mouse():
                self._type(encode_mouse(message, self.screen.modes))
            case m.Focus():
                if self.screen.modes.focus_reports:
                    self._type(b"\x1b[I" if message.focused else b"\x1b[O")
            case m.Resize():
                client.size = (message.columns, message.rows)
                self._take_size(client)
            case m.StatusRequest():
                self.clients.send(client, self._session_message())
            case m.StopRequest():
                if self._allowed(client):
                    self.clients.send(client, m.Outcome(True))
                    self._to_keeper({"kind": "stop"})
            case m.RestartRequest():
                if self._allowed(client):
                    self._begin_restart(client)
            case m.InjectionChoice():
                if self._allowed(client):
                    done = self.supervisor.choose(message.id, message.choice)
                    self.clients.send(client, m.Outcome(done, "" if done else "injection.nothing-to-choose"))
            case m.NoticeDismissed():
                self.supervisor.happened(ev.NoticeCleared(time.time(), message.key))
            case _:
                assert_never(message)

    def _hello(self, client: Client, message: m.Hello) -> None:
        if message.version != m.VERSION:
            self.clients.send(client, m.Goodbye("protocol.other-version"))
            self.clients.close(client)
            return
        if message.role == "ui" and self._is_agent(client):
            # The agent could press its own approvals' keys, and a screen would show itself.
            self.clients.send(client, m.Goodbye("guard.agent"))
            self.clients.close(client)
            return
        client.role = message.role
        session = self.supervisor.session
        self.clients.send(client, m.Welcome(m.VERSION, session.id, session.agent.name))
        if client.role == "ui":
            self._seen = True
            client.size = (message.columns, message.rows)
            self._take_size(client)
            self.screen.settle()
            self.clients.damaged(False, set())
            self._session_changed()

    def _gone(self, client: Client) -> None:
        if self._paster is client:
            self._end_paste()
        self._session_changed()
        if client.role == "ui":
            self._finish_if_unseen()

    def _take_size(self, client: Client) -> None:
        if client.role == "ui" and client.size[0] > 0 and client.size[1] > 0:
            self._last_size = client.size
            self.screen.resize(*client.size)

    def _paste(self, client: Client, message: m.Paste) -> None:
        self.supervisor.key()
        if self._paster is None and message.first:
            self._paster = client
            self.writer.hold("paste")
            self._paste_brackets = self.screen.modes.bracketed_paste
            if self._paste_brackets:
                self._type(PASTE_START, "paste")
        if self._paster is client:
            self._type(message.data, "paste")
            if message.last:
                self._end_paste()

    def _end_paste(self) -> None:
        self._paster = None
        if self._paste_brackets:
            self._type(PASTE_END, "paste")
        self.writer.release("paste")

    def _is_agent(self, client: Client) -> bool:
        return peers.descends_from(client.peer()[0], self._keeper)

    def _allowed(self, client: Client) -> bool:
        """Refuse what only a person may do when the agent's own process tree asks for it."""
        if not self._is_agent(client):
            return True
        self.clients.send(client, m.Outcome(False, "guard.agent"))
        return False

    # --- cold restart

    def _begin_restart(self, client: Client) -> None:
        if self._restart is not None and not self._restart.done():
            self.clients.send(client, m.Outcome(False, "restart.running"))
            return
        self.clients.send(client, m.Outcome(True))
        self._restart = self._loop.create_task(self._cold_restart())

    async def _cold_restart(self) -> None:
        """The agent's own way out first, then the keeper's signals, then a fresh agent with its memory."""
        self.supervisor.restarting = True
        prompt = self.supervisor.cold_start_prompt()
        argv = self._spec["argv"]
        fresh = self.adapter.fresh_launch(argv[0], self._spec["arguments"], prompt)
        for keys in self.adapter.quit_keys():
            if self._exited.is_set():
                break
            self._type(keys)
            try:
                await asyncio.wait_for(self._exited.wait(), QUIT_PATIENCE)
            except TimeoutError:
                continue
        columns, rows = self.screen.size
        self._to_keeper({"kind": "restart", "argv": fresh, "columns": columns, "rows": rows})
