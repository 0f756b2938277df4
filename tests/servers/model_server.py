"""A loopback OpenAI Responses server for tests: real agents talk to it, a script decides the answers.

It binds a free port of 127.0.0.1, records every request, and answers what Codex asks for in three kinds:
turns from the script, compactions and thread titles apart from it.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, NamedTuple

from tests.servers.responses import Turn, Usage, compaction_item_events, events_of
from tests.servers.scripted import ConnectionPace, Outcome, ScriptedRequest, ScriptedServer

Kind = Literal["turn", "compaction", "title"]

COMPACTION_OPENING = "You are performing a CONTEXT CHECKPOINT COMPACTION"
"""How Codex's own compaction prompt begins when the provider is a custom one."""


class Message(NamedTuple):
    """One message of a request: who said it and all of its text."""

    role: str
    text: str


@dataclass(slots=True)
class Request(ScriptedRequest[Kind]):
    """One request as it came in; `outcome` changes while it is answered."""

    @property
    def input(self) -> list[dict[str, Any]]:
        """Return the input items."""
        items = self.body.get("input")
        return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []

    @property
    def metadata(self) -> dict[str, Any]:
        """Return Codex's turn metadata (request kind, trigger, thread, window), empty when absent."""
        return _turn_metadata(self.headers)

    def messages(self, *roles: str) -> list[Message]:
        """Return the messages in order, only those of `roles` when given."""
        found = [_message_of(item) for item in self.input if item.get("type", "message") == "message"]
        return [message for message in found if not roles or message.role in roles]

    def texts(self, *roles: str) -> list[str]:
        """Return the texts of the messages, by default of user and developer."""
        return [message.text for message in self.messages(*(roles or ("user", "developer")))]

    def contains(self, text: str) -> bool:
        """Say whether a user or developer message has `text` in it."""
        return any(text in found for found in self.texts())

    def last_user_text(self) -> str:
        """Return the text of the last user message, empty when there is none."""
        texts = self.texts("user")
        return texts[-1] if texts else ""

    def tool_outputs(self) -> list[str]:
        """Return what tools gave back, in order."""
        kinds = ("function_call_output", "custom_tool_call_output")
        return [str(item.get("output", "")) for item in self.input if item.get("type") in kinds]


class UsageSent(NamedTuple):
    """Token counts that really went out with a completed answer."""

    number: int
    kind: Kind
    usage: Usage


Script = Iterable[Turn] | Callable[[Request], Turn]
Compactions = Turn | Callable[[Request], Turn]


class ModelServer(ScriptedServer[Kind, Request, Turn]):
    """Serve scripted answers while the `with` block lasts.

    `script` is a sequence of turns, after which `default` repeats, or a function of the request. Titles
    get `title`. `compaction` answers every compaction request.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        default: Turn | None = None,
        compaction: Compactions | None = None,
        title: str = "Scripted task",
    ) -> None:
        http = _Server(("127.0.0.1", 0), _Handler)
        http.model = self
        super().__init__(http, script, default or Turn())
        self._usage_sent: list[UsageSent] = []
        self._title = title
        self._compaction = compaction or Turn("SUMMARY: scripted summary of the work.")

    @property
    def base_url(self) -> str:
        """Return the address to configure as the provider's base URL."""
        return f"{self.address}/v1"

    @property
    def usage_sent(self) -> list[UsageSent]:
        """Return the token counts of all completed answers so far, in the order they ended."""
        with self._condition:
            return list(self._usage_sent)

    def receive(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> tuple[Request, Turn]:
        """Record a request and choose its answer (called by the connection's thread)."""
        kind = _kind_of(body, headers)
        request, script = self._record(lambda number: Request(number, kind, path, body, headers, time.time()))
        if kind == "title":
            return request, Turn(json.dumps({"title": self._title}), usage=Usage(500, output=10))
        if kind == "compaction":
            return request, self._compaction(request) if callable(self._compaction) else self._compaction
        return request, script(request)

    def settle(self, request: Request, outcome: Outcome, usage: Usage | None = None) -> None:
        """Note how a request ended (called by the connection's thread)."""

        def note() -> None:
            if usage is not None:
                self._usage_sent.append(UsageSent(request.number, request.kind, usage))

        self._settle(request, outcome, note)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    model: ModelServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: tests read the recorded requests instead."""

    def do_GET(self) -> None:
        if "/models" in self.path:
            self._answer_json(200, {"models": [], "data": [], "object": "list"})
        else:
            self._answer_json(404, {"error": {"message": "not found"}})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            raw = zlib.decompress(raw, 47)
        if not self.path.endswith("/responses"):
            self._answer_json(404, {"error": {"message": "not found"}})
            return
        model = self.server.model
        body = json.loads(raw)
        request, turn = model.receive(self.path, body, {k.lower(): v for k, v in self.headers.items()})
        pace = ConnectionPace(self.connection, model)
        wants_item = any(item.get("type") == "compaction_trigger" for item in request.input)
        answer = compaction_item_events if wants_item else events_of
        events = answer(turn, response_id=f"resp_{request.number:04d}", model=body.get("model"), pace=pace)
        self.close_connection = True
        try:
            self.send_response(200)
            for name, value in (("content-type", "text/event-stream"), ("connection", "close")):
                self.send_header(name, value)
            self.end_headers()
            for event in events:
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        except (BrokenPipeError, ConnectionResetError):
            model.settle(request, "disconnected")
        else:
            model.settle(request, "completed", None if turn.error else turn.usage)

    def _answer_json(self, status: int, content: object) -> None:
        payload = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


def _kind_of(body: dict[str, Any], headers: Mapping[str, str]) -> Kind:
    metadata = _turn_metadata(headers)
    if metadata.get("thread_source") == "thread_title":
        return "title"
    probe = Request(0, "turn", "", body, headers, 0.0)
    if any(item.get("type") == "compaction_trigger" for item in probe.input):
        return "compaction"
    if probe.last_user_text().startswith(COMPACTION_OPENING) or metadata.get("request_kind") == "compaction":
        return "compaction"
    return "turn"


def _turn_metadata(headers: Mapping[str, str]) -> dict[str, Any]:
    found = json.loads(headers.get("x-codex-turn-metadata", "{}"))
    return found if isinstance(found, dict) else {}


def _message_of(item: Mapping[str, Any]) -> Message:
    content = item.get("content", "")
    parts = content if isinstance(content, list) else [{"text": content}]
    text = "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))
    return Message(str(item.get("role", "")), text)
