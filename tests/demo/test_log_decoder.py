"""The demo agent's log: what each script leaves behind is decoded into exactly these events."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.agents.adapter import Conversation, Place
from agentsup.agents.demo import Demo
from agentsup.agents.demo_log import DemoLog
from agentsup.core import events as ev
from agentsup.demo import log as log_module
from agentsup.demo.script_file import read_script
from tests.demo.conftest import StartPlay
from tests.demo.play import START, Play
from tests.demo.test_hooks import Hook

ADVANCE = 10_000
DATA = Path(__file__).parent.parent / "data" / "demo"


def events(agent: Play) -> list[ev.Event]:
    """Decode the current log; times become milliseconds since the start."""
    log = DemoLog()
    path = agent.home / "conversations" / f"{agent.stage.log.id}.jsonl"
    return [event for line in path.read_bytes().splitlines() for event in log.decode(line)]


def told(agent: Play) -> list[tuple[Any, ...]]:
    """Return the events as their name and what matters of them, without turn ids."""
    shown: list[tuple[Any, ...]] = []
    for event in events(agent):
        name = type(event).__name__
        match event:
            case ev.TurnStarted(asked=asked):
                shown.append((name, asked))
            case ev.TurnEnded(message=message, interrupted=interrupted):
                shown.append((name, message, interrupted))
            case ev.UserMessageRecorded(text=text) | ev.AgentMessageRecorded(text=text) | ev.ContextRecorded(text=text):
                shown.append((name, text))
            case ev.TokensReported(used=used, window=window, source=source):
                shown.append((name, used, window, source))
            case ev.ToolUsed(kind=kind, path=path, command=command, exit_code=code):
                shown.append((name, kind, path or command, code))
            case ev.Compacted(before=before, after=after, trigger=trigger, mid_turn=mid_turn):
                shown.append((name, before, after, trigger, mid_turn))
            case ev.CompactionStarted(trigger=trigger):
                shown.append((name, trigger))
            case ev.CompactionFailed(reason=reason, trigger=trigger):
                shown.append((name, reason, trigger))
            case _:
                shown.append((name,))
    return shown


TABLE: list[tuple[list[dict[str, Any]], list[tuple[Any, ...]]]] = [
    ([], []),
    ([{"say": "Hi."}], [("AgentMessageRecorded", "Hi.")]),
    (
        [{"read": "a.py"}, {"edit": "b.py"}, {"run": "pytest", "exit_code": 1}, {"approve": "rm x"}],
        [("ToolUsed", "read", "a.py", None), ("ToolUsed", "edit", "b.py", None), ("ToolUsed", "run", "pytest", 1),
         ("ToolUsed", "run", "rm x", 0)],
    ),
    (
        [{"usage": 900, "window": 2000}, {"usage": 1000}],
        [("TokensReported", 900, 2000, "exact"), ("TokensReported", 1000, 2000, "exact")],
    ),
    (
        [{"usage": 900}, {"compact": "auto", "after": 100}],
        [("TokensReported", 900, 40_000, "exact"), ("CompactionStarted", "auto"),
         ("Compacted", 900, 100, "auto", True), ("TokensReported", 100, 40_000, "estimate")],
    ),
    (
        [{"compact": "manual", "outcome": "failed"}],
        [("CompactionStarted", "manual"), ("CompactionFailed", "failed", "manual")],
    ),
    ([{"pick": "Which?"}, {"note": "Look."}, {"sleep": 5}], []),
]  # fmt: skip


@pytest.mark.parametrize(("actions", "expected"), TABLE)
def test_scripts_and_their_events(
    play: StartPlay, actions: list[dict[str, Any]], expected: list[tuple[Any, ...]]
) -> None:
    agent = play({"step": [{"prompt": "^go", "actions": actions}]})
    agent.paste("go\nthere")
    agent.type("\r")
    agent.advance(ADVANCE)
    agent.type("\r")  # what a dialog waits for
    agent.advance(ADVANCE)
    said = [action["say"] for action in actions if "say" in action]
    assert told(agent) == [
        ("TurnStarted", True), ("UserMessageRecorded", "go\nthere"), *expected,
        ("TurnEnded", "".join(said[-1:]), False),
    ]  # fmt: skip


def test_a_compaction_of_the_persons_is_not_in_the_middle_of_a_turn(play: StartPlay) -> None:
    agent = play({})
    agent.type("/compact\r")
    agent.advance(ADVANCE)
    assert told(agent)[:3] == [
        ("TurnStarted", False), ("CompactionStarted", "manual"), ("Compacted", 0, 0, "manual", False)
    ]  # fmt: skip


def test_turns_have_names_and_events_their_times(play: StartPlay) -> None:
    agent = play({"step": [{"prompt": "^go", "actions": [{"sleep": 1500}]}]})
    agent.type("go\r")
    agent.type("go\r")
    agent.advance(ADVANCE)
    turns = [event for event in events(agent) if isinstance(event, ev.TurnStarted | ev.TurnEnded)]
    assert [event.time - START for event in turns] == [0, 1.5, 1.5, 3]
    assert turns[0].turn == turns[1].turn != turns[2].turn == turns[3].turn


def test_a_turn_that_was_cut_off_ends_with_the_next_process(play: StartPlay) -> None:
    agent = play({"step": [{"prompt": "^go", "actions": [{"sleep": 1500}]}]})
    agent.type("go\r")
    path = agent.home / "conversations" / f"{agent.stage.log.id}.jsonl"
    with path.open("ab") as file:
        file.write(b'{"time": 1, "type": "assis')  # killed while it wrote
    again = play({}, resumed=agent.stage.log.id)
    log = DemoLog()
    found: list[ev.Event] = []
    for line in path.read_bytes().splitlines()[:-2]:
        found += log.decode(line)
    with pytest.raises(ValueError, match="truncated"):
        log.decode(path.read_bytes().splitlines()[-2])
    assert again.stage.log.id == agent.stage.log.id
    last = log.decode(path.read_bytes().splitlines()[-1])
    started = next(event for event in found if isinstance(event, ev.TurnStarted))
    assert last == (ev.TurnEnded(START, started.turn, interrupted=True),)


def test_every_kind_of_record_is_known(play: StartPlay) -> None:
    read_script(DATA / "everything.toml")
    agent = play(tomllib.loads((DATA / "everything.toml").read_text()), hook=Hook().start)
    for keys in ("go\r", "queued\r", "\x1b", "\x03", "ask\r", "\r", "/model\r", "\r", "/compact\r", "\x1b"):
        agent.type(keys)
        agent.advance(100)
    log = DemoLog()
    lines = (agent.home / "conversations" / f"{agent.stage.log.id}.jsonl").read_bytes().splitlines()
    for line in lines:
        log.decode(line)
    documented = set(re.findall(r"^    (\w+)  ", log_module.__doc__ or "", re.MULTILINE))
    assert {json.loads(line)["type"] for line in lines} == documented
    assert log.recognised == len(lines)
    assert Demo().is_log(lines[0][:100])


def test_lines_of_others_are_none_of_its_records() -> None:
    log = DemoLog()
    assert log.decode(b'{"type":"event_msg","payload":{"type":"compacted"}}') == ()
    text = '{"type": "compacted"}'
    line = json.dumps({"time": 1.0, "type": "assistant", "text": text}).encode()
    assert log.decode(line) == (ev.AgentMessageRecorded(1.0, text),)
    assert log.recognised == 1
    with pytest.raises(ValueError, match="missing required field"):
        log.decode(b'{"time": 1, "type": "compacted"}')


@given(st.binary(max_size=200) | st.recursive(
    st.none() | st.integers() | st.text(max_size=8), lambda inner: st.dictionaries(
        st.sampled_from(["type", "time", "turn", "used", "id"]), inner | st.sampled_from(["usage", "tool", "user"])
    ) | st.lists(inner, max_size=3), max_leaves=12,
).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_any_line_is_events_or_a_value_error(line: bytes) -> None:
    try:
        DemoLog().decode(line)
    except ValueError:
        return


class Opened:
    """A process that holds some files open."""

    pid = 1

    def __init__(self, *files: str) -> None:
        self._files = files

    def written_files(self, *endings: str) -> list[str]:
        return list(self._files)

    def arguments(self) -> list[str]:
        return []


def test_the_newest_open_log_is_the_conversation() -> None:
    demo, place = Demo(), Place("python")
    ids = [f"018bcfe5-6800-7000-8000-00000000000{number}" for number in range(3)]
    logs = [f"/h/conversations/{id}.jsonl" for id in ids]
    assert demo.conversation(Opened("/dev/null", "/h/conversations/notes.jsonl"), place) is None
    assert demo.conversation(Opened(logs[1], logs[2], logs[0]), place) == Conversation(ids[2], logs[2])
    assert demo.conversation(Opened(*logs), place, {ids[2]}) == Conversation(ids[1], logs[1])


@pytest.mark.parametrize(
    ("arguments", "prompt", "expected"),
    [
        ((), "P", ["--", "P"]),
        (("resume", "018b"), "P", ["--", "P"]),
        (("--script", "a.toml", "--speed=2", "an old prompt"), "P", ["--script", "a.toml", "--speed=2", "--", "P"]),
        (("--alternate-screen", "--", "--speed"), "", ["--alternate-screen"]),
    ],
)
def test_a_cold_restart_keeps_the_options_only(arguments: tuple[str, ...], prompt: str, expected: list[str]) -> None:
    start = ["python", "-P", "-m", "agentsup.demo"]
    assert Demo().launch(Place("python", arguments)) == [*start, *arguments]
    assert Demo().fresh_launch(Place("python", arguments), prompt) == [*start, *expected]


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"AGENTSUP_DEMO_HOME": "/d", "XDG_STATE_HOME": "/s"}, "/d"),
        ({"XDG_STATE_HOME": "/s"}, "/s/agentsup/demo"),
        ({}, str(Path("~/.local/state/agentsup/demo").expanduser())),
    ],
)
def test_where_the_logs_are(environment: dict[str, str], folder: str) -> None:
    assert str(log_module.home(environment)) == folder


def test_state_reports() -> None:
    report = Demo().state({"state": "blocked", "app": "demo", "kind": "permission"}, 5.0)
    assert report == ev.AgentStateReported(5.0, "blocked", "permission")
    assert Demo().state({"state": "clear"}, 5.0) is None
