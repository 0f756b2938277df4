"""The real demo program on a pty, its output in our own terminal engine."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pexpect

from agentsup.agents.adapter import Place
from agentsup.agents.demo import Demo
from agentsup.core.environment import child_environment
from agentsup.core.injector import Composer
from agentsup.core.screen import Screen
from agentsup.terminal import open_engine
from agentsup.terminal.engine import StatusReported

DEADLINE = 15.0


class DemoTerminal:
    """One running demo agent."""

    def __init__(
        self,
        folder: Path,
        script: dict[str, Any] | None = None,
        *words: str,
        size: tuple[int, int] = (80, 24),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.home, self.engine = folder / "demo", open_engine(*size)
        options: list[str] = []
        if script is not None:
            path = folder / "script.json"
            path.write_text(json.dumps(script))
            options = ["--script", str(path)]
        argv = Demo().launch(Place(sys.executable, (*options, *words)))
        outer = {k: v for k, v in os.environ.items() if not k.startswith("LC_")} | {"LANG": "C.UTF-8"}
        inherited = child_environment(outer, session="", socket="")
        env = inherited | {"AGENTSUP_DEMO_HOME": str(self.home)} | dict(environment or {})
        self.process: pexpect.spawn[bytes] = pexpect.spawn(
            argv[0], argv[1:], env=env, cwd=str(folder), dimensions=(size[1], size[0]), ignore_sighup=False,
        )  # fmt: skip
        self.fd: int = self.process.child_fd
        self.output = b""
        """Everything the program has written."""
        self.reports: list[str] = []
        self._closed = False

    # --- acting

    def write(self, text: str) -> None:
        """Write bytes to the program, as one write."""
        os.write(self.fd, text.encode())

    def paste(self, text: str, then: str = "") -> None:
        """Paste with marks; `then` follows in the same write."""
        self.write(f"\x1b[200~{text}\x1b[201~{then}")

    def submit(self, text: str) -> None:
        """Paste a text and, once it shows alone, press Enter."""
        self.paste(text)
        self.wait(lambda: self.composer.kind == "text", f"{text!r} in the composer")
        self.write("\r")

    # --- looking

    def pump(self, seconds: float = 0.0) -> None:
        """Take what the program writes within so many seconds, at least one read."""
        while not self._closed and select.select([self.fd], [], [], seconds)[0]:
            try:
                data = os.read(self.fd, 1 << 16)
            except OSError:
                data = b""
            self._closed = not data
            self.output += data
            self.engine.feed(data)
            for event in self.engine.events():
                if isinstance(event, StatusReported):
                    self.reports.append(":".join(v for k, v in event.fields.items() if k != "app"))
            seconds = 0.0

    @property
    def screen(self) -> Screen:
        """What the terminal shows."""
        lines = self.engine.lines(self.engine.scrollback().end, self.engine.rows)
        return Screen(
            self.engine.columns, tuple(lines), self.engine.cursor(), self.engine.modes(), self.engine.title()
        )  # fmt: skip

    @property
    def text(self) -> str:
        """The rows as one text."""
        return "\n".join("".join(run.text for run in row).rstrip() for row in self.screen.rows)

    @property
    def composer(self) -> Composer:
        """The composer as the adapter reads it."""
        return Demo().composer(self.screen)

    def log(self, *types: str) -> list[dict[str, Any]]:
        """Return the records (of these types) of all conversations, oldest first, without their times."""
        records = [
            json.loads(line)
            for path in sorted((self.home / "conversations").glob("*.jsonl"))
            for line in path.read_bytes().splitlines()
        ]
        return [{k: v for k, v in r.items() if k != "time"} for r in records if not types or r["type"] in types]

    # --- waiting

    def wait(self, condition: Callable[[], object], what: str, deadline: float = DEADLINE) -> None:
        """Wait until something is true; AssertionError with the screen at the deadline."""
        end = time.monotonic() + deadline
        while not condition():
            assert time.monotonic() < end, f"not within {deadline} s: {what}\n{self.text}\n{self.log()}"
            self.pump(0.02)
            if self._closed:
                self.pump()
                assert condition(), f"ended without: {what}\n{self.text}"

    def wait_text(self, text: str) -> None:
        """Wait until the screen shows a text."""
        self.wait(lambda: text in self.text, text)

    def wait_empty(self) -> None:
        """Wait until it is idle with an empty composer."""
        self.wait(lambda: self.composer.kind == "empty" and self.last_report in ("idle", "done"), "idle and empty")

    def wait_record(self, type: str, count: int = 1) -> dict[str, Any]:
        """Wait until the log has so many records of a type; return the last one."""
        self.wait(lambda: len(self.log(type)) >= count, f"{count} {type}")
        return self.log(type)[count - 1]

    @property
    def last_report(self) -> str:
        """The state that was reported last."""
        return self.reports[-1] if self.reports else ""

    def wait_end(self) -> int:
        """Wait for the program's end; return its exit code, or minus the signal that ended it."""
        self.wait(lambda: self._closed or not self.process.isalive(), "the end")
        self.pump()
        self.process.wait()
        code, number = self.process.exitstatus, self.process.signalstatus
        return code if code is not None else -(number or 0)

    def hang_up(self) -> None:
        """Close the terminal under the program."""
        if not self.process.closed:
            # Not pexpect's own close: it sends signals and sleeps.
            pty = cast("Any", self.process).ptyproc
            pty.fileobj.close()
            pty.closed = self.process.closed = self._closed = True

    def close(self) -> None:
        """End the program and free the engine."""
        with contextlib.suppress(pexpect.ExceptionPexpect, OSError):
            if self.process.isalive():
                self.process.kill(signal.SIGKILL)
                self.process.wait()
        self.hang_up()
        self.engine.close()
