"""Hosts are told before a change is made; one that is just starting is waited for, and the dead are not."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from agentsup.protocol import announcing, wire
from agentsup.protocol import messages as m
from agentsup.protocol.announcing import announce


@pytest.fixture
def runtime() -> Iterator[Path]:
    """Return a folder of sessions; short, because a socket's path is."""
    with tempfile.TemporaryDirectory(prefix="as-", dir="/tmp") as folder:
        yield Path(folder)


def session(runtime: Path, name: str, keeper: int) -> Path:
    (runtime / name).mkdir(mode=0o700)
    (runtime / name / "session.json").write_text(json.dumps({"session": name, "keeper_pid": keeper}))
    return runtime / name


@contextmanager
def host(folder: Path, *answers: m.HostMessage) -> Iterator[list[m.ClientMessage]]:
    """Answer one client."""
    heard: list[m.ClientMessage] = []
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket"))
        listening.listen(1)

        def serve() -> None:
            connection, _ = listening.accept()
            decoder = wire.client_messages()
            with connection:
                while len(heard) < 2:
                    heard.extend(decoder.feed(connection.recv(1 << 16)))
                for answer in answers:
                    connection.sendall(wire.encode(answer))

        thread = threading.Thread(target=serve)
        thread.start()
        yield heard
        thread.join()


def test_every_host_is_told_and_one_that_knows_us_for_an_agent_is_enough(runtime: Path) -> None:
    welcome, yes, no = m.Welcome(m.VERSION, "a", "sh"), m.Outcome(True), m.Outcome(False, "guard.agent")
    with host(session(runtime, "a", os.getpid()), welcome, yes) as heard:
        assert announce(runtime, "k", ("1", "2"))
    assert heard == [m.Hello(m.VERSION, "command"), m.TrustAnnounced("k", ("1", "2"))]
    (runtime / "a" / "socket").unlink()
    with host(runtime / "a", welcome, yes), host(session(runtime, "b", os.getpid()), welcome, no):
        assert not announce(runtime, "k", ("1",))


def test_a_session_whose_host_is_about_to_listen_is_waited_for(runtime: Path) -> None:
    folder = session(runtime, "a", os.getpid())
    said: list[bool] = []
    thread = threading.Thread(target=lambda: said.append(announce(runtime, "k", ("1",))))
    thread.start()
    with host(folder, m.Outcome(False, "guard.agent")):
        thread.join()
    assert said == [False]


def test_what_has_ended_is_not_waited_for(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announcing, "DEADLINE", 60.0)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    session(runtime, "ended", ended.pid)
    session(runtime, "first", 1)
    (session(runtime, "broken", 1) / "session.json").write_text("{")
    os.mkfifo(session(runtime, "fifo", 1) / "socket")
    (runtime / "being-started").mkdir()
    (runtime / "file").touch()
    begun = time.monotonic()
    assert announce(runtime, "k", ("1",))
    assert announce(runtime / "nowhere", "k", ("1",))
    session(runtime, "no-keeper", os.getpid())
    assert announce(runtime, "k", ("1",), is_keeper=lambda pid: False)
    assert time.monotonic() - begun < 10


@contextmanager
def listening(folder: Path, *, drips: bytes = b"", frame: bytes = b"\0\1\0\0") -> Iterator[None]:
    """Accept whoever comes, and say nothing, or a byte now and then; never to the end."""
    over = threading.Event()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        listener.listen(9)
        listener.settimeout(0.02)

        def serve() -> None:
            taken: list[socket.socket] = []
            while not over.is_set():
                with suppress(OSError):
                    taken.append(listener.accept()[0])
                    taken[-1].send(frame)
                for connection in taken:
                    with suppress(OSError):
                        connection.send(drips)
            for connection in taken:
                connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        over.set()
        thread.join()


def test_sockets_that_say_nothing_or_drip_share_one_deadline(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announcing, "DEADLINE", 1.0)
    begun = time.monotonic()
    with ExitStack() as stack:
        for number in range(4):
            stack.enter_context(listening(session(runtime, f"a{number}", 1), drips=b"x" * (number % 2)))
        heard = stack.enter_context(host(session(runtime, "z", 1), m.Outcome(True)))
        assert announce(runtime, "k", ("1",))
    assert len(heard) == 2, "who comes last is told all the same"
    assert 0.9 < time.monotonic() - begun < 3.5


def test_what_is_no_keeper_refuses_nothing_and_is_not_waited_for(runtime: Path) -> None:
    asked: list[int] = []

    def is_keeper(pid: int) -> bool:
        asked.append(pid)
        return False

    begun = time.monotonic()
    with host(session(runtime, "a", 1), m.Outcome(False, "guard.agent")) as heard, listening(session(runtime, "b", 1)):
        assert announce(runtime, "k", ("1",), is_keeper=is_keeper)
    assert len(heard) == 2, "it is told, should it be a host whose keeper has ended"
    assert time.monotonic() - begun < announcing.DEADLINE - 1
    assert set(asked) == {os.getpid()}
