"""Tell every running host that a person is about to change what is approved: it is their witness."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path

from agentsup.protocol import messages as m
from agentsup.protocol import wire

DEADLINE = 1.0
"""Seconds a host may take; one that does not answer will find the change by itself, and say that nobody told it."""


def announce(runtime: Path, project: str, macs: tuple[str, ...]) -> bool:
    """Tell the hosts of all sessions in the folder `runtime`; True unless one of them says that we are an agent's."""
    allowed = True
    for path in sorted(runtime.glob("*/socket")):
        with contextlib.suppress(OSError, wire.BadFrame):
            answer = _told(path, m.TrustAnnounced(project, macs))
            allowed = allowed and (answer is None or answer.done)
    return allowed


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
