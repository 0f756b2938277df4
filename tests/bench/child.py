"""The measured program: does on its terminal what comes as lines over a socket, and answers with one line each.

Run as a script of its own (`python -I -S child.py SOCKET`), so it imports nothing of ours. While it has no
order it echoes: every key comes back at once, at a place of its own on the last row.
"""

from __future__ import annotations

import fcntl
import os
import select
import socket
import struct
import subprocess
import sys
import termios
import time
import tty

CHUNK = 1 << 16
MARK = b"\x1b[7;33H\x1b[6n"
"""A question only the terminal can answer, after everything before it was understood."""
MARK_ANSWER = b"\x1b[7;33R"
REDRAW_INTERVAL = 1 / 12


def size() -> tuple[int, int]:
    """Return the terminal's columns and rows."""
    rows, columns, _, _ = struct.unpack("HHHH", fcntl.ioctl(0, termios.TIOCGWINSZ, b"\0" * 8))
    return columns, rows


def put(data: bytes) -> None:
    """Write all of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def write_stream(path: str, times: int) -> str:
    """Write a file so many times; return the seconds until the terminal has understood all of it."""
    with open(path, "rb") as file:
        data = file.read()
    chunks = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)]
    put(b"\x1bc")
    begun = time.perf_counter()
    for _ in range(times):
        for chunk in chunks:
            put(chunk)
            while select.select([0], [], [], 0)[0]:  # answers to queries in the stream
                os.read(0, CHUNK)
    put(MARK)
    answer = b""
    while MARK_ANSWER not in answer:
        answer = answer[-16:] + os.read(0, CHUNK)
    took = time.perf_counter() - begun
    return repr(took)


def flood() -> str:
    """Run `yes` as a shell would, until Ctrl-C; return the moment of its death (monotonic)."""
    raw = termios.tcgetattr(0)
    cooked = termios.tcgetattr(0)
    cooked[0] |= termios.ICRNL
    cooked[1] |= termios.OPOST | termios.ONLCR
    cooked[3] |= termios.ISIG | termios.ICANON | termios.ECHO
    termios.tcsetattr(0, termios.TCSANOW, cooked)
    yes = subprocess.Popen(["yes", "the quick brown fox jumps over the lazy dog"], process_group=0)
    os.tcsetpgrp(0, yes.pid)
    yes.wait()
    died = time.monotonic()
    os.tcsetpgrp(0, os.getpgrp())
    termios.tcsetattr(0, termios.TCSANOW, raw)
    put(b"\r\nPROMPT")
    return repr(died)


def page(number: int) -> bytes:
    """Return a full screen of coloured text, all but the last row, that differs with every number."""
    columns, rows = size()
    parts = [b"\x1b[?2026h\x1b7"]
    for row in range(1, rows):
        text = b"%4d working on part %d of the whole thing " % (row, number * row % 997) * 4
        parts.append(b"\x1b[%dH\x1b[38;5;%dm" % (row, 16 + (row + number) % 200) + text[: columns // 2])
        parts.append(b"\x1b[0;1m" + text[: columns - columns // 2] + b"\x1b[0m")
    return b"".join([*parts, b"\x1b8\x1b[?2026l"])


class Child:
    """Takes orders and echoes."""

    def __init__(self, path: str) -> None:
        self.control = socket.socket(socket.AF_UNIX)
        self.control.connect(path)
        self.column = 0
        self.redrawing = False
        self.number = 0

    def run(self) -> None:
        """Serve until the other end closes."""
        due = time.perf_counter()
        control = self.control.fileno()
        while True:
            wait = max(0.0, due - time.perf_counter()) if self.redrawing else None
            ready, _, _ = select.select([0, control], [], [], wait)
            if 0 in ready:
                self.echo(os.read(0, CHUNK))
            if control in ready:
                order = self.control.recv(4096)
                if not order:
                    return
                self.control.sendall(self.obey(order.decode().split()).encode() + b"\n")
            if self.redrawing and time.perf_counter() >= due:
                due = time.perf_counter() + REDRAW_INTERVAL
                self.number += 1
                put(page(self.number))

    def echo(self, data: bytes) -> None:
        """Write a key back."""
        columns, rows = size()
        self.column = self.column % (columns - 8) + 1
        put(b"\x1b[%d;%dH" % (rows, self.column) + data)

    def obey(self, words: list[str]) -> str:
        """Carry out one order and return the answer."""
        match words:
            case ["write", path, times]:
                return write_stream(path, int(times))
            case ["fill", path, times]:
                with open(path, "rb") as file:
                    put(file.read() * int(times))
            case ["flood"]:
                return flood()
            case ["redraw", on]:
                self.redrawing = on == "on"
            case ["page", token]:
                put(b"\x1b[2J" + page(1) + b"\x1b[%dH" % size()[1] + token.encode())
            case _:
                raise ValueError(words)
        return "done"


if __name__ == "__main__":
    import signal

    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    tty.setraw(0)
    put(b"\x1b[2J\x1b[HREADY")
    Child(sys.argv[1]).run()
