"""The demo agent with a hook: a restore is in the very next request, once, and is typed only where no hook came."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from agentsup.agents import hook_client
from agentsup.core.policy import Policy
from agentsup.protocol import messages as m
from tests.demo.test_supervised import COMPACTS, ENGRAM, Supervise, Supervised, supervise
from tests.end_to_end.conftest import begin
from tests.end_to_end.test_host import host_of

__all__ = ["begin", "supervise"]

CLIENT = (sys.executable, "-I", "-S", hook_client.__file__, "demo")
BY_HOOK = Policy(start=False, hooks=True)
SAYS = {"say": "My task: Ship the parser.", "delay": 0}


def script(when: str = "next-request") -> dict[str, Any]:
    return {
        "window": 40_000,
        "behaviour": {"compact_hook": when},
        "step": [
            {"prompt": "^go", "actions": [*COMPACTS, SAYS, {"usage": 9_000}]},
            {"prompt": "^manual", "actions": [{"usage": 36_000}, {"compact": "manual", "takes": 20, "after": 8_000}]},
            {"prompt": "", "actions": [SAYS, {"usage": 9_000}]},
        ],
    }


def ask(agent: Supervised, words: str) -> None:
    """Type a prompt as a person does."""
    agent.type(words)
    agent.client.wait_text(f"▸ {words}")
    agent.type("\r")


def said_by_hook(agent: Supervised) -> list[str]:
    return [record["text"] for record in agent.log("hook_context")]


def channel(agent: Supervised) -> str:
    session = agent.client.session
    return session.injection.channel if session is not None and session.injection is not None else ""


@pytest.mark.parametrize(("waits", "then"), [(False, "Then go on with the turn"), (True, "Then stop and wait")])
@pytest.mark.parametrize("when", ["next-request", "before-record"])
def test_in_the_middle_of_a_turn_it_is_in_the_next_request_and_nothing_is_typed(
    supervise: Supervise, when: str, waits: bool, then: str
) -> None:
    policy = Policy(start=False, hooks=True, wait_after_recital=waits)
    agent = supervise(script(when), policy=policy, hook=CLIENT)
    ask(agent, "go")
    agent.client.wait(lambda: agent.injection == ("confirmed", ""), "confirmed")
    agent.client.wait(lambda: agent.phase == "idle", "idle")
    (text,) = said_by_hook(agent)
    assert ENGRAM.strip() in text
    assert then in text
    order = [record["type"] for record in agent.log("compacted", "hook_context", "assistant")]
    assert order.index("hook_context") < order.index("assistant")
    assert channel(agent) == "hook"
    ask(agent, "and then")
    agent.client.wait(lambda: len(agent.log("turn_ended")) == 2, "another turn")
    assert agent.restores() == []
    assert len(said_by_hook(agent)) == 1


def test_after_a_compaction_by_hand_it_goes_with_the_next_prompt(supervise: Supervise) -> None:
    agent = supervise(script(), policy=BY_HOOK, hook=CLIENT)
    ask(agent, "hello")  # by then a hook was heard
    agent.client.wait(lambda: len(agent.log("turn_ended")) == 1, "a turn")
    ask(agent, "manual")
    agent.client.wait(lambda: agent.injection == ("held", "injection.waits-for-hook"), "it waits")
    agent.client.wait(lambda: agent.phase == "idle", "idle")
    assert agent.restores() == said_by_hook(agent) == []
    ask(agent, "what now?")
    agent.client.wait(lambda: agent.injection == ("confirmed", ""), "confirmed")
    assert len(said_by_hook(agent)) == 1
    assert agent.restores() == []


def test_where_the_hook_does_not_come_it_is_typed_and_the_person_is_told(supervise: Supervise, tmp_path: Path) -> None:
    switch = tmp_path / "on"
    switch.touch()
    command = f'test -e {switch} && exec "$@"'
    agent = supervise(script(), policy=BY_HOOK, hook=("/bin/sh", "-c", command, "hook", *CLIENT))
    ask(agent, "hello")
    agent.client.wait(lambda: len(agent.log("turn_ended")) == 1, "a turn")
    switch.unlink()
    ask(agent, "go")
    agent.client.wait(lambda: agent.injection == ("confirmed", ""), "typed, and confirmed")
    assert channel(agent) == "stdin"
    assert len(agent.restores()) == 1
    assert agent.client.session is not None
    assert "hook.missed" in [notice.key for notice in agent.client.session.notices]
    switch.touch()
    ask(agent, "and then")
    agent.client.wait(lambda: len(agent.log("turn_ended")) >= 4, "another turn")
    assert said_by_hook(agent) == []


def test_a_person_may_have_a_held_text_go_with_their_own_prompt(supervise: Supervise) -> None:
    agent = supervise(script(), policy=BY_HOOK, hook=CLIENT)
    agent.type("a draft")
    agent.client.wait_text("▸ a draft")
    agent.client.send(m.InjectRequest("text", "by the way"))
    agent.client.wait(lambda: agent.injection == ("held", "injection.draft"), "held")
    assert agent.client.session is not None
    assert agent.client.session.injection is not None
    agent.client.send(m.InjectionChoice(agent.client.session.injection.id, "hook"))
    agent.client.wait(lambda: agent.injection == ("held", "injection.waits-for-prompt"), "it waits for the prompt")
    agent.type("\r")
    agent.client.wait(lambda: agent.injection == ("confirmed", ""), "confirmed")
    assert [text.endswith("by the way") for text in said_by_hook(agent)] == [True]
    assert [record["text"] for record in agent.log("user")] == ["a draft"]


def test_a_new_host_knows_what_the_last_one_has_given_to_a_hook(supervise: Supervise) -> None:
    agent = supervise(script(), policy=BY_HOOK, hook=CLIENT)
    ask(agent, "go")
    agent.client.wait(lambda: agent.injection == ("confirmed", ""), "confirmed")
    agent.client.wait(lambda: agent.phase == "idle", "idle")
    host = host_of(agent.session)
    host.kill()
    agent.client.wait(lambda: agent.client.closed, "the host is gone")
    host_of(agent.session)
    agent.reconnect()
    ask(agent, "and then")
    agent.client.wait(lambda: len(agent.log("turn_ended")) == 2, "another turn")
    agent.client.wait(lambda: agent.phase == "idle", "idle")
    assert len(said_by_hook(agent)) == 1
    assert agent.restores() == []
