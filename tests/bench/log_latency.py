"""From a line in the agent's log to its event in the host, and to the session that a client has received.

A stand-in for Codex writes lines of token usage 1, 2, … at random gaps, and notes the moment before each write.
The moment of the event is noted in the host itself: a module that Python imports at start wraps its decoder.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from agentsup.protocol import messages as m
from tests.bench.figures import Figure, percentile
from tests.bench.subjects import Place
from tests.end_to_end.fake_codex import FakeCodex
from tests.end_to_end.headless import Client, start

EVENT_MOST, SCREEN_MOST = 50.0, 100.0
"""Milliseconds."""

GAPS = (0.002, 0.03)
"""Seconds between two lines, at least and at most."""

DEADLINE = 120.0

HOOK = """
import os, sys, time
if "agentsup.host" in sys.orig_argv:
    from agentsup.agents.codex_log import CodexLog
    decode, file = CodexLog.decode, os.open(os.environ["EVENT_TIMES"], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    def noted(self, line):
        events = decode(self, line)
        now = time.monotonic_ns()
        for event in events:
            if hasattr(event, "used"):
                os.write(file, b"%d %d\\n" % (event.used, now))
        return events
    CodexLog.decode = noted
"""


def log_latency(place: Place, *, quick: bool) -> Iterator[Figure]:
    """Write lines while the program's terminal is quiet, then while it is flooded."""
    count = 100 if quick else 1000
    for flood in (False, True):
        folder = place.path / ("flooded" if flood else "quiet")
        yield from _figures(*_measure(folder, count, flood=flood), what="floods" if flood else "is quiet")


def _measure(folder: Path, count: int, *, flood: bool) -> tuple[list[float], list[float]]:
    """Return the milliseconds from each line to its event, and to the client."""
    hook = folder / "hook"
    hook.mkdir(parents=True)
    (hook / "sitecustomize.py").write_text(HOOK)
    codex = FakeCodex(folder)
    path = os.pathsep.join([str(hook), *filter(None, [os.environ.get("PYTHONPATH")])])
    times = folder / "times"
    environment = codex.environment | {"PYTHONPATH": path, "EVENT_TIMES": str(times)}
    session = start(folder, [str(codex.program)], agent="codex", environment=environment, size=(120, 40))
    codex.accept()
    client = Client(session.folder, size=(120, 40))
    try:
        client.wait_text("new thread")
        codex.order("stream", first=1, count=1, seed=0, gaps=GAPS)
        client.wait(lambda: _used(client) == 1, "the log was found")
        codex.order("flood", on=flood)
        codex.begin("stream", first=2, count=count, seed=7, gaps=GAPS)
        received = _received(client, count)
        written: Sequence[int] = codex.answer()
        codex.order("flood", on=False)
    finally:
        client.send(m.StopRequest())
        client.wait(lambda: client.closed, "the session has ended")
        client.close()
        codex.close()
    lines = [tuple(map(int, line.split())) for line in times.read_text().splitlines()]
    assert [used for used, _ in lines] == list(range(1, count + 2)), "each line gives its event, in order"
    return (
        [(event - line) / 1e6 for line, (_, event) in zip(written, lines[1:], strict=True)],
        [(seen - line) / 1e6 for line, seen in zip(written, received, strict=True)],
    )


def _received(client: Client, count: int) -> list[int]:
    """Return when the client had a session that knows of line 2, of line 3, …; monotonic, ns."""
    received: list[int] = []
    end = time.monotonic() + DEADLINE
    while len(received) < count:
        assert time.monotonic() < end, f"{len(received)} of {count} lines received"
        client.pump(0.05)
        received += [time.monotonic_ns()] * (_used(client) - 1 - len(received))
        client.messages.clear()
    return received


def _used(client: Client) -> int:
    return 0 if client.session is None else client.session.context.used or 0


def _figures(events: list[float], received: list[float], *, what: str) -> Iterator[Figure]:
    for end, values, most in (("event", events, EVENT_MOST), ("client", received, SCREEN_MOST)):
        shown = " / ".join(f"{value:.1f}" for value in (percentile(values, 50), percentile(values, 95), max(values)))
        yield Figure(
            f"line in the log → {end}, {len(values)} lines, program {what}: p50 / p95 / max ms",
            {"agent": shown}, target=f"all ≤ {most:.0f}", met=max(values) <= most,
        )  # fmt: skip
