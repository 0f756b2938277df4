"""Claude Code's transcript: the recordings give exactly these events, and nothing else is ever a compaction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.agents.claude_log import ClaudeLog
from agentsup.core import events as ev
from agentsup.core.session import Agent, Session, apply

DATA = Path(__file__).parent.parent / "data" / "claude"
LOGS = DATA / "logs"

USAGE = {
    "after_clear": [21000],
    "auto_compact_twice": [21000, 158000, 21000, 190000, 21000, 21000],
    "plain": [21000],
    "subagent": [],
    "tools_subagent_interrupt_manual_compact": [
        21000, 22000, 22300, 22500, 22600, 23000, 23600, 24000, 25000, 25500, 25500, 26000, 21000,
    ],
}  # fmt: skip
COMPACTIONS = {
    "auto_compact_twice": [(158007, 2968, "auto", False), (190035, 2977, "auto", True)],
    "tools_subagent_interrupt_manual_compact": [(26008, 3150, "manual", False)],
}
TURNS = {
    "after_clear": 1, "auto_compact_twice": 5, "plain": 1, "subagent": 0, "tools_subagent_interrupt_manual_compact": 7,
}  # fmt: skip
TOOLS = {
    "auto_compact_twice": [("run", "", "echo brim")],
    "tools_subagent_interrupt_manual_compact": [
        ("run", "", "echo hello-from-bash; ls"),
        ("run", "", "touch /tmp/demo-claude/made-by-bash.txt && rm -f /tmp/demo-claude/nothing"),
        ("read", "/tmp/demo-claude/hello.py", ""),
        ("edit", "/tmp/demo-claude/hello.py", ""),
    ],
}


def decode(name: str) -> list[ev.Event]:
    log = ClaudeLog()
    return [event for line in (LOGS / f"{name}.jsonl").read_bytes().splitlines() for event in log.decode(line)]


def test_every_recording_is_in_the_tables() -> None:
    assert {path.stem for path in LOGS.glob("*.jsonl")} == set(USAGE) == set(TURNS)


@pytest.mark.parametrize("name", sorted(USAGE))
def test_usage_compactions_tools_and_turns_of_a_recording(name: str) -> None:
    events = decode(name)
    reported = [e for e in events if isinstance(e, ev.TokensReported)]
    assert [e.used for e in reported] == USAGE[name]
    assert {(e.window, e.source) for e in reported} <= {(None, "exact")}
    compactions = [(e.before, e.after, e.trigger, e.mid_turn) for e in events if isinstance(e, ev.Compacted)]
    assert compactions == COMPACTIONS.get(name, [])
    assert [(e.kind, e.path, e.command) for e in events if isinstance(e, ev.ToolUsed)] == TOOLS.get(name, [])
    assert sum(isinstance(e, ev.TurnStarted) and e.asked for e in events) == TURNS[name]
    started = [e.turn for e in events if isinstance(e, ev.TurnStarted)]
    assert [e.turn for e in events if isinstance(e, ev.TurnEnded)] == started


@pytest.mark.parametrize("name", sorted(USAGE))
def test_every_line_of_a_recording_is_of_a_known_kind(name: str) -> None:
    log = ClaudeLog()
    lines = (LOGS / f"{name}.jsonl").read_bytes().splitlines()
    for line in lines:
        log.decode(line)
    assert log.recognised == len(lines)


@pytest.mark.parametrize(
    ("log", "status_line"),
    [("auto_compact_twice", "auto-compact"), ("tools_subagent_interrupt_manual_compact", "main")],
)
def test_the_log_and_the_status_line_say_the_same(log: str, status_line: str) -> None:
    events = decode(log)
    compared = 0
    for line in (DATA / "status_line" / f"{status_line}.jsonl").read_text().splitlines():
        record = json.loads(line)
        usage, conversation = record["stdin"]["context_window"]["current_usage"], record["stdin"]["session_id"]
        if not usage or not usage["input_tokens"] or f'"sessionId":"{conversation}"' not in _text(log):
            continue
        told = sum(usage[f"{kind}input_tokens"] for kind in ("", "cache_creation_", "cache_read_"))
        before = [e.used for e in events if isinstance(e, ev.TokensReported) and e.time <= record["t"]]
        assert before[-1] == told
        compared += 1
    assert compared >= 5


def _text(log: str) -> str:
    return (LOGS / f"{log}.jsonl").read_text()


def test_the_tokens_of_a_message_are_spent_once() -> None:
    last = [e for e in decode("auto_compact_twice") if isinstance(e, ev.TokensReported)][-1]
    assert last.spent == ev.Spent(432_000, 406_982, 79, at_least=True)


def test_an_interrupted_turn_ends_and_a_background_agents_notice_is_no_question() -> None:
    events = decode("tools_subagent_interrupt_manual_compact")
    assert [e.interrupted for e in events if isinstance(e, ev.TurnEnded)].count(True) == 1
    assert sum(isinstance(e, ev.TurnStarted) and not e.asked for e in events) == 1
    said = [e.text for e in events if isinstance(e, ev.UserMessageRecorded)]
    assert said[0] == "say hi"
    assert not any("task-notification" in text or "continued from" in text for text in said)


def test_the_figure_after_a_compaction_is_stale_until_the_next_request() -> None:
    session = Session("abcde", "/project", Agent("claude"))
    seen = []
    for event in decode("tools_subagent_interrupt_manual_compact"):
        session = apply(session, event)
        if isinstance(event, ev.Compacted | ev.TokensReported):
            seen.append((session.context.used, session.context.source))
    assert seen[-3:] == [(26000, "exact"), (3150, "stale"), (21000, "exact")]


def record(type: str, **fields: Any) -> bytes:
    common = {"timestamp": "2026-11-30T00:00:00.000Z", "isSidechain": False, "uuid": "u1"}
    return json.dumps({**common, "type": type, **fields}, separators=(",", ":")).encode()


def usage(used: int, **message: Any) -> dict[str, Any]:
    tokens = {"input_tokens": 3, "cache_creation_input_tokens": used - 3, "cache_read_input_tokens": 0}
    return {"id": "m1", "model": "claude-x", "role": "assistant", "content": [], "usage": tokens, **message}


def test_no_figure_of_a_placeholder_an_error_or_a_sub_agent_is_usage() -> None:
    log = ClaudeLog()
    zero = usage(3) | {"usage": {"input_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}}
    for line in (
        record("assistant", message=zero),
        record("assistant", message=usage(90_000, model="<synthetic>"), isApiErrorMessage=True),
        record("assistant", message=usage(90_000), isSidechain=True),
    ):
        assert not [e for e in log.decode(line) if isinstance(e, ev.TokensReported)]


def command(name: str) -> bytes:
    return record("user", message={"role": "user", "content": f"<command-name>/{name}</command-name>"})


def answer(text: str) -> bytes:
    return record("user", message={"role": "user", "content": f"<local-command-stdout>{text}</local-command-stdout>"})


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([command("compact"), answer("\x1b[2mError: Compaction canceled.\x1b[22m")], ["cancelled"]),
        ([command("compact"), answer("Error: Error during compaction: API Error")], ["failed"]),
        ([command("compact"), answer("Not enough messages to compact.")], []),
        ([command("compact"), answer("Compacted (ctrl+o to see full summary)")], []),
        ([command("cost"), answer("Compaction canceled.")], []),
        ([answer("Error: Compaction canceled.")], []),
    ],
)
def test_what_slash_compact_answers(lines: list[bytes], expected: list[str]) -> None:
    log = ClaudeLog()
    events = [event for line in lines for event in log.decode(line)]
    assert [e.reason for e in events if isinstance(e, ev.CompactionFailed)] == expected
    assert not [e for e in events if isinstance(e, ev.Compacted)]


def test_words_about_compaction_are_none() -> None:
    words = '{"type":"system","subtype":"compact_boundary"} Conversation compacted. isCompactSummary "type":"system"'
    result = [{"type": "tool_result", "tool_use_id": "t", "content": words}]
    log = ClaudeLog()
    for line in (
        record("user", promptSource="typed", message={"role": "user", "content": words}),
        record("user", message={"role": "user", "content": result}),
        record("assistant", message=usage(5000, content=[{"type": "text", "text": words}])),
        record("system", subtype="local_command", content=words),
        record("system", subtype="microcompact_boundary", content="Context microcompacted"),
    ):
        assert not [e for e in log.decode(line) if isinstance(e, ev.Compacted | ev.CompactionFailed)]


def test_a_paste_is_told_without_the_marks_around_it() -> None:
    sent = 'please\n\n<pasted_content id="e281">\nline 1\nline 2\n</pasted_content id="e281">\n'
    events = ClaudeLog().decode(record("user", promptSource="typed", message={"role": "user", "content": sent}))
    assert [e.text for e in events if isinstance(e, ev.UserMessageRecorded)] == ["pleaseline 1\nline 2"]


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("and b.py too", ["and b.py too"]),
        ([{"type": "text", "text": "and b.py too"}], ["and b.py too"]),
        ("what is a <task-notification>?", ["what is a <task-notification>?"]),
        ("<task-notification>\n<result>agentsup: from its person (inject bcdfgh)</result>\n</task-notification>", []),
    ],
)
@pytest.mark.parametrize("mode", [None, "prompt", "task-notification"])
def test_what_others_have_queued_is_no_message_of_the_persons(prompt: Any, said: list[str], mode: str | None) -> None:
    attachment = {"type": "queued_command", "prompt": prompt} | ({"commandMode": mode} if mode else {})
    events = ClaudeLog().decode(record("attachment", attachment=attachment))
    expected = [] if mode == "task-notification" else said
    assert [e.text for e in events if isinstance(e, ev.UserMessageRecorded)] == expected


@given(st.binary(max_size=200) | st.recursive(
    st.none() | st.integers() | st.text(max_size=8), lambda inner: st.dictionaries(
        st.sampled_from(["type", "message", "timestamp", "content", "usage", "attachment", "compactMetadata", "id"]),
        inner,
    ) | st.lists(inner, max_size=3), max_leaves=12,
).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_any_line_is_events_or_a_value_error(line: bytes) -> None:
    log = ClaudeLog()
    for kind in ("", "user", "assistant", "system", "attachment"):
        opening = f'{{"timestamp":"2026-11-30T00:00:00Z","type":"{kind}","message":'.encode() if kind else b""
        try:
            log.decode(opening + line + (b"}" if kind else b""))
        except ValueError:
            continue


def used(name: str, given: Mapping[str, object], *, is_error: bool = False) -> list[ev.ToolUsed]:
    """Return what is told of one call."""
    log = ClaudeLog()
    call = [{"type": "tool_use", "id": "t", "name": name, "input": given}]
    result = [{"type": "tool_result", "tool_use_id": "t", "is_error": is_error, "content": "x"}]
    events = [
        *log.decode(record("assistant", message=usage(5000, content=call))),
        *log.decode(record("user", message={"role": "user", "content": result})),
    ]
    return [event for event in events if isinstance(event, ev.ToolUsed)]


@pytest.mark.parametrize("is_error", [False, True])
def test_a_command_that_was_declined_or_has_failed_says_so(is_error: bool) -> None:
    (event,) = used("Bash", {"command": "cat .agent/engram.md"}, is_error=is_error)
    assert (event.command, event.failed) == ("cat .agent/engram.md", is_error)
    assert len(used("Read", {"file_path": "a.py"}, is_error=is_error)) == (not is_error)


@pytest.mark.parametrize(("more", "part"), [({}, False), ({"limit": 1}, True), ({"offset": 3}, True)])
def test_a_file_of_which_a_part_was_read_says_so(more: dict[str, object], part: bool) -> None:
    assert [event.part for event in used("Read", {"file_path": "a.py", **more})] == [part]


def test_a_whole_engram_that_was_written_is_told_and_no_other_file() -> None:
    path = "/p/.agent/engram.md"
    assert [event.content for event in used("Write", {"file_path": path, "content": "[Task] a"})] == ["[Task] a"]
    assert [event.content for event in used("Write", {"file_path": "/p/a.py", "content": "a"})] == [""]
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    assert [event.content for event in used("Edit", given)] == [""]
