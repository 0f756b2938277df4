"""Codex's rollout file: one JSON object a line, decoded into events.

Measured on 0.171.0. Lines appear on disk within 8 ms of their own time stamp. What decides:

    event_msg/task_started, task_complete, turn_aborted   turns; a task without `turn_attribution` is Codex's own
    event_msg/token_count                  usage of one request: last_token_usage, never the cumulative total
    compacted                              the compaction; event_msg/item_completed ContextCompaction follows it
    event_msg/item_completed               messages, commands and file changes, alike for all models
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal
from urllib.parse import unquote

import msgspec

from agentsup.agents.json_objects import figure
from agentsup.core import events as ev
from agentsup.core.engram_commands import may_be_engram, shows

_COMPACTION_OUTPUT = b'"compaction_output":true'
_HOOK_CONTEXT = b'"hooks.additional_context"'
"""The kind of a developer message that a hook has put into the context."""

_RELEVANT = (b'"event_msg"', b'"compacted"', b'"response_item"')
_SILENT = (b'"session_meta"', b'"world_state"', b'"turn_context"', b'"token_usage_record"')
_HEAD = 256
"""Bytes of a line that hold its type: the rest of an irrelevant line is never decoded."""


_LONG_COMPACTION = re.compile(rb'\{"timestamp":"([^"]{1,40})"(?:,"ordinal":\d+)?,"type":"compacted"')


_BEGINNING = re.compile(
    rb'^\{"timestamp":"[^"]{1,40}"(?:,"ordinal":\d+)?,"type":"'
    rb'(?:session_meta|event_msg|response_item|compacted|turn_context|world_state|token_usage_record)"',
    re.MULTILINE,
)


def is_log(head: bytes) -> bool:
    """Say whether a file that begins like this is a rollout; one that was begun in its middle is one, too."""
    return _BEGINNING.search(head) is not None


class _Line(msgspec.Struct):
    timestamp: str
    type: str
    payload: dict[str, Any]


class CodexLog:
    """Decodes one rollout, from its first line on."""

    def __init__(self) -> None:
        self.recognised = 0
        self._decoder = msgspec.json.Decoder(_Line)
        self._used: int | None = None
        self._before: int | None = None
        self._turn = ""
        self._asked = True
        self._user_spoke = False
        self._own_task_begins = False
        self._pending: ev.Compacted | None = None
        """A compaction whose new size is still to come, a few lines after it."""
        self._compacted = False
        """Whether a `compacted` line has come whose item has not."""

    def decode(self, line: bytes) -> tuple[ev.Event, ...]:
        """Return what one line says; raises ValueError where it is no rollout line."""
        if not any(kind in line[:_HEAD] for kind in _RELEVANT):
            if not line.startswith(b"{"):
                raise ValueError("not a JSON object")
            self.recognised += any(kind in line[:_HEAD] for kind in _SILENT)
            return ()
        self.recognised += 1
        try:
            record = self._decoder.decode(line)
            time = _seconds(record.timestamp)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(str(error)) from error
        begins, self._own_task_begins = self._own_task_begins, False
        match record.type:
            case "event_msg" if begins and record.payload.get("type") == "token_count":
                # A task of Codex's own that repeats the usage before it has asked for anything: /compact.
                return (*self._message(time, record.payload), ev.CompactionStarted(time, "manual"))
            case "compacted":
                return self._compaction(time, str(record.payload.get("window_id") or record.timestamp), record.type)
            case "event_msg":
                return self._message(time, record.payload)
            case "response_item" if _HOOK_CONTEXT in line and record.payload.get("role") == "developer":
                text = _text_of(record.payload.get("content"))
                return (ev.ContextRecorded(time, text),) if text.strip() else ()
            case "response_item" if _COMPACTION_OUTPUT in line.replace(b" ", b""):
                # The usage that follows is the compaction's own request, not the context it replaces.
                self._before = self._used
        return ()

    def decode_head(self, head: bytes) -> tuple[ev.Event, ...]:
        """Recognise a compaction by its head: it carries the new history and may be larger than what is read."""
        found = _LONG_COMPACTION.match(head)
        if found is None:
            return ()
        self.recognised += 1
        timestamp = found[1].decode("ascii", "replace")
        try:
            return self._compaction(_seconds(timestamp), timestamp, "compacted")
        except ValueError:
            return ()

    def end(self) -> tuple[ev.Event, ...]:
        """Return a compaction that the log ends with."""
        return self._told()

    def _compaction(self, time: float, name: str, evidence: str) -> tuple[ev.Event, ...]:
        before = self._before if self._before is not None else self._used
        self._before = None
        trigger: ev.Trigger = "auto" if self._asked else "manual"
        mid_turn = self._asked and self._user_spoke
        told = self._told()
        self._compacted = True
        self._pending = ev.Compacted(time, name, before, None, trigger, mid_turn, evidence)
        return told

    def _compaction_item(self, time: float, name: str) -> tuple[ev.Event, ...]:
        """Normally the `compacted` line before it has said so; alone it is a compaction, too."""
        told, self._compacted = self._compacted, False
        if told:
            return self._told()
        events = self._compaction(time, name, "ContextCompaction")
        self._compacted = False
        return (*events, *self._told())

    def _told(self, after: int | None = None) -> tuple[ev.Event, ...]:
        """Return the compaction that was still to be told."""
        pending, self._pending = self._pending, None
        return () if pending is None else (replace(pending, after=after),)

    def _message(self, time: float, payload: dict[str, Any]) -> tuple[ev.Event, ...]:
        match payload.get("type"):
            case "task_started":
                self._turn = str(payload.get("turn_id") or "?")
                self._asked = payload.get("turn_attribution") is not None
                self._user_spoke = False
                self._own_task_begins = not self._asked
                return (*self._told(), ev.TurnStarted(time, self._turn, self._asked))
            case "task_complete":
                message = str(payload.get("last_agent_message") or "")
                return (*self._told(), ev.TurnEnded(time, str(payload.get("turn_id") or ""), message))
            case "turn_aborted":
                return (*self._told(), ev.TurnEnded(time, str(payload.get("turn_id") or ""), interrupted=True))
            case "token_count":
                return self._tokens(time, payload.get("info"))
            case "item_completed":
                return self._item(time, payload.get("item"))
            case _:
                return ()

    def _tokens(self, time: float, info: object) -> tuple[ev.Event, ...]:
        if not isinstance(info, dict) or not isinstance(usage := info.get("last_token_usage"), dict):
            return ()
        used, window = figure(usage.get("total_tokens")), figure(info.get("model_context_window"))
        if not used:
            return ()
        self._used = used
        # After a compaction Codex counts the new context itself: no request, so no input tokens.
        source: ev.UsageSource = "exact" if usage.get("input_tokens") else "estimate"
        report = ev.TokensReported(time, used, window or None, source, spent=_spent(info.get("total_token_usage")))
        return (*self._told(used if source == "estimate" else None), report)

    def _item(self, time: float, item: object) -> tuple[ev.Event, ...]:
        if not isinstance(item, dict):
            return ()
        match item.get("type"):
            case "UserMessage":
                self._user_spoke = True
                return (*self._told(), ev.UserMessageRecorded(time, _text_of(item.get("content"))))
            case "AgentMessage":
                text = _text_of(item.get("content"))
                return (ev.AgentMessageRecorded(time, text),) if text.strip() else ()
            case "ContextCompaction":
                return self._compaction_item(time, str(item.get("id")))
            case "CommandExecution":
                return _commands(time, item)
            case "FileChange" if isinstance(changes := item.get("changes"), dict):
                return _changes(time, changes) if item.get("status") not in _UNDONE else ()
        return ()


_UNDONE = ("declined", "failed")
"""What becomes of a change that the person or the file has refused."""


def _changes(time: float, changes: dict[str, Any]) -> tuple[ev.ToolUsed, ...]:
    used = []
    for path, change in changes.items():
        told = change if isinstance(change, dict) else {}
        content = str(told.get("content") or "") if told.get("type") == "add" and may_be_engram(path) else ""
        used.append(ev.ToolUsed(time, "edit", path, content=content))
    moved = (change.get("move_path") for change in changes.values() if isinstance(change, dict))
    used += (ev.ToolUsed(time, "edit", path) for path in moved if path and isinstance(path, str))
    return tuple(each for each in used if each.path)


_KINDS: dict[str, Literal["read", "list", "search"]] = {
    "read": "read", "list_files": "list", "search": "search",
}  # fmt: skip


def _commands(time: float, item: dict[str, Any]) -> tuple[ev.Event, ...]:
    exit_code = item.get("exit_code")
    code = exit_code if isinstance(exit_code, int) else None
    failed = item.get("status") in _UNDONE or code not in (None, 0)
    parsed = item.get("parsed_cmd")
    used = []
    for command in parsed if isinstance(parsed, list) else ():
        if not isinstance(command, dict):
            continue
        kind = _KINDS.get(str(command.get("type")))
        path = str(command.get("path") or "") if kind else ""
        words = str(command.get("cmd") or "")
        part = False
        if may_be_engram(path):
            path = os.path.join(unquote(str(item.get("cwd") or "").removeprefix("file://")), path)
            part = not shows(_script(item) or words, may_be_engram)
        used.append(ev.ToolUsed(time, kind or "run", path, "" if path else words, code, failed=failed, part=part))
    return tuple(used)


def _script(item: dict[str, Any]) -> str:
    """Return what a shell was given: of a pipe Codex names only the command that reads the file."""
    command = item.get("command")
    return str(command[2]) if isinstance(command, list) and command[1:2] in (["-c"], ["-lc"]) and command[2:] else ""


def _spent(total: object) -> ev.Spent | None:
    if not isinstance(total, dict):
        return None
    names = ("input_tokens", "cached_input_tokens", "output_tokens")
    figures = [figure(total.get(name)) for name in names]
    whole = [each for each in figures if each is not None]
    return ev.Spent(whole[0], whole[1], whole[2]) if len(whole) == len(names) else None


def _text_of(content: object) -> str:
    if not isinstance(content, list):
        return ""
    return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))


def _seconds(timestamp: str) -> float:
    return datetime.fromisoformat(timestamp).timestamp()
