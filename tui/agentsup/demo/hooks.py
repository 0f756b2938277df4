"""Hooks, as real agents have them: a command that is run at certain events, and may put a text into the context.

    --hook COMMAND      run by a shell, with the event behind it; gets a JSON object on stdin

SessionStart (source startup, resume, clear, compact) is run right before the next request to the model, so at the
first prompt, and in a turn that was compacted before the turn goes on; UserPromptSubmit with every prompt. What the
command prints, {"hookSpecificOutput": {"hookEventName": …, "additionalContext": …}}, is logged as `hook_context`: it is
in the context from there on. A command that fails, or takes too long, adds nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable
from typing import IO, Any, Protocol

TIMEOUT = 5.0
LOOK_INTERVAL = 0.005

OUTPUT_MOST = 1 << 20


class Running(Protocol):
    """A hook that was started."""

    def output(self) -> bytes | None:
        """Return what it printed once it has ended, empty where it failed; None while it runs."""

    def end(self) -> None:
        """End it."""


Start = Callable[[str, dict[str, Any]], Running]
"""Starts the hook for an event with what it is told."""


class Hooks:
    """Which hooks are still to be run, and the command."""

    def __init__(self, start: Start | None = None, source: str = "startup") -> None:
        self.start = start
        self._due = [source] if start is not None else []

    def began(self, source: str) -> None:
        """A session began or was compacted: its hook is run before the next request."""
        if self.start is not None:
            self._due = [source] if source != "compact" else [*self._due, source]

    def take_due(self) -> list[str]:
        """Return the sources of SessionStart for which the hook is to be run now."""
        due, self._due = self._due, []
        return due


class Command:
    """A hook that runs."""

    def __init__(self, command: str, event: str, told: dict[str, Any]) -> None:
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - open until it has ended
        with tempfile.TemporaryFile() as given:
            given.write(json.dumps(told).encode())
            given.seek(0)
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", f"{command} {event}"], stdin=given, stdout=self._output, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip

    def output(self) -> bytes | None:
        """Return what it printed once it has ended, empty where it failed; None while it runs."""
        code = self._process.poll()
        if code is None:
            return None
        with self._output as file:
            file.seek(0)
            return file.read(OUTPUT_MOST) if code == 0 else b""

    def end(self) -> None:
        """End it, with all that it has started."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._output.close()


def context_of(output: bytes, event: str) -> str:
    """Return the text that a hook's output puts into the context; empty for none."""
    try:
        said = json.loads(output)["hookSpecificOutput"]
        text = said["additionalContext"] if said["hookEventName"] == event else ""
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return text if isinstance(text, str) else ""
