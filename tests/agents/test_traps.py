"""What looks like a compaction and is none: prose, printed logs, swings of the usage, hooks that announce one.

Each trap is a stretch of log around the real recordings; the events must be those without the trap.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentsup.agents.adapter import LogDecoder
from agentsup.agents.claude_log import ClaudeLog
from agentsup.agents.codex_log import CodexLog
from agentsup.core import events as ev

DATA = Path(__file__).parent.parent / "data"
CODEX = sorted((DATA / "codex" / "logs").glob("*.jsonl"))
CLAUDE = sorted((DATA / "claude" / "logs").glob("*.jsonl"))
WORDS = (
    "Context compacted", "compact_boundary", "Conversation compacted", "/compact", "PreCompact", "PostCompact",
    "Compacting conversation…", "isCompactSummary", "This session is being continued from a previous conversation",
    "You are performing a CONTEXT CHECKPOINT COMPACTION", '{"type":"compacted","payload":{}}',
    '"compaction_output":true', "ContextCompaction", '{"type":"system","subtype":"compact_boundary"}',
    "Another language model started to solve this problem",
)  # fmt: skip
TIME = "2026-11-30T00:00:00.000Z"


def compactions(decoder: LogDecoder, lines: list[bytes]) -> list[ev.Event]:
    """Return all that says anything of a compaction."""
    found = [event for line in lines for event in decoder.decode(line)]
    return [e for e in found if isinstance(e, ev.Compacted | ev.CompactionStarted | ev.CompactionFailed)]


def dumped(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def texts() -> Iterator[str]:
    """Yield every kind of text that a trap may hold: the words, and whole logs as an agent would print them."""
    yield from WORDS
    yield "\n".join(WORDS)
    for path in (*CODEX, *CLAUDE):
        yield path.read_text()
    yield from (hook.read_text() for hook in sorted((DATA / "claude" / "hooks").glob("*.json")))


def codex_traps(text: str) -> Iterator[dict[str, Any]]:
    """Yield the records in which Codex could carry a text."""
    part = [{"type": "output_text", "text": text}]
    payload: dict[str, Any]
    for payload in (
        {"type": "message", "role": "assistant", "content": part},
        {"type": "message", "role": "user", "content": part},
        {"type": "message", "role": "developer", "content": part},
        {"type": "function_call_output", "call_id": "c", "output": text},
        {"type": "function_call", "name": "exec_command", "arguments": json.dumps({"cmd": f"cat <<'E'\n{text}\nE"})},
        {"type": "custom_tool_call", "name": "apply_patch", "input": text},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]},
    ):
        yield {"timestamp": TIME, "ordinal": 1, "type": "response_item", "payload": payload}
    for item in (
        {"type": "AgentMessage", "content": [{"type": "Text", "text": text}]},
        {"type": "CommandExecution", "command": ["cat"], "parsed_cmd": [{"type": "unknown", "cmd": text}],
         "aggregated_output": text, "exit_code": 0},
        {"type": "FileChange", "changes": {"log.jsonl": {"type": "add", "content": text}}},
        {"type": f"Quoted {text[:40]}"},
    ):  # fmt: skip
        payload = {"type": "item_completed", "item": item}
        yield {"timestamp": TIME, "ordinal": 1, "type": "event_msg", "payload": payload}
    for kind in ("task_complete", "agent_message", "warning", "error", text[:40]):
        payload = {"type": kind, "turn_id": "t", "last_agent_message": text, "message": text}
        yield {"timestamp": TIME, "ordinal": 1, "type": "event_msg", "payload": payload}
    for kind in ("turn_context", "world_state", "session_meta"):
        yield {"timestamp": TIME, "ordinal": 1, "type": kind, "payload": {"text": text, "type": "compacted"}}


def claude_traps(text: str) -> Iterator[dict[str, Any]]:
    """Yield the records in which Claude Code could carry a text."""
    common = {"isSidechain": False, "timestamp": TIME, "uuid": "u", "sessionId": "s"}
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 9000, "output_tokens": 1}
    said = {"id": "m", "role": "assistant", "model": "claude-x", "usage": usage}
    for content in (
        [{"type": "text", "text": text}],
        [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": text}}],
        [{"type": "thinking", "thinking": text}],
    ):
        yield {**common, "type": "assistant", "message": {**said, "content": content}}
    result = [{"type": "tool_result", "tool_use_id": "t", "content": text}]
    blocks = [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": text}]}]
    for record in (
        {"promptSource": "typed", "message": {"role": "user", "content": text}},
        {"promptSource": "queued", "message": {"role": "user", "content": [{"type": "text", "text": text}]}},
        {"message": {"role": "user", "content": result}, "toolUseResult": {"stdout": text}},
        {"message": {"role": "user", "content": blocks}},
        {"isMeta": True, "message": {"role": "user", "content": text}},
        {"message": {"role": "user", "content": f"<local-command-stdout>{text}</local-command-stdout>"}},
        {"isCompactSummary": True, "message": {"role": "user", "content": text}},
    ):
        yield {**common, "type": "user", **record}
    for subtype in ("local_command", "stop_hook_summary", "api_error", "microcompact_boundary", "informational"):
        yield {**common, "type": "system", "subtype": subtype, "content": text}
    for kind in ("hook_success", "queued_command", "file", "compact_file_reference"):
        yield {**common, "type": "attachment", "attachment": {"type": kind, "content": text, "prompt": text}}
    yield {"type": "queue-operation", "operation": "enqueue", "timestamp": TIME, "content": text}
    yield {**common, "type": "system", "subtype": "compact_boundary", "isSidechain": True, "content": text}


Traps = Callable[[str], Iterator[dict[str, Any]]]
BOTH = [
    pytest.param(CodexLog, codex_traps, CODEX, id="codex"),
    pytest.param(ClaudeLog, claude_traps, CLAUDE, id="claude"),
]


@pytest.mark.parametrize(("decoder", "traps", "logs"), BOTH)
def test_no_text_is_a_compaction(decoder: Callable[[], LogDecoder], traps: Traps, logs: list[Path]) -> None:
    lines = [dumped(record) for text in texts() for record in traps(text)]
    assert len(lines) > 500
    assert compactions(decoder(), lines) == []


@pytest.mark.parametrize(("decoder", "traps", "logs"), BOTH)
def test_text_around_real_compactions_adds_none(
    decoder: Callable[[], LogDecoder], traps: Traps, logs: list[Path]
) -> None:
    between = [dumped(record) for record in traps("\n".join(WORDS))]
    for log in logs:
        lines = log.read_bytes().splitlines()
        real = [e for e in compactions(decoder(), lines) if isinstance(e, ev.Compacted)]
        trapped = [trap for line in lines for trap in (line, *between)]
        found = [e for e in compactions(decoder(), trapped) if isinstance(e, ev.Compacted)]
        assert len(found) == len(real)


def codex_usage(used: int) -> bytes:
    info = {"last_token_usage": {"input_tokens": used, "total_tokens": used}, "model_context_window": 258_400}
    payload = {"type": "token_count", "info": info}
    return dumped({"timestamp": TIME, "ordinal": 1, "type": "event_msg", "payload": payload})


def claude_usage(used: int) -> bytes:
    usage = {"input_tokens": used, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}
    message = {"id": f"m{used}", "role": "assistant", "model": "claude-x", "usage": usage, "content": []}
    return dumped({"type": "assistant", "timestamp": TIME, "uuid": "u", "isSidechain": False, "message": message})


@pytest.mark.parametrize(("decoder", "line"), [(CodexLog, codex_usage), (ClaudeLog, claude_usage)])
def test_a_swing_of_the_usage_is_no_compaction(decoder: Callable[[], LogDecoder], line: Callable[[int], bytes]) -> None:
    swings = (200_000, 4_000, 199_000, 250_000, 900, 258_399, 1, 200_000, 200_000, 8_092)
    lines = [line(used) for used in swings]
    assert compactions(decoder(), lines) == []
    assert [e.used for e in (e for one in [decoder()] for part in lines for e in one.decode(part))
            if isinstance(e, ev.TokensReported)]  # fmt: skip


def test_a_hook_that_announces_a_compaction_is_none() -> None:
    log = DATA / "claude" / "logs" / "auto_compact_twice.jsonl"
    without = [line for line in log.read_bytes().splitlines() if b'"subtype":"compact_boundary"' not in line]
    assert b"PreCompact" in (DATA / "claude" / "hooks" / "PreCompact.auto.json").read_bytes()
    assert compactions(ClaudeLog(), without) == []
