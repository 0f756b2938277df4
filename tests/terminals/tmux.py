"""A real outer terminal for tests: a private tmux server that nobody else sees.

Every `Tmux` has its own socket, configuration and environment, and ends only the processes it started.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil

CONFIGURATION = """\
set -s exit-empty off
set -s escape-time 0
set -s extended-keys on
set -s focus-events on
set -s set-clipboard on
set -s default-terminal tmux-256color
set -as terminal-features ",*:RGB:usstyle:strikethrough"
set -g remain-on-exit on
set -g remain-on-exit-format ""
set -g status off
set -g history-limit 20000
set -g allow-rename off
"""

POLL = 0.03
"""Seconds between two looks at the screen."""

Wanted = str | re.Pattern[str] | Callable[[list[str]], bool]


class Cursor(NamedTuple):
    """Where the cursor stands, from 0, and whether it is shown."""

    column: int
    row: int
    visible: bool


class Tmux:
    """One program on one tmux pane."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        size: tuple[int, int] = (100, 30),
    ) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="tmux-"))
        self._socket = self._folder / "s"
        configuration = self._folder / "tmux.conf"
        configuration.write_text(CONFIGURATION)
        self._env = {"LANG": "C.UTF-8", "COLORTERM": "truecolor", "SHELL": "/bin/sh", **env}
        self._env.pop("TMUX", None)
        columns, rows = size
        start = ["new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(cwd), "--", *argv]
        command = ["tmux", "-u", "-S", str(self._socket), "-f", str(configuration), *start]
        subprocess.run(command, env=self._env, cwd=cwd, check=True, stdin=subprocess.DEVNULL)
        self._server_pid = int(self._ask("#{pid}"))
        self.pane_pid = int(self._ask("#{pane_pid}"))
        """Process id of the program; its own children are found below it."""

    # -- looking ------------------------------------------------------------------------------------

    def screen(self) -> list[str]:
        """Return the visible rows as text, trailing blanks removed, always as many as the screen has."""
        return self._tmux("capture-pane", "-p").split("\n")[:-1]

    def text(self) -> str:
        """Return the visible rows as one text."""
        return "\n".join(self.screen())

    def screen_styled(self) -> str:
        """Return the visible rows with their colours and attributes as SGR sequences."""
        return self._tmux("capture-pane", "-p", "-e")

    def screen_exact(self) -> str:
        """Return the visible rows as `screen_styled` does, with the styled blanks at their ends."""
        return self._tmux("capture-pane", "-p", "-e", "-N")

    def scrollback(self) -> list[str]:
        """Return everything the pane has kept, the visible rows last."""
        return self._tmux("capture-pane", "-p", "-S", "-").split("\n")[:-1]

    def cursor(self) -> Cursor:
        """Return the cursor's place."""
        column, row, shown = self._ask("#{cursor_x} #{cursor_y} #{cursor_flag}").split()
        return Cursor(int(column), int(row), shown == "1")

    @property
    def columns(self) -> int:
        """Return how wide the pane is."""
        return int(self._ask("#{pane_width}"))

    @property
    def title(self) -> str:
        """Return the window title the program has set."""
        return self._ask("#{pane_title}")

    @property
    def alternate_screen(self) -> bool:
        """Say whether the program is on the alternate screen."""
        return self._ask("#{alternate_on}") == "1"

    @property
    def mouse_reported(self) -> bool:
        """Say whether the program asked for mouse reports."""
        return self._ask("#{mouse_any_flag}") == "1"

    def attach_command(self) -> list[str]:
        """Return the command that shows this pane in a terminal of its own."""
        return ["tmux", "-u", "-S", str(self._socket), "attach-session"]

    # -- acting -------------------------------------------------------------------------------------

    def type(self, text: str) -> None:
        """Type literal characters."""
        self._tmux("send-keys", "-l", "--", text)

    def key(self, *names: str) -> None:
        """Press keys by their tmux names, such as `Enter`, `Escape`, `C-c`, `Up`."""
        self._tmux("send-keys", *names)

    def paste(self, text: str, *, as_typed: bool = False) -> None:
        """Paste as a person does: bracketed when the program asked for it, newlines kept, or as Enter."""
        self._tmux("load-buffer", "-b", "test", "-", stdin=text)
        self._tmux("paste-buffer", "-d", "-p", *([] if as_typed else ["-r"]), "-b", "test")

    def clipboard(self) -> str:
        """Return what a program put on the clipboard last (OSC 52), empty for nothing."""
        return self._tmux("show-buffer") if self._tmux("list-buffers") else ""

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the terminal."""
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    # -- waiting ------------------------------------------------------------------------------------

    def wait_for(self, wanted: Wanted, timeout: float = 15.0) -> list[str]:
        """Wait until the screen has a text, matches a pattern or satisfies a predicate; return it."""
        deadline = time.monotonic() + timeout
        while True:
            rows = self.screen()
            if _is_on(rows, wanted):
                return rows
            if time.monotonic() > deadline:
                raise AssertionError(f"{_shown(wanted)} not on screen within {timeout} s\n{self._picture(rows)}")
            time.sleep(POLL)

    def wait_gone(self, wanted: Wanted, timeout: float = 15.0) -> list[str]:
        """Wait until something is no longer on the screen."""
        return self.wait_for(lambda rows: not _is_on(rows, wanted), timeout)

    def wait_still(self, seconds: float = 0.3, timeout: float = 15.0) -> list[str]:
        """Wait until neither the screen nor the cursor has changed for a while; return the screen."""
        deadline = time.monotonic() + timeout
        seen, since = (self.screen(), self.cursor()), time.monotonic()
        while time.monotonic() - since < seconds:
            if time.monotonic() > deadline:
                raise AssertionError(f"the screen did not come to rest within {timeout} s")
            time.sleep(POLL)
            now = (self.screen(), self.cursor())
            if now != seen:
                seen, since = now, time.monotonic()
        return seen[0]

    def wait_until(self, condition: Callable[[], bool], timeout: float = 15.0, *, what: str = "condition") -> None:
        """Wait until something outside the screen holds; on failure show the screen all the same."""
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} did not hold within {timeout} s\n{self._picture(self.screen())}")
            time.sleep(POLL)

    # -- ending -------------------------------------------------------------------------------------

    @property
    def dead(self) -> bool:
        """Say whether the program has ended."""
        return self._ask("#{pane_dead}") == "1"

    @property
    def exit_status(self) -> int | None:
        """Return the exit status, a negative signal number after a signal, None while it runs."""
        dead, status, ended_by = self._ask("#{pane_dead}|#{pane_dead_status}|#{pane_dead_signal}").split("|")
        if dead != "1":
            return None
        if not (status or ended_by):  # tmux 3.3 can miss the SIGCHLD of a pane whose output ended first
            os.kill(self._server_pid, signal.SIGCHLD)
            return None
        return int(status) if status else -int(ended_by)

    def wait_exit(self, timeout: float = 15.0) -> int:
        """Wait for the program's end and return its exit status."""
        self.wait_until(lambda: self.exit_status is not None, timeout, what="the program's end")
        status = self.exit_status
        assert status is not None
        return status

    def kill(self) -> None:
        """End the tmux server and every process still below the pane, each by its id."""
        own = [*_tree(self.pane_pid), *_tree(self._server_pid)]
        subprocess.run(
            ["tmux", "-S", str(self._socket), "kill-server"], env=self._env, check=False, capture_output=True
        )
        for process in _still_there(own, timeout=1.0):
            try:
                process.kill()  # psutil compares the start time first: a reused id is left alone
            except psutil.NoSuchProcess:
                continue
        _still_there(own, timeout=3.0)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _ask(self, format: str) -> str:
        return self._tmux("display-message", "-p", format).rstrip("\n")

    def _tmux(self, *arguments: str, stdin: str = "") -> str:
        command = ["tmux", "-u", "-S", str(self._socket), *arguments]
        done = subprocess.run(command, env=self._env, input=stdin, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"tmux {arguments[0]} failed: {done.stderr.strip()}")
        return done.stdout

    def _picture(self, rows: Sequence[str]) -> str:
        edge = "-" * 20
        return f"{edge} screen, exit status {self.exit_status} {edge}\n" + "\n".join(f"|{row}" for row in rows)


@contextmanager
def opened(
    argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, size: tuple[int, int] = (100, 30)
) -> Iterator[Tmux]:
    """Run a program in a terminal for the length of a `with` block."""
    terminal = Tmux(argv, env=env, cwd=cwd, size=size)
    try:
        yield terminal
    finally:
        terminal.kill()


def clean_environment(home: Path) -> dict[str, str]:
    """Return a small environment that carries over nothing from the developer's shell but PATH.

    Nobody is asked in it whether an agent is to have hooks of ours: what is tested with hooks says so.
    """
    own = {"HOME": str(home), "LANG": "C.UTF-8", "SHELL": "/bin/sh", "AGENTSUP_INJECTION_CHANNEL": "stdin"}
    return {"PATH": os.environ["PATH"], **own}


def _is_on(rows: Sequence[str], wanted: Wanted) -> bool:
    if isinstance(wanted, str):
        return wanted in "\n".join(rows)
    if isinstance(wanted, re.Pattern):
        return wanted.search("\n".join(rows)) is not None
    return wanted(list(rows))


def _shown(wanted: Wanted) -> str:
    if isinstance(wanted, re.Pattern):
        return f"pattern {wanted.pattern!r}"
    return repr(wanted) if isinstance(wanted, str) else f"what {getattr(wanted, '__name__', wanted)} wants"


def _tree(pid: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def is_gone(process: psutil.Process) -> bool:
    """Say whether a process has ended, also when it still waits for init to reap it."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _still_there(processes: Sequence[psutil.Process], timeout: float) -> list[psutil.Process]:
    deadline = time.monotonic() + timeout
    while alive := [process for process in processes if not is_gone(process)]:
        if time.monotonic() > deadline:
            break
        time.sleep(POLL)
    return alive
