"""How fast a program's output is taken; and that an interface that stands still holds nothing up."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median

from tests.bench.figures import Figure, own_memory, spread
from tests.bench.streams import Stream, make
from tests.bench.subjects import SUBJECTS, Name, Place, Running, running

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
    """Drain a log with the interface at work, stopped, and away; in turn, in one session."""
    stream = make(place.path, share=0.2 if quick else 1.0)[0]
    rounds = 3 if quick else 7
    working: list[float] = []
    stopped: list[float] = []
    away: list[float] = []
    with running(place, "panels") as subject:
        _drain(subject, stream)
        host = subject.pids()["server"]
        before = own_memory(host)
        grown = 0.0
        for _ in range(rounds):
            working.append(_drain(subject, stream))
            os.kill(subject.outer.pid, signal.SIGSTOP)
            at_stop = own_memory(host)
            try:
                stopped.append(float(subject.order("write", str(stream.path), str(stream.times))))
                grown = max(grown, own_memory(host) - at_stop)
            finally:
                os.kill(subject.outer.pid, signal.SIGCONT)
            subject.detach()
            away.append(float(subject.order("write", str(stream.path), str(stream.times))))
            subject.attach()
            subject.outer.settle(1.0)
        after = own_memory(host)
    slower = {
        "at work": median(a / b for a, b in zip(stopped, working, strict=True)),
        "away": median(a / b for a, b in zip(stopped, away, strict=True)),
    }
    yield Figure(
        "interface stopped: time to drain the log, against one at work / away",
        {"panels": " / ".join(f"{median(taken):.2f} s" for taken in (stopped, working, away))},
        compared=" / ".join(f"× {ratio:.3f}" for ratio in slower.values()),
        target="≤ × 1.02", met=max(slower.values()) <= STOPPED_SLOWER,
    )  # fmt: skip
    yield Figure(
        "interface stopped: growth of the host", {"panels": f"{grown:.1f} MB ({before:.0f} → {after:.0f} over all)"},
        target="< 8 MB", met=grown < STOPPED_GROWTH,
    )  # fmt: skip
