"""Which conversations are new: nothing was said in them, here or in one that they are a copy of."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import cast

import pytest

from agentsup.agents.adapter import Adapter, Conversation, LogDecoder, Place
from agentsup.agents.claude import Claude
from agentsup.agents.codex import Codex
from agentsup.agents.demo import Demo
from agentsup.agents.generic import Generic
from agentsup.agents.untouched import is_untouched
from agentsup.core import events as ev

ID = "01a22f32-07a6-73f0-b2f0-fbb9265ebfea"


def begins(adapter: Adapter, *arguments: str, log: Path | str = "", first: bool = True) -> bool:
    place = Place("agent", arguments)
    return adapter.begins_anew(Conversation(ID, str(log)), place, first=first)


@pytest.mark.parametrize("arguments", [(), ("-m", "gpt-5.5"), ("fix it",)])
def test_a_thread_of_codex_without_a_rollout_is_new(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert begins(Codex(), *arguments)
    assert begins(Codex(), *arguments, first=False)
    # A fork's is there before anything is said in it.
    assert not begins(Codex(), *arguments, log=tmp_path / "rollout.jsonl", first=False)


@pytest.mark.parametrize("arguments", [("resume", "--last"), ("-m", "gpt-5.5", "resume"), ("fork", "--last")])
def test_only_the_first_one_of_codex_is_what_the_launch_names(arguments: tuple[str, ...]) -> None:
    assert not begins(Codex(), *arguments)
    assert begins(Codex(), *arguments, first=False)


@pytest.mark.parametrize(
    ("arguments", "new"),
    [
        ((), True), (("fix it",), True), (("--session-id", ID), True), (("--continue",), False), (("-c",), False),
        (("--resume", ID), False), (("-r",), False), ((f"-r{ID}",), False),
        (("--resume", ID, "--fork-session"), False), (("--from-pr", "12"), False),
    ],
)  # fmt: skip
def test_a_launch_of_claude_says_whether_its_first_one_is_new(arguments: tuple[str, ...], new: bool) -> None:
    assert begins(Claude(), *arguments) is new
    assert begins(Claude(), *arguments, first=False)


def record(**fields: object) -> str:
    return json.dumps({"timestamp": "2026-12-01T01:23:00.000Z", "uuid": "u"} | fields) + "\n"


CLEAR = (
    record(type="mode", mode="normal")
    + record(type="user", message={"role": "user", "content": "<command-name>/clear</command-name>"})
    + record(type="system", subtype="local_command", content="<local-command-stdout></local-command-stdout>")
)
PROMPT = record(type="user", promptSource="typed", message={"role": "user", "content": "hello"})


def test_a_transcript_of_claude_with_a_prompt_is_not_new(tmp_path: Path) -> None:
    log = tmp_path / f"{ID}.jsonl"
    assert begins(Claude(), log=log)
    log.write_text(CLEAR)
    assert begins(Claude(), log=log, first=False)
    log.write_text(CLEAR + PROMPT)
    assert not begins(Claude(), log=log, first=False)
    log.write_text(PROMPT[:-20])  # it is being written
    assert begins(Claude(), log=log, first=False)
    log.write_bytes(b"\n" * (1 << 20))
    assert not begins(Claude(), log=log, first=False), "nobody reads a large one to its end"
    log.unlink()
    log.mkdir()
    assert not begins(Claude(), log=log, first=False)


def test_a_conversation_of_the_demo_agent_is_new_until_it_has_said_something(tmp_path: Path) -> None:
    log = tmp_path / f"{ID}.jsonl"
    begun = {"time": 1.0, "type": "conversation", "id": ID, "version": "1", "cwd": "/", "pid": 1, "resumed": False}
    log.write_text(json.dumps(begun) + "\n")
    assert begins(Demo(), log=log)
    said = {"time": 2.0, "type": "user", "text": "go", "source": "typed"}
    log.write_text(json.dumps(begun) + "\n" + json.dumps(said) + "\n")
    assert not begins(Demo(), log=log)


class Broken:
    """A decoder for a format that has changed."""

    def decode(self, line: bytes) -> tuple[ev.Event, ...]:
        raise KeyError(line)


def test_a_log_that_can_not_be_read_is_not_taken_for_a_new_one(tmp_path: Path) -> None:
    log = tmp_path / f"{ID}.jsonl"
    log.write_text("{}\n")
    assert not is_untouched(str(log), cast("LogDecoder", Broken()))
    log.unlink()
    os.mkfifo(log)
    with open(os.open(log, os.O_RDWR | os.O_NONBLOCK), "r+b", buffering=0):  # so that nothing waits here for ever
        assert not begins(Demo(), log=log)


def test_of_other_programs_nothing_is_known() -> None:
    assert not begins(Generic("other"))
