"""A session without an interface: the keeper and host are real, the client is a few lines in the test."""

from __future__ import annotations

import dataclasses
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agentsup.agents.adapter import Place
from agentsup.agents.registry import adapter_for
from agentsup.core.environment import child_environment
from agentsup.core.policy import Policy
from agentsup.core.screen import Cursor, Modes
from agentsup.core.session import Session
from agentsup.protocol import messages as m
from agentsup.protocol import wire
from agentsup.store.folders import new_session_folder, own_folder
from agentsup.store.trust_record import project_key, read_records

DEADLINE = 15.0


OPENED: list[Client] = []
"""The clients of the running test; its fixture closes them."""


@dataclass
class Started:
    """A running session: its folder and the pids its keeper reported."""

    folder: Path
    keeper_pid: int
    agent_pid: int
    pids: list[int] = field(default_factory=list)


def start(
    tmp_path: Path,
    argv: Sequence[str],
    *,
    agent: str = "generic",
    arguments: Sequence[str] = (),
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    size: tuple[int, int] = (80, 24),
    data: str = "data",
    policy: Policy | None = None,
    hook: Sequence[str] = (),
) -> Started:
    """Start a keeper on a command; raises AssertionError with its reason where it can't start it.

    `data`: the name of the folder that takes the place of agentsup's own data folder. `policy`: by default that of
    the settings, but without a restore at the start of a session, which only some tests are about.
    """
    folder = new_session_folder(own_folder(tmp_path / "run"))
    outer = dict(os.environ) | dict(environment or {})
    adapter = adapter_for(agent)
    env = child_environment(outer, session=folder.name, socket=str(folder / "socket"))
    env |= adapter.environment(env)
    place = Place(argv[0], tuple(argv[1:]), env, cwd or tmp_path, folder, hook=tuple(hook))
    policy = policy or Policy(start=False, hooks=bool(hook))
    spec = {
        "session": folder.name, "folder": str(folder), "data_folder": str(own_folder(tmp_path / data)),
        "agent": agent, "program": argv[0], "arguments": list(arguments),
        "argv": adapter.launch(place), "status_line": place.status_line, "cwd": str(cwd or tmp_path),
        "memory_root": str(cwd or tmp_path),
        "env": env, "instructions": place.instructions,
        "host_env": outer, "columns": size[0], "rows": size[1], "language": "en", "started": time.time(),
        "version": "", "foreground": None, "background": None, "supervised": True, "notices": [], "scrollback": 10_000,
        "estimate": "agents", "restore_tokens": 2_000, "restore_ceiling": 8,
        "repository": ((cwd or tmp_path) / ".git").exists(), "project": project_key(cwd or tmp_path),
        "trust_folder": str(own_folder(tmp_path / data / "trust")), "unit_seconds": 5,
        "policy": dataclasses.asdict(policy), "hook": list(hook), "hook_trust": "",
        "trust_heads": {
            name: record.head for name, record in read_records(tmp_path / data / "trust").items() if record.head
        },
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-P", "-m", "agentsup.keeper"],
        input=json.dumps(spec).encode(), stdout=subprocess.PIPE, timeout=DEADLINE, check=False,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert "problem" not in answer, answer
    return Started(folder, answer["keeper_pid"], answer["agent_pid"])


class Client:
    """A client of a host: sends messages, keeps the newest screen and session."""

    def __init__(self, folder: Path, *, role: str = "ui", size: tuple[int, int] = (80, 24)) -> None:
        self.connection = socket.socket(socket.AF_UNIX)
        OPENED.append(self)
        self.connection.connect(str(folder / "socket"))
        self.decoder = wire.host_messages()
        self.rows: list[str] = []
        self.cursor, self.modes = Cursor(), Modes()
        self.session: Session | None = None
        self.messages: list[m.HostMessage] = []
        self.closed = False
        self.send(m.Hello(m.VERSION, "ui" if role == "ui" else "command", *size))

    def send(self, message: m.ClientMessage) -> None:
        """Send one message."""
        self.connection.sendall(wire.encode(message))

    def pump(self, seconds: float) -> None:
        """Take what comes within so many seconds, at least one read."""
        ready, _, _ = select.select([self.connection], [], [], seconds)
        if not ready:
            return
        data = self.connection.recv(1 << 18)
        if not data:
            self.closed = True
            return
        for message in self.decoder.feed(data):
            self._take(message)

    def wait(self, condition: Callable[[], bool], what: str = "", deadline: float = DEADLINE) -> None:
        """Take messages until the condition holds; AssertionError with the screen at the deadline."""
        end = time.monotonic() + deadline
        while not condition():
            if time.monotonic() > end or (self.closed and not condition()):
                raise AssertionError(f"not within {deadline} s: {what}\n" + "\n".join(self.rows) + f"\n{self.session}")
            self.pump(0.05)

    def wait_text(self, text: str, deadline: float = DEADLINE) -> None:
        """Wait until the screen shows this text."""
        self.wait(lambda: text in "\n".join(self.rows), text, deadline)

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def _take(self, message: m.HostMessage) -> None:
        self.messages.append(message)
        if isinstance(message, m.Frame):
            if message.full or len(self.rows) != message.rows:
                self.rows = [""] * message.rows
            for number, runs in message.lines:
                self.rows[number] = "".join(text for text, _, _ in runs).rstrip()
            self.cursor, self.modes = message.cursor, message.modes
        elif isinstance(message, m.SessionChanged):
            self.session = message.session
