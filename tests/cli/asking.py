"""A command in a terminal of its own, and a person who reads and answers."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pexpect

TIMEOUT = 30.0
"""Seconds for one line of a command, on a machine that is busy."""

COLUMNS = 100


class Asking:
    """Runs `agentsup` and holds the other end of its terminal; `said` is all that it has written until now."""

    def __init__(self, *words: str, cwd: Path, env: Mapping[str, str] | None = None) -> None:
        self._child: pexpect.spawn[str] = pexpect.spawn(
            sys.executable, ["-P", "-m", "agentsup", *words], cwd=str(cwd), env=dict(env or os.environ),
            dimensions=(40, COLUMNS), timeout=TIMEOUT, encoding="utf-8",
        )  # fmt: skip
        self.said = ""

    def wait_for(self, text: str) -> None:
        """Read until this is said; pexpect.TIMEOUT or EOF with all that was said, where it is not."""
        try:
            self._child.expect_exact(text)
        finally:
            self.said += (self._child.before or "") if isinstance(self._child.before, str) else ""
            self.said += self._child.after if isinstance(self._child.after, str) else ""

    def answer(self, *answers: str) -> None:
        """Answer so many questions, each when it is asked."""
        for answer in answers:
            self.wait_for("[y/N] ")
            self._child.sendline(answer)

    def end(self) -> int:
        """Read to the end; returns the exit code."""
        self.wait_for_end()
        self._child.wait()
        assert self._child.exitstatus is not None, self._child.signalstatus
        return int(self._child.exitstatus)

    def wait_for_end(self) -> None:
        """Read all that is still said."""
        self._child.expect(pexpect.EOF)
        self.said += self._child.before or ""

    def close(self) -> None:
        """End it, whatever it does."""
        with contextlib.suppress(pexpect.ExceptionPexpect, OSError):
            self._child.close(force=True)

    @property
    def lines(self) -> list[str]:
        """What was said, line by line."""
        return self.said.replace("\r\n", "\n").split("\n")
