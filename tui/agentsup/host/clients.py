"""The host's clients: accepts them, reads their messages, sends them frames and the session.

A slow or stopped client can neither slow the agent nor grow the host: it gets the newest rows when it
has taken the last ones, and what it has not taken is bounded. A bad frame closes that client only.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from agentsup.core.screen import CellStyle, Cursor, Modes, Row, Scrollback, WrappedRow
from agentsup.host import peers
from agentsup.protocol import messages as m
from agentsup.protocol import wire

OUT_LIMIT = 1 << 16
"""Bytes a client may leave untaken before it is sent no further frame."""

OUT_MOST = 1 << 22
"""Bytes untaken at which a client is closed: only answers it asked for itself can get it there."""

_READ = 1 << 16
_CREDENTIALS = struct.Struct("3i")


class ScreenSource(Protocol):
    """Where frames come from."""

    lines: list[Row]
    scrollback: Scrollback

    @property
    def size(self) -> tuple[int, int]: ...
    @property
    def cursor(self) -> Cursor: ...
    @property
    def modes(self) -> Modes: ...
    @property
    def title(self) -> str: ...


class Client:
    """One connection: what it is, what it has still to be sent."""

    def __init__(self, connection: socket.socket, number: int) -> None:
        self.connection = connection
        self.connected = peers.clock()
        self.number = number
        self.decoder = wire.client_messages()
        self.out = bytearray()
        self.role = ""
        self.size = (0, 0)
        self.damage: set[int] = set()
        self.full = True
        self.frame_due = False
        self.session_due = False
        self.writing = False
        self.closing = False
        self.reading = True
        self.deaf = False
        """It takes nothing more: it has left, or is about to."""

    def peer(self) -> tuple[int, int]:
        """Return the peer's pid and uid, (0, -1) where the system does not say."""
        option = getattr(socket, "SO_PEERCRED", None)
        if option is None:
            return 0, -1
        data = self.connection.getsockopt(socket.SOL_SOCKET, option, _CREDENTIALS.size)
        pid, uid, _gid = _CREDENTIALS.unpack(data)
        return pid, uid


class Clients:
    """All clients of a session."""

    def __init__(
        self,
        listener: socket.socket,
        screen: ScreenSource,
        *,
        own_uid: int,
        on_message: Callable[[Client, m.ClientMessage], None],
        on_gone: Callable[[Client], None],
        session: Callable[[], m.SessionChanged],
    ) -> None:
        self._listener, self._screen = listener, screen
        self._on_message, self._on_gone, self._session = on_message, on_gone, session
        self._own_uid = own_uid
        self._loop = asyncio.get_running_loop()
        self._all: dict[int, Client] = {}
        self._count = 0
        listener.setblocking(False)
        self._loop.add_reader(listener.fileno(), self._accept)

    @property
    def interfaces(self) -> list[Client]:
        """The clients that show the screen, oldest first."""
        return [client for client in self._all.values() if client.role == "ui"]

    def damaged(self, full: bool, rows: set[int]) -> None:
        """Rows changed: send them to every interface that has room, owe them to the others."""
        encoded: dict[tuple[bool, frozenset[int]], bytes] = {}
        for client in self.interfaces:
            client.damage |= rows
            client.full |= full
            client.frame_due = True
            self._send_frame(client, encoded)

    def session_changed(self) -> None:
        """The session changed: send it to every interface that has room."""
        for client in self.interfaces:
            client.session_due = True
            self._pump(client)

    def broadcast(self, message: m.HostMessage) -> None:
        """Send every interface something it may miss while it is stopped."""
        data = wire.encode(message)
        for client in self.interfaces:
            if len(client.out) < OUT_LIMIT:
                self._queue(client, data)

    def send(self, client: Client, message: m.HostMessage) -> None:
        """Send one client an answer."""
        self._queue(client, wire.encode(message))

    def is_there(self, client: Client) -> bool:
        """Say whether a client has not left so far."""
        return client.number in self._all

    def close(self, client: Client) -> None:
        """Close a client once it has taken what is queued."""
        client.closing = True
        if client.deaf:
            self._drop(client)
        else:
            self._flush(client)

    def close_all(self) -> None:
        """Stop listening, and close every client without waiting."""
        self._loop.remove_reader(self._listener.fileno())
        for client in list(self._all.values()):
            self._flush(client)
            self._drop(client)

    def pause_reading(self, pause: bool) -> None:
        """Hold the interfaces' input back while the pty does not take it, or read on.

        Commands are always read: a person must be able to end an agent that hangs.
        """
        for client in self._all.values():
            if client.role == "ui" and client.reading == pause:
                client.reading = not pause
                if pause:
                    self._loop.remove_reader(client.connection.fileno())
                else:
                    self._loop.add_reader(client.connection.fileno(), self._readable, client)

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        connection.setblocking(False)
        self._count += 1
        client = Client(connection, self._count)
        if client.peer()[1] not in (self._own_uid, -1):
            connection.close()
            return
        self._all[client.number] = client
        self._loop.add_reader(connection.fileno(), self._readable, client)

    def _readable(self, client: Client) -> None:
        try:
            data = client.connection.recv(_READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._drop(client)
            return
        try:
            for message in client.decoder.feed(data):
                if client.closing:
                    return
                # Also when it has left meanwhile: what it typed before, it has typed.
                self._on_message(client, message)
        except wire.BadFrame:
            self._drop(client)

    def _drop(self, client: Client) -> None:
        if self._all.pop(client.number, None) is None:
            return
        number = client.connection.fileno()
        self._loop.remove_reader(number)
        self._loop.remove_writer(number)
        client.connection.close()
        self._on_gone(client)

    def _left(self, client: Client) -> None:
        """It takes nothing more. What it had typed before is still to be read: that is the person's."""
        client.deaf = True
        client.out.clear()
        if client.writing:
            client.writing = False
            self._loop.remove_writer(client.connection.fileno())
        if client.closing:
            self._drop(client)  # else the reader is told of the end, behind the last bytes

    def _queue(self, client: Client, data: bytes) -> None:
        if client.number not in self._all or client.deaf:
            return
        client.out += data
        if len(client.out) > OUT_MOST:
            self._drop(client)
            return
        self._flush(client)

    def _flush(self, client: Client) -> None:
        if client.number not in self._all or client.deaf:
            return
        try:
            while client.out:
                sent = client.connection.send(client.out)
                del client.out[:sent]
        except BlockingIOError:
            if not client.writing:
                client.writing = True
                self._loop.add_writer(client.connection.fileno(), self._writable, client)
            return
        except OSError:
            self._left(client)
            return
        if client.writing:
            client.writing = False
            self._loop.remove_writer(client.connection.fileno())
        if client.closing:
            with contextlib.suppress(OSError):
                client.connection.shutdown(socket.SHUT_WR)
            self._drop(client)

    def _writable(self, client: Client) -> None:
        self._flush(client)
        self._pump(client)

    def _pump(self, client: Client) -> None:
        if client.session_due and len(client.out) < OUT_LIMIT:
            client.session_due = False
            self._queue(client, wire.encode(self._session()))
        if client.frame_due:
            self._send_frame(client, {})

    def _send_frame(self, client: Client, encoded: dict[tuple[bool, frozenset[int]], bytes]) -> None:
        if len(client.out) >= OUT_LIMIT or client.number not in self._all:
            return
        key = (client.full, frozenset(client.damage))
        if key not in encoded:
            encoded[key] = wire.encode(self._frame(*key))
        client.full, client.frame_due = False, False
        client.damage.clear()
        self._queue(client, encoded[key])

    def _frame(self, full: bool, damage: frozenset[int]) -> m.Frame:
        screen = self._screen
        columns, rows = screen.size
        numbers = [number for number in (range(rows) if full else sorted(damage)) if number < len(screen.lines)]
        shown = [screen.lines[number] for number in numbers]
        styles, lines = on_wire(shown)
        return m.Frame(
            full, columns, rows, styles, tuple(zip(numbers, lines, strict=True)), screen.cursor, screen.modes,
            screen.title, screen.scrollback, wrapped(shown, numbers),
        )  # fmt: skip


def on_wire(rows: Sequence[Row]) -> tuple[tuple[CellStyle, ...], tuple[tuple[m.WireRun, ...], ...]]:
    """Return rows as messages carry them: the styles, and the runs that refer to them."""
    styles: dict[CellStyle, int] = {}
    lines = tuple(
        tuple((run.text, run.cells, styles.setdefault(run.style, len(styles))) for run in row) for row in rows
    )
    return tuple(styles), lines


def wrapped(rows: Sequence[Row], numbers: Iterable[int]) -> tuple[int, ...]:
    """Return the numbers of the rows whose line goes on in the next one."""
    return tuple(number for row, number in zip(rows, numbers, strict=True) if isinstance(row, WrappedRow))
