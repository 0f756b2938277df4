"""What is measured: tmux, and agentsup with and without its panels, each with the same program inside.

The program's terminal is 120x40 in all of them, so the outer one is as much larger as each needs.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import psutil

from tests.bench.outer import Outer

Name = Literal["panels", "agent", "tmux"]
SUBJECTS: tuple[Name, ...] = ("panels", "agent", "tmux")
COLUMNS, ROWS = 120, 40
_OUTER_ROWS = {"panels": 50, "agent": 40, "tmux": 40}
CHILD = Path(__file__).with_name("child.py")
AGENTSUP = (sys.executable, "-P", "-m", "agentsup")
TMUX = shutil.which("tmux") or "tmux"


class Place:
    """A folder of its own for homes, sockets and streams, removed at the end."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="bench-", dir="/tmp"))
        for name in ("run", "data", "config", "home"):
            (self.path / name).mkdir(mode=0o700)
        kept = ("PATH", "PYTHONPATH", "XDG_CACHE_HOME")
        self.env = {name: os.environ[name] for name in kept if name in os.environ} | {
            "HOME": str(self.path / "home"), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "SHELL": "/bin/sh",
            "TERM": "xterm-256color", "COLORTERM": "truecolor", "XDG_RUNTIME_DIR": str(self.path / "run"),
            "XDG_DATA_HOME": str(self.path / "data"), "XDG_CONFIG_HOME": str(self.path / "config"),
        }  # fmt: skip

    def remove(self) -> None:
        """Remove it."""
        shutil.rmtree(self.path, ignore_errors=True)


class Running:
    """One started subject. `order` has the program inside do something."""

    def __init__(self, place: Place, name: Name, argv: Sequence[str]) -> None:
        self.name = name
        self._place = place
        self._before = set(self._sessions())
        self._found: dict[str, object] = {}
        self._tmux = place.path / f"tmux-{time.monotonic_ns()}"
        self.outer = self._open(self._command(argv))
        self.control: socket.socket | None = None

    def _command(self, argv: Sequence[str]) -> list[str]:
        if self.name == "tmux":
            # The limit is the scrollback agentsup has; without a status line all rows are the program's.
            settings = ["set", "-g", "history-limit", "10000", ";", "set", "-g", "status", "off", ";"]
            return [*self._tmux_words(), "start-server", ";", *settings, "new-session", "--", *argv]
        layout = ["--layout", "agent"] if self.name == "agent" else []
        return [*AGENTSUP, *layout, "--", *argv]

    def _tmux_words(self) -> list[str]:
        return [TMUX, "-u", "-S", str(self._tmux), "-f", "/dev/null"]

    def _open(self, argv: Sequence[str]) -> Outer:
        size = (COLUMNS, _OUTER_ROWS[self.name])
        return Outer(argv, env=self._place.env, cwd=self._place.path / "home", size=size)

    def _sessions(self) -> Iterator[Path]:
        return (self._place.path / "run").glob("agentsup/*/session.json")

    def _record(self) -> dict[str, object]:
        # Looked up while no later session can be taken for this one.
        if not self._found:
            (found,) = set(self._sessions()) - self._before
            self._found = json.loads(found.read_text())
        return self._found

    def pids(self) -> dict[str, int]:
        """Return the subject's own processes by what they are, without the program inside."""
        if self.name == "tmux":
            ask = [*self._tmux_words(), "display-message", "-p", "#{pid}"]
            answer = subprocess.run(ask, env=self._place.env, capture_output=True, text=True, check=True)
            return {"client": self.outer.pid, "server": int(answer.stdout)}
        keeper = int(str(self._record()["keeper_pid"]))
        children = psutil.Process(keeper).children()
        host = next(child.pid for child in children if "agentsup.host" in child.cmdline())
        return {"client": self.outer.pid, "server": host, "keeper": keeper}

    def order(self, *words: str) -> str:
        """Have the program do something, taking output meanwhile; return its answer."""
        self.begin(*words)
        return self.answer()

    def begin(self, *words: str) -> None:
        """Give the program an order."""
        assert self.control is not None
        self.control.sendall(" ".join(words).encode())

    def answer(self, seconds: float = 300.0) -> str:
        """Take output until the program has answered."""
        assert self.control is not None
        end = time.monotonic() + seconds
        answer = b""
        self.control.setblocking(False)
        while not answer.endswith(b"\n"):
            self.outer.pump(0.5, self.control.fileno())
            try:
                answer += self.control.recv(4096)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise AssertionError(f"{self.name}: no answer from the program") from None
        self.control.setblocking(True)
        return answer.decode().strip()

    def detach(self) -> None:
        """End the interface."""
        self.outer.close()

    def attach(self) -> None:
        """Open an interface on the session."""
        if self.name == "tmux":
            self.outer = self._open([*self._tmux_words(), "attach"])
            return
        layout = ["--layout", "agent"] if self.name == "agent" else []
        self.outer = self._open([*AGENTSUP, *layout, "attach", str(self._record()["session"])])

    def close(self) -> None:
        """End the session with everything in it."""
        if self.control is not None:
            self.control.close()
        if self.name == "tmux":
            words = [*self._tmux_words(), "kill-server"]
        else:
            words = [*AGENTSUP, "stop", str(self._record()["session"])]
        env = self._place.env
        stop = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.outer.wait_while(lambda: stop.poll() is None)
        self.outer.close()


@contextmanager
def running(place: Place, name: Name, argv: Sequence[str] = ()) -> Iterator[Running]:
    """Run a subject; without `argv` with the program that takes orders, once it is ready."""
    address = place.path / f"c{time.monotonic_ns()}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        listener.listen(1)
        subject = Running(place, name, argv or (sys.executable, "-I", "-S", str(CHILD), str(address)))
        try:
            if not argv:
                subject.outer.wait_for(b"READY")
                subject.control, _ = listener.accept()
                subject.outer.settle()
                subject.pids()
            yield subject
        finally:
            subject.close()
