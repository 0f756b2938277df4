"""Codex's log: the recordings give exactly these events, and nothing else is ever a compaction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.agents.codex_log import CodexLog
from agentsup.core import events as ev

LOGS = Path(__file__).parent.parent / "data" / "codex" / "logs"

USAGE = {
    "approval": [6150, 6220],
    "auto_compact": [9120, 16150, 21650, 21650, 21960, 8092, 7090, 7670, 22570, 22570, 21960, 8095, 6970],
    "daemon_mode": [15010, 16010, 16510],
    "hooks_auto_compact": [9120, 16150, 21650, 21650, 21960, 8092, 7090, 7670],
    "hooks_manual_compact": [15320, 17090, 17090, 17440, 8093, 7290],
    "manual_compact": [15320, 17090, 17090, 17440, 8093, 7290],
    "plain": [6320, 7190],
    "remote_compact": [15320, 17090, 7980, 7290],
    "tools_interrupt": [6320, 7550, 8180, 8860, 9360, 9360, 9930],
}
COMPACTIONS = {
    "auto_compact": [(21650, 8092, "auto", True), (22570, 8095, "auto", False)],
    "hooks_auto_compact": [(21650, 8092, "auto", True)],
    "hooks_manual_compact": [(17090, 8093, "manual", False)],
    "manual_compact": [(17090, 8093, "manual", False)],
    "remote_compact": [(17090, 7980, "manual", False)],
}
TURNS = {
    "approval": 1, "auto_compact": 3, "daemon_mode": 3, "hooks_auto_compact": 1, "hooks_manual_compact": 2,
    "manual_compact": 2, "plain": 2, "remote_compact": 2, "tools_interrupt": 4,
}  # fmt: skip


def decode(name: str) -> list[ev.Event]:
    log = CodexLog()
    return [event for line in (LOGS / f"{name}.jsonl").read_bytes().splitlines() for event in log.decode(line)]


def test_every_recording_is_in_the_tables() -> None:
    assert {path.stem for path in LOGS.glob("*.jsonl")} == set(USAGE) == set(TURNS)


@pytest.mark.parametrize("name", sorted(USAGE))
def test_usage_compactions_and_turns_of_a_recording(name: str) -> None:
    events = decode(name)
    assert [e.used for e in events if isinstance(e, ev.TokensReported)] == USAGE[name]
    assert {e.window for e in events if isinstance(e, ev.TokensReported)} == {38_000}
    compactions = [(e.before, e.after, e.trigger, e.mid_turn) for e in events if isinstance(e, ev.Compacted)]
    assert compactions == COMPACTIONS.get(name, [])
    assert sum(isinstance(e, ev.TurnStarted) and e.asked for e in events) == TURNS[name]
    started = [e.turn for e in events if isinstance(e, ev.TurnStarted)]
    assert [e.turn for e in events if isinstance(e, ev.TurnEnded)] == started


def test_the_figure_after_a_compaction_is_codexs_own_estimate() -> None:
    events = decode("manual_compact")
    place = next(i for i, e in enumerate(events) if isinstance(e, ev.Compacted))
    following = next(e for e in events[place:] if isinstance(e, ev.TokensReported))
    assert (following.used, following.source) == (8093, "estimate")
    assert all(e.source == "exact" for e in events[:place] if isinstance(e, ev.TokensReported))


def test_interrupted_turns_end() -> None:
    ends = [e.interrupted for e in decode("tools_interrupt") if isinstance(e, ev.TurnEnded)]
    assert ends == [False, True, True, False]


def test_a_compaction_item_without_its_record_is_one_compaction() -> None:
    lines = (LOGS / "manual_compact.jsonl").read_bytes().splitlines()
    log = CodexLog()
    kept = [line for line in lines if json.loads(line)["type"] != "compacted"]
    found = [e for line in kept for e in log.decode(line) if isinstance(e, ev.Compacted)]
    assert [(e.before, e.evidence) for e in found] == [(17090, "ContextCompaction")]


def test_a_compaction_that_nothing_follows_is_told_with_the_next_turn() -> None:
    lines = (LOGS / "manual_compact.jsonl").read_bytes().splitlines()
    end = next(i for i, line in enumerate(lines) if json.loads(line)["type"] == "compacted")
    log = CodexLog()
    assert not [e for line in lines[: end + 1] for e in log.decode(line) if isinstance(e, ev.Compacted)]
    started = b'{"timestamp":"2026-11-30T00:00:00Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t"}}'
    found = [type(e).__name__ for e in log.decode(started)]
    assert found == ["Compacted", "TurnStarted"]


def test_a_compaction_whose_line_is_too_long_to_read_is_one() -> None:
    lines = (LOGS / "manual_compact.jsonl").read_bytes().splitlines()
    log = CodexLog()
    events = [
        e
        for line in lines
        for e in (log.decode_head(line[:200]) if b'"type":"compacted"' in line[:100] else log.decode(line))
    ]
    found = [(e.before, e.after, e.trigger) for e in events if isinstance(e, ev.Compacted)]
    assert found == [(17090, 8093, "manual")]


def test_words_about_compaction_are_none() -> None:
    line = {
        "timestamp": "2026-11-30T00:00:00.000Z", "type": "response_item",
        "payload": {"type": "message", "role": "assistant", "content": [
            {"type": "output_text", "text": '{"type":"compacted"} Context compacted "compacted"'}]},
    }  # fmt: skip
    assert CodexLog().decode(json.dumps(line).encode()) == ()
    line["payload"] = {"type": "item_completed", "item": {"type": "AgentMessage", "content": "compacted"}}
    line["type"] = "event_msg"
    assert CodexLog().decode(json.dumps(line).encode()) == ()


@given(st.binary(max_size=200) | st.recursive(
    st.none() | st.integers() | st.text(max_size=8), lambda inner: st.dictionaries(
        st.sampled_from(["type", "payload", "timestamp", "info", "item", "last_token_usage", "content"]), inner
    ) | st.lists(inner, max_size=3), max_leaves=12,
).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_any_line_is_events_or_a_value_error(line: bytes) -> None:
    log = CodexLog()
    for kind in (b"", b'{"timestamp":"2026-11-30T00:00:00Z","type":"event_msg","payload":'):
        try:
            log.decode(kind + line + (b"}" if kind else b""))
        except ValueError:
            continue


@pytest.mark.parametrize(
    ("status", "paths"), [("completed", ["a.py", "b.py", "c.py"]), ("declined", []), ("failed", [])]
)
def test_a_change_is_an_edit_once_it_is_made_of_both_names_of_a_file_that_was_moved(
    status: str, paths: list[str]
) -> None:
    changes = {"a.py": {"type": "add", "content": ""}, "b.py": {"type": "update", "move_path": "c.py"}}
    item = {"type": "FileChange", "id": "x", "changes": changes, "status": status}
    payload = {"type": "item_completed", "item": item}
    line = {"timestamp": "2026-11-29T22:02:24.098Z", "type": "event_msg", "payload": payload}
    events = CodexLog().decode(json.dumps(line).encode())
    assert [event.path for event in events if isinstance(event, ev.ToolUsed)] == paths


def item_events(item: Mapping[str, object]) -> list[ev.ToolUsed]:
    """Return the tool calls of one item of a rollout."""
    payload = {"type": "item_completed", "item": item}
    line = {"timestamp": "2026-11-29T22:02:24.098Z", "type": "event_msg", "payload": payload}
    return [event for event in CodexLog().decode(json.dumps(line).encode()) if isinstance(event, ev.ToolUsed)]


@pytest.mark.parametrize(
    ("status", "exit_code", "failed"),
    [("completed", 0, False), ("completed", 1, True), ("failed", -1, True), ("declined", None, True)],
)
@pytest.mark.parametrize("type", ["read", "unknown"])
def test_what_was_declined_or_has_failed_says_so(type: str, status: str, exit_code: int | None, failed: bool) -> None:
    parsed = {"type": type, "cmd": "cat .agent/engram.md", "path": ".agent/engram.md"}
    item = {"type": "CommandExecution", "status": status, "exit_code": exit_code, "parsed_cmd": [parsed]}
    (used,) = item_events(item)
    assert (used.failed, used.exit_code, used.part) == (failed, exit_code, False)


@pytest.mark.parametrize(
    ("script", "cmd", "part"),
    [
        ("cat .agent/engram.md", "cat .agent/engram.md", False),
        ("sed -n '1,200p' .agent/engram.md", "sed -n '1,200p' .agent/engram.md", False),
        ("head -n 1 .agent/engram.md", "head -n 1 .agent/engram.md", True),
        ("cat .agent/engram.md | head -n 1", "cat .agent/engram.md", True),
        ("", "head -n 1 .agent/engram.md", True),
    ],
)
def test_an_engram_of_which_a_part_was_read_says_so(script: str, cmd: str, part: bool) -> None:
    parsed = {"type": "read", "cmd": cmd, "name": "engram.md", "path": ".agent/engram.md"}
    words = ["/bin/bash", "-lc", script] if script else None
    item = {"type": "CommandExecution", "command": words, "exit_code": 0, "parsed_cmd": [parsed]}
    assert [used.part for used in item_events(item)] == [part]


@pytest.mark.parametrize(
    ("cwd", "path", "told"),
    [
        ("file:///p/a%20b", ".agent/engram.md", "/p/a b/.agent/engram.md"),
        ("file:///p", "/q/.agent/engram.md", "/q/.agent/engram.md"),
        ("file:///p", "a.py", "a.py"),
    ],
)
def test_whose_engram_was_read_is_told_also_where_a_command_ran_elsewhere(cwd: str, path: str, told: str) -> None:
    parsed = {"type": "read", "cmd": f"cat {path}", "path": path}
    (used,) = item_events({"type": "CommandExecution", "cwd": cwd, "exit_code": 0, "parsed_cmd": [parsed]})
    assert (used.path, used.part) == (told, False)


def test_a_whole_engram_that_was_written_is_told_and_no_other_file() -> None:
    changes = {
        "/p/.agent/engram.md": {"type": "add", "content": "[Task] a\n"},
        "/p/a.py": {"type": "add", "content": "a = 1\n"},
        "/q/.agent/engram.md": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-[Task] a\n+[Task] b\n"},
    }
    used = item_events({"type": "FileChange", "status": "completed", "changes": changes})
    assert [each.content for each in used] == ["[Task] a\n", "", ""]
