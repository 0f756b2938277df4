"""Figures in logs that nobody can mean: they go into no event, for a message to the clients could not carry them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.agents.claude_log import ClaudeLog
from agentsup.agents.codex_log import CodexLog
from agentsup.agents.demo_log import DemoLog
from agentsup.agents.json_objects import FIGURE_MOST, figure
from agentsup.core import events as ev
from agentsup.core.session import Agent, Session, apply
from agentsup.protocol.messages import SessionChanged
from agentsup.protocol.wire import encode

BEYOND = 5 * 10**20
CODEX_USAGE = {"input_tokens": BEYOND, "cached_input_tokens": 1, "output_tokens": 1, "total_tokens": BEYOND}
LINES: dict[str, tuple[Callable[[], CodexLog | ClaudeLog | DemoLog], dict[str, object]]] = {
    "codex": (CodexLog, {
        "timestamp": "2026-11-29T22:03:08.053Z", "type": "event_msg", "payload": {
            "type": "token_count", "info": {
                "last_token_usage": CODEX_USAGE | {"total_tokens": 3000}, "total_token_usage": CODEX_USAGE,
                "model_context_window": BEYOND,
            },
        },
    }),
    "claude": (ClaudeLog, {
        "type": "assistant", "uuid": "u", "timestamp": "2026-11-29T22:03:08.053Z", "sessionId": "s", "message": {
            "id": "m", "role": "assistant", "content": [{"type": "text", "text": "x"}],
            "usage": {"input_tokens": 30, "cache_read_input_tokens": BEYOND, "output_tokens": BEYOND},
        },
    }),
    "claude compaction": (ClaudeLog, {
        "type": "system", "subtype": "compact_boundary", "uuid": "u", "timestamp": "2026-11-29T22:03:08.053Z",
        "sessionId": "s", "compactMetadata": {"trigger": "auto", "preTokens": BEYOND, "postTokens": 5},
    }),
    "demo": (DemoLog, {"time": 1.0, "type": "usage", "used": 3000, "window": BEYOND, "estimate": False}),
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
def test_a_session_with_a_broken_figure_can_be_told(name: str) -> None:
    decoder, record = LINES[name]
    session = Session("s", "/p", agent=Agent("codex"))
    events = decoder().decode(json.dumps(record).encode())
    assert any(isinstance(event, ev.TokensReported | ev.Compacted) for event in events)
    for event in events:
        session = apply(session, event)
    assert encode(SessionChanged(session, 1))


@given(st.one_of(st.integers(), st.floats(), st.booleans(), st.text(), st.none()))
def test_a_figure_is_a_count_that_can_be_meant(value: object) -> None:
    found = figure(value)
    assert found == (value if type(value) is int and 0 <= value <= FIGURE_MOST else None)
