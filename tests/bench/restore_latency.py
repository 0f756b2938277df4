"""From the record of a compaction in the agent's log to the restore: the real agents, idle, with an empty composer.

The record is readable from the moment at which its line ends in the file; the file is looked at every millisecond.
Submitted is when our carriage return was written, as the host's own record says; the model's server notes when the
request came that holds the text. The first restore of a session is a long one, the others are short forms.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tests.bench.figures import Figure, percentile
from tests.bench.subjects import Place
from tests.real_agents.claude import build_claude_home
from tests.real_agents.codex import CodexSettings, build_home
from tests.real_agents.npm import CLAUDE, CODEX, installed
from tests.real_agents.supervised import Supervised, SupervisedAgent, SupervisedClaude
from tests.servers import messages, responses
from tests.servers.messages_server import MessagesServer
from tests.servers.messages_server import Request as ClaudeRequest
from tests.servers.model_server import ModelServer
from tests.servers.model_server import Request as CodexRequest

SUBMITTED_MOST = 1000.0
"""Milliseconds to the carriage return, in 95 of 100."""

LOOK = 0.001

READING, FIRST_READING = 3.0, 10.0
"""Seconds for which the agent has been idle when the person has it compact: nobody does so at once. By then the text
is composed of what was written last."""

DEADLINE = 30.0

SETTINGS = {
    "AGENTSUP_INJECTION_CHANNEL": "stdin",
    # Compactions follow each other without work in between.
    "AGENTSUP_INJECTION_BREAKER_COMPACTIONS": "100",
    "AGENTSUP_MEMORY_ASK_ENGRAM": "0",
}
DECISIONS = "".join(
    f"## Decision {number} of the project about its calculator\n- confidence: [SOFT] measured\n"
    f"- reason: the other way was tried in round {number} and took longer\n"
    for number in range(60)
)
"""More than fits: the first restore is as long as one may be."""

Agent = Literal["codex", "claude"]


@dataclass(frozen=True)
class Restored:
    """One compaction: milliseconds from its record to our carriage return, and to the model's request."""

    submitted: float
    requested: float


def restore_latency(place: Place, *, quick: bool) -> Iterator[Figure]:
    """Compact by command, again and again, in some sessions of each agent."""
    sessions, compactions = (1, 3) if quick else (4, 10)
    agents: tuple[tuple[Agent, str], ...] = (("codex", "Codex"), ("claude", "Claude Code"))
    for agent, name in agents:
        found: list[Restored] = []
        for number in range(sessions):
            found += _session(agent, place.path / f"{agent}-{number}", compactions)
        for end, values, most in (
            ("submitted", [one.submitted for one in found], SUBMITTED_MOST),
            ("in the model's request", [one.requested for one in found], None),
        ):
            p95 = percentile(values, 95)
            shown = f"{percentile(values, 50):.0f} / {p95:.0f} / {max(values):.0f}"
            yield Figure(
                f"compaction record readable → restore {end}, {name}, {len(values)} compactions: p50 / p95 / max ms",
                {"panels": shown}, target="" if most is None else f"p95 < {most:.0f}",
                met=None if most is None else p95 < most,
            )  # fmt: skip


def _session(agent: Agent, folder: Path, compactions: int) -> list[Restored]:
    if agent == "codex":
        with ModelServer(default=responses.Turn("Fine.", usage=responses.Usage(7_000, output=50))) as model:
            home = build_home(folder, installed(CODEX), model, CodexSettings(context_window=200_000))
            codex = Supervised(home, model, environment=SETTINGS)
            stage = _Stage(
                codex, lambda: model.requests("turn"), home.rollouts, '"type":"compacted"',
                lambda: len(home.events("task_complete")) == len(home.events("task_started")) > 0,
            )  # fmt: skip
            return stage.compactions(compactions)
    with MessagesServer(default=messages.Turn("Fine.", usage=messages.Usage.of_context(21_000))) as server:
        claude_home = build_claude_home(folder, installed(CLAUDE), server)
        claude = SupervisedClaude(claude_home, server, environment=SETTINGS)
        stage = _Stage(
            claude, lambda: server.requests("turn"), claude_home.transcripts, '"subtype":"compact_boundary"',
            lambda: len(claude_home.events("turn_duration")) == len(server.requests("turn")) > 0,
        )  # fmt: skip
        return stage.compactions(compactions)


@dataclass(frozen=True)
class _Stage:
    """A supervised agent and how it shows what it does."""

    supervised: SupervisedAgent
    requests: Callable[[], Sequence[CodexRequest | ClaudeRequest]]
    logs: Callable[[], Sequence[Path]]
    marker: str
    """In the line of a compaction."""
    has_ended: Callable[[], bool]
    """Whether every turn that was begun is over."""

    def compactions(self, count: int) -> list[Restored]:
        """Have it compact so many times, and end it."""
        (self.supervised.home.project / ".agent" / "DECISIONS.md").write_text(DECISIONS)
        try:
            self.supervised.say("hello there")
            self._wait(self.has_ended, "the first turn is over")
            time.sleep(FIRST_READING)
            return [self._compaction() for _ in range(count)]
        finally:
            self.supervised.close()

    def _compaction(self) -> Restored:
        asked = len(self.requests())
        time.sleep(READING)
        watch = _Watch(self.logs()[0], self.marker)
        self.supervised.say("/compact")
        watch.join(DEADLINE)
        assert watch.seen, "no record of the compaction"
        self._wait(lambda: len(self.requests()) > asked, "the restore's request")
        request = self.requests()[asked]
        self._wait(self.has_ended, "the restore's turn is over")
        self._wait(lambda: self._is_newest(request, "confirmed"), "it is confirmed")
        assert self._is_newest(request, "submitted")
        submitted = _record(self.supervised, "submitted")
        return Restored(1000 * (submitted["time"] - watch.seen), 1000 * (request.received_at - watch.seen))

    def _is_newest(self, request: CodexRequest | ClaudeRequest, state: str) -> bool:
        """Say whether the newest record in this state is of the text that this request has come with."""
        return f"(restore {_record(self.supervised, state)['id']}," in request.last_user_text()

    def _wait(self, condition: Callable[[], bool], what: str) -> None:
        self.supervised.terminal.wait_until(condition, DEADLINE, what=what)


def _record(supervised: SupervisedAgent, state: str) -> dict[str, Any]:
    """Return the host's newest record of an injection in this state; an empty one without any."""
    (path,) = (supervised.home.home / ".local" / "share" / "agentsup" / "sessions").glob("*.injections.jsonl")
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    found: dict[str, Any] = next((e for e in reversed(entries) if e["state"] == state), {"id": ""})
    return found


class _Watch(threading.Thread):
    """Notes when a record stands whole in a file that grows."""

    def __init__(self, path: Path, marker: str) -> None:
        super().__init__(daemon=True)
        self._path, self._marker = path, marker.encode()
        self._from = path.stat().st_size
        self.seen = 0.0
        self.start()

    def run(self) -> None:
        """Look until it is there."""
        end = time.monotonic() + DEADLINE
        with self._path.open("rb") as file:
            file.seek(self._from)
            rest = b""
            while time.monotonic() < end:
                rest += file.read()
                now = time.time()
                *lines, rest = rest.split(b"\n")
                if any(self._marker in line for line in lines):
                    self.seen = now
                    return
                time.sleep(LOOK)
