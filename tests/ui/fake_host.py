"""A host without an agent: a real socket that speaks the real protocol, with what it is told to say.

`python -m tests.ui.fake_host SOCKET [SCENE]` serves one scene, to look at the interface in a real terminal.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from agentsup.core.screen import CellStyle, Cursor, Modes, Scrollback
from agentsup.core.session import Session
from agentsup.protocol.messages import (
    LINES_AT_ONCE,
    VERSION,
    ClientMessage,
    Frame,
    Hello,
    HostMessage,
    Keys,
    Lines,
    Outcome,
    Paste,
    ReadLines,
    Resize,
    SessionChanged,
    Welcome,
)
from agentsup.protocol.wire import client_messages, encode
from tests.ui import scenes

DEADLINE = 20.0


class FakeHost:
    """Serves clients; what they send is kept, and can be waited for."""

    def __init__(self, path: Path, session: Session, *, modes: Modes | None = None) -> None:
        self.path = path
        self.session = session
        self.modes = modes or Modes(bracketed_paste=True)
        self.older: list[str] = []
        """The lines above the screen."""
        self.received: list[ClientMessage] = []
        self.connections = 0
        self._changed = threading.Condition()
        self._peer: socket.socket | None = None
        """The greeted interface."""
        self._unsaid = b""
        self._commands: list[threading.Thread] = []
        self._listener = self._listen()
        self._thread = threading.Thread(target=self._serve, name="fake-host", daemon=True)
        self._thread.start()

    def __enter__(self) -> FakeHost:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def say(self, *messages: HostMessage) -> None:
        """Send messages to the client, now or when it has come and was greeted."""
        data = b"".join(map(encode, messages))
        with self._changed:
            if self._peer is None:
                self._unsaid += data
            else:
                self._peer.sendall(data)

    def show(self, session: Session) -> None:
        """Change the session."""
        self.session = session
        self.say(SessionChanged(session, 1))

    def set_modes(self, modes: Modes) -> None:
        """Change the terminal's modes, by an empty frame."""
        self.modes = modes
        columns, rows = self.size
        self.say(Frame(False, columns, rows, (), (), Cursor(2, 2), modes, "", self.scrollback))

    @property
    def scrollback(self) -> Scrollback:
        """How many lines stand above the screen."""
        return Scrollback(len(self.older))

    def print_lines(self, *lines: str) -> None:
        """Let lines leave the screen upwards."""
        self.older += lines
        self.set_modes(self.modes)

    @property
    def size(self) -> tuple[int, int]:
        """The size the client asked for last."""
        sizes = [(m.columns, m.rows) for m in self.received if isinstance(m, Hello | Resize)]
        return sizes[-1] if sizes else (80, 24)

    @property
    def keys(self) -> bytes:
        """All key bytes so far."""
        return b"".join(m.data for m in self.received if isinstance(m, Keys))

    @property
    def pasted(self) -> bytes:
        """All pasted bytes so far."""
        return b"".join(m.data for m in self.received if isinstance(m, Paste))

    def wait(self, happened: Callable[[], object]) -> None:
        """Wait until something is true; looks again whenever the client said something."""
        with self._changed:
            assert self._changed.wait_for(happened, DEADLINE), f"not within {DEADLINE} s; got {self.received[-5:]}"

    def wait_for_keys(self, count: int) -> None:
        """Wait until that many key bytes have come."""
        self.wait(lambda: len(self.keys) >= count)

    def drop(self) -> None:
        """Break the connection, as a host that crashed."""
        with self._changed:
            peer, self._peer = self._peer, None
        with suppress(OSError):  # the client may have left before
            if peer is not None:
                peer.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def away(self) -> Iterator[None]:
        """Crash, and be nowhere to be found while the block lasts."""
        hidden = self.path.with_suffix(".away")
        self.path.rename(hidden)
        self.drop()
        yield
        hidden.rename(self.path)

    def close(self) -> None:
        """Stop serving."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.drop()
        self._thread.join()
        for thread in self._commands:
            thread.join()

    def _listen(self) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.path))
        listener.listen()
        return listener

    def _serve(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._greeted, args=(peer,), name="fake-host-client", daemon=True)
            self._commands.append(thread)
            thread.start()

    def _greeted(self, peer: socket.socket) -> None:
        with peer:
            asks = encode(Hello(VERSION, "command"))
            if peer.recv(len(asks), socket.MSG_PEEK) == asks:
                # A request on a connection of its own, beside the interface's.
                with suppress(ConnectionResetError):
                    self._command(peer)
            else:
                with suppress(ConnectionError):  # the interface may leave at any moment, even before it is greeted
                    self._talk(peer)

    def _command(self, peer: socket.socket) -> None:
        decoder = client_messages()
        while data := peer.recv(1 << 16):
            for message in decoder.feed(data):
                if isinstance(message, Hello):
                    continue
                with self._changed:
                    self.received.append(message)
                    self._changed.notify_all()
                with suppress(OSError):
                    peer.sendall(encode(Outcome(True)))

    def _talk(self, peer: socket.socket) -> None:
        decoder = client_messages()
        while True:
            data = peer.recv(1 << 16)
            if not data:
                return
            for message in decoder.feed(data):
                with self._changed:
                    self.received.append(message)
                    self._changed.notify_all()
                if isinstance(message, Hello | Resize):
                    self._greet(peer, message)
                elif isinstance(message, ReadLines):
                    peer.sendall(encode(self._lines(message)))

    def _lines(self, message: ReadLines) -> Lines:
        columns, _ = self.size
        read = self.older[message.first : message.first + min(message.count, LINES_AT_ONCE)]
        runs = tuple(((text, len(text), 0),) for text in read)
        return Lines(message.first, columns, (CellStyle(),), runs)

    def _greet(self, peer: socket.socket, message: Hello | Resize) -> None:
        answers: list[HostMessage] = []
        if isinstance(message, Hello):
            self.connections += 1
            answers += [Welcome(VERSION, self.session.id, self.session.agent.name)]
            answers.append(SessionChanged(self.session, 1))
        answers.append(scenes.frame(message.columns, message.rows, self.modes, self.scrollback))
        with self._changed:
            peer.sendall(b"".join(map(encode, answers)) + self._unsaid)
            self._peer, self._unsaid = peer, b""


def main() -> None:
    """Serve one scene until interrupted."""
    path, scene = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "working"
    path.unlink(missing_ok=True)
    with FakeHost(path, scenes.SCENES[scene], modes=Modes(bracketed_paste=True, mouse=1000, mouse_sgr=True)) as host:
        seen = 0
        while True:
            time.sleep(0.2)
            for message in host.received[seen:]:
                print(message, flush=True)
            seen = len(host.received)


if __name__ == "__main__":
    main()
