"""The demo agent's hooks: when they are run, what they are told, and where their words go."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agentsup.agents.adapter import Place
from agentsup.agents.demo import Demo
from agentsup.agents.demo_log import DemoLog
from agentsup.core import events as ev
from agentsup.demo.hooks import TIMEOUT, Command, context_of
from tests.demo.play import Play

WORK = {
    "prompt": "^work",
    "actions": [{"usage": 30_000}, {"compact": "auto", "takes": 100}, {"say": "Done.", "delay": 0}],
}


class Hook:
    """Stands in for a command: it answers after so many looks."""

    def __init__(self, looks: int = 2) -> None:
        self.looks = looks
        self.told: list[dict[str, Any]] = []
        self.ended = 0

    def start(self, event: str, told: dict[str, Any]) -> Run:
        assert told["hook_event_name"] == event
        self.told.append(told)
        return Run(self, event)

    @property
    def events(self) -> list[str]:
        """What it was run for, in order: the source or the prompt."""
        return [told.get("source") or told["prompt"] for told in self.told]


class Run:
    def __init__(self, hook: Hook, event: str) -> None:
        self._hook, self._looks = hook, hook.looks
        said = {"hookEventName": event, "additionalContext": f"words {len(hook.told)}"}
        self._output = json.dumps({"hookSpecificOutput": said}).encode()

    def output(self) -> bytes | None:
        self._looks -= 1
        return self._output if self._looks < 0 else None

    def end(self) -> None:
        self._hook.ended += 1


Begin = Callable[..., Play]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Begin]:
    opened: list[Play] = []

    def begin(hook: Hook | None, behaviour: dict[str, Any] | None = None, **setup: Any) -> Play:
        script = {"window": 40_000, "behaviour": behaviour or {}, "step": [WORK]}
        opened.append(Play(tmp_path, script, hook=hook and hook.start, **setup))
        return opened[-1]

    yield begin
    for each in opened:
        each.close()


def order(play: Play) -> list[str]:
    """Return the kinds of the records that matter here, in order."""
    kinds = ("user", "turn_started", "hook_context", "compacted", "assistant", "turn_ended")
    return [record["type"] for record in play.log() if record["type"] in kinds]


def test_that_of_a_session_runs_before_the_first_request_and_that_of_a_prompt_with_each(play: Begin) -> None:
    hook = Hook()
    agent = play(hook)
    assert hook.told == []
    agent.type("hello\r")
    agent.advance(1_000)
    agent.type("again\r")
    agent.advance(1_000)
    assert hook.events == ["startup", "hello", "again"]
    assert {told["session_id"] for told in hook.told} == {agent.stage.log.id}
    assert [found["text"] for found in agent.of("hook_context")] == ["words 1", "words 2", "words 3"]
    first = order(agent)[:5]
    assert first == ["turn_started", "user", "hook_context", "hook_context", "assistant"]
    assert hook.ended == 3


@pytest.mark.parametrize("when", ["next-request", "before-record"])
def test_that_of_a_compaction_runs_before_the_turn_goes_on(play: Begin, when: str) -> None:
    hook = Hook()
    agent = play(hook, {"compact_hook": when})
    agent.type("work\r")
    agent.advance(2_000)
    assert hook.events == ["startup", "work", "compact"]
    found = order(agent)
    assert found[found.index("user") + 3 :] == ["compacted", "hook_context", "assistant", "turn_ended"]


@pytest.mark.parametrize("when", ["next-request", "before-record"])
def test_after_a_compaction_by_command(play: Begin, when: str) -> None:
    hook = Hook()
    agent = play(hook, {"compact_hook": when})
    agent.type("hello\r")
    agent.advance(1_000)
    agent.type("/compact\r")
    agent.advance(5_000)
    at_once = when == "before-record"
    assert hook.events == ["startup", "hello", *(["compact"] if at_once else [])]
    agent.type("next\r")
    agent.advance(1_000)
    assert hook.events == ["startup", "hello", "compact", "next"]


def test_a_new_conversation_and_one_that_is_taken_up(play: Begin) -> None:
    hook = Hook()
    agent = play(hook)
    agent.type("hello\r")
    agent.advance(1_000)
    first = agent.stage.log.id
    agent.type("/new\r")
    agent.advance(100)
    agent.type("there\r")
    agent.advance(1_000)
    assert hook.events == ["startup", "hello", "clear", "there"]
    assert hook.told[2]["session_id"] == agent.stage.log.id != first
    later = Hook()
    agent = play(later, resumed=first)
    agent.type("go on\r")
    agent.advance(1_000)
    assert later.events == ["resume", "go on"]


def test_a_hook_that_hangs_is_ended_and_the_turn_goes_on(play: Begin) -> None:
    hook = Hook(looks=10**9)
    agent = play(hook)
    agent.type("hello\r")
    agent.advance(int(2 * TIMEOUT * 1_000) + 500)
    assert agent.of("hook_context") == []
    assert order(agent)[-1] == "turn_ended"
    assert hook.ended == 2


def test_an_interruption_ends_the_hook(play: Begin) -> None:
    hook = Hook(looks=10**9)
    agent = play(hook)
    agent.type("hello\r")
    agent.advance(100)
    agent.type("\x1b")
    agent.advance(100)
    assert hook.ended == 1
    assert agent.of("turn_ended")[0]["interrupted"]


def test_without_hooks_nothing_is_different(play: Begin) -> None:
    agent = play(None)
    agent.type("work\r")
    agent.advance(2_000)
    assert agent.of("hook_context") == []


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("print(open(0).read())", ""),
        ("import json,sys; told = json.load(sys.stdin); print(json.dumps({'hookSpecificOutput': {'hookEventName': "
         "sys.argv[1], 'additionalContext': told['source'] * 20000}}))", "compact" * 20_000),
        ("import sys; sys.exit(3)", ""),
        ("print('{')", ""),
    ],
    ids=["no answer", "an answer", "fails", "broken"],
)  # fmt: skip
def test_a_real_command(tmp_path: Path, script: str, text: str) -> None:
    (tmp_path / "it is.py").write_text(script)
    start = partial(Command, shlex.join([sys.executable, "-I", str(tmp_path / "it is.py")]))
    running = start("SessionStart", {"source": "compact"})
    deadline = time.monotonic() + 20
    while (output := running.output()) is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    running.end()
    assert context_of(output, "SessionStart") == text


def test_a_command_that_runs_on_is_ended(tmp_path: Path) -> None:
    running = Command("sleep 60;", "SessionStart", {})
    assert running.output() is None
    began = time.monotonic()
    running.end()
    assert time.monotonic() - began < 5


def test_its_words_are_an_event() -> None:
    line = b'{"time": 3.0, "type": "hook_context", "event": "SessionStart", "text": "words"}\n'
    assert DemoLog().decode(line) == (ev.ContextRecorded(3.0, "words"),)


def test_the_adapter_passes_the_command_on() -> None:
    place = Place("python", ("--script", "x"), hook=("/a b/python", "-S", "client.py", "demo"))
    words = Demo().launch(place)
    assert words[4:] == ["--hook", "'/a b/python' -S client.py demo", "--script", "x"]
    assert Demo().fresh_launch(place, "P")[4:] == [*words[4:], "--", "P"]
    assert Demo().without_hooks(place) == ""
