"""The real Claude Code under agentsup: in its system prompt our instructions stand once, beside the person's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.conftest import MakeClaudeHome
from tests.real_agents.claude import ClaudeHome
from tests.real_agents.instructions import MINE, assert_told, configure
from tests.real_agents.supervised import SupervisedClaude, over
from tests.real_agents.test_claude_supervised import AUTO_COMPACT, FULL, SOME, Start
from tests.servers.messages import Command, ToolUse, Turn
from tests.servers.messages_server import MessagesServer, Request

pytestmark = pytest.mark.real_agent

APPENDED, APPENDED_FILE = "--append-system-prompt", "--append-system-prompt-file"
IN_A_FILE = "My rule of a file: never use adverbs."


@pytest.fixture
def start(make_claude_home: MakeClaudeHome) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(
            script: Any = (),
            *,
            arguments: tuple[str, ...] = (),
            prepare: Callable[[ClaudeHome], None] = lambda home: None,
            **server: Any,
        ) -> SupervisedClaude:
            model = stack.enter_context(MessagesServer(script, **{"default": Turn("Fine.", usage=SOME), **server}))
            home = make_claude_home(model)
            (home.project / "rule.txt").write_text(IN_A_FILE)
            prepare(home)
            supervised = SupervisedClaude(home, model, arguments=arguments)
            stack.callback(supervised.close)
            return supervised

        yield begin


def in_conversation(request: Request) -> bool:
    return any("agentsup recall" in text for text in request.texts())


@pytest.mark.parametrize(
    "arguments",
    [(), (APPENDED, MINE), (APPENDED_FILE, "rule.txt"), (APPENDED_FILE, "rule.txt", APPENDED, "no", APPENDED, MINE)],
    ids=["none", "text", "file", "both"],
)
def test_they_are_there_once_with_the_persons_own_before_and_after_compactions(
    start: Start, arguments: tuple[str, ...]
) -> None:
    supervised = start(
        [Turn("Something to keep."), Turn("Step.", (Command("ls"),), usage=FULL)],
        arguments=(*AUTO_COMPACT, *arguments),
    )
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    supervised.say("do it all")
    supervised.wait_restored(1)
    supervised.say("/compact")
    supervised.wait_restored(2)
    assert len(supervised.model.requests("compaction")) == 2
    requests = supervised.model.requests("turn")
    assert len(requests) >= 5
    for request in requests:
        assert_told(request.system, mine=MINE in arguments)
        assert request.system.count(IN_A_FILE) == (1 if APPENDED_FILE in arguments else 0)
        assert not in_conversation(request)


def test_switched_off_nothing_is_added(start: Start) -> None:
    def off(home: ClaudeHome) -> None:
        configure(home.home, "[memory]\ninstructions = 'off'\n")

    supervised = start(arguments=(APPENDED, MINE), prepare=off)
    supervised.say("hello there")
    request = supervised.model.wait_for_count("turn", 1)
    assert request.system.count(MINE) == 1
    assert "agentsup" not in request.system


def test_a_sub_agent_is_not_told(start: Start) -> None:
    call = ToolUse("Agent", {"description": "Count", "prompt": "Count files.", "subagent_type": "general-purpose"})
    supervised = start([Turn("Delegating.", (call,), usage=SOME)])
    supervised.say("use an agent")
    request = supervised.model.wait_for_count("subagent", 1)
    assert "agentsup" not in request.system
    assert not in_conversation(request)
    assert_told(supervised.model.requests("turn")[0].system, mine=False)


def test_a_resumed_a_cleared_and_a_restarted_conversation_have_them_once(start: Start) -> None:
    supervised = start(arguments=(APPENDED, MINE))
    supervised.say("hello there")
    first = supervised.wait_status(over(1), "the first turn is over")
    supervised.command("stop")
    supervised.terminal = supervised.open("claude", "--resume", first["conversation"], APPENDED, MINE)
    supervised.say("go on")
    supervised.wait_status(over(2), "the second turn is over")
    supervised.say("/clear")
    supervised.wait_status(lambda s: s["conversation"] not in ("", first["conversation"]), "it has moved")
    supervised.say("from the start")
    cleared = supervised.wait_status(over(1), "the first turn of another conversation is over")
    assert supervised.command("restart", "--yes").returncode == 0
    supervised.wait_status(
        lambda s: s["conversation"] not in ("", cleared["conversation"]) and over(1)(s), "a fresh agent has begun"
    )
    requests = supervised.model.requests("turn")
    assert len(requests) >= 4
    for request in requests:
        assert_told(request.system, mine=True)


def test_a_project_says_it_in_its_own_words(start: Start) -> None:
    supervised = start()
    supervised.terminal.wait_for(supervised.EMPTY)
    supervised.command("stop")
    templates = supervised.home.project / ".agent" / "templates"
    templates.mkdir()
    (templates / "instructions.md").write_text("Keep {state}.\r\nAs here:\x1b[201~\n{good}")
    supervised.approve()
    supervised.terminal = supervised.open("claude")
    supervised.say("hello there")
    system = supervised.model.wait_for_count("turn", 1).system
    assert system.count("Keep .agent/STATE.md.\nAs here:[201~\n[Task]") == 1
    assert "agentsup recall" not in system
