"""Find running sessions and talk to their hosts."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import dataclass
from pathlib import Path

import msgspec

from agentsup.core.problems import UsageProblem
from agentsup.protocol import messages as m
from agentsup.protocol import wire
from agentsup.store.content import LARGEST, read_plain
from agentsup.store.folders import runtime_folder

ANSWER_DEADLINE = 5.0
"""Seconds a host may take to answer a command."""


@dataclass(frozen=True)
class Record:
    """What a keeper wrote about its session."""

    session: str
    agent: str
    cwd: str
    started: float
    keeper_pid: int
    agent_pid: int
    argv: list[str]


@dataclass(frozen=True)
class Found:
    """A session that answers: its folder and its record."""

    folder: Path
    record: Record

    @property
    def socket(self) -> Path:
        """The socket its host listens on."""
        return self.folder / "socket"


def running() -> list[Found]:
    """Return the sessions that accept a connection, newest first."""
    found = []
    for folder in runtime_folder(os.environ).iterdir():
        record = _record(folder)
        if record is not None and _accepts(folder / "socket"):
            found.append(Found(folder, record))
    return sorted(found, key=lambda session: session.record.started, reverse=True)


def choose(name: str | None) -> Found:
    """Return the session of that id or prefix; without a name the only one, or the only one of this project."""
    sessions = running()
    if name:
        matching = [session for session in sessions if session.record.session.startswith(name)]
        if not matching:
            raise UsageProblem("session.unknown", name=name)
    else:
        matching = sessions
        if not matching:
            raise UsageProblem("session.none")
        here = [session for session in sessions if session.record.cwd == os.getcwd()]
        matching = here if len(here) == 1 else matching
    if len(matching) > 1:
        raise UsageProblem("session.several", names=", ".join(s.record.session for s in matching))
    return matching[0]


def ask(found: Found, request: m.ClientMessage) -> m.HostMessage:
    """Send one request to a session's host and return its answer; raises UsageProblem."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(ANSWER_DEADLINE)
            connection.connect(str(found.socket))
            connection.sendall(wire.encode(m.Hello(m.VERSION, "command")) + wire.encode(request))
            decoder = wire.host_messages()
            while data := connection.recv(1 << 16):
                for message in decoder.feed(data):
                    if isinstance(message, m.Goodbye):
                        raise UsageProblem(message.key)
                    if not isinstance(message, m.Welcome):
                        return message
    except (OSError, wire.BadFrame) as error:
        raise UsageProblem("session.silent", name=found.record.session) from error
    raise UsageProblem("session.silent", name=found.record.session)


def _record(folder: Path) -> Record | None:
    try:
        return msgspec.convert(json.loads(read_plain(folder / "session.json", None, LARGEST) or b""), Record)
    except (OSError, ValueError):
        return None


def _accepts(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            return True
    except OSError:
        return False
