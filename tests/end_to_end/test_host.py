"""Keeper and host without an interface: what a client of the protocol sees."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from agentsup.core.screen import Modes
from agentsup.protocol import messages as m
from agentsup.protocol import wire
from agentsup.store.ancestry import is_under_a_keeper
from tests.end_to_end.conftest import Begin, gone, wait_until
from tests.end_to_end.headless import DEADLINE, Client, Started
from tests.terminals.tmux import is_gone

PAINTER = r"""
import sys, tty, os
tty.setraw(0)
os.write(1, b"\x1b[?1049h\x1b[?1h\x1b[?2004h\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[>7u\x1b[5;5Hpainted")
data = b""
while True:
    data = (data + os.read(0, 4096))[-40:]
    os.write(1, b"\x1b[10;1H\x1b[2K" + repr(data).encode())
"""


def host_of(started: Started) -> psutil.Process:
    found: list[psutil.Process] = []

    def look() -> bool:
        with suppress(psutil.NoSuchProcess):  # one that is ending just now
            found[:] = [p for p in psutil.Process(started.keeper_pid).children() if "agentsup.host" in p.cmdline()]
        return bool(found)

    wait_until(look, "the host runs")
    return found[0]


def test_two_clients_see_the_same_and_one_may_leave(begin: Begin) -> None:
    session = begin("sh")
    first, second = Client(session.folder), Client(session.folder)
    first.send(m.Keys(b"echo he''llo\r"))
    first.wait_text("hello")
    second.wait_text("hello")
    assert first.rows == second.rows
    first.close()
    second.send(m.Keys(b"echo st''ill\r"))
    second.wait_text("still")


def test_a_new_host_has_the_same_screen_and_modes(begin: Begin) -> None:
    session = begin(sys.executable, "-c", PAINTER)
    client = Client(session.folder)
    client.wait_text("painted")
    wanted = Modes(True, True, True, True, 1003, True, 7, False)
    client.wait(lambda: client.modes == wanted, "all modes are set")
    rows = client.rows
    for _ in range(3):
        host = host_of(session)
        host.kill()
        killed = time.monotonic()
        wait_until(lambda host=host: not host.is_running(), "the host is gone")  # type: ignore[misc]
        host_of(session)
        client = Client(session.folder)
        client.wait(lambda client=client: client.rows == rows and client.modes == wanted, "the same screen")  # type: ignore[misc]
        print(f"host killed, same screen after {time.monotonic() - killed:.2f} s")
    client.send(m.Paste(b"two\nlines"))
    client.wait_text(r"\x1b[200~two\nlines\x1b[201~'")
    assert psutil.pid_exists(session.agent_pid)


def test_a_stuck_host_is_replaced(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    session = begin("sh")
    Client(session.folder).wait_text("#" if os.getuid() == 0 else "$")
    host = host_of(session)
    host.suspend()
    wait_until(lambda: not host.is_running(), "the keeper has ended the silent host")
    client = Client(session.folder)
    client.send(m.Keys(b"echo a''live\r"))
    client.wait_text("alive")


def test_a_paste_is_bracketed_only_where_it_was_asked_for_and_is_whole(begin: Begin) -> None:
    session = begin(sys.executable, "-c", PAINTER)
    client = Client(session.folder)
    client.wait_text("painted")
    client.send(m.Paste(b"abc", first=True, last=False))
    client.send(m.Paste(b"def", first=False, last=True))
    client.wait_text(r"def\x1b[201~'")
    session = begin("cat")
    client = Client(session.folder)
    client.send(m.Paste(b"plain\r"))
    client.wait_text("plain")
    assert not any("200~" in row for row in client.rows)


def test_a_client_that_dies_in_a_paste_closes_it(begin: Begin) -> None:
    session = begin(sys.executable, "-c", PAINTER)
    client, other = Client(session.folder), Client(session.folder)
    client.wait_text("painted")
    client.send(m.Paste(b"begun", first=True, last=False))
    other.wait_text("begun")
    other.send(m.Keys(b"k"))
    client.close()
    other.wait(lambda: r"\x1b[201~" in "".join(other.rows) or "b'k'" in "".join(other.rows), "closed")
    other.wait_text("k'")
    assert r"k\x1b[201~" not in "".join(other.rows)


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n", struct.pack("!I", 2**31), struct.pack("!I", 4) + b"\xff\xff\xff\xff",
        wire.encode(m.Keys(b"before hello")), b"\x00", struct.pack("!I", 0),
        wire.encode(m.Hello(m.VERSION, "ui", 80, 24)) + struct.pack("!I", 3) + b"\x93\x01",
        wire.encode(m.Hello(999, "ui", 80, 24)),
    ],
)  # fmt: skip
def test_a_bad_frame_closes_that_client_only(begin: Begin, garbage: bytes) -> None:
    session = begin("sh")
    good = Client(session.folder)
    good.wait_text("#" if os.getuid() == 0 else "$")
    bad = socket.socket(socket.AF_UNIX)
    bad.settimeout(DEADLINE)
    bad.connect(str(session.folder / "socket"))
    bad.sendall(garbage)
    bad.shutdown(socket.SHUT_WR)
    while bad.recv(65536):
        pass
    bad.close()
    good.send(m.Keys(b"echo fi''ne\r"))
    good.wait_text("fine")


def test_a_stopped_client_neither_stops_the_program_nor_grows_the_host(begin: Begin) -> None:
    session = begin("sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); echo line $i; done; echo fin''ished; cat")
    stopped = Client(session.folder)
    other = Client(session.folder)
    other.wait(lambda: bool(other.rows), "a first frame")
    memory = host_of(session).memory_info().rss
    other.wait_text("finished", deadline=60)
    assert host_of(session).memory_info().rss - memory < 16 << 20
    stopped.wait_text("finished")
    assert stopped.rows == other.rows


def test_the_end_without_an_interface_ends_the_session(begin: Begin) -> None:
    session = begin("sh", "-c", "exit 3")
    wait_until(lambda: not session.folder.exists(), "the session is gone")
    wait_until(lambda: gone(session.keeper_pid), "the keeper is gone")


def test_resize_follows_the_last_active_client(begin: Begin) -> None:
    session = begin("sh")
    first = Client(session.folder, size=(90, 20))
    first.wait(lambda: len(first.rows) == 20, "first size")
    second = Client(session.folder, size=(100, 30))
    second.wait(lambda: len(second.rows) == 30, "second size")
    first.wait(lambda: len(first.rows) == 30, "the first sees it too")
    first.send(m.Keys(b"stty size\r"))
    first.wait_text("20 90")


def test_the_keepers_death_leaves_agent_and_host_and_stop_still_ends_them(begin: Begin) -> None:
    session = begin("sh")
    client = Client(session.folder)
    client.send(m.Keys(b"echo he''re\r"))
    client.wait_text("here")
    host = host_of(session)
    os.kill(session.keeper_pid, signal.SIGKILL)
    client.wait(lambda: client.session is not None and bool(client.session.notices), "a notice")
    assert client.session is not None
    assert client.session.notices[0].key == "keeper.lost"
    client.send(m.Keys(b"echo al''ive\r"))
    client.wait_text("alive")
    client.send(m.RestartRequest())
    client.wait(lambda: m.Outcome(False, "guard.no-keeper") in client.messages, "a refusal")
    client.send(m.StopRequest())
    wait_until(lambda: gone(session.agent_pid) and is_gone(host), "agent and host have ended")
    assert not session.folder.exists()


def test_a_session_folder_that_vanished_and_a_crash_leave_the_agent(begin: Begin) -> None:
    session = begin("sh")
    client = Client(session.folder)
    client.wait_text("#" if os.getuid() == 0 else "$")
    shutil.rmtree(session.folder)
    host = host_of(session)
    host.kill()
    wait_until(lambda: host_of(session).pid != host.pid, "another host")
    assert not gone(session.agent_pid)
    assert not gone(session.keeper_pid)


def test_a_restart_whose_program_is_missing_is_refused_and_the_agent_goes_on(begin: Begin, tmp_path: Path) -> None:
    program = tmp_path / "agent"
    program.write_text("#!/bin/sh\necho here; exec cat\n")
    program.chmod(0o755)
    session = begin(str(program))
    client = Client(session.folder)
    client.wait_text("here")
    program.unlink()
    client.send(m.RestartRequest())
    client.wait(lambda: client.session is not None and bool(client.session.notices), "a notice")
    assert client.session is not None
    assert client.session.notices[0].key == "restart.failed"
    assert not gone(session.agent_pid)
    client.send(m.Keys(b"alive\r"))
    client.wait_text("alive")


def test_a_ring_that_can_not_be_had_is_a_notice(begin: Begin) -> None:
    session = begin("sh")
    first = host_of(session)
    Client(session.folder).wait_text("#" if os.getuid() == 0 else "$")
    (session.folder / "ring").unlink()
    (session.folder / "ring").mkdir()
    first.kill()
    client = Client(session.folder)
    client.wait(lambda: client.session is not None and bool(client.session.notices), "a notice")
    assert client.session is not None
    assert client.session.notices[0].key == "ring.none"
    client.send(m.Keys(b"echo al''ive\r"))
    client.wait_text("alive")
    (session.folder / "ring").rmdir()


def test_a_project_whose_name_is_no_text_has_a_session(begin: Begin, tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    folder.mkdir()
    session = begin("sh", cwd=folder)
    client = Client(session.folder)
    client.wait(lambda: client.session is not None, "a session")
    assert client.session is not None
    assert client.session.project.endswith("\ufffd")


def test_the_end_of_a_program_is_seen_without_a_keeper_and_nothing_is_typed_elsewhere(begin: Begin) -> None:
    session = begin("sh")
    client = Client(session.folder)
    client.wait_text("#" if os.getuid() == 0 else "$")
    os.kill(session.keeper_pid, signal.SIGKILL)
    client.send(m.Keys(b"exit\r"))
    client.wait(lambda: client.session is not None and client.session.phase == "exited", "its end")
    other = Client(session.folder, role="command")
    client.send(m.Keys(b"SECRET"))
    other.send(m.StatusRequest())
    other.wait(lambda: other.session is not None, "an answer, and nothing that is none")
    client.send(m.StopRequest())
    wait_until(lambda: not session.folder.exists(), "the session is over")


def test_the_sessions_folder_goes_with_all_that_was_left_in_it(begin: Begin) -> None:
    session = begin("cat")
    client = Client(session.folder)
    client.wait(lambda: bool(client.rows), "a frame")
    (session.folder / "claude-status.json").write_text("{}")
    client.send(m.StopRequest())
    wait_until(lambda: not session.folder.exists(), "the session is over")


def test_a_person_can_end_a_stopped_program_after_a_large_paste(begin: Begin) -> None:
    session = begin("cat")
    client = Client(session.folder)
    client.wait(lambda: bool(client.rows), "a frame")
    os.kill(session.agent_pid, signal.SIGSTOP)
    # More than the host takes for a program that reads nothing, and less than would block this test's socket.
    for _ in range(7):
        client.send(m.Paste(b"x" * 40_000 + b"\n"))
    command = Client(session.folder, role="command")
    command.send(m.StopRequest())
    wait_until(lambda: gone(session.agent_pid), "it has ended")


DAEMON = "setsid sh -c 'exec sleep 600' >/dev/null 2>&1 </dev/null & echo daemon $!; sleep 0.1"


def test_what_the_agent_leaves_running_keeps_its_keeper_above_it(begin: Begin) -> None:
    started = begin("sh", "-c", DAEMON)
    client = Client(started.folder)
    client.wait(lambda: client.session is not None and client.session.phase == "exited", "the program has ended")
    (left,) = [each for each in psutil.Process(started.keeper_pid).children() if each.name() == "sleep"]
    client.close()
    wait_until(lambda: not started.folder.exists(), "the session is over")
    assert left.is_running()
    assert is_under_a_keeper(left.pid), "it is known for the agent's as long as it runs"
    left.kill()
    wait_until(lambda: gone(started.keeper_pid), "then its keeper ends, too")
