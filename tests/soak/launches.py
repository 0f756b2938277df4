"""Start the real agents in one folder, side by side, again, cleared and nested: every gauge shows its own log.

Every prompt has a number, and the model's usage for it is made of that number: a figure that belongs to
another conversation shows at once.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from agentsup.core.session import Session
from agentsup.protocol import messages as m
from tests.end_to_end.headless import OPENED, Client, Started, start
from tests.real_agents.claude import ClaudeHome, ClaudeSettings, build_claude_home
from tests.real_agents.codex import EMPTY_HINT, CodexHome, CodexSettings, build_home
from tests.servers import messages, messages_server, model_server, responses
from tests.soak.tally import Tally

KINDS = ("fresh", "pair", "resumed", "moved", "nested")
DEADLINE = 40.0
_NUMBER = re.compile(r"number (\d+)")
_INNER = 90_000
"""Numbers from here on are those of agents that an agent runs."""


def usage_of(number: int) -> int:
    """Return the tokens that the model reports for a prompt."""
    return 6_000 + number % _INNER * 7 + (2_000 if number >= _INNER else 0)


def run(count: int, seed: int, folder: Path, codex: Path, claude: Path) -> Tally:
    """Make `count` launches of both agents, mixed, all in one project folder."""
    random_ = random.Random(seed)
    launches = own = alien = moved = 0
    began = time.monotonic()
    with ExitStack() as stack:
        agents = [_codex(stack, folder / "x", codex), _claude(stack, folder / "c", claude)]
        while launches < count:
            kind = KINDS[launches % len(KINDS)] if launches < len(KINDS) * 2 else random_.choice(KINDS)
            found = _Launch(random_.choice(agents), launches).play(kind)
            launches += found.made
            own += found.own
            moved += found.moves
            alien += found.alien
    seconds = (time.monotonic() - began) / launches
    return Tally(
        "launches of real Codex and Claude Code in one folder",
        launches,
        {"in its own log, its own figures": own, "never another's figure": launches - alien},
        f"{seconds:.1f} s a launch, {moved} moves to another conversation",
    )


class RealAgent:
    """One real agent with its home and its model."""

    name: str
    environment: Mapping[str, str]
    program: Path
    project: Path
    another: Sequence[str]
    """What a person types to begin another conversation, one submitted line each, or an empty one for Enter."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.counter = 0

    def is_ready(self, client: Client) -> bool:
        """Say whether the agent stands at its empty composer."""
        raise NotImplementedError

    def resumed(self, conversation: str) -> list[str]:
        """Return the arguments that resume a conversation."""
        raise NotImplementedError

    def next(self) -> int:
        """Return a number that was not used before."""
        self.counter += 1
        return self.counter


class _Launch:
    def __init__(self, agent: RealAgent, number: int) -> None:
        self.agent, self.number = agent, number
        self.made = self.own = self.moves = self.alien = 0

    def play(self, kind: str) -> _Launch:
        """Make one or two launches of a kind, and count."""
        sessions = [self._start() for _ in range(2 if kind == "pair" else 1)]
        try:
            for session in sessions:
                session.wait_ready()
            good = [session.asks(self.agent.next()) for session in sessions]
            if kind == "nested":
                good = [sessions[0].asks(self.agent.next(), nested=True)]
            elif kind == "moved":
                good = [sessions[0].moves(self.agent.another) and sessions[0].asks(self.agent.next())]
                self.moves += 1
            elif kind == "resumed":
                conversation = sessions[0].session.conversation
                sessions[0].stop()
                again = self._start(*self.agent.resumed(conversation), expected=sessions[0].expected)
                sessions.append(again)
                again.wait_ready()
                again.wait(lambda s: s.context.used is not None and s.conversation == conversation)
                good.append(again.asks(self.agent.next()))
            self.own += sum(good)
            self.alien += sum(session.alien for session in sessions)
        finally:
            for session in sessions:
                session.stop()
        return self

    def _start(self, *arguments: str, expected: Sequence[int] = ()) -> _Supervised:
        self.made += 1
        started = start(
            self.agent.folder, [str(self.agent.program), *arguments], agent=self.agent.name, cwd=self.agent.project,
            environment=self.agent.environment, size=(100, 30),
        )  # fmt: skip
        return _Supervised(self.agent, started, expected)


class _Supervised:
    """A running session, and the numbers that it may show."""

    def __init__(self, agent: RealAgent, started: Started, expected: Sequence[int]) -> None:
        self.agent, self.started = agent, started
        self.client = Client(started.folder, size=(100, 30))
        self.expected = list(expected)
        self._checked = 0

    @property
    def session(self) -> Session:
        """The session as it is now."""
        assert self.client.session is not None
        return self.client.session

    @property
    def alien(self) -> bool:
        """Whether it ever showed a figure that is not its own."""
        told = [message.session for message in self.client.messages if isinstance(message, m.SessionChanged)]
        allowed = {usage_of(number) for number in self.expected}
        # After /clear and the like a figure may be stale or an estimate; only exact ones are compared.
        return any(s.context.source == "exact" and s.context.used not in allowed for s in told)

    def wait(self, wanted: Callable[[Session], bool]) -> None:
        """Wait until the session is as wanted."""
        self.client.wait(lambda: self.client.session is not None and wanted(self.client.session), "as wanted", DEADLINE)

    def wait_ready(self) -> None:
        """Wait for the empty composer of an idle agent."""
        self.client.wait(lambda: self.agent.is_ready(self.client), "an empty composer", DEADLINE)
        self.wait(lambda s: s.phase == "idle")

    def types(self, text: str) -> None:
        """Type and submit a line."""
        if text:
            self.client.send(m.Keys(text.encode()))
            self.client.wait_text(text, DEADLINE)
        self.client.send(m.Keys(b"\r"))

    def asks(self, number: int, *, nested: bool = False) -> bool:
        """Submit a prompt; say whether the gauge shows its figure and the log holds the prompt."""
        self.expected.append(number)
        turns = self.session.turns
        self.types(f"{'nested' if nested else 'plain'} number {number}")
        self.wait(lambda s: s.turns > turns and not s.turn and s.phase == "idle")
        self.wait_ready()
        log = Path(self.session.log.path)
        return (
            self.session.context.used == usage_of(number)
            and self.session.conversation in log.name
            and f"number {number}" in log.read_text()
        )

    def moves(self, lines: Sequence[str]) -> bool:
        """Begin another conversation as a person does."""
        before = self.session.conversation
        for line in lines:
            if not line:
                self.client.wait_text("Where should the new conversation run?", DEADLINE)
            self.types(line)
        self.wait(lambda s: s.conversation != before)
        self.wait_ready()
        return True

    def stop(self) -> None:
        """End the session."""
        if not self.client.closed:
            self.client.send(m.StopRequest())
            self.client.wait(lambda: self.client.closed, "closed", DEADLINE)
        self.client.close()
        if self.client in OPENED:
            OPENED.remove(self.client)


class _Codex(RealAgent):
    name = "codex"
    another = ("/new", "")

    def is_ready(self, client: Client) -> bool:
        return EMPTY_HINT in "\n".join(client.rows)

    def resumed(self, conversation: str) -> list[str]:
        return ["resume", conversation]


class _Claude(RealAgent):
    name = "claude"
    another = ("/clear",)

    def is_ready(self, client: Client) -> bool:
        return "❯" in client.rows

    def resumed(self, conversation: str) -> list[str]:
        return ["--resume", conversation]


def _number(text: str) -> int:
    found = _NUMBER.search(text)
    return int(found[1]) if found else 0


def _codex(stack: ExitStack, folder: Path, program: Path) -> RealAgent:
    agent = _Codex(folder)

    def play(request: model_server.Request) -> responses.Turn:
        text = request.last_user_text()
        number = _number(text)
        usage = responses.Usage(usage_of(number) - 50, output=50)
        if text.startswith("nested") and not request.tool_outputs():
            inner = f"{program} exec --skip-git-repo-check 'plain number {number + _INNER}' >inner.txt 2>&1"
            return responses.Turn("Running it.", (responses.Command(inner),), usage=usage)
        return responses.Turn("Fine.", usage=usage)

    model = stack.enter_context(model_server.ModelServer(play))
    settings = CodexSettings(auto_compact_limit=1_000_000, extra='sandbox_mode = "danger-full-access"\n')
    home: CodexHome = build_home(folder, program, model, settings)
    agent.environment, agent.program, agent.project = home.env, program, home.project
    return agent


def _claude(stack: ExitStack, folder: Path, program: Path) -> RealAgent:
    agent = _Claude(folder)

    def play(request: messages_server.Request) -> messages.Turn:
        text = request.last_user_text()
        number = _number(text)
        usage = messages.Usage.of_context(usage_of(number))
        if text.startswith("nested") and not request.tool_results():
            inner = f"{program} -p 'plain number {number + _INNER}' >inner.txt 2>&1"
            return messages.Turn("Running it.", (messages.Command(inner),), usage=usage)
        return messages.Turn("Fine.", usage=usage)

    model = stack.enter_context(messages_server.MessagesServer(play))
    settings = ClaudeSettings(settings={"permissions": {"defaultMode": "default", "allow": ["Bash"]}})
    home: ClaudeHome = build_claude_home(folder, program, model, settings)
    agent.environment, agent.program, agent.project = home.env, program, home.project
    return agent
