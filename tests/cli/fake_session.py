"""Sessions that answer as a host does, or not at all, without a host."""

from __future__ import annotations

import json
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from agentsup.core.session import Session
from agentsup.protocol import messages as m
from agentsup.protocol import wire


@contextmanager
def answering(
    patch: pytest.MonkeyPatch, sessions: Mapping[str, tuple[Path, Session | None]]
) -> Iterator[list[tuple[str, m.ClientMessage]]]:  # fmt: skip
    """Let sessions of these ids run in these folders; one that is None accepts and never says a word.

    What they are asked comes into the list, with who was asked.
    """
    asked: list[tuple[str, m.ClientMessage]] = []
    # Short, because a socket's path is: pytest's own folders are too deep.
    runtime = Path(tempfile.mkdtemp(prefix="as-", dir="/tmp"))
    patch.setenv("XDG_RUNTIME_DIR", str(runtime))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, runtime)
        (runtime / "agentsup").mkdir(mode=0o700)
        for name, (folder, session) in sessions.items():
            stack.enter_context(_running(runtime / "agentsup" / name, folder, session, asked))
        yield asked


@contextmanager
def _running(
    place: Path, folder: Path, session: Session | None, asked: list[tuple[str, m.ClientMessage]]
) -> Iterator[None]:  # fmt: skip
    place.mkdir(mode=0o700)
    record = {
        "session": place.name, "agent": "codex", "cwd": str(folder), "started": 1.0, "keeper_pid": 1, "agent_pid": 1,
        "argv": [],
    }  # fmt: skip
    (place / "session.json").write_text(json.dumps(record))
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(str(place / "socket"))
        listening.listen(8)
        thread = threading.Thread(target=_serve, args=(listening, place.name, session, asked))
        thread.start()
        try:
            yield
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve(
    listening: socket.socket, name: str, session: Session | None, asked: list[tuple[str, m.ClientMessage]]
) -> None:  # fmt: skip
    silent: list[socket.socket] = []
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            break
        if session is None:
            silent.append(connection)
            continue
        with connection:
            try:
                if data := connection.recv(1 << 16):
                    requests = [each for each in wire.client_messages().feed(data) if not isinstance(each, m.Hello)]
                    asked += ((name, each) for each in requests)
                    is_saved = any(isinstance(each, m.EngramSaved) for each in requests)
                    answer = m.Outcome(True, "", (("id", "bcdfgh"),)) if is_saved else m.SessionChanged(session)
                    connection.sendall(wire.encode(m.Welcome(m.VERSION, name, "codex")))
                    connection.sendall(wire.encode(answer))
            except OSError:
                continue
    for connection in silent:
        connection.close()
