"""Tell every running host that a person is about to change what is approved: it is their witness."""

from __future__ import annotations

import json
import os
import socket
import time
from pathlib import Path

from agentsup.protocol import messages as m
from agentsup.protocol import wire

DEADLINE = 5.0
"""Seconds a host may take, also to start: its keeper listens for it before. One that does not answer will find the
change by itself, and say that nobody told it."""

START = 5.0
"""Seconds a living session may be without a host that listens: it has just begun, or its host is being replaced."""

POLL = 0.02


def announce(runtime: Path, project: str, macs: tuple[str, ...]) -> bool:
    """Tell the hosts of all sessions in the folder `runtime`; True unless one of them says that we are an agent's."""
    try:
        folders = sorted(folder for folder in runtime.iterdir() if folder.is_dir())
    except OSError:
        return True
    answers = (_answer(folder, m.TrustAnnounced(project, macs)) for folder in folders)
    return all(answer is None or answer.done for answer in answers)


def _answer(folder: Path, message: m.TrustAnnounced) -> m.Outcome | None:
    """Return what a session's host answers; None where there is none, or it says nothing."""
    end = time.monotonic() + START
    while True:
        try:
            return _told(folder / "socket", message)
        except (TimeoutError, wire.BadFrame):
            return None
        except OSError:
            if time.monotonic() > end or not _lives(folder):
                return None
        time.sleep(POLL)


def _lives(folder: Path) -> bool:
    """Say whether a session's keeper lives; one that is only being started has not written that down."""
    try:
        with open(folder / "session.json", "rb", opener=_plainly) as file:
            keeper = int(json.load(file)["keeper_pid"])
        os.kill(keeper, 0)
    except (OSError, ValueError, TypeError, KeyError):
        return False
    return keeper > 1


def _plainly(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW)


def _told(path: Path, message: m.TrustAnnounced) -> m.Outcome | None:
    """Return a host's answer; None where it says nothing. Raises OSError or BadFrame."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(DEADLINE)
        connection.connect(str(path))
        connection.sendall(wire.encode(m.Hello(m.VERSION, "command")) + wire.encode(message))
        decoder = wire.host_messages()
        while data := connection.recv(1 << 16):
            for found in decoder.feed(data):
                if isinstance(found, m.Outcome):
                    return found
    return None
