"""The real Codex without an interface, for races: its screen, its keys, and a model that answers as prompts ask for."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from agentsup.core.policy import Policy
from agentsup.protocol import messages as m
from tests.end_to_end.headless import OPENED, Client, start
from tests.real_agents.codex import EMPTY_HINT, CodexHome
from tests.servers.model_server import ModelServer, Request
from tests.servers.responses import Command, Gate, Turn, Usage

SIZE = (120, 40)
POLICY = Policy(channel="stdin", start=False, ask_engram=0, breaker_compactions=100)
QUESTION, APPROVED = "Would you like to run the following command?", "You approved"


class Script:
    """What the model answers, by the words of the prompt."""

    def __init__(self) -> None:
        self.gates: dict[str, Gate] = {}
        self.delays: dict[str, float] = {}
        """Seconds until the answer, which is a command that has to be approved."""

    def answer(self, request: Request) -> Turn:
        """Answer as the prompt asks for: at a gate, with a command, or with a word."""
        prompt, usage = request.last_user_text().rpartition("\n")[2], Usage(3_000, output=20)
        if prompt in self.gates:
            return Turn("Working on it.", usage=usage, hold=self.gates[prompt])
        if prompt in self.delays:
            name = prompt.rpartition(" ")[2]
            return Turn("May I?", (Command(f"touch asked-{name}", escalate=True),), usage, self.delays.pop(prompt))
        return Turn("Fine.", usage=usage)


class Watching(Client):
    """A client that notes when a question came to the screen."""

    asked = 0.0
    approved = False
    """Whether the agent has said that something was approved."""
    _shows_one = False

    def _take(self, message: m.HostMessage) -> None:
        super()._take(message)
        shows = any(QUESTION in row for row in self.rows)
        if shows and not self._shows_one:
            self.asked = time.time()
        self._shows_one = shows
        self.approved |= any(APPROVED in row for row in self.rows)


class Stage:
    """One session without an interface: its screen and its keys."""

    def __init__(self, home: CodexHome, model: ModelServer, script: Script, folder: Path) -> None:
        self.home, self.model, self.script = home, model, script
        self.persons: set[str] = set()
        """All that the person has sent."""
        session = start(
            folder, [str(home.program)], agent="codex", cwd=home.project, environment=home.env, size=SIZE,
            policy=POLICY,
        )  # fmt: skip
        self.client = Watching(session.folder, size=SIZE)
        self.took: dict[str, list[float]] = {}
        """Seconds that it took the last questions to come, by the kind of race."""
        self.wait(lambda: EMPTY_HINT in self.text, "the composer")
        self.say("hello there")
        self.wait_idle()

    # --- acting

    def keys(self, *keys: bytes) -> None:
        """Press keys, one after the other."""
        for data in keys:
            self.client.send(m.Keys(data))

    def type(self, text: str) -> None:
        """Type a text and wait until it is there."""
        self.keys(text.encode())
        self.wait(lambda: f"› {text}" in self.text, f"{text} is typed")

    def say(self, text: str) -> None:
        """Type a prompt and press Enter."""
        self.persons.add(text)
        self.type(text)
        self.keys(b"\r")

    def inject(self, text: str) -> str:
        """Have a text sent; return its id."""
        before = len(self.client.messages)
        self.client.send(m.InjectRequest("text", text))
        found: list[m.Outcome] = []

        def answered() -> bool:
            found[:] = [message for message in self.client.messages[before:] if isinstance(message, m.Outcome)]
            return bool(found)

        self.wait(answered, "an answer to what was asked for")
        assert found[0].done, found[0]
        return dict(found[0].values)["id"]

    # --- looking

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(self.client.rows)

    def wait(self, condition: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
        """Take what the host sends until the condition holds."""
        self.client.wait(condition, what, seconds)

    def pause(self, seconds: float) -> None:
        """Take what the host sends for so long: a part of the race."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.client.pump(left)

    def state(self, id: str) -> str:
        """Return the state of the newest text of ours, if this is it."""
        injection = self.client.session.injection if self.client.session else None
        return injection.state if injection and injection.id == id else ""

    def seen(self, words: str, seconds: float) -> bool:
        """Take what comes for so long; say whether these words were on the screen meanwhile."""
        end, found = time.monotonic() + seconds, False
        while (left := end - time.monotonic()) > 0:
            self.client.pump(left)
            found |= words in self.text
        return found

    def wait_idle(self) -> None:
        """Wait until the turn is over and the composer empty."""
        self.wait(lambda: self._is_idle() and EMPTY_HINT in self.text, "it is idle")

    def _is_idle(self) -> bool:
        session = self.client.session
        return session is not None and session.phase == "idle" and not session.turn

    def close(self) -> None:
        """End the session."""
        self.client.send(m.StopRequest())
        self.client.wait(lambda: self.client.closed, "the session has ended")
        self.client.close()
        OPENED.clear()
