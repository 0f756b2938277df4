"""A loopback Anthropic Messages server for tests: the real Claude Code talks to it, a script decides the answers.

It binds a free port of 127.0.0.1, records every request, and tells apart what Claude Code asks for: turns of
the main thread from the script; compactions, subagents and small requests on the side apart from it.
"""

from __future__ import annotations

import json
import re
import time
import uuid
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, NamedTuple

from tests.servers.messages import Failure, Turn, Usage, events_of, message_of
from tests.servers.scripted import ConnectionPace, Outcome, ScriptedRequest, ScriptedServer

Kind = Literal["turn", "compaction", "side", "subagent"]

COMPACTION_OPENING = "Your task is to create a detailed summary"
"""The sentence of Claude Code's own compaction prompt that no other request has."""

SUGGESTION_OPENING = "[SUGGESTION MODE:"
"""How the request for a suggested next prompt begins; in all else it looks like one of the main thread."""

SUBAGENT_MARK = "cc_is_subagent=true"
"""What the billing line of a subagent's system prompt has."""

FEWEST_TOOLS = 3
"""The main thread always offers more tools than this; requests on the side offer none or one."""

SUMMARY = "<analysis>\nScripted.\n</analysis>\n<summary>\nSUMMARY: scripted summary of the work.\n</summary>"


class Message(NamedTuple):
    """One message of a request: who said it, and all of its text."""

    role: str
    text: str


@dataclass(slots=True)
class Request(ScriptedRequest[Kind]):
    """One request as it came in; `outcome` changes while it is answered."""

    message_id: str = ""
    """The id its answer carries, here and in the agent's transcript."""

    @property
    def session_id(self) -> str:
        """Return the session that asks, empty when it does not say."""
        return self.headers.get("x-claude-code-session-id", "")

    @property
    def system(self) -> str:
        """Return the system prompt."""
        return _text_of(self.body.get("system", ""))

    @property
    def tools(self) -> list[str]:
        """Return the names of the tools on offer."""
        return [str(tool.get("name")) for tool in self.body.get("tools") or ()]

    def messages(self, *roles: str) -> list[Message]:
        """Return the messages in order, only those of `roles` when given."""
        found = [Message(str(m.get("role", "")), _text_of(m.get("content", ""))) for m in self._raw_messages()]
        return [message for message in found if not roles or message.role in roles]

    def texts(self, *roles: str) -> list[str]:
        """Return the texts of the messages, by default of user and system, reminders included."""
        return [message.text for message in self.messages(*(roles or ("user", "system")))]

    def contains(self, text: str) -> bool:
        """Say whether a user or system message has `text` in it."""
        return any(text in found for found in self.texts())

    def last_user_text(self) -> str:
        """Return what the user said last, without the reminders around it; empty when there is nothing."""
        said = (_without_reminders(text) for text in reversed(self.texts("user")))
        return next((text for text in said if text), "")

    def tool_results(self) -> list[str]:
        """Return what tools gave back, in order."""
        blocks = (block for message in self._raw_messages() for block in _blocks(message.get("content")))
        return [_text_of(block.get("content", "")) for block in blocks if block.get("type") == "tool_result"]

    def _raw_messages(self) -> list[dict[str, Any]]:
        return [message for message in self.body.get("messages") or () if isinstance(message, dict)]


class UsageSent(NamedTuple):
    """Token counts that really went out with a completed answer to the main thread."""

    number: int
    message_id: str
    usage: Usage


Script = Iterable[Turn] | Callable[[Request], Turn]
Answer = Turn | Callable[[Request], Turn]


class MessagesServer(ScriptedServer[Kind, Request, Turn]):
    """Serve scripted answers while the `with` block lasts.

    `script` is a sequence of turns of the main thread, after which `default` repeats, or a function of the
    request. `compaction`, `side` (titles and the like) and `subagent` answer every request of their kind.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        default: Turn | None = None,
        compaction: Answer | None = None,
        side: Answer | None = None,
        subagent: Answer | None = None,
    ) -> None:
        http = _Server(("127.0.0.1", 0), _Handler)
        http.model = self
        super().__init__(http, script, default or Turn())
        self._usage_sent: list[UsageSent] = []
        self._apart: dict[Kind, Answer] = {
            "compaction": compaction or Turn(SUMMARY),
            "side": side or Turn('{"title": "Scripted task"}', usage=Usage(500, 0, 0, 10)),
            "subagent": subagent or Turn("Scripted report of a subagent."),
        }
        # A session outlives a server and tells messages apart by their ids: no two servers use the same.
        self._series = uuid.uuid4().hex[:12]

    @property
    def base_url(self) -> str:
        """Return the address to configure as ANTHROPIC_BASE_URL."""
        return self.address

    @property
    def usage_sent(self) -> list[UsageSent]:
        """Return the counts of all completed answers to the main thread, in the order they ended."""
        with self._condition:
            return list(self._usage_sent)

    def receive(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> tuple[Request, Turn]:
        """Record a request and choose its answer (called by the connection's thread)."""
        probe = Request(0, "turn", path, body, headers, time.time())
        kind = _kind_of(probe)

        def numbered(number: int) -> Request:
            return replace(probe, number=number, kind=kind, message_id=f"msg_{self._series}{number:04d}")

        request, script = self._record(numbered)
        answer = self._apart.get(kind, script)
        return request, answer(request) if callable(answer) else answer

    def settle(self, request: Request, outcome: Outcome, usage: Usage | None = None) -> None:
        """Note how a request ended (called by the connection's thread)."""

        def note() -> None:
            if usage is not None and request.kind == "turn":
                self._usage_sent.append(UsageSent(request.number, request.message_id, usage))

        self._settle(request, outcome, note)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    model: MessagesServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: tests read the recorded requests instead."""

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self._fail(Failure(404, "not_found_error"))

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            raw = zlib.decompress(raw, 47)
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._answer_json(200, {"input_tokens": len(raw) // 4})
        elif path.endswith("/v1/messages"):
            self._answer_turn(json.loads(raw))
        else:
            self._fail(Failure(404, "not_found_error"))

    def _answer_turn(self, body: dict[str, Any]) -> None:
        model = self.server.model
        request, turn = model.receive(self.path, body, {k.lower(): v for k, v in self.headers.items()})
        pace = ConnectionPace(self.connection, model)
        self.close_connection = True
        try:
            pace.sleep(turn.delay)
            if turn.hold is not None and turn.hold_at == "start":
                pace.pass_gate(turn.hold)
            if turn.failure is not None:
                self._fail(turn.failure)
            else:
                self._send(body, request, turn, pace)
        except (BrokenPipeError, ConnectionResetError):
            model.settle(request, "disconnected")
        else:
            model.settle(request, "completed", None if turn.failure else turn.usage)

    def _send(self, body: dict[str, Any], request: Request, turn: Turn, pace: ConnectionPace) -> None:
        events = events_of(turn, message_id=request.message_id, model=body.get("model"), pace=pace)
        if not body.get("stream"):
            self._answer_json(200, message_of(events))
            return
        self.send_response(200)
        for name, value in (("content-type", "text/event-stream; charset=utf-8"), ("connection", "close")):
            self.send_header(name, value)
        self.send_header("request-id", f"req_{request.message_id.removeprefix('msg_')}")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def _fail(self, failure: Failure) -> None:
        self._answer_json(failure.status, failure.as_json())

    def _answer_json(self, status: int, content: object) -> None:
        payload = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


def _kind_of(request: Request) -> Kind:
    if COMPACTION_OPENING in request.last_user_text():
        return "compaction"
    if SUBAGENT_MARK in request.system:
        return "subagent"
    is_small = len(request.tools) <= FEWEST_TOOLS or request.last_user_text().startswith(SUGGESTION_OPENING)
    return "side" if is_small else "turn"


def _blocks(content: object) -> list[dict[str, Any]]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(block["text"]) for block in _blocks(content) if "text" in block)


def _without_reminders(text: str) -> str:
    return re.sub(r"<system-reminder>.*?</system-reminder>", "", text, flags=re.DOTALL).strip()
