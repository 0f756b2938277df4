"""What a scripted model answers: plain values, and the OpenAI Responses events that carry them.

The wire shape is the streaming form of the public Responses API; only the events Codex reads are sent.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.servers.pace import Gate as Gate
from tests.servers.pace import Pace

Event = dict[str, Any]
"""One server-sent event: its JSON, the name in `type`."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer as the server reports them; `cached` is part of `input`."""

    input: int = 1000
    cached: int = 0
    output: int = 20
    reasoning: int = 0

    def as_json(self) -> dict[str, Any]:
        """Shape the counts as the `usage` object of a response."""
        return {
            "input_tokens": self.input,
            "input_tokens_details": {"cached_tokens": self.cached},
            "output_tokens": self.output,
            "output_tokens_details": {"reasoning_tokens": self.reasoning},
            "total_tokens": self.input + self.output,
        }


@dataclass(frozen=True, slots=True)
class Command:
    """A call of Codex's `exec_command`; `escalate` makes it ask the person for approval."""

    cmd: str
    escalate: bool = False
    justification: str = "Do you want to allow this command?"

    def as_item(self, call_id: str) -> dict[str, Any]:
        """Shape the call as an output item."""
        arguments: dict[str, Any] = {"cmd": self.cmd}
        if self.escalate:
            arguments |= {"sandbox_permissions": "require_escalated", "justification": self.justification}
        return {
            "type": "function_call",
            "id": f"fc_{call_id}",
            "call_id": call_id,
            "name": "exec_command",
            "arguments": json.dumps(arguments),
            "status": "completed",
        }


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A call of any other function tool."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)

    def as_item(self, call_id: str) -> dict[str, Any]:
        """Shape the call as an output item."""
        return {
            "type": "function_call",
            "id": f"fc_{call_id}",
            "call_id": call_id,
            "name": self.name,
            "arguments": json.dumps(dict(self.arguments)),
            "status": "completed",
        }


@dataclass(frozen=True, slots=True)
class Patch:
    """A call of Codex's free-form `apply_patch`; `text` is the whole patch with its begin and end lines."""

    text: str

    def as_item(self, call_id: str) -> dict[str, Any]:
        """Shape the call as an output item."""
        return {
            "type": "custom_tool_call",
            "id": f"ctc_{call_id}",
            "call_id": call_id,
            "name": "apply_patch",
            "input": self.text,
            "status": "completed",
        }


Call = Command | FunctionCall | Patch


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model: text, then calls, then the token counts.

    Delays are seconds. `hold` keeps the answer open `start` (before the first event), in the `middle` of
    the text, or at its `end` (everything said, not yet completed). `error` fails the answer with that code.
    """

    text: str | None = "OK."
    calls: tuple[Call, ...] = ()
    usage: Usage = Usage()
    delay: float = 0.0
    chunk_delay: float = 0.0
    hold: Gate | None = None
    hold_at: Literal["start", "middle", "end"] = "middle"
    error: str | None = None


def events_of(turn: Turn, *, response_id: str, model: object, pace: Pace) -> Iterator[Event]:
    """Yield the events of one answer in order, pausing where the script says so."""
    numbers = itertools.count()

    def event(kind: str, **fields: object) -> Event:
        return {"type": kind, "sequence_number": next(numbers), **fields}

    def gate_if(place: Literal["start", "middle", "end"]) -> None:
        if turn.hold is not None and turn.hold_at == place:
            pace.pass_gate(turn.hold)

    pace.sleep(turn.delay)
    gate_if("start")
    response = {
        "id": response_id,
        "object": "response",
        "model": model,
        "status": "in_progress",
        "output": [],
    }
    yield event("response.created", response=response)
    if turn.error is not None:
        failure = {"code": turn.error, "message": "scripted failure"}
        yield event("response.failed", response={**response, "status": "failed", "error": failure})
        return
    output: list[dict[str, Any]] = []
    if turn.text is not None:
        message = {"type": "message", "id": f"msg_{response_id}", "role": "assistant"}
        opened = {**message, "status": "in_progress", "content": []}
        place = {"item_id": message["id"], "output_index": 0, "content_index": 0}
        yield event("response.output_item.added", output_index=0, item=opened)
        part = {"type": "output_text", "text": "", "annotations": []}
        yield event("response.content_part.added", **place, part=part)
        words = re.findall(r"\S+\s*|\s+", turn.text)
        for index, word in enumerate(words):
            if index == len(words) // 2:
                gate_if("middle")
            yield event("response.output_text.delta", **place, delta=word)
            pace.sleep(turn.chunk_delay)
        yield event("response.output_text.done", **place, text=turn.text)
        content = [{"type": "output_text", "text": turn.text, "annotations": []}]
        output.append({**message, "status": "completed", "content": content})
        yield event("response.output_item.done", output_index=0, item=output[0])
    for number, call in enumerate(turn.calls):
        item = call.as_item(f"call_{response_id}_{number}")
        yield event("response.output_item.added", output_index=len(output), item=item)
        yield event("response.output_item.done", output_index=len(output), item=item)
        output.append(item)
    gate_if("end")
    done = {**response, "status": "completed", "output": output, "usage": turn.usage.as_json()}
    yield event("response.completed", response=done)


def compaction_item_events(turn: Turn, *, response_id: str, model: object, pace: Pace) -> Iterator[Event]:
    """Yield the answer to a `compaction_trigger` item: one opaque compaction item."""
    pace.sleep(turn.delay)
    response = {
        "id": response_id,
        "object": "response",
        "model": model,
        "status": "in_progress",
        "output": [],
    }
    yield {"type": "response.created", "sequence_number": 0, "response": response}
    if turn.hold is not None:
        pace.pass_gate(turn.hold)
    item = {"type": "compaction", "id": f"cmp_{response_id}", "encrypted_content": f"opaque:{turn.text}"}
    for number, kind in enumerate(("response.output_item.added", "response.output_item.done"), 1):
        yield {"type": kind, "sequence_number": number, "output_index": 0, "item": item}
    done = {**response, "status": "completed", "output": [item], "usage": turn.usage.as_json()}
    yield {"type": "response.completed", "sequence_number": 3, "response": done}
