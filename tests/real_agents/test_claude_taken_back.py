"""The real Claude Code takes a turn back at an Esc before its first word: what went with it is told, and sent again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.conftest import MakeClaudeHome
from tests.real_agents.supervised import SupervisedClaude, over
from tests.real_agents.test_claude_supervised import AUTO_COMPACT, FULL, SOME
from tests.servers.messages import Turn
from tests.servers.messages_server import MessagesServer, Request
from tests.servers.pace import Gate

pytestmark = pytest.mark.real_agent

Start = Callable[..., SupervisedClaude]
HEADER = "Restored from disk by agentsup (restore "
BREAKER = {"AGENTSUP_INJECTION_BREAKER_COMPACTIONS": "100"}


@pytest.fixture
def start(make_claude_home: MakeClaudeHome) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(script: Any, channel: str, *, arguments: tuple[str, ...] = ()) -> SupervisedClaude:
            model = stack.enter_context(MessagesServer(script))
            home = make_claude_home(model, None)
            environment = BREAKER | {"AGENTSUP_INJECTION_CHANNEL": channel}
            supervised = SupervisedClaude(home, model, arguments=arguments, environment=environment)
            stack.callback(supervised.close)
            return supervised

        yield begin


def take_back(supervised: SupervisedClaude, gate: Gate, words: str) -> str:
    """Press Esc once the restore has arrived and before a word of the answer; return the restore's id."""
    gate.wait_reached()
    id = str(supervised.wait_injection("confirmed")["id"])
    supervised.terminal.wait_for("esc to interrupt")
    supervised.terminal.key("Escape")
    supervised.terminal.wait_for(f"{supervised.PROMPT}{words}")
    gate.release()
    return id


def restores(request: Request) -> list[str]:
    """Return the ids of the restores that a request holds."""
    texts = request.texts("user", "system")
    return [part[:6] for text in texts for part in text.split(HEADER)[1:]]


def states(supervised: SupervisedClaude, id: str) -> list[str]:
    """Return the states of a text as they were recorded."""
    (path,) = supervised.home.home.rglob("*.injections.jsonl")
    entries = [json.loads(each) for each in path.read_text().splitlines()]
    return [entry["state"] for entry in entries if entry["id"] == id and not entry["occasion"].startswith("verdict")]


def wait_new(supervised: SupervisedClaude, id: str) -> str:
    """Wait until another restore is confirmed; return its id."""
    found = supervised.wait_status(
        lambda s: s["injection"]["id"] != id and s["injection"]["state"] == "confirmed" and s["phase"] == "idle"
        and not s["turn"],
        "another one is confirmed",
    )  # fmt: skip
    return str(found["injection"]["id"])


def test_at_a_turns_start_it_is_with_the_next_prompt(start: Start) -> None:
    gate = Gate()
    script = [
        Turn("Hello."), Turn("Full.", usage=FULL), Turn("Too late.", hold=gate, hold_at="start"),
        *[Turn("Done.", usage=SOME)] * 3,
    ]  # fmt: skip
    supervised = start(script, "hook", arguments=AUTO_COMPACT)
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    supervised.say("fill it")
    supervised.wait_status(over(2), "it is full")
    supervised.say("go on")
    id = take_back(supervised, gate, "go on")
    supervised.terminal.key("Enter")  # the same once more: the summary is in it, and the restore is not
    supervised.wait_status(
        lambda s: s["injection"]["id"] != id and s["injection"]["state"] == "held" and not s["turn"], "one waits"
    )
    assert restores(supervised.model.requests("turn")[-1]) == []
    supervised.say("next")
    again = wait_new(supervised, id)
    supervised.say("and then")
    supervised.wait_status(lambda s: s["turns"] == 6 and s["phase"] == "idle", "the turn is over")
    assert [restores(request) for request in supervised.model.requests("turn")[-2:]] == [[again], [again]]
    assert states(supervised, id)[-3:] == ["confirmed", "failed", "dropped"]
    assert len(supervised.model.requests("compaction")) == 1


def test_a_typed_one_is_typed_again_when_the_next_turn_is_over(start: Start) -> None:
    gate = Gate()

    def answer(request: Request) -> Turn:
        is_ours = HEADER in request.last_user_text()
        return Turn("Fine.", usage=SOME, hold=gate if is_ours else None, hold_at="start")

    supervised = start(answer, "stdin")
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    supervised.say("/compact")
    id = take_back(supervised, gate, "I run you under agentsup")
    # It stands in the composer as the person's draft: nothing of ours may go there.
    supervised.terminal.key("C-c")
    supervised.terminal.wait_for(supervised.EMPTY)
    supervised.say("go on")
    again = wait_new(supervised, id)
    supervised.say("and then")
    supervised.wait_status(lambda s: s["turns"] == 5 and s["phase"] == "idle", "the turn is over")
    assert restores(supervised.model.requests("turn")[-1]) == [again]
    assert states(supervised, id)[-3:] == ["confirmed", "failed", "dropped"]
