"""What the real agents read back after a restore is found in their logs, judged, and asked for once more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from agentsup.protocol import messages as m
from tests.conftest import MakeClaudeHome, MakeCodexHome
from tests.end_to_end.headless import Client
from tests.real_agents.supervised import Supervised, SupervisedAgent, SupervisedClaude
from tests.servers import messages, responses
from tests.servers.messages_server import MessagesServer
from tests.servers.model_server import ModelServer

pytestmark = pytest.mark.real_agent

Start = Callable[[], SupervisedAgent]

WRONG = "I am translating the manual. Next I order a new dictionary."
RIGHT = "I make add() in calc.py safe. Next I write test_add in test_calc.py."


def answer(text: str) -> str:
    """Return what the model says: it has forgotten all, until it is asked once more."""
    if "read back once more (restore" in text:
        return RIGHT
    return WRONG if "by agentsup (restore" in text else "Fine."


@pytest.fixture(params=["codex", "claude"])
def start(request: pytest.FixtureRequest) -> Iterator[Start]:
    with ExitStack() as stack:

        def codex() -> SupervisedAgent:
            make: MakeCodexHome = request.getfixturevalue("make_codex_home")
            usage = responses.Usage(7_000, output=50)
            server = ModelServer(lambda r: responses.Turn(answer(r.last_user_text()), usage=usage))
            model = stack.enter_context(server)
            supervised = Supervised(make(model, None), model)
            stack.callback(supervised.close)
            return supervised

        def claude() -> SupervisedAgent:
            make: MakeClaudeHome = request.getfixturevalue("make_claude_home")
            usage = messages.Usage.of_context(21_000)
            server = MessagesServer(lambda r: messages.Turn(answer(r.last_user_text()), usage=usage))
            model = stack.enter_context(server)
            supervised = SupervisedClaude(make(model), model)
            stack.callback(supervised.close)
            return supervised

        yield codex if request.param == "codex" else claude


def judged(status: dict[str, Any]) -> tuple[str, list[str]] | None:
    """Return the verdict, and what is missing."""
    return (status["recital"]["verdict"], status["recital"]["missing"]) if status["recital"] else None


def test_what_it_has_forgotten_is_seen_and_a_correction_brings_it_back(start: Start) -> None:
    supervised = start()
    supervised.say("hello there")
    supervised.wait_status(lambda s: s["turns"] == 1 and s["phase"] == "idle", "the first turn is over")
    supervised.say("/compact")
    id = supervised.wait_restored(1)
    found = supervised.wait_status(lambda s: judged(s) is not None, "what it reads back was judged")
    assert judged(found) == ("wrong", ["task", "next"])
    assert found["recital"]["id"] == id
    assert "recital.wrong-both" in {warning["key"] for warning in found["warnings"]}
    (record,) = (supervised.runtime / "agentsup").glob("*/session.json")
    client = Client(record.parent, role="command")
    client.send(m.RecitalAnswered(id, right=False, resend=True))
    client.wait(lambda: any(isinstance(each, m.Outcome) for each in client.messages), "answered")
    assert client.messages[-1] == m.Outcome(True)
    found = supervised.wait_status(lambda s: judged(s) == ("right", []), "the correction was answered")
    assert found["recital"]["id"] != id
    client.close()
