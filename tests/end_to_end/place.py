"""A folder to work in, an environment, and the sessions that a test runs there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.terminals.tmux import Tmux, clean_environment

DEADLINE = 20.0


class Place:
    """Runs agentsup as a person does; `close` ends whatever is left, by its own ids."""

    def __init__(self, folder: Path) -> None:
        # Short, because a socket's path is: pytest's own folders are too deep.
        self.runtime = Path(tempfile.mkdtemp(prefix="as-", dir="/tmp"))
        self.work = folder / "work"
        home = folder / "home"
        for made in (self.work, home):
            made.mkdir(parents=True)
        self.env = clean_environment(home) | {"XDG_RUNTIME_DIR": str(self.runtime), "PS1": "ready$ "}
        self.terminals: list[Tmux] = []
        self.program = [sys.executable, "-m", "agentsup"]
        """How agentsup is called."""

    def open(self, *words: str, size: tuple[int, int] = (80, 24)) -> Tmux:
        """Run an agentsup command in a terminal of its own."""
        argv = [*self.program, *words]
        self.terminals.append(Tmux(argv, env=self.env, cwd=self.work, size=size))
        return self.terminals[-1]

    def run(self, *words: str, **changes: str) -> subprocess.CompletedProcess[str]:
        """Run an agentsup command without a terminal."""
        return subprocess.run(
            [*self.program, *words], env=self.env | changes, cwd=self.work, text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE, check=False,
        )  # fmt: skip

    def status(self) -> dict[str, Any]:
        """Return what `agentsup status --json` says of the only session."""
        done = self.run("status", "--json")
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert isinstance(found, dict)
        return found

    def folder(self) -> Path:
        """Return the folder of the only session."""
        return next((self.runtime / "agentsup").glob("*/session.json")).parent

    def record(self) -> dict[str, Any]:
        """Return what the keeper wrote about the only session."""
        found = json.loads((self.folder() / "session.json").read_bytes())
        assert isinstance(found, dict)
        return found

    def close(self) -> None:
        """Stop the sessions, then the terminals."""
        for folder in (self.runtime / "agentsup").glob("*"):
            self.run("stop", folder.name)
        for terminal in self.terminals:
            terminal.kill()
        shutil.rmtree(self.runtime, ignore_errors=True)
