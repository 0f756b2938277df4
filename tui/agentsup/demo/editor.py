"""The person's own editor on the draft: it gets the terminal and becomes its foreground process."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from agentsup.demo.terminal import Terminal


class Editor:
    """One run of $VISUAL or $EDITOR."""

    def __init__(self, draft: str, environment: Mapping[str, str], terminal: Terminal) -> None:
        self._terminal, self._draft = terminal, draft
        descriptor, name = tempfile.mkstemp(prefix="agentsup-demo-", suffix=".md")
        self._file = Path(name)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(draft)
        words = shlex.split(environment.get("VISUAL") or environment.get("EDITOR") or "vi")
        self.problem = ""
        """Why it could not be started."""
        self._process: subprocess.Popen[bytes] | None = None
        terminal.leave()
        try:
            self._process = subprocess.Popen([*words, name], process_group=0)
        except OSError as error:
            self.problem = str(error)
            return
        terminal.give_to(self._process.pid)
        self.wake()  # it may have asked for the terminal before it was given it, and been stopped for that

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process is not None and self._process.poll() is None

    def wake(self) -> None:
        """Let it go on if it was stopped: there is no shell here that could do so later."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGCONT)

    def close(self) -> str:
        """Take the terminal back, delete the file and return the edited text; end the editor if it runs."""
        if self._process is not None and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGTERM)
            self._process.wait()
        self._terminal.give_to(os.getpgrp())
        try:
            text = self._file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return self._draft  # the editor has deleted it: nothing was edited
        self._file.unlink(missing_ok=True)
        return text.removesuffix("\n")
