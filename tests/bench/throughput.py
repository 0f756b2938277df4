"""How fast a program's output is taken; and that an interface that stands still holds nothing up."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from statistics import median
from typing import NamedTuple

from tests.bench.figures import Figure, cpu_seconds, own_memory, spread
from tests.bench.streams import Stream, make
from tests.bench.subjects import SUBJECTS, Name, Place, Running, running


class Cost(NamedTuple):
    """What one drain took: of the clock, and of the host's CPU, in seconds."""

    seconds: float
    cpu: float


STOPPED_SLOWER, STOPPED_GROWTH = 1.02, 8.0


def throughput(place: Place, *, quick: bool) -> Iterator[Figure]:
    """Drain each stream; all subjects in turn in every round."""
    rounds = 2 if quick else 5
    with ExitStack() as stack:
        subjects = [stack.enter_context(running(place, name)) for name in SUBJECTS]
        for stream in make(place.path, share=0.2 if quick else 1.0):
            times: dict[Name, list[float]] = {subject.name: [] for subject in subjects}
            for _ in range(rounds):
                for subject in subjects:
                    times[subject.name].append(_drain(subject, stream))
            yield _figure(stream, times)


def _drain(subject: Running, stream: Stream) -> float:
    took = float(subject.order("write", str(stream.path), str(stream.times)))
    subject.outer.settle()
    return took


def _figure(stream: Stream, times: dict[Name, list[float]]) -> Figure:
    rates = {name: [stream.megabytes / took for took in taken] for name, taken in times.items()}
    ratios = {
        name: median(tmux / own for own, tmux in zip(times[name], times["tmux"], strict=True))
        for name in ("panels", "agent")
    }
    return Figure(
        f"drain {stream.megabytes:.0f} MB of {stream.name}",
        {name: spread(rates[name], "MB/s", 1) for name in SUBJECTS},
        compared=f"× {ratios['panels']:.2f} / × {ratios['agent']:.2f}",
        target="≥ × 1",
        met=min(ratios.values()) >= 1,
    )


def stopped_client(place: Place, *, quick: bool) -> Iterator[Figure]:
    """Drain a log with the interface at work, stopped, and away; in one session, in changing order."""
    stream = make(place.path, share=0.2 if quick else 1.0)[0]
    ways = {"stopped": _drain_stopped, "at work": _drain, "away": _drain_away}
    taken: dict[str, list[Cost]] = {way: [] for way in ways}
    with running(place, "panels") as subject:
        _drain(subject, stream)
        host = subject.pids()["server"]
        before = own_memory(host)
        grown = 0.0
        for number in range(3 if quick else 9):
            for way in list(ways)[number % 3 :] + list(ways)[: number % 3]:
                memory, cpu = own_memory(host), cpu_seconds([host])
                seconds = ways[way](subject, stream)
                taken[way].append(Cost(seconds, cpu_seconds([host]) - cpu))
                if way == "stopped":
                    grown = max(grown, own_memory(host) - memory)
        after = own_memory(host)
    yield _against(taken, "time", lambda cost: cost.seconds, target="≤ × 1.02")
    yield _against(taken, "host CPU time", lambda cost: cost.cpu)
    yield Figure(
        "interface stopped: growth of the host", {"panels": f"{grown:.1f} MB ({before:.0f} → {after:.0f} over all)"},
        target="< 8 MB", met=grown < STOPPED_GROWTH,
    )  # fmt: skip


def _drain_stopped(subject: Running, stream: Stream) -> float:
    os.kill(subject.outer.pid, signal.SIGSTOP)
    try:
        return float(subject.order("write", str(stream.path), str(stream.times)))
    finally:
        os.kill(subject.outer.pid, signal.SIGCONT)
        subject.outer.settle()


def _drain_away(subject: Running, stream: Stream) -> float:
    subject.detach()
    try:
        return float(subject.order("write", str(stream.path), str(stream.times)))
    finally:
        subject.attach()
        subject.outer.settle(1.0)


def _against(taken: dict[str, list[Cost]], what: str, of: Callable[[Cost], float], *, target: str = "") -> Figure:
    """Compare the stopped interface with one at work and with none, pair by pair."""
    values = {way: [of(cost) for cost in costs] for way, costs in taken.items()}
    ratios = [
        median(stopped / other for stopped, other in zip(values["stopped"], values[way], strict=True))
        for way in ("at work", "away")
    ]
    return Figure(
        f"interface stopped / at work / away: {what} for {len(values['away'])} × the log",
        {"panels": " / ".join(f"{median(each):.2f} s" for each in values.values())},
        compared=" / ".join(f"× {ratio:.3f}" for ratio in ratios),
        target=target,
        met=max(ratios) <= STOPPED_SLOWER if target else None,
    )
