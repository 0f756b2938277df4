"""A real agent under agentsup in a real terminal, with a loopback model server behind it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from agentsup.protocol.announcing import announce
from agentsup.store.folders import runtime_path
from agentsup.store.trust_record import project_key
from agentsup.store.trust_review import Answer, record_answer, review
from tests.real_agents.claude import COMPOSER, ClaudeHome
from tests.real_agents.codex import EMPTY_HINT, CodexHome
from tests.servers.messages_server import MessagesServer
from tests.servers.model_server import ModelServer, Request
from tests.terminals.tmux import Tmux

DEADLINE = 20.0
NOTHING: Mapping[str, str] = {}

ENGRAM = """\
[Task] Make add() in calc.py safe.
[Progress] Wrote add() and its type hints.
[Pending] Write test_add in test_calc.py.
[Taboo] Never touch README.md: its owner edits it.
"""

STATE = """\
# STATE
## Scope
add() in calc.py
## Next
- write test_calc.py::test_add
"""


class SupervisedAgent:
    """One supervised session and all that a test asks of it, whichever the agent."""

    AGENT: ClassVar[str]
    PROMPT: ClassVar[str]
    """What stands before the composer's text."""
    EMPTY: ClassVar[str | re.Pattern[str]]
    """What is on the screen while the composer is empty."""

    def __init__(
        self,
        home: CodexHome | ClaudeHome,
        size: tuple[int, int] = (120, 40),
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] = NOTHING,
    ) -> None:
        self.home, self.size = home, size
        # Short, because a socket's path is: pytest's own folders are too deep.
        self.runtime = Path(tempfile.mkdtemp(prefix="as-", dir="/tmp"))
        self.env = home.env | {
            "XDG_RUNTIME_DIR": str(self.runtime),
            "PATH": f"{home.program.parent}:{os.environ['PATH']}",
            # A turn of its own before the test's first; the tests that are about it switch it on.
            "AGENTSUP_MEMORY_START_RESTORE": "off",
            # Else a person is asked before the agent starts; the tests that are about hooks choose themselves.
            "AGENTSUP_INJECTION_CHANNEL": "stdin",
            **environment,
        }
        agent = home.project / ".agent"
        agent.mkdir()
        (agent / "engram.md").write_text(ENGRAM)
        (agent / "STATE.md").write_text(STATE)
        self.terminals: list[Tmux] = []
        self.terminal = self.open(self.AGENT, *arguments)

    # --- acting

    def open(self, *words: str) -> Tmux:
        """Run an agentsup command in a terminal of its own."""
        argv = [sys.executable, "-m", "agentsup", *words]
        self.terminals.append(Tmux(argv, env=self.env, cwd=self.home.project, size=self.size))
        return self.terminals[-1]

    def approve(self) -> None:
        """Approve what runs and instructs and the HARD decisions of the project, as a person does elsewhere."""
        root = self.home.project
        shown = review(root, self.env)
        answer = Answer(scripts=bool(shown.scripts), rules=tuple(rule.digest for rule in shown.rules))
        told = partial(announce, runtime_path(self.env)[0], project_key(root))
        record_answer(root, shown, answer, by="terminal", announce=told, environment=self.env)

    def attach(self) -> Tmux:
        """Attach another interface and make it the one the test types into."""
        self.terminal = self.open("attach")
        return self.terminal

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run an agentsup command without a terminal."""
        return subprocess.run(
            [sys.executable, "-m", "agentsup", *words], env=self.env, cwd=self.home.project, text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE, check=False,
        )  # fmt: skip

    def say(self, text: str) -> None:
        """Type a prompt as a person does, and press Enter once it is there."""
        self.terminal.wait_for(self.EMPTY)
        self.terminal.type(text)
        self.terminal.wait_for(f"{self.PROMPT}{text}")
        self.terminal.key("Enter")

    # --- looking

    def status(self) -> dict[str, Any]:
        """Return what `agentsup status --json` says."""
        done = self.command("status", "--json")
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert isinstance(found, dict)
        return found

    def wait_status(self, wanted: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """Ask for the status until it is as wanted."""
        deadline = time.monotonic() + DEADLINE
        while True:
            found = self.status()
            if wanted(found):
                return found
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {DEADLINE} s: {what}\n{found}\n{self.terminal.text()}")

    def wait_injection(self, state: str) -> dict[str, Any]:
        """Wait until the newest injection is in a state; return it."""
        found = self.wait_status(
            lambda status: bool(status["injection"]) and status["injection"]["state"] == state,
            f"the injection is {state}",
        )
        injection = found["injection"]
        assert isinstance(injection, dict)
        return injection

    def wait_restored(self, count: int) -> str:
        """Wait until `count` compactions happened and the last one's restore is confirmed; return its id."""
        found = self.wait_status(
            lambda s: s["compactions"] == count and bool(s["injection"])
            and s["injection"]["state"] == "confirmed" and s["phase"] == "idle" and not s["turn"],
            f"compaction {count} is restored",
        )  # fmt: skip
        return str(found["injection"]["id"])

    def close(self) -> None:
        """End the session and everything the test started, by their own ids."""
        for folder in (self.runtime / "agentsup").glob("*"):
            self.command("stop", folder.name)
        for terminal in self.terminals:
            terminal.kill()
        for record in (self.runtime / "agentsup").glob("*/session.json"):
            _end(json.loads(record.read_bytes()))
        shutil.rmtree(self.runtime, ignore_errors=True)


class Supervised(SupervisedAgent):
    """A supervised Codex."""

    AGENT, PROMPT, EMPTY = "codex", "› ", EMPTY_HINT

    def __init__(
        self,
        home: CodexHome,
        model: ModelServer,
        size: tuple[int, int] = (120, 40),
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] = NOTHING,
    ) -> None:
        self.codex, self.model = home, model
        super().__init__(home, size, arguments, environment)

    def turns_with(self, text: str) -> list[Request]:
        """Return the turn requests whose user messages hold a text."""
        return [r for r in self.model.requests("turn") if any(text in found for found in r.texts("user"))]


class SupervisedClaude(SupervisedAgent):
    """A supervised Claude Code."""

    # Not by the hint below the composer: Claude Code drops it where there is a status line command.
    AGENT, PROMPT, EMPTY = "claude", COMPOSER, re.compile(rf"^{COMPOSER}\s*$", re.MULTILINE)

    def __init__(
        self,
        home: ClaudeHome,
        model: MessagesServer,
        size: tuple[int, int] = (120, 40),
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] = NOTHING,
    ) -> None:
        self.claude, self.model = home, model
        super().__init__(home, size, arguments, environment)

    def say(self, text: str) -> None:
        """Type a prompt to an idle Claude Code: while it works, its composer looks the same."""
        self.terminal.wait_for(self.EMPTY)
        self.wait_status(lambda status: status["phase"] == "idle", "it is idle")
        super().say(text)


def _end(record: dict[str, Any]) -> None:
    for pid in (record["keeper_pid"], record["agent_pid"]):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def over(turns: int, conversation: str = "") -> Callable[[dict[str, Any]], bool]:
    """Return what a status says when so many turns are over, by the log too, in a conversation that begins so."""
    return lambda s: (
        s["turns"] == turns and s["phase"] == "idle" and not s["turn"] and s["conversation"].startswith(conversation)
    )


def restores_in(request: Request, ids: Sequence[str]) -> dict[str, int]:
    """Return how many messages of a request begin with each restore's header."""
    heads = [text.partition("\n")[0] for text in request.texts("user")]
    return {id: sum(f"(restore {id}" in head for head in heads) for id in ids}
