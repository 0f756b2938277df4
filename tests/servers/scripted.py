"""What every scripted model server shares: its life, the record of requests, and waiting for them.

A server of one wire format adds its requests, its turns and the HTTP handler that speaks the format.
"""

from __future__ import annotations

import itertools
import select
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar

from tests.servers.pace import Gate, Pace

Outcome = Literal["streaming", "completed", "disconnected"]

KindT = TypeVar("KindT", bound=str)
TurnT = TypeVar("TurnT")


@dataclass(slots=True)
class ScriptedRequest(Generic[KindT]):
    """One request as it came in; `outcome` changes while it is answered."""

    number: int
    kind: KindT
    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]
    received_at: float
    """Seconds of `time.time()`, to compare with the agent's log."""
    outcome: Outcome = "streaming"

    def last_user_text(self) -> str:
        """Return the text of the last user message, empty when there is none."""
        raise NotImplementedError


RequestT = TypeVar("RequestT", bound=ScriptedRequest[Any])


class ScriptedServer(Generic[KindT, RequestT, TurnT]):
    """Serve scripted answers while the `with` block lasts.

    `script` is a sequence of turns, after which `default` repeats, or a function of the request.
    """

    def __init__(
        self, http: ThreadingHTTPServer, script: Iterable[TurnT] | Callable[[RequestT], TurnT], default: TurnT
    ) -> None:
        self._condition = threading.Condition()
        self._requests: list[RequestT] = []
        self._closing = threading.Event()
        self._default = default
        self._script = self._as_function(script)
        self._http = http
        self._thread = threading.Thread(
            target=http.serve_forever, kwargs={"poll_interval": 0.05}, name="scripted model server"
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def address(self) -> str:
        """Return where it listens, as the start of a URL."""
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def is_closing(self) -> bool:
        """Say whether open answers should end."""
        return self._closing.is_set()

    def requests(self, kind: KindT | None = None) -> list[RequestT]:
        """Return the requests so far in the order they came, all kinds or one."""
        with self._condition:
            return [request for request in self._requests if kind in (None, request.kind)]

    def play(self, script: Iterable[TurnT] | Callable[[RequestT], TurnT]) -> None:
        """Replace what is left of the script."""
        with self._condition:
            self._script = self._as_function(script)

    def wait_for(self, wanted: Callable[[RequestT], bool], timeout: float = 20.0) -> RequestT:
        """Wait for a request, already here or yet to come, that `wanted` accepts."""
        found: list[RequestT] = []

        def look() -> bool:
            found.extend(request for request in self._requests if wanted(request))
            return bool(found)

        self._wait(look, timeout)
        return found[0]

    def wait_for_count(self, kind: KindT, count: int, timeout: float = 20.0) -> RequestT:
        """Wait until `count` requests of a kind have come; return the last of those."""
        self._wait(lambda: sum(r.kind == kind for r in self._requests) >= count, timeout)
        return self.requests(kind)[count - 1]

    def wait_for_outcome(self, request: RequestT, outcome: Outcome, timeout: float = 20.0) -> None:
        """Wait until a request was answered to the end, or its client went away."""
        self._wait(lambda: request.outcome == outcome, timeout)

    def _wait(self, condition: Callable[[], bool], timeout: float) -> None:
        with self._condition:
            if self._condition.wait_for(condition, timeout):
                return
            seen = "\n".join(f"  {r.number} {r.kind} {r.outcome}: {r.last_user_text()[:70]!r}" for r in self._requests)
        raise AssertionError(f"the request waited for did not come within {timeout} s; requests:\n{seen}")

    def _record(self, make: Callable[[int], RequestT]) -> tuple[RequestT, Callable[[RequestT], TurnT]]:
        """Note a request, made from its number, and return it with the script as it stands."""
        with self._condition:
            request = make(len(self._requests) + 1)
            self._requests.append(request)
            self._condition.notify_all()
            return request, self._script

    def _settle(self, request: RequestT, outcome: Outcome, note: Callable[[], object] = lambda: None) -> None:
        """Note how a request ended, and what else belongs to that end, in one step for those who wait."""
        with self._condition:
            request.outcome = outcome
            note()
            self._condition.notify_all()

    def _as_function(self, script: Iterable[TurnT] | Callable[[RequestT], TurnT]) -> Callable[[RequestT], TurnT]:
        if callable(script):
            return script
        remaining = itertools.chain(script, itertools.repeat(self._default))
        lock = threading.Lock()

        def answer(_request: RequestT) -> TurnT:
            with lock:
                return next(remaining)

        return answer


class ConnectionPace(Pace):
    """Wait at gates only as long as the client listens and the server runs."""

    def __init__(self, connection: socket.socket, model: ScriptedServer[Any, Any, Any]) -> None:
        self._connection = connection
        self._model = model

    def pass_gate(self, gate: Gate) -> None:
        while not gate.pause_at(0.02):
            readable, _, _ = select.select([self._connection], [], [], 0)
            if self._model.is_closing or (readable and not self._connection.recv(1, socket.MSG_PEEK)):
                raise BrokenPipeError("nobody waits for this answer any more")
