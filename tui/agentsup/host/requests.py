"""What clients may ask, and the answers: who is asking decides."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import assert_never

from agentsup.core import events as ev
from agentsup.host import peers
from agentsup.host.agent_life import AgentLife
from agentsup.host.clients import Client, Clients, on_wire, wrapped
from agentsup.host.human_input import HumanInput
from agentsup.host.pty_screen import PtyScreen
from agentsup.host.supervisor import Supervisor
from agentsup.protocol import messages as m

_Decision = (
    m.StopRequest | m.RestartRequest | m.InjectionChoice | m.TrustAnnounced | m.InjectRequest | m.EngramSaved
    | m.RecitalAnswered | m.BreakerClosed
)  # fmt: skip

_ONLY_INTERFACES = (m.Keys, m.Paste, m.Mouse, m.Focus, m.Resize, m.ReadLines)


class Requests:
    """Hands every message to the part that it is for."""

    def __init__(
        self,
        screen: PtyScreen,
        supervisor: Supervisor,
        life: AgentLife,
        human: HumanInput,
        *,
        on_seen: Callable[[], None],
        on_announced: Callable[[m.TrustAnnounced, bool], None],
    ) -> None:
        self._screen, self._supervisor, self._life, self._human = screen, supervisor, life, human
        self._on_seen, self._on_announced = on_seen, on_announced
        self._keeper = os.getppid()
        self.clients: Clients | None = None

    def session_message(self) -> m.SessionChanged:
        """Return the session as it is now."""
        interfaces = self.clients.interfaces if self.clients is not None else []
        return m.SessionChanged(self._supervisor.session, len(interfaces))

    def take(self, client: Client, message: m.ClientMessage) -> None:
        """Do what a client asks for, if it may."""
        clients = self.clients
        if clients is None:
            return
        introduced = bool(client.role) or isinstance(message, m.Hello)
        if not introduced or (client.role == "command" and isinstance(message, _ONLY_INTERFACES)):
            clients.close(client)
            return
        match message:
            case m.Hello():
                self._hello(clients, client, message)
            case m.Keys():
                self._take_size(client)
                self._human.keys(message.data)
            case m.Paste():
                self._human.paste(client, message)
            case m.Mouse():
                self._human.mouse(message)
            case m.Focus():
                self._human.focus(message.focused)
            case m.Resize():
                client.size = (message.columns, message.rows)
                self._take_size(client)
            case m.ReadLines():
                clients.send(client, self._lines(message))
            case m.StatusRequest():
                clients.send(client, self.session_message())
            case m.NoticeDismissed():
                if not self._is_agent(client):  # what is said about it is not its to put away
                    self._supervisor.happened(ev.NoticeCleared(time.time(), message.key))
            case (
                m.StopRequest() | m.RestartRequest() | m.InjectionChoice() | m.TrustAnnounced() | m.InjectRequest()
                | m.EngramSaved() | m.RecitalAnswered() | m.BreakerClosed()
            ):  # fmt: skip
                clients.send(client, self._decide(client, message))
            case m.HookCalled():
                self._supervisor.loop.hook_called(
                    message, lambda said: clients.send(client, m.HookAnswer(said)), lambda: clients.is_there(client)
                )
            case _:
                assert_never(message)

    def _lines(self, message: m.ReadLines) -> m.Lines:
        first, rows = self._screen.read_lines(message.first, min(message.count, m.LINES_AT_ONCE))
        numbers = range(first, first + len(rows))
        return m.Lines(first, self._screen.size[0], *on_wire(rows), wrapped(rows, numbers))

    def _decide(self, client: Client, message: _Decision) -> m.Outcome:
        """Do what only a person may ask for."""
        if self._is_agent(client):
            return m.Outcome(False, "guard.agent")
        if os.getppid() != self._keeper and not isinstance(message, m.StopRequest):
            # What descended from it now descends from anybody. Who can kill it can also end its session.
            return m.Outcome(False, "guard.no-keeper")
        refusal = ""
        match message:
            case m.StopRequest():
                self._life.stop()
            case m.RestartRequest():
                refusal = self._life.restart()
            case m.InjectionChoice():
                refusal = self._choose(message)
            case m.TrustAnnounced():
                self._on_announced(message, self._is_of_an_interface(client))
            case m.InjectRequest():
                return self._supervisor.loop.inject(message)
            case m.EngramSaved():
                return self._supervisor.loop.engram_saved(message)
            case m.RecitalAnswered():
                return self._supervisor.loop.recital_answered(message)
            case m.BreakerClosed():
                return self._supervisor.loop.breaker_closed()
            case _:
                assert_never(message)
        return m.Outcome(not refusal, refusal)

    def _choose(self, message: m.InjectionChoice) -> str:
        injections = self._supervisor.injections
        if injections.choose(message.id, message.choice):
            return ""
        is_too_long = message.choice == "hook" and injections.is_too_long_for_a_hook(message.id)
        return "injection.too-long-for-hook" if is_too_long else "injection.nothing-to-choose"

    def _hello(self, clients: Clients, client: Client, message: m.Hello) -> None:
        refusal = ""
        if message.version != m.VERSION:
            refusal = "protocol.other-version"
        elif message.role == "ui" and self._is_agent(client):
            # The agent could answer its own approvals, and a screen would show itself.
            refusal = "guard.agent"
        if refusal:
            clients.send(client, m.Goodbye(refusal))
            clients.close(client)
            return
        client.role = message.role
        session = self._supervisor.session
        clients.send(client, m.Welcome(m.VERSION, session.id, session.agent.name))
        if client.role == "ui":
            self._on_seen()
            client.size = (message.columns, message.rows)
            self._take_size(client)
            self._screen.settle()
            # The session first: as soon as a screen is seen, the function keys that are ours have to be known.
            clients.session_changed()
            clients.damaged(False, set())

    def _take_size(self, client: Client) -> None:
        """The size is that of the interface that was opened, resized or used last."""
        if client.role == "ui" and client.size[0] > 0 and client.size[1] > 0:
            self._life.wanted_size = client.size
            self._screen.resize(*client.size)

    def _is_of_an_interface(self, client: Client) -> bool:
        """Say whether the process that asks shows this session's screen: a person has it before them."""
        interfaces = self.clients.interfaces if self.clients is not None else []
        return any(each.peer()[0] == client.peer()[0] > 0 for each in interfaces)

    def _is_agent(self, client: Client) -> bool:
        pid, _ = client.peer()
        own = (self._keeper, self._supervisor.session.agent.pid)
        return peers.is_agent(pid, tuple(number for number in own if number > 1), client.connected)
