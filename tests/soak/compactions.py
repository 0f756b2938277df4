"""Compactions of the real agents, of every kind and on both channels: the restore is where it was promised, once.

hook: in the very next request, in the middle of a turn too. stdin: in the first request of the next turn. Both are
read from what the loopback server received. Between two compactions lies more than a fifth of the window of new work.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from tests.real_agents.claude import build_claude_home
from tests.real_agents.codex import build_home
from tests.real_agents.supervised import ENGRAM, Supervised, SupervisedAgent, SupervisedClaude
from tests.servers import messages, messages_server, model_server, responses
from tests.soak.tally import Tally

Kind = Literal["manual", "turn-start", "mid-turn"]
Channel = Literal["hook", "stdin"]
KINDS: tuple[Kind, ...] = ("manual", "turn-start", "mid-turn")

_HEADER = re.compile(r"\(restore ([a-z0-9]{6}), number \d+")
RECITAL = "My task is to make add() in calc.py safe. Next I write test_add in test_calc.py."


def run(count: int, seed: int, folder: Path, codex: Path, claude: Path) -> Tally:
    """Let each agent compact a quarter of `count` times on each channel, at most so often in one session."""
    chance = random.Random(seed)
    held = {"where promised": 0, "once": 0, "engram byte for byte": 0, "confirmed": 0}
    latest: dict[str, int] = {}
    number = 0
    for name, channel in (("codex", "hook"), ("codex", "stdin"), ("claude", "hook"), ("claude", "stdin")):
        with ExitStack() as stack:
            place = folder / f"{name}-{channel}"
            runner: _Runner = (
                _Codex(stack, place, codex, channel) if name == "codex" else _Claude(stack, place, claude, channel)  # type: ignore[arg-type]
            )
            for turn in range(count // 4):
                kind = KINDS[turn % 3] if turn < 6 else chance.choice(KINDS)
                number += 1
                found = runner.compact(kind, number)
                latest[f"{name} {channel}"] = latest.get(f"{name} {channel}", 0) + all(found.values())
                for what, so in found.items():
                    held[what] += so
                if not all(found.values()):
                    print(f"{name} {channel} {kind} {number}: {found}", file=sys.stderr)
    return Tally(
        "compactions of real Codex and Claude Code: by hook and typed; by command, at a turn's start, within a turn",
        number, held, ", ".join(f"{who}: {so}/{count // 4}" for who, so in latest.items()),
    )  # fmt: skip


class _Runner:
    """One session of one agent on one channel."""

    agent: SupervisedAgent
    model: Any
    work: Any
    full: Any
    turn: Any
    command: Any

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.known: set[str] = set()
        self.compactions = 0

    def begin(self) -> None:
        """Have the first turn."""
        self.agent.say("hello there")
        self.idle()
        self.known |= set(self._ids(self.model.requests("turn")))

    def compact(self, kind: Kind, number: int) -> dict[str, bool]:
        """Work, compact, and look where the restore came."""
        self._play([self.turn("Worked.", usage=self.work)])
        self.agent.say(f"work {number}")
        self.idle()
        self.compactions += 1
        before = len(self.model.requests())
        match kind:
            case "manual":
                self._play([])
                self.agent.say("/compact")
                self._compacted()
                if self.channel == "hook":
                    self.agent.say(f"after {number}")
            case "turn-start":
                self._play([self.turn("Much.", usage=self.full)])
                self.agent.say(f"fill {number}")
                self.idle()
                before = len(self.model.requests())
                self.agent.say(f"after {number}")
            case "mid-turn":
                self._play([self.turn("Step.", (self.command("ls"),), usage=self.full)])
                self.agent.say(f"go {number}")
        self._compacted()
        id = self._restored()
        self.idle()
        return self._judged(kind, id, before, number)

    def idle(self) -> None:
        """Wait for the end of what runs."""
        self.agent.wait_status(lambda s: s["phase"] == "idle" and not s["turn"], "it is idle")

    def _judged(self, kind: Kind, id: str, before: int, number: int) -> dict[str, bool]:
        turns = [r for r in self.model.requests("turn") if r.number > before]
        compaction = max(r.number for r in self.model.requests("compaction"))
        later = [r for r in turns if r.number > compaction]
        with_it = [r for r in later if id in self._ids([r])]
        # Typed, it comes with the next turn: of the turn that was interrupted there may be requests before it.
        last_allowed = 0 if self.channel == "hook" or kind == "manual" else 1
        place = later.index(with_it[0]) if with_it else 99
        self.known.add(id)
        texts = list(_strings(with_it[0].body)) if with_it else []
        return {
            "where promised": place <= last_allowed,
            "once": bool(with_it) and self._ids([with_it[0]]).count(id) == 1
            and not [r for r in turns if r.number < compaction and id in self._ids([r])],
            "engram byte for byte": any(ENGRAM.strip() in text and f"(restore {id}" in text for text in texts),
            "confirmed": self.agent.status()["injection"]["state"] == "confirmed",
        }  # fmt: skip

    def _restored(self) -> str:
        found = self.agent.wait_status(
            lambda s: s["compactions"] == self.compactions and bool(s["injection"])
            and s["injection"]["id"] not in self.known and s["injection"]["state"] in ("confirmed", "failed"),
            f"compaction {self.compactions} is restored",
        )  # fmt: skip
        return str(found["injection"]["id"])

    def _compacted(self) -> None:
        self.agent.wait_status(lambda s: s["compactions"] >= self.compactions, "it has compacted")

    def _play(self, turns: list[Any]) -> None:
        self.model.play(turns)

    def _ids(self, requests: list[Any]) -> list[str]:
        return [id for r in requests for text in _strings(r.body) for id in _HEADER.findall(text.partition("\n\n[")[0])]


class _Codex(_Runner):
    turn, command = responses.Turn, responses.Command
    work, full = responses.Usage(17_500, output=50), responses.Usage(21_000, output=100)

    def __init__(self, stack: ExitStack, folder: Path, program: Path, channel: Channel) -> None:
        super().__init__(channel)
        self.model = stack.enter_context(
            model_server.ModelServer(
                default=responses.Turn(RECITAL, usage=responses.Usage(9_500)),
                compaction=responses.Turn("SUMMARY: work so far.", usage=responses.Usage(21_600, output=200)),
            )
        )
        home = build_home(folder, program, self.model)
        self.agent = Supervised(home, self.model, environment=_environment(channel))
        stack.callback(self.agent.close)
        self.begin()


class _Claude(_Runner):
    turn, command = messages.Turn, messages.Command
    work, full = messages.Usage.of_context(45_000), messages.Usage.of_context(70_000)

    def __init__(self, stack: ExitStack, folder: Path, program: Path, channel: Channel) -> None:
        super().__init__(channel)
        self.model = stack.enter_context(
            messages_server.MessagesServer(default=messages.Turn(RECITAL, usage=messages.Usage.of_context(21_000)))
        )
        home = build_claude_home(folder, program, self.model)
        self.agent = SupervisedClaude(
            home, self.model, arguments=("--autocompact", "100k"), environment=_environment(channel)
        )  # fmt: skip
        stack.callback(self.agent.close)
        self.begin()


def _environment(channel: Channel) -> dict[str, str]:
    return {"AGENTSUP_INJECTION_CHANNEL": channel}


def _strings(value: object) -> Iterator[str]:
    """Yield every text of a request, wherever it stands."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)
