"""The interface's end of the host's socket.

Sending may happen in any thread: the input thread puts a key on the wire at once, without a hop through the
event loop. Reading, reconnecting and everything told to the owner happen in the loop.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from agentsup.protocol.messages import (
    VERSION,
    ClientMessage,
    Hello,
    HostMessage,
    Keys,
    Outcome,
    Paste,
    Welcome,
)
from agentsup.protocol.wire import BadFrame, encode, host_messages

_RECEIVE = 1 << 18
FIRST_WAIT, LONGEST_WAIT, GIVE_UP = 0.05, 1.0, 30.0
"""Seconds: between two tries to reconnect, first and longest; and until it is given up."""


KEPT_FOR, KEPT_MOST = 3.0, 4 << 20
"""Keys typed and text pasted while the host is being replaced: kept for so many seconds, and at most so many bytes.

Longer than a host takes to come back, shorter than a person takes to give up and type something else.
"""


class Owner(Protocol):
    """Who is told what the host says."""

    def host_said(self, messages: Sequence[HostMessage]) -> None:
        """Take all messages of one read."""

    def host_lost(self) -> None:
        """The connection broke; tries to reconnect begin."""

    def host_given_up(self) -> None:
        """No try succeeded."""


class Connection:
    """A client of the host that comes back by itself after the host was replaced."""

    def __init__(self, path: str, hello: Callable[[], Hello], owner: Owner) -> None:
        self._path = path
        self._hello = hello
        self._owner = owner
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._unsent = bytearray()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._decoder = host_messages()
        self._closed = False
        self._welcome = False
        self._asking: set[socket.socket] = set()
        self._kept: list[tuple[float, bytes]] = []
        self._retry: asyncio.TimerHandle | None = None

    def open(self) -> None:
        """Connect and introduce ourselves; raises OSError. Call in the event loop.

        The keeper holds the listening socket, so this succeeds also while there is no host. Only the host's
        Welcome says that somebody is there to take keys.
        """
        self._loop = asyncio.get_running_loop()
        peer = _connected(self._path)
        self._decoder = host_messages()
        with self._lock:
            self._socket, self._welcome = peer, False
            self._unsent[:] = encode(self._hello())
        self._loop.add_reader(peer.fileno(), self._readable)
        self._loop.add_writer(peer.fileno(), self._writable)

    def send(self, message: ClientMessage) -> bool:
        """Send a message from any thread; False where there is no host to take it."""
        frame = encode(message)
        with self._lock:
            typed = isinstance(message, Keys | Paste)
            if typed and not self._welcome:
                return self._keep(frame)
            peer = self._socket
            if peer is None or self._loop is None:
                return False
            if not self._unsent:
                try:
                    frame = frame[peer.send(frame, socket.MSG_DONTWAIT) :]
                except BlockingIOError:
                    pass
                except OSError:
                    # The loop reads the same end of file and reconnects.
                    self._welcome = False
                    return typed and self._keep(frame)
            if frame:
                if not self._unsent:
                    self._loop.call_soon_threadsafe(self._watch_writable)
                self._unsent += frame
        return True

    def ask(self, message: ClientMessage) -> bool:
        """Send a request on a connection of its own: the host may not be reading this one while the agent hangs.

        What it answers is told to the owner. Call in the event loop.
        """
        loop = asyncio.get_running_loop()
        try:
            peer = _connected(self._path)
            peer.send(encode(Hello(VERSION, "command")) + encode(message))
        except OSError:
            return False
        decoder = host_messages()
        self._asking.add(peer)

        def readable() -> None:
            try:
                data = peer.recv(_RECEIVE)
                answers = [answer for answer in decoder.feed(data) if isinstance(answer, Outcome)]
            except BlockingIOError:
                return
            except (OSError, BadFrame):
                data, answers = b"", []
            if answers or not data:
                loop.remove_reader(peer.fileno())
                self._asking.discard(peer)
                peer.close()
                if answers and not self._closed:
                    self._owner.host_said(answers)

        loop.add_reader(peer.fileno(), readable)
        return True

    def _keep(self, frame: bytes) -> bool:
        if self._closed or sum(len(kept) for _, kept in self._kept) + len(frame) > KEPT_MOST:
            self._kept.clear()  # half a paste must not reach anybody
            return False
        self._kept.append((time.monotonic(), frame))
        return True

    def _welcomed(self) -> None:
        """Put on the wire what was typed while there was no host, in order, unless it is too old."""
        with self._lock:
            kept, self._kept = self._kept, []
            oldest = time.monotonic() - KEPT_FOR
            fresh = b"".join(frame for typed, frame in kept if typed >= oldest)
            if fresh and not self._unsent:
                self._watch_writable()
            self._unsent += fresh
            self._welcome = True

    def close(self) -> None:
        """Leave the host."""
        self._closed = True
        if self._retry is not None:
            self._retry.cancel()
        self._drop()
        for peer in self._asking:
            if self._loop is not None:
                self._loop.remove_reader(peer.fileno())
            peer.close()
        self._asking.clear()

    def _watch_writable(self) -> None:
        if self._loop is not None and self._socket is not None:
            self._loop.add_writer(self._socket.fileno(), self._writable)

    def _writable(self) -> None:
        with self._lock:
            if self._socket is None or self._loop is None:
                return
            try:
                del self._unsent[: self._socket.send(self._unsent[:_RECEIVE], socket.MSG_DONTWAIT)]
            except BlockingIOError:
                return
            except OSError:
                self._unsent.clear()
            if not self._unsent:
                self._loop.remove_writer(self._socket.fileno())

    def _readable(self) -> None:
        peer = self._socket
        if peer is None:
            return
        try:
            data = peer.recv(_RECEIVE)
            messages = list(self._decoder.feed(data))
        except BlockingIOError:
            return
        except (OSError, BadFrame):
            data, messages = b"", []
        if any(isinstance(message, Welcome) for message in messages):
            self._welcomed()
        if messages:
            self._owner.host_said(messages)
        if not data and not self._closed:
            self._drop()
            self._owner.host_lost()
            assert self._loop is not None
            self._try_again(FIRST_WAIT, self._loop.time() + GIVE_UP)

    def _try_again(self, wait: float, deadline: float) -> None:
        assert self._loop is not None
        self._retry = self._loop.call_later(wait, self._reopen, wait, deadline)

    def _reopen(self, wait: float, deadline: float) -> None:
        if self._closed or self._loop is None:
            return
        try:
            self.open()
        except OSError:
            if self._loop.time() >= deadline:
                self._owner.host_given_up()
            else:
                self._try_again(min(LONGEST_WAIT, wait * 1.5), deadline)

    def _drop(self) -> None:
        with self._lock:
            peer, self._socket = self._socket, None
            self._welcome = False
            self._unsent.clear()
        if peer is not None:
            if self._loop is not None:
                self._loop.remove_reader(peer.fileno())
                self._loop.remove_writer(peer.fileno())
            peer.close()


def _connected(path: str) -> socket.socket:
    """Return a non-blocking connection to the host's socket; raises OSError."""
    peer = socket.socket(socket.AF_UNIX)
    try:
        peer.connect(path)
    except OSError:
        peer.close()
        raise
    peer.setblocking(False)
    return peer
