"""The system's clock is set back while a session runs: nothing is lost, and nobody's keys wait for the old time."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentsup.core.policy import Policy
from agentsup.protocol import messages as m
from tests.soak import watched_agent
from tests.soak.watched_agent import ENGRAM, WatchedAgent

BLOCK = ENGRAM.replace("Wrote the lexer", "Wrote lexer and parser")
SCRIPT: dict[str, Any] = {
    "window": 40_000,
    "step": [
        {
            "prompt": "compact me",
            "actions": [{"usage": 36_000}, {"compact": "auto", "after": 8_000}, {"say": "on"}, {"usage": 9_000}],
        },
        {"prompt": "write it down", "actions": [{"say": BLOCK, "delay": 0}, {"usage": 9_000}]},
        {"prompt": "", "actions": [{"say": "ok", "delay": 0}, {"usage": 5_000}]},
    ],
}


@pytest.fixture
def shift(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Return what shifts the clock of all that is started from now on."""
    path = tmp_path / "shift"
    path.write_text("0")
    monkeypatch.setenv("AGENTSUP_SHIFT", str(path))
    monkeypatch.setattr(watched_agent, "WATCHED", Path(__file__).with_name("shifted"))

    def set_to(seconds: float) -> None:
        new = path.with_suffix(".new")
        new.write_text(str(seconds))
        new.replace(path)

    return set_to


@pytest.fixture
def agent(tmp_path: Path, shift: Callable[[float], None]) -> Iterator[WatchedAgent]:
    made = WatchedAgent(tmp_path, SCRIPT, policy=Policy(start=False))
    yield made
    made.close()


def ask(agent: WatchedAgent, prompt: str) -> None:
    """Have the agent do something, to its end."""
    assert agent.client.session is not None
    turns = agent.client.session.turns
    agent.type(prompt.encode() + b"\r")

    def is_over() -> bool:
        session = agent.client.session
        return session is not None and session.turns > turns and session.phase == "idle"

    agent.wait(is_over, prompt)


def test_what_is_forgotten_and_written_after_that_is_restored_and_taken(
    agent: WatchedAgent, shift: Callable[[float], None]
) -> None:
    ask(agent, "hello")
    shift(-3600)
    ask(agent, "compact me")
    agent.wait(lambda: agent.injection[1] == "confirmed", "the restore")
    assert len(agent.restores()) == 1
    path = agent.project / ".agent" / "engram.md"
    ask(agent, "write it down")
    agent.wait(lambda: "lexer and parser" in path.read_text(), "the engram")


def test_keys_behind_a_text_that_does_not_show_are_not_kept_for_as_long(
    agent: WatchedAgent, shift: Callable[[float], None]
) -> None:
    os.kill(agent.session.agent_pid, signal.SIGSTOP)
    try:
        agent.client.send(m.InjectRequest("text", "the text of ours"))
        agent.wait(lambda: agent.injection[1] == "writing", "it is being typed")
        shift(-3600)
        agent.wait(lambda: agent.injection[1] == "failed", "it is given up")
        agent.type(b"\x03my own words\r")
    finally:
        os.kill(agent.session.agent_pid, signal.SIGCONT)
    agent.wait(lambda: bool(agent.log("user")), "the words are sent")
    assert [each["text"] for each in agent.log("user")] == ["my own words"]
