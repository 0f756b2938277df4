"""The real Claude Code under agentsup: after a compaction it gets its memory back, once, and never over a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from agentsup.agents import claude_typing
from tests.conftest import MakeClaudeHome
from tests.real_agents.supervised import ENGRAM, NOTHING, SupervisedClaude, over
from tests.real_agents.test_claude_supervised import AUTO_COMPACT, FULL, SOME, Start
from tests.servers.messages import Command, Turn
from tests.servers.messages_server import MessagesServer, Request
from tests.servers.pace import Gate

pytestmark = pytest.mark.real_agent


@pytest.fixture
def start(make_claude_home: MakeClaudeHome) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(
            script: Any = (), *, arguments: tuple[str, ...] = (), size: tuple[int, int] = (120, 40),
            environment: Mapping[str, str] = NOTHING, **server: Any,
        ) -> SupervisedClaude:  # fmt: skip
            model = stack.enter_context(MessagesServer(script, **server))
            supervised = SupervisedClaude(make_claude_home(model), model, size, arguments, environment)
            stack.callback(supervised.close)
            return supervised

        yield begin


def holding(supervised: SupervisedClaude, id: str) -> list[Request]:
    """Return the requests in which a restore stands; fails where it stands twice in one."""
    found = [r for r in supervised.model.requests("turn") if r.contains(f"(restore {id}")]
    for request in found:
        assert sum(text.count(f"(restore {id}") for text in request.texts("user")) == 1
    return found


def assert_waits(request: Request) -> None:
    """Nobody but the person has the turn gone on with."""
    text = "\n".join(request.texts("user"))
    assert "Then wait." in text
    assert "Then go on" not in text


def test_after_a_compaction_by_command_the_memory_is_the_next_turn(start: Start) -> None:
    supervised = start(default=Turn("Fine.", usage=SOME))
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    for number in (1, 2):
        supervised.say("/compact")
        id = supervised.wait_restored(number)
        (request,) = holding(supervised, id)
        assert request.number == supervised.model.requests("turn")[-1].number
        lead, _, pasted = request.last_user_text().partition("<pasted_content")
        assert lead.endswith(f"{claude_typing.typing(pasted).lead}\n\n")
        assert pasted.count(ENGRAM.strip()) == 1


@pytest.mark.parametrize(("size", "language"), [((80, 24), "en"), ((60, 20), "zh-CN")])
def test_in_a_small_window_too(start: Start, size: tuple[int, int], language: str) -> None:
    supervised = start(
        default=Turn("Fine.", usage=SOME), size=size, environment={"AGENTSUP_INTERFACE_LANGUAGE": language}
    )  # fmt: skip
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    supervised.say("/compact")
    supervised.wait_restored(1)


def test_after_an_automatic_compaction_it_is_the_turn_after_the_interrupted_one(start: Start) -> None:
    supervised = start(
        [Turn("Something to keep."), Turn("Step.", (Command("ls"),), usage=FULL)],
        default=Turn("Fine.", usage=SOME), arguments=AUTO_COMPACT,
    )  # fmt: skip
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    supervised.say("do it all")
    id = supervised.wait_restored(1)
    (request,) = holding(supervised, id)
    assert any(ENGRAM.strip() in text for text in request.texts("user"))
    assert "Then go on with the turn" in "\n".join(request.texts("user"))
    assert supervised.status()["turns"] == 3


def test_after_a_turn_that_the_person_has_interrupted_it_asks_to_wait(start: Start) -> None:
    gate = Gate()
    supervised = start(
        [Turn("Something to keep."), Turn("Step.", (Command("ls"),), usage=FULL), Turn("Now I delete.", hold=gate)],
        default=Turn("Fine.", usage=SOME), arguments=AUTO_COMPACT,
    )  # fmt: skip
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    supervised.say("clean up")
    gate.wait_reached()
    supervised.wait_status(
        lambda s: s["compactions"] == 1 and bool(s["injection"]) and s["injection"]["state"] == "held", "it waits"
    )
    supervised.terminal.key("Escape")
    id = supervised.wait_restored(1)
    (request,) = holding(supervised, id)
    assert any("[Request interrupted by user]" in text for text in request.texts("user"))
    assert_waits(request)


def test_a_draft_holds_it_until_the_persons_enter(start: Start) -> None:
    gate = Gate()
    supervised = start(
        [Turn("Something to keep."), Turn("Step.", (Command("ls"),), usage=FULL), Turn("Done.", usage=SOME, hold=gate)],
        default=Turn("Fine.", usage=SOME), arguments=AUTO_COMPACT,
    )  # fmt: skip
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    supervised.say("do it all")
    gate.wait_reached()
    supervised.terminal.type("half a thought")
    supervised.terminal.wait_for(f"{supervised.PROMPT}half a thought")
    gate.release()
    held = supervised.wait_status(
        lambda s: s["phase"] == "idle" and bool(s["injection"]) and s["injection"]["reason"] == "injection.draft",
        "held for the draft",
    )["injection"]
    assert not holding(supervised, held["id"])
    supervised.terminal.type(", now whole")
    supervised.terminal.wait_for(f"{supervised.PROMPT}half a thought, now whole")
    supervised.terminal.key("Enter")
    assert supervised.wait_restored(1) == held["id"]
    said = [request.last_user_text() for request in supervised.model.requests("turn")]
    assert "half a thought, now whole" in said
    assert len(holding(supervised, held["id"])) == 1


def test_nothing_is_typed_into_a_permission_prompt(start: Start) -> None:
    supervised = start(
        [
            Turn("Something to keep."),
            Turn("Step.", (Command("ls"),), usage=FULL),
            Turn("I need a file.", (Command("touch asked.txt"),), usage=SOME),
        ],
        default=Turn("Fine.", usage=SOME),
        arguments=AUTO_COMPACT,
    )
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    supervised.say("do it all")
    supervised.terminal.wait_for("Do you want to proceed?")
    status = supervised.wait_status(
        lambda s: s["phase"] == "waiting-for-approval" and bool(s["injection"]), "permission is asked for"
    )
    assert (status["injection"]["state"], status["injection"]["reason"]) == ("held", "injection.approval")
    for _ in range(5):  # each takes the time of a command
        assert supervised.status()["injection"]["state"] == "held"
        assert "Do you want to proceed?" in supervised.terminal.text()
    supervised.terminal.key("Escape")
    supervised.wait_restored(1)
    assert not (supervised.home.project / "asked.txt").exists()
