"""Claude Code's transcript: one JSON object a line, decoded into events.

Measured on 2.1.332; lines appear 0.13 to 0.6 s after their own time stamp. What decides:

    user with `promptSource`               a prompt, and with it a turn; also the notices of background agents
    assistant                              usage of one request: input + cache creation + cache read. One line a
                                           content block, all with the same message id and usage
    system/turn_duration                   the end of a turn; an interrupted one ends with a user record instead
    system/compact_boundary                the compaction, with its trigger and figures
    attachment/hook_additional_context     what a hook has put into the context
    user with <local-command-std…>         what /compact has answered, also where nothing was compacted

Records of sub-agents (`isSidechain`) are no part of the context. Unknown types are ignored. What a prompt does not
follow any more was taken back: see `claude_branch`.
"""

from __future__ import annotations

import contextlib
import re
from datetime import datetime
from typing import Any

import msgspec

from agentsup.agents import claude_tools, claude_typing
from agentsup.agents.claude_branch import Branch
from agentsup.agents.json_objects import figure
from agentsup.core import events as ev

_RELEVANT = re.compile(rb'"type": ?"(?:user|assistant|system|queued_command|hook_additional_context)"')
_SILENT = re.compile(rb'"type": ?"(?:mode|permission-mode|atis-latch|file-history-|tools-used|cost-state|last-prompt|'
                     rb'queue-operation|attachment|api-request)')  # fmt: skip
_SYNTHETIC = "<synthetic>"
"""The model of records that Claude Code writes itself, such as errors: their usage is none."""

_INTERRUPTED = "[Request interrupted by user"
_NOTIFICATION = "task-notification"
"""What a background agent or command has come to; it is queued as a person's words are."""

_COMMAND = re.compile(r"<command-name>/([^<]*)</command-name>")
_ANSWER = re.compile(r"<local-command-std(?:out|err)>(.*)", re.DOTALL)
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_CANCELLED = ("Compaction canceled",)
_FAILED = ("Error during compaction", "Could not compact", "Compaction failed")
"""How an answer to /compact begins after which nothing was compacted. "Not enough messages" began nothing."""

_LOG = re.compile(
    rb'^\{"(?:parentUuid":(?:null|"[0-9a-f-]{36}"),"(?:isSidechain|logicalParentUuid)"'
    rb'|type":"[a-z-]+",[^\n]{0,4000}?"sessionId":"[0-9a-f-]{36}")', re.MULTILINE,
)  # fmt: skip


def is_log(head: bytes) -> bool:
    """Say whether a file that begins like this is a transcript."""
    return _LOG.search(head) is not None


class _Attachment(msgspec.Struct, rename="camel"):
    type: str = ""
    prompt: Any = None
    content: Any = None
    command_mode: Any = None


class _CompactMetadata(msgspec.Struct, rename="camel"):
    trigger: str = ""
    pre_tokens: int | None = None
    post_tokens: int | None = None
    preserved_segment: Any = None


class _Link(msgspec.Struct, rename="camel"):
    uuid: str = ""
    parent_uuid: str | None = ""
    is_sidechain: bool = False


class _Record(msgspec.Struct, rename="camel"):
    type: str
    timestamp: str = ""
    uuid: str = ""
    parent_uuid: str | None = ""
    subtype: str = ""
    is_sidechain: bool = False
    is_meta: bool = False
    is_compact_summary: bool = False
    is_api_error_message: bool = False
    prompt_id: str = ""
    prompt_source: str = ""
    message: Any = None
    content: Any = None
    attachment: _Attachment | None = None
    compact_metadata: _CompactMetadata | None = None


class ClaudeLog:
    """Decodes one transcript, from its first line on."""

    def __init__(self) -> None:
        self.recognised = 0
        self._decoder = msgspec.json.Decoder(_Record)
        self._links = msgspec.json.Decoder(_Link)
        self._branch = Branch()
        self._turn = ""
        self._answered = False
        """Whether the model has said something in this turn."""
        self._text = ""
        self._told: tuple[str, int] = ("", 0)
        self._spent = _Sum()
        self._tools = claude_tools.Tools()
        self._command = ""

    def decode(self, line: bytes) -> tuple[ev.Event, ...]:
        """Return what one line says; raises ValueError where it is no JSON object."""
        if not _RELEVANT.search(line):
            if not line.startswith(b"{"):
                raise ValueError("not a JSON object")
            self.recognised += _SILENT.search(line) is not None
            self._link(line)
            return ()
        try:
            record = self._decoder.decode(line)
            time = _seconds(record.timestamp) if record.timestamp else 0.0
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(str(error)) from error
        if record.is_sidechain:
            self.recognised += 1
            return ()
        self._branch.add(record.uuid, record.parent_uuid)
        events = self._told_by(time, record)
        for event in events:
            if isinstance(event, ev.UserMessageRecorded | ev.ContextRecorded):
                self._branch.said(record.uuid, event.text)
        return events

    def _link(self, line: bytes) -> None:
        """Note which record one follows that says nothing else."""
        if b'"parentUuid"' not in line:
            return
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            link = self._links.decode(line)
            if not link.is_sidechain:
                self._branch.add(link.uuid, link.parent_uuid)

    def _told_by(self, time: float, record: _Record) -> tuple[ev.Event, ...]:
        match record.type:
            case "user":
                self.recognised += 1
                return self._user(time, record)
            case "assistant" if isinstance(record.message, dict):
                self.recognised += 1
                return self._assistant(time, record, record.message)
            case "system":
                self.recognised += 1
                return self._system(time, record)
            case "attachment" if record.attachment is not None and record.attachment.type == "queued_command":
                # Taken up in the middle of a turn: there is no user record of it.
                text = _typed(record.attachment.prompt)
                if record.attachment.command_mode == _NOTIFICATION or text.lstrip().startswith(f"<{_NOTIFICATION}>"):
                    return ()  # what it holds are others' words, perhaps some of ours that they have read
                return (ev.UserMessageRecorded(time, text),)
            case "attachment" if record.attachment is not None and record.attachment.type == "hook_additional_context":
                self.recognised += 1
                texts = record.attachment.content
                return tuple(
                    ev.ContextRecorded(time, text)
                    for text in (texts if isinstance(texts, list) else [texts])
                    if isinstance(text, str) and text.strip()
                )
            case _:
                return ()

    def decode_head(self, head: bytes) -> tuple[ev.Event, ...]:
        """Return nothing: no record that decides is that long."""
        return ()

    def end(self) -> tuple[ev.Event, ...]:
        """Return nothing: every record is told at once."""
        return ()

    def _user(self, time: float, record: _Record) -> tuple[ev.Event, ...]:
        content = record.message.get("content") if isinstance(record.message, dict) else None
        if record.is_compact_summary or record.is_meta:
            return ()
        text = _text_of(content)
        if record.prompt_source:
            return self._prompt(time, record, content)
        if text.startswith(_INTERRUPTED):
            return self._end(time, interrupted=True)
        if command := _COMMAND.search(text):
            self._command = command[1]
            return ()
        if answer := _ANSWER.match(text):
            return self._local_answer(time, answer[1])
        return self._tools.results(time, content)

    def _prompt(self, time: float, record: _Record, content: object) -> tuple[ev.Event, ...]:
        self._turn = record.prompt_id or record.uuid or "?"
        self._answered, self._text = False, ""
        started = ev.TurnStarted(time, self._turn, record.prompt_source != "system")
        text = "" if record.prompt_source == "system" else _typed(content)
        said = () if record.prompt_source == "system" else (ev.UserMessageRecorded(time, text),)
        texts, compaction = self._branch.taken_back(record.parent_uuid, text)
        return (started, *said, *((ev.TurnTakenBack(time, texts, compaction),) if texts else ()))

    def _assistant(self, time: float, record: _Record, message: dict[str, Any]) -> tuple[ev.Event, ...]:
        if record.is_api_error_message or message.get("model") == _SYNTHETIC:
            return self._end(time) if record.is_api_error_message else ()
        events: list[ev.Event] = []
        if not self._turn:
            # A command of the person's own has started it: there is no prompt record.
            self._turn = str(message.get("id") or record.uuid)
            events.append(ev.TurnStarted(time, self._turn))
        self._answered = True
        self._branch.answered()
        if text := _text_of(message.get("content")):
            self._text = text
            events.append(ev.AgentMessageRecorded(time, text))
        self._tools.calls(message.get("content"))
        return (*events, *self._usage(time, str(message.get("id") or record.uuid), message.get("usage")))

    def _usage(self, time: float, id: str, usage: object) -> tuple[ev.Event, ...]:
        if not isinstance(usage, dict):
            return ()
        names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
        figures = [figure(usage.get(name)) or 0 for name in names]
        fresh, created, cached, output = figures
        used = fresh + created + cached
        if used <= 0:
            return ()
        spent = self._spent.of(id, ev.Spent(used, cached, output))
        if self._told == (id, used):
            return ()
        self._told = (id, used)
        return (ev.TokensReported(time, used, None, spent=spent),)

    def _system(self, time: float, record: _Record) -> tuple[ev.Event, ...]:
        match record.subtype:
            case "turn_duration":
                return self._end(time)
            case "compact_boundary":
                return self._boundary(time, record)
            case "local_command":
                text = record.content if isinstance(record.content, str) else ""
                if command := _COMMAND.search(text):
                    self._command = command[1]
                elif answer := _ANSWER.match(text):
                    return self._local_answer(time, answer[1])
                return ()
            case _:
                return ()

    def _boundary(self, time: float, record: _Record) -> tuple[ev.Event, ...]:
        data = record.compact_metadata or _CompactMetadata()
        trigger: ev.Trigger = "auto" if data.trigger == "auto" else "manual" if data.trigger == "manual" else "unknown"
        self._told = ("", 0)
        self._branch.compacted(record.uuid, data.preserved_segment)
        mid_turn = trigger == "auto" and bool(self._turn) and self._answered
        before, after = figure(data.pre_tokens), figure(data.post_tokens)
        return (ev.Compacted(time, record.uuid or record.timestamp, before, after, trigger, mid_turn),)

    def _local_answer(self, time: float, answer: str) -> tuple[ev.Event, ...]:
        command, self._command = self._command, ""
        if command != "compact":
            return ()
        said = _ESCAPES.sub("", answer).strip().removeprefix("Error: ")
        if said.startswith(_CANCELLED):
            return (ev.CompactionFailed(time, "cancelled", "manual"),)
        if said.startswith(_FAILED):
            return (ev.CompactionFailed(time, "failed", "manual"),)
        return ()

    def _end(self, time: float, *, interrupted: bool = False) -> tuple[ev.Event, ...]:
        turn, self._turn = self._turn, ""
        text, self._text = self._text, ""
        if not turn:
            return ()
        return (ev.TurnEnded(time, turn, "" if interrupted else text, interrupted),)


class _Sum:
    """Adds up what the messages of a conversation have used, each message once."""

    def __init__(self) -> None:
        self._before = ev.Spent(0, 0, 0)
        self._last = ("", ev.Spent(0, 0, 0))

    def of(self, id: str, spent: ev.Spent) -> ev.Spent:
        """Take the newest figures of a message, and return the sum."""
        if id != self._last[0]:
            self._before = _plus(self._before, self._last[1])
        self._last = (id, spent)
        return _plus(self._before, spent)


def _plus(a: ev.Spent, b: ev.Spent) -> ev.Spent:
    # The requests of compactions and sub-agents are not in this log.
    return ev.Spent(a.input + b.input, a.cached + b.cached, a.output + b.output, at_least=True)


def _typed(content: object) -> str:
    """Return what the person sent, without the marks that are put around a longer paste and a lead of ours."""
    return claude_typing.typed(_text_of(content))


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "".join(
        str(part.get("text") or "") for part in content if isinstance(part, dict) and part.get("type") == "text"
    )


def _seconds(timestamp: str) -> float:
    return datetime.fromisoformat(timestamp).timestamp()
