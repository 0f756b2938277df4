"""Older lines, notifications and the clipboard as a client of the real host gets them."""

from __future__ import annotations

import sys

from agentsup.core.screen import Scrollback
from agentsup.protocol import messages as m
from tests.end_to_end.conftest import Begin
from tests.end_to_end.headless import Client, Started

LISTENER = r"""
import os, sys, tty
tty.setraw(0)
os.write(1, b"ready")
held = b""
while data := os.read(0, 4096):
    held += data
    while b"\n" in held:
        line, held = held.split(b"\n", 1)
        os.write(1, eval(line))
"""
"""Writes what the lines it is sent evaluate to."""


def listening(begin: Begin) -> tuple[Started, Client]:
    session = begin(sys.executable, "-c", LISTENER)
    client = Client(session.folder)
    client.wait_text("ready")
    return session, client


def tell(client: Client, expression: str) -> None:
    client.send(m.Keys(expression.encode() + b"\n"))


def frames(client: Client) -> list[m.Frame]:
    return [message for message in client.messages if isinstance(message, m.Frame)]


def read(client: Client, first: int, count: int) -> m.Lines:
    already = sum(isinstance(message, m.Lines) for message in client.messages)
    client.send(m.ReadLines(first, count))
    client.wait(lambda: sum(isinstance(each, m.Lines) for each in client.messages) > already, "lines")
    return next(message for message in reversed(client.messages) if isinstance(message, m.Lines))


def everything(client: Client) -> list[str]:
    return [text for first in (0, 64) for text in texts(read(client, first, 64))]


def texts(lines: m.Lines) -> list[str]:
    return ["".join(text for text, _, _ in runs).rstrip() for runs in lines.lines]


def test_every_client_reads_the_lines_it_wants(begin: Begin) -> None:
    session, client = listening(begin)
    tell(client, r"b'\x1b[H' + b''.join(b'line %d\r\n' % n for n in range(400)) + b'printed'")
    client.wait_text("printed")
    assert frames(client)[-1].scrollback == Scrollback(377, 0)
    other = Client(session.folder)
    other.wait_text("printed")
    for each in (client, other):
        answer = read(each, 10, 5)
        assert (answer.first, answer.columns) == (10, 80)
        assert texts(answer) == [f"line {number}" for number in range(10, 15)]
    assert len(read(client, 0, 10_000).lines) == m.LINES_AT_ONCE
    assert texts(read(client, -5, 7)) == ["line 0", "line 1"]
    assert texts(read(client, 398, 50)) == ["line 398", "line 399", "printed"]
    for first, count in ((500, 5), (5, 0), (5, -3), (2**40, 2**40), (-(2**40), 5)):
        assert read(client, first, count).lines == ()


def test_a_command_may_not_read_lines(begin: Begin) -> None:
    session, _ = listening(begin)
    command = Client(session.folder, role="command")
    command.send(m.ReadLines(0, 5))
    command.wait(lambda: command.closed or command.connection.recv(1) == b"", "closed")


def test_wrapped_rows_are_told(begin: Begin) -> None:
    _, client = listening(begin)
    tell(client, r"b'\x1b[H\x1b[2J' + b'x' * 200 + b'\r\n' * 30 + b'y' * 100 + b' printed'")
    client.wait_text("printed")
    assert frames(client)[-1].wrapped == (22,)
    lost = frames(client)[-1].scrollback.end
    answer = read(client, 0, lost)
    rows = dict(enumerate(texts(answer), answer.first))
    long = [number for number in answer.wrapped if rows[number].startswith("xxx")]
    assert len(long) == 2
    assert rows[long[1] + 1] == "x" * 40


def test_showing_and_hiding_the_panels_keeps_what_was_printed(begin: Begin) -> None:
    _, client = listening(begin)
    client.send(m.Resize(80, 23))
    client.wait(lambda: len(client.rows) == 23, "the size")
    tell(client, r"b'\x1b[H' + b''.join(b'line %d\r\n' % n for n in range(100)) + b'printed'")
    client.wait_text("printed")
    before = everything(client)
    for rows in (17, 23, 17, 23):
        client.send(m.Resize(80, rows))
        client.wait(lambda rows=rows: len(client.rows) == rows, "the size")  # type: ignore[misc]
        assert everything(client) == before
        assert client.rows == before[-rows:]


def test_notifications_and_the_clipboard_reach_every_interface_and_queries_nobody(begin: Begin) -> None:
    session, client = listening(begin)
    other = Client(session.folder)
    other.wait_text("ready")
    tell(client, r"b'\x1b]9;done\x07\x1b]777;notify;codex;all done\x07\x1b]52;c;aGVsbG8=\x07\x1b]52;c;?\x07 told'")
    wanted = [m.Notification("", "done"), m.Notification("codex", "all done"), m.ClipboardWritten(b"hello")]
    for each in (client, other):
        each.wait_text("told")
        told = [message for message in each.messages if isinstance(message, m.Notification | m.ClipboardWritten)]
        assert told == wanted


def test_a_clipboard_larger_than_can_be_passed_on_is_cut(begin: Begin) -> None:
    _, client = listening(begin)
    tell(client, r"b'\x1b]52;c;' + __import__('base64').b64encode(b'x' * 1000000) + b'\x07 told'")
    client.wait_text("told")
    (written,) = [message for message in client.messages if isinstance(message, m.ClipboardWritten)]
    assert written.cut
    assert set(written.data) == {ord("x")}


def test_a_synchronized_update_is_shown_whole_and_one_that_never_ends_in_time(begin: Begin) -> None:
    _, client = listening(begin)
    halves = r"b'\x1b[?2026h\x1b[H\x1b[2Jfirst half'", r"b'\x1b[Hwhole again\x1b[?2026l'"
    tell(client, halves[0])
    client.wait_text("first half")  # the host does not wait for a program for ever
    tell(client, r"b'\x1b[?2026l quiet'")
    client.wait_text("quiet")
    client.messages.clear()
    # The pause before is longer than the host's patience: it counts from the update's begin, not the last frame.
    parts = ("__import__('time').sleep(0.3)", f"os.write(1, {halves[0]})", "__import__('time').sleep(0.05)", halves[1])
    tell(client, f"({', '.join(parts)})[3]")
    client.wait_text("whole again")
    shown = ["".join(text for text, _, _ in runs) for each in frames(client) for _, runs in each.lines]
    assert not any("first half" in text for text in shown)
