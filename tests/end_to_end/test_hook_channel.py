"""The hook channel with the demo agent: memory is in its context before its next word, once, and never typed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentsup.agents import hook_client
from agentsup.core.policy import Policy
from agentsup.core.session import Session
from agentsup.protocol import messages as m
from tests.end_to_end.conftest import Begin
from tests.end_to_end.headless import Client

ENGRAM = "[Task] Ship the parser\n[Pending] Write the lexer test\n[Taboo] No regular expressions\n"
HOOK = (sys.executable, "-I", "-S", hook_client.__file__, "demo")
HEADER = "by agentsup (restore"
BY_HOOK = Policy(channel="hook", hooks=True, start=False)


class Hooked:
    """A demo agent with hooks, in a session."""

    def __init__(self, begin: Begin, folder: Path, policy: Policy, behaviour: dict[str, Any]) -> None:
        self._home = folder / "demo"
        project = folder / "project"
        (project / ".agent").mkdir(parents=True)
        (project / ".agent" / "engram.md").write_text(ENGRAM)
        script = {
            "window": 40_000, "behaviour": behaviour,
            "step": [{
                "prompt": "^work",
                "actions": [
                    {"usage": 30_000}, {"compact": "auto", "takes": 100}, {"say": "Going on.", "delay": 0},
                    {"usage": 9_000}, {"sleep": 200},
                ],
            }],
        }  # fmt: skip
        (folder / "script.json").write_text(json.dumps(script))
        self.session = begin(
            sys.executable, "--script", str(folder / "script.json"), agent="demo", cwd=project,
            environment={"AGENTSUP_DEMO_HOME": str(self._home), "LC_ALL": "C.UTF-8", "XDG_DATA_HOME": str(folder)},
            data="agentsup", policy=policy, hook=HOOK,
        )  # fmt: skip
        self.client = Client(self.session.folder)
        self.client.wait(lambda: self.client.session is not None and self.client.session.reported == "idle", "idle")

    def type(self, text: str) -> None:
        """Type a prompt or a command to the idle agent."""
        self.client.wait(lambda: self.session_is(lambda s: s.phase == "idle" and not s.turn), "idle")
        self.client.send(m.Keys(text.encode()))
        self.client.wait_text(text)
        self.client.send(m.Keys(b"\r"))

    def say(self, text: str) -> None:
        """Type a prompt, and wait until it is answered."""
        ended = len(self.of("turn_ended"))
        self.type(text)
        self.client.wait(lambda: len(self.of("turn_ended")) > ended, "answered")

    def session_is(self, wanted: Callable[[Session], bool]) -> bool:
        """Say whether the session is as wanted."""
        return self.client.session is not None and wanted(self.client.session)

    def of(self, *kinds: str) -> list[dict[str, Any]]:
        """Return the log's records of these kinds."""
        return [found for found in self.log() if found["type"] in kinds]

    def log(self) -> list[dict[str, Any]]:
        """Return the records of the newest conversation."""
        path = max((self._home / "conversations").glob("*.jsonl"))
        return [json.loads(line) for line in path.read_bytes().splitlines()]

    def wait_confirmed(self, count: int = 1) -> None:
        """Wait until the restore of the `count`-th compaction is confirmed, and the agent idle."""

        def is_there() -> bool:
            session = self.client.session
            return (
                session is not None and len(session.compactions) == count and session.phase == "idle"
                and session.injection is not None and session.injection.state == "confirmed"
            )  # fmt: skip

        self.client.wait(is_there, "confirmed")

    def restored(self) -> list[str]:
        """Return what hooks have put into the context; fails where a restore was typed."""
        assert not [found for found in self.log() if found["type"] == "user" and HEADER in found["text"]]
        return [found["text"] for found in self.log() if found["type"] == "hook_context"]


Begun = Callable[..., Hooked]


@pytest.fixture
def hooked(begin: Begin, tmp_path: Path) -> Begun:
    return lambda policy=BY_HOOK, **behaviour: Hooked(begin, tmp_path, policy, behaviour)


@pytest.mark.parametrize("when", ["next-request", "before-record"])
def test_in_the_middle_of_a_turn_it_is_there_before_the_next_word(hooked: Begun, when: str) -> None:
    agent = hooked(compact_hook=when)
    agent.say("hello")
    for count in (1, 2):
        agent.say("work")
        agent.wait_confirmed(count)
        texts = agent.restored()
        assert len(texts) == count
        assert texts[-1].count(ENGRAM.strip()) == 1
    kinds = [found["type"] for found in agent.log() if found["type"] in ("compacted", "hook_context", "assistant")]
    after = ["compacted", "hook_context", "assistant"]
    assert kinds == ["assistant", *after, *after]
    session = agent.client.session
    assert session is not None
    assert session.injection is not None
    assert session.injection.channel == "hook"
    assert session.loop.hooks.installed
    assert session.loop.hooks.heard


@pytest.mark.parametrize("when", ["next-request", "before-record"])
def test_after_a_compaction_by_command_it_is_with_the_next_prompt_at_the_latest(hooked: Begun, when: str) -> None:
    agent = hooked(compact_hook=when)
    agent.say("hello")
    agent.type("/compact")
    agent.client.wait(lambda: bool(agent.client.session and agent.client.session.compactions), "compacted")
    if when == "before-record":
        agent.wait_confirmed()
    agent.say("next")
    agent.wait_confirmed()
    (text,) = agent.restored()
    assert text.count(ENGRAM.strip()) == 1
    records = [found for found in agent.log() if found["type"] in ("hook_context", "assistant")]
    assert records[-1]["type"] == "assistant"
    assert "hook_context" in [found["type"] for found in records[-2:]] or when == "before-record"


def test_where_hooks_are_not_proven_to_be_loaded_auto_types(hooked: Begun, monkeypatch: pytest.MonkeyPatch) -> None:
    # A command that does not speak to us: installed, never heard.
    monkeypatch.setattr("tests.end_to_end.test_hook_channel.HOOK", ("/bin/true",))
    agent = hooked(Policy(channel="auto", hooks=True, start=False))
    agent.say("work")
    agent.wait_confirmed()
    typed = [found for found in agent.log() if found["type"] == "user" and HEADER in found["text"]]
    assert len(typed) == 1
    session = agent.client.session
    assert session is not None
    assert session.injection is not None
    assert (session.injection.channel, session.loop.hooks.heard) == ("stdin", 0.0)


def test_auto_uses_them_once_they_were_heard(hooked: Begun) -> None:
    agent = hooked(Policy(channel="auto", hooks=True, start=False))
    agent.say("hello")
    agent.say("work")
    agent.wait_confirmed()
    assert len(agent.restored()) == 1


def test_a_new_session_has_its_memory_with_its_first_prompt(hooked: Begun) -> None:
    agent = hooked(Policy(channel="hook", hooks=True))
    agent.say("hello")

    def is_there() -> bool:
        session = agent.client.session
        return session is not None and session.injection is not None and session.injection.state == "confirmed"

    agent.client.wait(is_there, "confirmed")
    agent.client.wait(lambda: "assistant" in [found["type"] for found in agent.log()], "answered")
    (text,) = agent.restored()
    assert text.count(ENGRAM.strip()) == 1
    kinds = [found["type"] for found in agent.log() if found["type"] in ("hook_context", "assistant")]
    assert kinds == ["hook_context", "assistant"]


def test_another_conversations_hook_gets_nothing(hooked: Begun) -> None:
    agent = hooked()
    agent.say("hello")
    agent.type("/compact")
    agent.client.wait(lambda: bool(agent.client.session and agent.client.session.compactions), "compacted")
    other = Client(agent.session.folder, role="command")
    told = {"session_id": "another", "hook_event_name": "SessionStart", "source": "compact"}
    other.send(m.HookCalled("demo", "SessionStart", json.dumps(told).encode()))
    other.wait(lambda: any(isinstance(message, m.HookAnswer) for message in other.messages), "answered")
    assert [message for message in other.messages if isinstance(message, m.HookAnswer)] == [m.HookAnswer(b"")]
    agent.say("next")
    agent.wait_confirmed()
    assert len(agent.restored()) == 1


def test_what_waits_for_a_draft_goes_along_with_it_where_the_person_says_so(hooked: Begun) -> None:
    agent = hooked(Policy(channel="auto", hooks=True, start=False))
    agent.say("hello")
    agent.client.send(m.Keys(b"half a thought"))
    agent.client.wait_text("half a thought")
    agent.client.send(m.InjectRequest("text", "Look at the lexer first."))
    agent.client.wait(
        lambda: agent.session_is(lambda s: s.injection is not None and s.injection.reason == "injection.draft"), "held"
    )
    session = agent.client.session
    assert session is not None
    assert session.injection is not None
    agent.client.send(m.InjectionChoice(session.injection.id, "hook"))
    agent.client.wait(
        lambda: agent.session_is(lambda s: s.injection is not None and s.injection.channel == "hook"), "waits"
    )
    agent.client.send(m.Keys(b"\r"))
    agent.client.wait(
        lambda: agent.session_is(lambda s: s.injection is not None and s.injection.state == "confirmed"), "confirmed"
    )
    assert [found["text"] for found in agent.of("user")] == ["hello", "half a thought"]
    (context,) = agent.of("hook_context")
    assert "Look at the lexer first." in context["text"]
