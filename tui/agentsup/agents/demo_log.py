"""The demo agent's log: one JSON object a line, decoded into events. `demo/log.py` says what it writes."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from agentsup.agents.json_objects import figure
from agentsup.core import events as ev

_BEGINNING = re.compile(rb'^\{"time": \d+(?:\.\d+)?, "type": "[a-z_]+", ')


def is_log(head: bytes) -> bool:
    """Say whether a file that begins like this is a log of the demo agent's."""
    return _BEGINNING.match(head) is not None


class _Record(msgspec.Struct):
    time: float


class _Conversation(_Record):
    id: str


class _User(_Record):
    text: str


class _Assistant(_Record):
    text: str


class _HookContext(_Record):
    text: str


class _Tool(_Record):
    kind: Literal["read", "edit", "run"]
    target: str
    exit_code: int | None


class _Usage(_Record):
    used: int
    window: int
    estimate: bool


class _TurnStarted(_Record):
    turn: str
    asked: bool


class _TurnEnded(_Record):
    turn: str
    interrupted: bool
    message: str


class _CompactionStarted(_Record):
    trigger: Literal["auto", "manual"]


class _Compacted(_Record):
    id: str
    before: int
    after: int
    trigger: Literal["auto", "manual"]


class _CompactionFailed(_Record):
    trigger: Literal["auto", "manual"]
    reason: Literal["failed", "cancelled"]


class _Head(msgspec.Struct):
    type: str


_RECORDS: dict[str, type[_Record]] = {
    "conversation": _Conversation, "user": _User, "tool": _Tool, "usage": _Usage, "turn_started": _TurnStarted,
    "turn_ended": _TurnEnded, "compaction_started": _CompactionStarted, "compacted": _Compacted,
    "compaction_failed": _CompactionFailed, "assistant": _Assistant, "hook_context": _HookContext,
}  # fmt: skip

_SAY_NOTHING = frozenset({"command", "queued", "returned", "approval", "picked"})


class DemoLog:
    """Decodes one conversation, from its first line on."""

    def __init__(self) -> None:
        self.recognised = 0
        self._heads = msgspec.json.Decoder(_Head)
        self._decoders = {name: msgspec.json.Decoder(record) for name, record in _RECORDS.items()}
        self._turn = ""
        self._asked = True

    def decode(self, line: bytes) -> tuple[ev.Event, ...]:
        """Return what one line says; raises ValueError where it is no line of this log."""
        try:
            type = self._heads.decode(line).type
            decoder = self._decoders.get(type)
            self.recognised += decoder is not None or type in _SAY_NOTHING
            return () if decoder is None else self._events(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(str(error)) from error

    def decode_head(self, head: bytes) -> tuple[ev.Event, ...]:
        """Return nothing: only messages are ever that long."""
        return ()

    def end(self) -> tuple[ev.Event, ...]:
        """Return nothing: every line says all there is."""
        return ()

    def _events(self, record: _Record) -> tuple[ev.Event, ...]:
        match record:
            case _Conversation(time=time):
                return self._begun(time)
            case _User(time=time, text=text):
                return (ev.UserMessageRecorded(time, text),)
            case _Assistant(time=time, text=text):
                return (ev.AgentMessageRecorded(time, text),)
            case _HookContext(time=time, text=text):
                return (ev.ContextRecorded(time, text),)
            case _Tool(time=time, kind="run", target=command, exit_code=code):
                failed = code not in (None, 0)
                return (ev.ToolUsed(time, "run", command=command, exit_code=code, failed=failed),)
            case _Tool(time=time, kind=kind, target=path, exit_code=code):
                return (ev.ToolUsed(time, kind, path, exit_code=code, failed=code not in (None, 0)),)
            case _Usage(time=time, used=used, window=window, estimate=estimate):
                source: ev.UsageSource = "estimate" if estimate else "exact"
                return (ev.TokensReported(time, used, figure(window) or None, source),) if figure(used) else ()
            case _TurnStarted(time=time, turn=turn, asked=asked):
                self._turn, self._asked = turn, asked
                return (ev.TurnStarted(time, turn, asked),)
            case _TurnEnded(time=time, turn=turn, message=message, interrupted=interrupted):
                self._turn = ""
                return (ev.TurnEnded(time, turn, message, interrupted),)
            case _CompactionStarted(time=time, trigger=trigger):
                return (ev.CompactionStarted(time, trigger),)
            case _Compacted(time=time, id=id, before=before, after=after, trigger=trigger):
                mid_turn = bool(self._turn) and self._asked
                return (ev.Compacted(time, id, figure(before), figure(after), trigger, mid_turn),)
            case _CompactionFailed(time=time, reason=reason, trigger=trigger):
                return (ev.CompactionFailed(time, reason, trigger),)
            case _:
                return ()

    def _begun(self, time: float) -> tuple[ev.Event, ...]:
        """A process took the conversation up: a turn that still runs was cut off with the process before it."""
        turn, self._turn = self._turn, ""
        return (ev.TurnEnded(time, turn, interrupted=True),) if turn else ()
