"""Memory at the start of a session: once, before the first work, without a recital, and never where it is there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agentsup.agents import hook_client
from agentsup.core.policy import Policy
from agentsup.protocol import messages as m
from tests.demo.test_supervised import ENGRAM, Supervise, Supervised, begin
from tests.end_to_end.conftest import Begin, wait_until
from tests.end_to_end.headless import Client
from tests.end_to_end.test_host import host_of

__all__ = ["begin"]

STARTS = Policy()
SCRIPT = {
    "window": 100_000,
    "step": [
        {"prompt": "^go", "actions": [{"say": "Gone.", "delay": 0}]},
        {"prompt": "^wait", "actions": [{"sleep": 60_000}]},
        {"prompt": "", "actions": [{"say": "Noted.", "delay": 0}]},
    ],
}


@pytest.fixture
def supervise(begin: Begin, tmp_path: Path) -> Supervise:
    return lambda *words, script=SCRIPT, **more: Supervised(
        begin, tmp_path, script, *words, **{"policy": STARTS} | more
    )  # fmt: skip


def said(agent: Supervised) -> list[str]:
    return [record["text"] for record in agent.log("user")]


def occasion(agent: Supervised) -> str:
    session = agent.client.session
    return session.injection.occasion.written if session is not None and session.injection is not None else ""


def notices(agent: Supervised) -> list[str]:
    return [notice.key for notice in agent.client.session.notices] if agent.client.session is not None else []


def conversation(agent: Supervised) -> str:
    return agent.client.session.conversation if agent.client.session is not None else ""


def prompt(agent: Supervised, text: str) -> None:
    """Type a prompt once the agent is idle and its box is empty."""
    agent.client.wait(lambda: agent.phase == "idle", "idle")
    agent.client.wait_text("Type a task")
    agent.type(text)
    agent.client.wait_text(f"▸ {text}")
    agent.type("\r")


def turns(agent: Supervised) -> int:
    return len(agent.log("turn_ended"))


def test_every_new_conversation_begins_with_it(supervise: Supervise) -> None:
    agent = supervise()
    agent.client.wait(lambda: agent.injection == ("confirmed", ""), "restored")
    first = conversation(agent)
    assert occasion(agent) == f"start:{first}"
    prompt(agent, "go")
    agent.client.wait(lambda: turns(agent) == 2, "its turn is over")
    restore, asked = said(agent)
    assert "at the start of this session" in restore.partition("\n")[0]
    assert ENGRAM.strip() in restore
    assert "In one sentence each" not in restore
    assert asked == "go"
    prompt(agent, "/new")
    agent.client.wait(lambda: conversation(agent) != first, "the next conversation")
    agent.client.wait(lambda: turns(agent) == 3 and agent.injection == ("confirmed", ""), "restored once more")
    assert occasion(agent) == f"start:{conversation(agent)}"
    assert [ENGRAM.strip() in text for text in said(agent)] == [True, False, True]


BY_HOOK = Policy(hooks=True)
HOOK = (sys.executable, "-I", "-S", hook_client.__file__, "demo")


def contexts(agent: Supervised) -> list[str]:
    return [record["text"] for record in agent.log("hook_context")]


def test_by_a_hook_it_is_in_the_first_request_and_nothing_is_typed(supervise: Supervise) -> None:
    agent = supervise(policy=BY_HOOK, hook=HOOK)
    known: list[str] = []
    for count in (1, 2):
        agent.client.wait(lambda: conversation(agent) not in ("", *known), "another conversation")
        known.append(conversation(agent))
        for turn in (2 * count - 1, 2 * count):
            prompt(agent, "go")
            agent.client.wait(lambda n=turn: turns(agent) == n, "its turn is over")  # type: ignore[misc]
        agent.client.wait(lambda: agent.injection == ("confirmed", ""), "restored")
        assert occasion(agent) == f"start:{known[-1]}"
        assert "start.missed" not in notices(agent)
        if count == 1:
            prompt(agent, "/new")
    assert said(agent) == ["go"] * 4
    assert [text.count(ENGRAM.strip()) for text in contexts(agent)] == [1, 1]


def test_by_a_hook_a_cold_restart_is_not_restored_twice(supervise: Supervise) -> None:
    agent = supervise(policy=BY_HOOK, hook=HOOK)
    agent.client.wait(lambda: bool(conversation(agent)), "a conversation")
    agent.client.send(m.RestartRequest())
    agent.client.wait(lambda: turns(agent) == 1, "its first prompt is answered")
    assert [ENGRAM.strip() in text for text in said(agent)] == [True]
    assert contexts(agent) == []


def test_a_conversation_that_is_gone_on_with_has_it_already(supervise: Supervise, tmp_path: Path) -> None:
    agent = supervise(policy=Policy(start=False))
    prompt(agent, "go")
    agent.client.wait(lambda: turns(agent) == 1, "its turn is over")
    again = supervise("resume", conversation(agent))
    prompt(again, "go")
    again.client.wait(lambda: turns(again) == 2, "its turn is over")
    assert conversation(again) == conversation(agent)
    assert again.injection == ("", "")
    assert said(again) == ["go", "go"]


def test_where_there_is_no_memory_nothing_is_sent(supervise: Supervise) -> None:
    agent = supervise(engram="")
    prompt(agent, "go")
    agent.client.wait(lambda: turns(agent) == 1, "its turn is over")
    assert agent.injection == ("", "")


def test_a_person_who_is_quicker_is_not_interrupted(supervise: Supervise) -> None:
    agent = supervise("go")
    agent.client.wait(lambda: turns(agent) == 1 and agent.phase == "idle", "its turn is over")
    prompt(agent, "go")
    agent.client.wait(lambda: turns(agent) == 2, "the next one, too")
    assert said(agent) == ["go", "go"]
    assert agent.injection in (("", ""), ("dropped", "injection.work-begun"))


LATE = SCRIPT | {"behaviour": {"report_delay": 1_500}}
"""It says so late that it is idle that a person can type before."""


def test_a_draft_holds_it_and_the_work_that_comes_of_it_ends_the_wait(supervise: Supervise) -> None:
    agent = supervise(script=LATE, early="go")
    agent.client.wait(lambda: agent.injection == ("held", "injection.draft"), "held by the draft")
    agent.type("\r")
    agent.client.wait(lambda: agent.injection == ("dropped", "injection.work-begun"), "dropped")
    assert said(agent) == ["go"]
    # That is told, and with it how to have it all the same.
    agent.client.wait(lambda: "start.missed" in notices(agent), "told")
    agent.client.send(m.InjectRequest("restore", ""))
    agent.client.wait(lambda: agent.injection == ("confirmed", ""), "restored")
    assert [ENGRAM.strip() in text for text in said(agent)] == [False, True]
    assert "start.missed" not in notices(agent)


def test_a_host_that_dies_neither_forgets_nor_repeats_it(supervise: Supervise) -> None:
    agent = supervise(script=LATE, early="half a thought")
    agent.client.wait(lambda: agent.injection == ("held", "injection.draft"), "held by the draft")
    for _ in range(2):
        host = host_of(agent.session)
        host.kill()
        wait_until(lambda host=host: not host.is_running(), "the host is gone")  # type: ignore[misc]
        host_of(agent.session)
        agent.client = Client(agent.session.folder)
        agent.client.wait(lambda: agent.phase == "idle" and bool(conversation(agent)), "it goes on")
        agent.client.wait_text("▸")
        agent.type("\x15")
        agent.client.wait(lambda: len(said(agent)) == 1 and turns(agent) == 1, "restored")
    assert len(said(agent)) == 1
