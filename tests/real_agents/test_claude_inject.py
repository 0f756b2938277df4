"""The real Claude Code: a person's text of any size in the very next request, and memory at the start of a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from agentsup.agents.claude_typing import typed
from agentsup.core.text import squeezed
from tests.conftest import MakeClaudeHome
from tests.real_agents.supervised import ENGRAM, SupervisedClaude
from tests.real_agents.test_claude_supervised import SOME
from tests.real_agents.test_codex_inject import ODD, STARTS, TEXTS, inject, is_idle, starts_by_hook, wait_session
from tests.servers.messages import Turn
from tests.servers.messages_server import MessagesServer

pytestmark = pytest.mark.real_agent

Start = Callable[..., SupervisedClaude]


@pytest.fixture
def start(make_claude_home: MakeClaudeHome) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(script: Any = (), *, arguments: tuple[str, ...] = (), **environment: str) -> SupervisedClaude:
            model = stack.enter_context(MessagesServer(script, default=Turn("Fine.", usage=SOME)))
            supervised = SupervisedClaude(
                make_claude_home(model), model, arguments=arguments, environment=environment
            )  # fmt: skip
            stack.callback(supervised.close)
            wait_session(supervised)
            return supervised

        yield begin


def test_every_size_is_in_the_next_request_whole_and_once(start: Start) -> None:
    supervised = start()
    supervised.wait_status(lambda s: s["phase"] == "idle", "it is idle")
    for count, text in enumerate(TEXTS, 1):
        answer = inject(supervised, "-", given=text)
        assert answer["state"] == "confirmed", (len(text), answer)
        supervised.wait_status(lambda s, n=count: s["turns"] == n and is_idle(s), "its turn")  # type: ignore[misc]
        request = supervised.model.requests("turn")[-1]
        said = [found for found in request.texts("user") if answer["id"] in found]
        assert len(said) == 1
        assert said[0].count(text) == 1 or len(text) == 1, len(text)
        assert len(supervised.model.requests("turn")) == count


def test_odd_characters_keep_nothing_from_arriving(start: Start) -> None:
    supervised = start()
    supervised.wait_status(lambda s: s["phase"] == "idle", "it is idle")
    for text in ODD:
        assert inject(supervised, "-", given=text)["state"] == "confirmed", text
        supervised.wait_status(is_idle, "its turn is over")
        assert squeezed(text) in squeezed(typed(supervised.model.requests("turn")[-1].last_user_text()))
    assert len(supervised.model.requests("turn")) == len(ODD)


def test_memory_is_sent_when_a_person_asks_for_it(start: Start) -> None:
    supervised = start()
    supervised.wait_status(lambda s: s["phase"] == "idle", "it is idle")
    answer = inject(supervised, "--restore")
    assert answer["state"] == "confirmed"
    (request,) = supervised.model.requests("turn")
    assert f"(restore {answer['id']}" in request.last_user_text()
    assert request.last_user_text().count(ENGRAM.strip()) == 1


def test_a_new_session_begins_with_its_memory_once_and_before_the_first_work(start: Start) -> None:
    supervised = start(**STARTS)
    injection = supervised.wait_injection("confirmed")
    assert injection["occasion"].startswith("start:")
    supervised.say("hello there")
    supervised.wait_status(lambda s: s["turns"] == 2 and is_idle(s), "the first turn is over")
    first, second = supervised.model.requests("turn")
    assert f"(restore {injection['id']}" in first.last_user_text()
    assert first.last_user_text().count(ENGRAM.strip()) == 1
    assert "In one sentence each" not in first.last_user_text()
    assert second.last_user_text().endswith("hello there")
    # Once more in the next one, and in none that is gone on with.
    supervised.say("/clear")
    again = supervised.wait_status(
        lambda s: bool(s["injection"]) and s["injection"]["id"] != injection["id"]
        and s["injection"]["state"] == "confirmed" and is_idle(s), "the next session is restored",
    )["injection"]  # fmt: skip
    assert again["occasion"] != injection["occasion"]
    assert not supervised.model.requests("turn")[-1].contains("hello there")


@pytest.mark.parametrize("words", [("--continue",), ("--continue", "--fork-session")])
def test_one_that_is_gone_on_with_is_not_restored(start: Start, words: tuple[str, ...]) -> None:
    supervised = start()
    supervised.say("hello there")
    supervised.wait_status(lambda s: s["turns"] == 1 and is_idle(s), "the first turn is over")
    assert supervised.command("stop").returncode == 0
    supervised.env |= STARTS
    supervised.terminal = supervised.open("claude", *words)
    supervised.say("once more")
    status = supervised.wait_status(lambda s: s["turns"] >= 1 and is_idle(s), "a turn is over")
    assert status["injection"] is None
    assert not any(request.contains("at the start of this session") for request in supervised.model.requests("turn"))


def test_by_a_hook_memory_is_in_the_first_request_and_costs_no_turn(start: Start) -> None:
    supervised = start(AGENTSUP_INJECTION_CHANNEL="hook", **STARTS)
    for number, _ in starts_by_hook(supervised):
        requests = supervised.model.requests("turn")
        assert len(requests) == number
        assert requests[-1].contains("at the start of this session")
        said = "\n".join(requests[-1].texts("system") + requests[-1].texts("user"))
        assert said.count(ENGRAM.strip()) == 1


def test_keys_that_nothing_is_drawn_for_keep_nothing_waiting(start: Start) -> None:
    supervised = start()
    supervised.wait_status(lambda s: s["phase"] == "idle", "it is idle")
    for count, key in enumerate(("C-u", "C-k", "Home", "End", "C-u"), 1):
        supervised.terminal.wait_for(supervised.EMPTY)
        supervised.terminal.key(key)
        assert inject(supervised, "-", given=f"hello {count}")["state"] == "confirmed", key
        supervised.wait_status(lambda s, n=count: s["turns"] == n and is_idle(s), "its turn")  # type: ignore[misc]
    assert supervised.model.requests("turn")[-1].last_user_text().endswith("hello 5")
