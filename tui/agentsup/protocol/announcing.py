"""Tell every running host that a person is about to change what is approved: it is their witness."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path

from agentsup.protocol import messages as m
from agentsup.protocol import wire

DEADLINE = 5.0
"""Seconds for all hosts together, also to start: a session that has just begun, or whose host is being replaced, is
without one for a while. One that does not answer will find the change by itself, and say that nobody told it."""

STRANGERS = 0.5
"""Seconds for what listens and is no keeper: a host whose keeper has ended, or anything that an agent has put there."""

POLL = 0.02

_PEER = struct.Struct("3i")

IsKeeper = Callable[[int], bool]


def announce(
    runtime: Path, project: str, macs: tuple[str, ...], *, is_keeper: IsKeeper = lambda pid: True
) -> bool:  # fmt: skip
    """Tell the hosts of all sessions in the folder `runtime`; True unless one of them says that we are an agent's.

    `is_keeper` says whether a process is a session's keeper: only what one listens for can refuse anything, because
    an agent can open a socket there, too.
    """
    try:
        folders = sorted(folder for folder in runtime.iterdir() if folder.is_dir())
    except OSError:
        return True
    message = wire.encode(m.Hello(m.VERSION, "command")) + wire.encode(m.TrustAnnounced(project, macs))
    asked = [_Asked(folder, message, is_keeper) for folder in folders]
    try:
        _ask(asked)
    finally:
        for each in asked:
            each.close()
    return not any(each.refused for each in asked)


def _ask(asked: list[_Asked]) -> None:
    """Ask all at once until each has answered, or can't, or its time is over."""
    begun = time.monotonic()
    with selectors.DefaultSelector() as selector:
        while open_ones := [each for each in asked if not each.done]:
            now = time.monotonic() - begun
            for each in open_ones:
                each.go_on(selector, now)
            left = DEADLINE - now
            if left <= 0:
                return
            for key, _ in selector.select(min(POLL, left)):
                key.data.hear(selector)


class _Asked:
    """One session's host, and how far it has been told."""

    def __init__(self, folder: Path, message: bytes, is_keeper: IsKeeper) -> None:
        self._folder, self._is_keeper = folder, is_keeper
        self._unsent = message
        self._connection: socket.socket | None = None
        self._decoder = wire.host_messages()
        self._patience = DEADLINE
        self._counts = False
        self.done = self.refused = False

    def go_on(self, selector: selectors.BaseSelector, now: float) -> None:
        """Connect if that is still to be done, and send what is still to be sent."""
        if self._connection is None:
            self._connect(selector)
        if self._connection is not None and self._unsent:
            try:
                self._unsent = self._unsent[self._connection.send(self._unsent) :]
            except BlockingIOError:
                pass
            except OSError:
                self._end(selector)
        if now >= self._patience:
            self._end(selector)

    def hear(self, selector: selectors.BaseSelector) -> None:
        """Take what was answered."""
        assert self._connection is not None
        try:
            data = self._connection.recv(1 << 16)
            answers = [found for found in self._decoder.feed(data) if isinstance(found, m.Outcome)]
        except BlockingIOError:
            return
        except (OSError, wire.BadFrame):
            self._end(selector)
            return
        if answers or not data:
            self.refused = self._counts and any(not answer.done for answer in answers)
            self._end(selector)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self, selector: selectors.BaseSelector) -> None:
        connection = socket.socket(socket.AF_UNIX)
        connection.setblocking(False)
        try:
            connection.connect(str(self._folder / "socket"))
        except OSError:
            connection.close()
            self.done = not _lives(self._folder, self._is_keeper)
            return
        self._connection = connection
        listens = _peer(connection)
        self._counts = listens <= 0 or self._is_keeper(listens)  # some systems do not tell
        if not self._counts:
            self._patience = STRANGERS
        selector.register(connection, selectors.EVENT_READ, self)

    def _end(self, selector: selectors.BaseSelector) -> None:
        self.done = True
        if self._connection is not None:
            with contextlib.suppress(KeyError, ValueError):
                selector.unregister(self._connection)
            self.close()


def _peer(connection: socket.socket) -> int:
    """Return the number of the process that began to listen; 0 where the system does not say."""
    if not hasattr(socket, "SO_PEERCRED"):
        return 0
    return int(_PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))[0])


def _lives(folder: Path, is_keeper: IsKeeper) -> bool:
    """Say whether a session's keeper lives; one that is only being started has not written that down."""
    try:
        with open(folder / "session.json", "rb", opener=_plainly) as file:
            keeper = int(json.loads(file.read(1 << 16))["keeper_pid"])
        os.kill(keeper, 0)
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return False
    return keeper > 1 and is_keeper(keeper)


def _plainly(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW)
