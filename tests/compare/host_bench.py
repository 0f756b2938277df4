"""A host's screen and clients, real but for the keeper: a pty to write into, and clients that read when told to."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
import tempfile
import time
import tty
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from unittest import mock

from agentsup.core.screen import CellStyle, Cursor, Modes, Row, Run
from agentsup.core.session import Agent, Session
from agentsup.host import clients as host_clients
from agentsup.host.pty_screen import PtyScreen
from agentsup.host.ring import Ring
from agentsup.protocol import messages as m
from agentsup.protocol import wire
from agentsup.terminal.ghostty import GhosttyEngine

DEADLINE = 3.0
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


class CountingEngine(GhosttyEngine):
    """The real engine; counts what it was fed."""

    fed = 0

    def feed(self, data: bytes) -> None:
        """Take the program's output."""
        self.fed += len(data)
        super().feed(data)


class NarrowListener(socket.socket):
    """Accepts connections that hold little, so that a client that does not read is soon behind."""

    def accept(self) -> tuple[socket.socket, object]:
        """Accept one."""
        connection, address = super().accept()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)  # the kernel raises it to its least
        return connection, address


class Reader:
    """A client: what its screen is by the frames it has read."""

    def __init__(self, path: Path, size: tuple[int, int]) -> None:
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(str(path))
        self.connection.setblocking(False)
        self.decoder = wire.host_messages()
        self.connection.sendall(wire.encode(m.Hello(m.VERSION, "ui", *size)))
        self.rows: list[Row] = []
        self.size = (0, 0)
        self.cursor, self.modes, self.title = Cursor(), Modes(), ""
        self.frames = 0

    def read(self) -> None:
        """Take what has come."""
        with contextlib.suppress(BlockingIOError):
            while data := self.connection.recv(1 << 18):
                for message in self.decoder.feed(data):
                    if isinstance(message, m.Frame):
                        self._take(message)

    def _take(self, frame: m.Frame) -> None:
        self.frames += 1
        self.size = (frame.columns, frame.rows)
        if frame.full or len(self.rows) != frame.rows:
            self.rows = [()] * frame.rows
        for number, runs in frame.lines:
            row = tuple(Run(text, cells, CellStyle(*frame.styles[style])) for text, cells, style in runs)
            assert sum(run.cells for run in row) == frame.columns, row
            assert not any(CONTROL.search(run.text) for run in row), row
            self.rows[number] = row
        self.cursor, self.modes, self.title = frame.cursor, frame.modes, frame.title
        assert 0 <= self.cursor.column < frame.columns
        assert 0 <= self.cursor.row < frame.rows

    @property
    def state(self) -> tuple[object, ...]:
        """Everything a person would see of it."""
        return self.size, self.rows, self.cursor, self.modes, self.title


class HostBench:
    """An async context: pty, screen and clients of one small host."""

    def __init__(self, columns: int, rows: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="hb-", dir="/tmp")
        self.path = Path(self._folder.name) / "s"
        self._patch = mock.patch.object(host_clients, "OUT_LIMIT", 256)
        self._start = (columns, rows)
        self.readers: list[Reader] = []
        self.written = 0

    async def __aenter__(self) -> HostBench:
        self._patch.start()
        self.engine = CountingEngine(*self._start)
        master, self._program = os.openpty()
        tty.setraw(self._program)
        self._ring = Ring(Path(self._folder.name) / "ring")
        self.screen = PtyScreen(
            self.engine, self._ring, on_reply=lambda _: None, on_event=lambda _: None,
            on_frame=self._frame, on_closed=lambda: None,
        )  # fmt: skip
        self._listener = NarrowListener(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        self.clients = host_clients.Clients(
            self._listener, self.screen, own_uid=os.getuid(), on_message=self._hello, on_gone=lambda _: None,
            session=lambda: m.SessionChanged(Session("s", "/", Agent("generic"))),
        )  # fmt: skip
        self.screen.attach(master, *self._start)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._patch.stop()
        self.clients.close_all()
        self.screen.detach()
        self._listener.close()
        for reader in self.readers:
            reader.connection.close()
        os.close(self._program)
        self._ring.close()
        self.engine.close()
        self._folder.cleanup()

    def _frame(self, full: bool, rows: set[int]) -> None:
        self.clients.damaged(full, rows)

    def _hello(self, client: host_clients.Client, message: m.ClientMessage) -> None:
        if isinstance(message, m.Hello):
            client.role = message.role
            self.screen.flush()
            self.clients.damaged(False, set())

    def open(self) -> Reader:
        """Attach a client."""
        self.readers.append(Reader(self.path, self.screen.size))
        return self.readers[-1]

    async def write(self, data: bytes) -> None:
        """Let the program write, and the host read it to the end."""
        for at in range(0, len(data), 2048):
            piece = data[at : at + 2048]
            assert os.write(self._program, piece) == len(piece)
            self.written += len(piece)
            await self.until(self._has_read, "the host reads")

    def _has_read(self) -> bool:
        self.screen.flush()
        return self.engine.fed == self.written

    async def until(self, condition: Callable[[], bool], what: str) -> None:
        """Let the host's loop turn until something holds."""
        end = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < end, f"not within {DEADLINE} s: {what}"
            await asyncio.sleep(0)

    @property
    def state(self) -> tuple[object, ...]:
        """The host's screen, as a client should come to have it."""
        screen = self.screen.settle()
        return self.screen.size, list(screen.rows), screen.cursor, screen.modes, screen.title
