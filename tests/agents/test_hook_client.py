"""The command that agents run as a hook: it speaks the host's own wire, and whatever happens the agent goes on."""

from __future__ import annotations

import ast
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.agents import hook_client
from agentsup.protocol import messages as m
from agentsup.protocol import wire

TOLD = b'{"session_id":"c1","hook_event_name":"SessionStart","source":"compact"}'


class Host:
    """A socket that answers one connection as a test wants."""

    def __init__(self, answer: Callable[[socket.socket], None]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="as-", dir="/tmp"))
        self.path = self.folder / "s"
        self.asked: list[m.ClientMessage] = []
        self._answer = answer
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        connection, _ = self._listener.accept()
        with connection:
            decoder = wire.client_messages()
            while not any(isinstance(message, m.HookCalled) for message in self.asked):
                data = connection.recv(1 << 16)
                if not data:
                    return
                self.asked += decoder.feed(data)
            self._answer(connection)

    def close(self) -> None:
        self._listener.close()
        self._thread.join(5)
        self.path.unlink()
        self.folder.rmdir()


@pytest.fixture
def host() -> Iterator[Callable[[Callable[[socket.socket], None]], Host]]:
    made: list[Host] = []

    def make(answer: Callable[[socket.socket], None]) -> Host:
        made.append(Host(answer))
        return made[-1]

    yield make
    for each in made:
        each.close()


def run(*words: str, told: bytes = TOLD, path: Path | str | None = None) -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AGENTSUP_")}
    if path is not None:
        environment["AGENTSUP_SOCKET"] = str(path)
    command = [sys.executable, "-I", "-S", hook_client.__file__, *words]
    return subprocess.run(command, input=told, env=environment, capture_output=True, timeout=20, check=False)


def nothing(done: subprocess.CompletedProcess[bytes]) -> None:
    """The agent sees a hook that has nothing to say, and no fault."""
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("output", [b"", b"x" * 200, b"x" * 300, "恢复\n".encode() * 30_000], ids=len)
def test_it_tells_the_host_what_it_was_told_and_prints_what_the_host_says(
    host: Callable[[Callable[[socket.socket], None]], Host], output: bytes
) -> None:
    frames = wire.encode(m.Welcome(m.VERSION, "s", "codex")) + wire.encode(m.HookAnswer(output))
    there = host(lambda connection: connection.sendall(frames))
    told = TOLD + b" " * 300_000
    done = run("codex", "SessionStart", told=told, path=there.path)
    assert (done.returncode, done.stdout, done.stderr) == (0, output, b"")
    assert there.asked == [m.Hello(m.VERSION, "command"), m.HookCalled("codex", "SessionStart", told)]


def test_it_speaks_the_version_of_the_host() -> None:
    assert hook_client.VERSION == m.VERSION


@given(st.binary(max_size=70_000), st.text(max_size=40), st.text(max_size=40))
def test_its_frames_are_those_of_the_wire(data: bytes, agent: str, event: str) -> None:
    sent = hook_client.frame("HookCalled", agent, event, data)
    assert list(wire.client_messages().feed(sent)) == [m.HookCalled(agent, event, data)]
    assert hook_client.unpacked(wire.encode(m.HookAnswer(data))[4:]) == data


@given(st.binary(max_size=40))
def test_an_answer_that_is_none_is_given_up_on(rest: bytes) -> None:
    body = b"\x92\xaaHookAnswer" + rest
    try:
        output = hook_client.unpacked(body)
    except hook_client.GaveUp:
        return
    assert list(wire.host_messages().feed(len(body).to_bytes(4, "big") + body)) == [m.HookAnswer(output)]


@pytest.mark.parametrize(
    "answer",
    [
        lambda connection: None,
        lambda connection: connection.sendall(wire.encode(m.Goodbye("protocol.other-version"))),
        lambda connection: connection.sendall(b"\xff\xff\xff\xff" + b"x" * 1000),
        lambda connection: connection.sendall(wire.encode(m.HookAnswer(b"not all of it"))[:-3]),
        lambda connection: connection.sendall(b"\x00\x00\x00\x0c\x92\xaaHookAnswer"),
    ],
    ids=["closes", "says goodbye", "speaks something else", "breaks off", "answers nothing"],
)
def test_a_host_that_does_not_answer_costs_the_agent_nothing(
    host: Callable[[Callable[[socket.socket], None]], Host], answer: Callable[[socket.socket], None]
) -> None:
    nothing(run("codex", "SessionStart", path=host(answer).path))


def test_without_a_session_it_says_nothing(tmp_path: Path) -> None:
    nothing(run("codex", "SessionStart"))
    nothing(run("codex", "SessionStart", path=tmp_path / "none"))
    nothing(run("codex", "SessionStart", path="/" + "x" * 200))
    (tmp_path / "file").write_bytes(b"")
    nothing(run("codex", "SessionStart", path=tmp_path / "file"))
    nothing(run("codex"))
    nothing(run())


def test_what_is_too_long_is_told_to_nobody(host: Callable[[Callable[[socket.socket], None]], Host]) -> None:
    there = host(lambda connection: None)
    nothing(run("codex", "UserPromptSubmit", told=b"x" * (hook_client.READ_MOST + 1), path=there.path))
    assert there.asked == []
    with socket.socket(socket.AF_UNIX) as other:
        other.connect(str(there.path))  # let its thread end


def test_a_host_that_hangs_is_given_up_on(host: Callable[[Callable[[socket.socket], None]], Host]) -> None:
    released = threading.Event()

    def hang(_connection: socket.socket) -> None:
        released.wait(10)

    there = host(hang)
    began = time.monotonic()
    try:
        nothing(run("codex", "UserPromptSubmit", path=there.path))
    finally:
        released.set()
    assert hook_client.DEADLINE - 0.1 < time.monotonic() - began < hook_client.DEADLINE + 1.5


def test_an_agent_that_does_not_end_its_words_is_given_up_on(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-S", hook_client.__file__, "codex", "UserPromptSubmit"]
    environment = {"AGENTSUP_SOCKET": str(tmp_path / "none")}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(b'{"session_id":')
        running.stdin.flush()
        assert running.wait(hook_client.DEADLINE + 10) == 0
        assert running.stdout.read() == b""


def test_it_needs_nothing_but_the_standard_library() -> None:
    tree = ast.parse(Path(hook_client.__file__).read_text())
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported == {"os", "select", "socket", "sys", "time"}
    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(tree))
