"""Queries are answered once, by the host alone: it does not matter how many interfaces are attached."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from agentsup import __version__
from agentsup.protocol import messages as m
from tests.end_to_end.headless import OPENED, Client, Started, start
from tests.keys.recording import Recording

LAST, LAST_ANSWER = b"\x1b[5n", b"\x1b[0n"
ANSWERS = {
    b"\x1b[c": b"\x1b[?62;22c",
    b"\x1b[>c": b"\x1b[>1;0;0c",
    b"\x1b[5n": b"\x1b[0n",
    b"\x1b[3;7H\x1b[6n": b"\x1b[3;7R",
    b"\x1b[?2004h\x1b[?2004$p": b"\x1b[?2004;1$y",
    b"\x1b[?2004l\x1b[?2004$p": b"\x1b[?2004;2$y",
    b"\x1b[?1$p": b"\x1b[?1;2$y",
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",
    b"\x1b[?2027$p": b"\x1b[?2027;1$y",
    b"\x1b[?9876$p": b"\x1b[?9876;0$y",
    b"\x1b[4$p": b"\x1b[4;2$y",
    b"\x1b[>q": b"\x1bP>|agentsup %s\x1b\\" % __version__.encode(),
    b"\x1b]10;?\x07": b"\x1b]10;rgb:e0e0/e0e0/e0e0\x07",
    b"\x1b]11;?\x1b\\": b"\x1b]11;rgb:1010/1010/1818\x1b\\",
    b"\x1b[?u": b"\x1b[?0u",
    b"\x1b[>7u\x1b[?u\x1b[<u": b"\x1b[?7u",
}
HARMLESS = (
    b"\x1b]2;TEXT\x07\x1b[21t", b"\x1b]1;TEXT\x07\x1b[20t", b"\x1bP$qTEXT\x1b\\", b"\x1bP$q\"p\x1b\\",
    b"\x1bP+q54455854\x1b\\",
    b"\x1b]52;c;VEVYVA==\x07\x1b]52;c;?\x07", b"\x1b]4;1;?\x07", b"\x1b]4;TEXT;?\x07", b"\x1b]4;1;TEXT\x07",
    b"\x1b]5522;type=read:id=TEXT;Lg==\x07", b"\x1b]99;i=TEXT:p=?;\x07", b"\x1b_Gi=31,s=1,v=1,a=q;TEXT\x1b\\",
    b"\x1b]21;TEXT=?\x07", b"\x1b]7501;?\x07", b"\x05", b"\x1b]7;file:///TEXT\x07",
)  # fmt: skip
"""Answered or not, never with what the program said before."""

Session = tuple[Started, Recording]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    # A socket's path is short: pytest's folders are too deep.
    folder = Path(tempfile.mkdtemp(prefix="as-", dir="/tmp"))
    recording = Recording(folder / "recorder")
    started = start(folder, recording.argv)
    recording.wait_for_start()
    yield started, recording
    recording.close()
    keeper = psutil.Process(started.keeper_pid)
    for pid in (started.agent_pid, started.keeper_pid):
        if psutil.pid_exists(pid):
            os.kill(pid, signal.SIGTERM)
    keeper.wait(15)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def attach(session: Session) -> Iterator[Callable[[int], None]]:
    """Return a function that attaches so many interfaces."""
    first = len(OPENED)

    def attach(count: int) -> None:
        for _ in range(count):
            client = Client(session[0].folder)
            client.wait(lambda client=client: client.session is not None)  # type: ignore[misc]

    yield attach
    for client in OPENED[first:]:
        client.close()
    del OPENED[first:]


@pytest.mark.parametrize("interfaces", [0, 1, 2])
def test_each_query_is_answered_exactly_once(session: Session, attach: Callable[[int], None], interfaces: int) -> None:
    attach(interfaces)
    _, recording = session
    for query, answer in ANSWERS.items():
        recording.write(query + b"\x1b]2;behind\x07" + LAST)
        recording_end = recording.take(len(answer + LAST_ANSWER))
        assert recording_end == answer + LAST_ANSWER, query


@pytest.mark.parametrize("interfaces", [0, 2])
def test_no_answer_holds_what_the_program_chose(
    session: Session, attach: Callable[[int], None], interfaces: int
) -> None:
    attach(interfaces)
    _, recording = session
    for query in HARMLESS:
        recording.write(query + LAST)
        answer = recording.take_until(LAST_ANSWER)
        assert b"TEXT" not in answer, query
        assert b"54455854" not in answer
        assert b"VEVYVA" not in answer


def test_a_line_end_cut_in_two_is_one_enter(session: Session, attach: Callable[[int], None]) -> None:
    attach(1)
    _, recording = session
    for piece in (m.Paste(b"a\r", True, False), m.Paste(b"\nb\r", False, False), m.Paste(b"c\n\n", False, True)):
        OPENED[-1].send(piece)
    assert recording.take(7) == b"a\rb\rc\r\r"
