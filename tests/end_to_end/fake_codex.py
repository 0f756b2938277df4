"""A stand-in for Codex: it holds a thread's lock and rollout open, and writes into log and terminal what it is told.

Run as a script of its own (`python -I -S fake_codex.py`) it is the program, and imports nothing of ours. It
connects to the test that started it, takes one JSON object a line as its order, and answers with one. The lock
is there from the start, the rollout with the first order for it: as the real one does it.

    {"do": "show", "text": "…"}                  onto the terminal
    {"do": "thread"}                             open another thread; answers with its id
    {"do": "log", "hex": "…"}                    bytes into the rollout
    {"do": "stream", "first": 1, "count": 9, "seed": 7, "gaps": [0.001, 0.02]}
                                                 lines of token usage 1, 2, … with random gaps in seconds; answers
                                                 with the moments before each was written (monotonic, ns)
    {"do": "long", "hex": "…", "size": 9}        a line without its end: the head, and x up to so many bytes
    {"do": "flood", "on": true}                  let `yes` fill the terminal, or end it
    {"do": "typed"}                              answers with all that came from the terminal
"""

from __future__ import annotations

import json
import os
import random
import select
import shlex
import socket
import subprocess
import sys
import time
import tty
import uuid
from pathlib import Path
from typing import Any

ADDRESS = "FAKE_CODEX"
"""The variable that says at which port of this machine the test listens."""

DEADLINE = 20.0
_CHUNK = 1 << 20


class Program:
    """The program: serves orders until the test or the terminal is gone."""

    def __init__(self) -> None:
        self._home = Path(os.environ["CODEX_HOME"])
        self._control = socket.create_connection(("127.0.0.1", int(os.environ[ADDRESS])))
        self._orders = b""
        self._typed = b""
        self._yes: subprocess.Popen[bytes] | None = None
        self._held: list[int] = []
        self._rollout = -1
        self._thread = ""
        self._open_thread()

    def run(self) -> None:
        """Serve."""
        while True:
            ready, _, _ = select.select([0, self._control.fileno()], [], [])
            if 0 in ready and not self._take_keys():
                return
            if self._control.fileno() in ready:
                data = self._control.recv(_CHUNK)
                if not data:
                    return
                *orders, self._orders = (self._orders + data).split(b"\n")
                for order in orders:
                    self._control.sendall(json.dumps(self._obey(json.loads(order))).encode() + b"\n")

    def _take_keys(self) -> bool:
        try:
            data = os.read(0, 65536)
        except OSError:
            return False
        self._typed += data
        return bool(data)

    def _obey(self, order: dict[str, Any]) -> object:
        match order["do"]:
            case "show":
                put(1, order["text"].encode())
            case "thread":
                self._open_thread()
                return self._thread
            case "log":
                put(self._log(), bytes.fromhex(order["hex"]))
            case "stream":
                numbers = range(order["first"], order["first"] + order["count"])
                return self._stream(numbers, random.Random(order["seed"]), *order["gaps"])
            case "long":
                self._long(bytes.fromhex(order["hex"]), order["size"])
            case "flood":
                self._flood(order["on"])
            case "typed":
                return self._typed.decode("utf-8", "replace")
            case _:
                raise ValueError(order)
        return None

    def _open_thread(self) -> None:
        for file in (*self._held, self._rollout):
            if file >= 0:
                os.close(file)
        # As Codex's own ids, ordered by time.
        milliseconds = time.time_ns() // 1_000_000
        self._thread = str(uuid.UUID(int=milliseconds << 80 | 0x7 << 76 | 0x8 << 60 | random.getrandbits(60)))
        locks = self._home / "thread-writer-locks"
        locks.mkdir(parents=True, exist_ok=True)
        self._held = [os.open(locks / f"{self._thread}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)]
        self._rollout = -1
        self._draw("new thread")

    def _log(self) -> int:
        """Return the open rollout, begun where it was not there yet."""
        if self._rollout < 0:
            now = time.gmtime()
            folder = self._home / "sessions" / time.strftime("%Y/%m/%d", now)
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"rollout-{time.strftime('%Y-%m-%dT%H-%M-%S', now)}-{self._thread}.jsonl"
            self._rollout = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o600)
            meta = {"id": self._thread, "source": "cli", "thread_source": "user", "cwd": os.getcwd()}
            put(self._rollout, line("session_meta", meta))
            self._draw("has begun")  # its supervisor looks when something is drawn
        return self._rollout

    def _draw(self, what: str) -> None:
        put(1, f"{what} {self._thread}\r\n".encode())

    def _stream(self, numbers: range, chance: random.Random, least: float, most: float) -> list[int]:
        written = []
        for number in numbers:
            due = time.monotonic() + chance.uniform(least, most)
            while (left := due - time.monotonic()) > 0:
                if select.select([0], [], [], left)[0] and not self._take_keys():
                    break
            data = tokens(number)
            written.append(time.monotonic_ns())
            put(self._log(), data)
        return written

    def _long(self, head: bytes, size: int) -> None:
        put(self._log(), head)
        left = size - len(head)
        while left > 0:
            put(self._rollout, b"x" * min(left, _CHUNK))
            left -= _CHUNK

    def _flood(self, on: bool) -> None:
        if self._yes is not None:
            self._yes.kill()
            self._yes.wait()
            self._yes = None
        if on:
            self._yes = subprocess.Popen(["yes", "\x1b[32mthe quick brown fox jumps over the lazy dog\x1b[0m\r"])


def put(file: int, data: bytes) -> None:
    """Write all of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def line(kind: str, payload: dict[str, Any]) -> bytes:
    """Return one line of a rollout, of this moment."""
    now = time.time()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03d}Z"
    record = {"timestamp": stamp, "type": kind, "payload": payload}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def tokens(used: int, window: int = 1_000_000) -> bytes:
    """Return the line that says how much of its context is used."""
    usage = {"input_tokens": used, "cached_input_tokens": 0, "output_tokens": 0, "total_tokens": used}
    info = {"total_token_usage": usage, "last_token_usage": usage, "model_context_window": window}
    return line("event_msg", {"type": "token_count", "info": info})


class FakeCodex:
    """The test's side: where the program is, what environment it needs, and its orders."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "codex-home"
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(DEADLINE)
        self._control: socket.socket | None = None
        self.environment = {ADDRESS: str(self._listener.getsockname()[1]), "CODEX_HOME": str(self.home)}
        self.program = folder / "bin" / "codex"
        self.program.parent.mkdir(parents=True)
        command = shlex.join([sys.executable, "-I", "-S", __file__])
        self.program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        self.program.chmod(0o755)

    def accept(self) -> None:
        """Wait until the program has started; once more after each restart."""
        if self._control is not None:
            self._control.close()
        self._control, _ = self._listener.accept()
        self._control.settimeout(DEADLINE)
        self._answers = self._control.makefile("rb")

    def begin(self, do: str, **values: object) -> None:
        """Give an order; `answer` takes its answer."""
        assert self._control is not None
        self._control.sendall(json.dumps({"do": do} | values).encode() + b"\n")

    def answer(self, seconds: float = DEADLINE) -> Any:
        """Wait for the answer to the oldest order that has none."""
        assert self._control is not None
        self._control.settimeout(seconds)
        return json.loads(self._answers.readline())

    def order(self, do: str, **values: object) -> Any:
        """Give an order and wait until it is carried out."""
        self.begin(do, **values)
        return self.answer()

    def log(self, data: bytes) -> None:
        """Write into the rollout."""
        self.order("log", hex=data.hex())

    def rollout(self) -> Path:
        """Return the newest rollout."""
        return max(self.home.glob("sessions/**/rollout-*.jsonl"))

    def close(self) -> None:
        """Let the program end."""
        if self._control is not None:
            self._answers.close()
            self._control.close()
        self._listener.close()


if __name__ == "__main__":
    tty.setraw(0)
    Program().run()
