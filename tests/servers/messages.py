"""What a scripted model answers: plain values, and the Anthropic Messages events that carry them.

The wire shape is the streaming form of the public Messages API; only what Claude Code reads is sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.servers.pace import Gate, Pace

Event = dict[str, Any]
"""One server-sent event: its JSON, the name in `type`."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer as the server reports them; the three kinds of input add up to the context."""

    input: int = 3
    cache_creation: int = 500
    cache_read: int = 1500
    output: int = 20

    @property
    def context(self) -> int:
        """Return how much of the context window the request took."""
        return self.input + self.cache_creation + self.cache_read

    @classmethod
    def of_context(cls, tokens: int, output: int = 20) -> Usage:
        """Return counts whose context is exactly `tokens`."""
        return cls(3, 500, tokens - 503, output)

    def as_json(self, output: int | None = None) -> dict[str, Any]:
        """Shape the counts as a message's `usage`; a message that has only begun reports another output."""
        return {
            "input_tokens": self.input,
            "cache_creation_input_tokens": self.cache_creation,
            "cache_read_input_tokens": self.cache_read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": self.cache_creation,
                "ephemeral_1h_input_tokens": 0,
            },
            "output_tokens": self.output if output is None else output,
            "service_tier": "standard",
        }


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of one of Claude Code's tools."""

    name: str
    input: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Command:
    """A call of the Bash tool."""

    cmd: str
    description: str = "Run a command"

    @property
    def name(self) -> str:
        """Return the tool's name."""
        return "Bash"

    @property
    def input(self) -> Mapping[str, object]:
        """Return the tool's input."""
        return {"command": self.cmd, "description": self.description}


Call = Command | ToolUse


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer that is an error: the HTTP status, the error's type and its message."""

    status: int
    kind: str
    message: str = "scripted failure"

    def as_json(self) -> dict[str, Any]:
        """Shape the failure as the body of an error response."""
        return {"type": "error", "error": {"type": self.kind, "message": self.message}}


OVERLOADED = Failure(529, "overloaded_error", "Overloaded")


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model: text, then calls, then the token counts.

    Delays are seconds. `hold` keeps the answer open `start` (before the first event), in the `middle` of
    the text, or at its `end` (everything said, not yet completed). `failure` is answered instead.
    """

    text: str | None = "OK."
    calls: tuple[Call, ...] = ()
    usage: Usage = Usage()
    delay: float = 0.0
    chunk_delay: float = 0.0
    hold: Gate | None = None
    hold_at: Literal["start", "middle", "end"] = "middle"
    failure: Failure | None = None


def events_of(turn: Turn, *, message_id: str, model: object, pace: Pace) -> Iterator[Event]:
    """Yield the events of one answer in order, pausing where the script says so.

    `delay` and a hold at the `start` are not ours: a failure waits for them too, so the server does.
    """
    message = {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": turn.usage.as_json(output=1),
    }
    yield {"type": "message_start", "message": message}
    index = 0
    if turn.text is not None:
        yield {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}
        words = re.findall(r"\S+\s*|\s+", turn.text)
        for number, word in enumerate(words):
            if number == len(words) // 2:
                _pass_if(turn, "middle", pace)
            yield _delta(index, {"type": "text_delta", "text": word})
            pace.sleep(turn.chunk_delay)
        yield {"type": "content_block_stop", "index": index}
        index += 1
    for number, call in enumerate(turn.calls):
        block = {"type": "tool_use", "id": call_id(message_id, number), "name": call.name, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": block}
        yield _delta(index, {"type": "input_json_delta", "partial_json": json.dumps(dict(call.input))})
        yield {"type": "content_block_stop", "index": index}
        index += 1
    _pass_if(turn, "end", pace)
    ended = {"stop_reason": "tool_use" if turn.calls else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": turn.usage.as_json()}
    yield {"type": "message_stop"}


def call_id(message_id: str, number: int) -> str:
    """Return the id of a message's tool call, counted from 0."""
    return f"toolu_{message_id.removeprefix('msg_')}_{number}"


def message_of(events: Iterable[Event]) -> dict[str, Any]:
    """Return the one JSON message that the events of an answer add up to, for a client that does not stream."""
    message: dict[str, Any] = {}
    content: list[dict[str, Any]] = []
    for event in events:
        match event:
            case {"type": "message_start"}:
                message = dict(event["message"])
            case {"type": "content_block_start"}:
                content.append(dict(event["content_block"]))
            case {"type": "content_block_delta", "delta": {"text": text}}:
                content[-1]["text"] += text
            case {"type": "content_block_delta", "delta": {"partial_json": text}}:
                content[-1]["input"] = json.loads(text)
            case {"type": "message_delta"}:
                message |= {**event["delta"], "usage": event["usage"]}
            case _:
                pass
    return message | {"content": content}


def _delta(index: int, delta: dict[str, Any]) -> Event:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _pass_if(turn: Turn, place: str, pace: Pace) -> None:
    if turn.hold is not None and turn.hold_at == place:
        pace.pass_gate(turn.hold)
