"""A text of ours that the agent does not take in is given up: what a person has typed behind it is not sent with it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentsup.core.policy import Policy
from agentsup.protocol import messages as m
from tests.soak.watched_agent import WatchedAgent

SCRIPT: dict[str, Any] = {"step": [{"prompt": "", "actions": [{"say": "ok", "delay": 0}, {"usage": 5000}]}]}


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[WatchedAgent]:
    made = WatchedAgent(tmp_path, SCRIPT, policy=Policy(start=False))
    yield made
    made.close()


def notices(agent: WatchedAgent) -> list[str]:
    return [notice.key for notice in agent.client.session.notices] if agent.client.session else []


def give_up(agent: WatchedAgent, keys: bytes) -> None:
    """Have the agent stand still while a text of ours is typed and a person types too, until we give up."""
    os.kill(agent.session.agent_pid, signal.SIGSTOP)
    try:
        agent.client.send(m.InjectRequest("text", "the text of ours"))
        agent.wait(lambda: agent.injection[1] == "writing", "it is being typed")
        if keys:
            agent.type(keys)
        agent.wait(lambda: agent.injection[1] == "failed", "it has failed")
        if keys:
            agent.wait(lambda: "keys.behind" in notices(agent), "the person is told")
    finally:
        os.kill(agent.session.agent_pid, signal.SIGCONT)


def test_an_enter_behind_it_waits_until_it_is_gone(agent: WatchedAgent) -> None:
    give_up(agent, b"\x03my own words\r")  # Ctrl+C: it stands there no more
    agent.wait(lambda: bool(agent.log("user")), "the words are sent")
    assert [each["text"] for each in agent.log("user")] == ["my own words"]
    agent.wait(lambda: "keys.behind" not in notices(agent), "nothing is kept")
    assert agent.injection[1:] == ("failed", "injection.not-shown")


def test_an_enter_behind_it_does_not_wait_for_ever_and_what_is_sent_with_it_is_no_confirmation(
    agent: WatchedAgent,
) -> None:
    give_up(agent, b"my own words\r")
    agent.wait(lambda: bool(agent.log("user")), "the words are sent whatever stands before them")
    text = agent.log("user")[0]["text"]
    assert text.startswith("agentsup")
    assert text.endswith("my own words")
    agent.wait(lambda: agent.injection[2] == "injection.merged", "that is no confirmation")
    agent.wait(lambda: "keys.sent-behind" in notices(agent), "that both may be one message is said, and stays")
    assert "keys.behind" not in notices(agent)


def standing(agent: WatchedAgent) -> list[tuple[str, str]]:
    """Return id and size of what is told to stand in the composer."""
    notices = agent.client.session.notices if agent.client.session else ()
    return [(each.values[0][1], each.values[1][1]) for each in notices if each.key == "composer.ours"]


def test_what_stands_in_the_composer_is_told_and_sent_once_where_the_person_says_so(agent: WatchedAgent) -> None:
    give_up(agent, b"")
    agent.wait(lambda: bool(standing(agent)), "the person is told what stands there")
    ((id, size),) = standing(agent)
    assert agent.log("user") == []
    agent.client.send(m.InjectionChoice(id, "retry"))
    agent.wait(lambda: agent.injection[1] == "confirmed", "it is sent as it stands")
    (text,) = [each["text"] for each in agent.log("user")]
    assert (text.count(id), len(text)) == (1, int(size))
    agent.wait(lambda: not standing(agent), "it stands there no more")


def test_what_stands_in_the_composer_may_be_left_there(agent: WatchedAgent) -> None:
    give_up(agent, b"")
    agent.wait(lambda: bool(standing(agent)), "the person is told what stands there")
    ((id, _),) = standing(agent)
    agent.client.send(m.InjectionChoice(id, "drop"))
    agent.wait(lambda: agent.injection[1] == "dropped" and not standing(agent), "nothing more is said of it")
    agent.type(b" and my words\r")
    agent.wait(lambda: bool(agent.log("user")), "it is the person's now")
    text = agent.log("user")[0]["text"]
    assert id in text
    assert text.endswith(" and my words")
