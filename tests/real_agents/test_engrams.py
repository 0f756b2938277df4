"""The real agents' engrams: what they say last is stored, errors go back to them, and so does a person's correction."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from agentsup.store.engram_history import Version, history
from tests.conftest import MakeClaudeHome, MakeCodexHome
from tests.real_agents.supervised import DEADLINE, Supervised, SupervisedAgent, SupervisedClaude
from tests.servers import messages, responses
from tests.servers.messages_server import MessagesServer
from tests.servers.model_server import ModelServer

pytestmark = pytest.mark.real_agent

GOOD = """\
[Task] Make add() in calc.py accept floats.
[Progress] Wrote add() in calc.py
[Pending] test_add() in test_calc.py
[Taboo] Leave README.md alone: its owner edits it.
"""
NEWER = GOOD.replace("test_add()", "test_add_floats()")
PERSONS = GOOD.replace("accept floats", "refuse complex numbers")
VAGUE = GOOD.replace("Wrote add() in calc.py", "made some changes")
"""Vague: an error in an agent's engram."""


def answer(asked: Any) -> str:
    """Return what the model says to a request."""
    text = asked.last_user_text()
    if "agentsup engram " in text:
        return GOOD if "(1/2)" in text else "I build on yours."
    if text.startswith("work"):
        return f"I looked at it.\n\n{VAGUE}"
    return f"Now for floats.\n\n{NEWER}" if text.startswith("more") else "Fine."


class Engrams:
    """A supervised agent and its engrams."""

    def __init__(self, agent: SupervisedAgent, requests: Callable[[], list[Any]]) -> None:
        self.agent, self._requests = agent, requests
        self.file = agent.home.project / ".agent" / "engram.md"

    def versions(self) -> tuple[Version, ...]:
        return history(self.agent.home.project, self.agent.env)

    def heard(self, text: str) -> list[str]:
        """Return the messages of the newest request that hold a text."""
        return [said for said in self._requests()[-1].texts("user") if text in said]

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < deadline, f"not within {DEADLINE} s: {what}\n{self.agent.terminal.text()}"
            time.sleep(0.02)

    def turns(self, count: int) -> None:
        """Wait until so many turns are over, and what was sent has arrived."""
        self.agent.wait_status(
            lambda s: s["turns"] == count and s["phase"] == "idle" and s["injection"]["state"] == "confirmed",
            f"{count} turns are over",
        )


@pytest.fixture(params=["codex", "claude"])
def engrams(request: pytest.FixtureRequest) -> Iterator[Engrams]:
    with ExitStack() as stack:
        if request.param == "codex":
            make_codex: MakeCodexHome = request.getfixturevalue("make_codex_home")
            model = stack.enter_context(ModelServer(lambda asked: responses.Turn(answer(asked))))
            codex = Supervised(make_codex(model), model)
            stack.callback(codex.close)
            yield Engrams(codex, lambda: model.requests("turn"))
        else:
            make_claude: MakeClaudeHome = request.getfixturevalue("make_claude_home")
            server = stack.enter_context(MessagesServer(lambda asked: messages.Turn(answer(asked))))
            claude = SupervisedClaude(make_claude(server), server)
            stack.callback(claude.close)
            yield Engrams(claude, lambda: server.requests("turn"))


def test_an_engram_goes_back_and_is_stored_and_a_persons_reaches_the_agent_once_at_one_key(engrams: Engrams) -> None:
    engrams.agent.say("work on it")
    engrams.wait(lambda: engrams.file.read_text() == GOOD, "the better one is stored")
    (back,) = engrams.heard("(1/2)")
    assert "made some changes" in back
    engrams.turns(2)
    assert (engrams.versions()[-1].author, engrams.versions()[-1].text) == ("agent", GOOD)
    engrams.file.write_text(PERSONS)
    engrams.agent.say("more of it")
    engrams.turns(3)
    engrams.agent.terminal.wait_for("a tells the agent")
    assert engrams.heard(PERSONS.strip()) == []  # nobody knows yet that it is the person's
    engrams.agent.terminal.key("C-\\")
    engrams.agent.terminal.wait_for("engram is mine")
    engrams.agent.terminal.key("a")
    engrams.wait(lambda: bool(engrams.heard(PERSONS.strip())), "the person's has reached the model")
    engrams.turns(4)
    assert len(engrams.heard(PERSONS.strip())) == 1
    assert engrams.file.read_text() == PERSONS
    assert ("agent", NEWER) in [(version.author, version.text) for version in engrams.versions()]
