"""What the processes cost: idle, under a flood, and with a full scrollback."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack

from tests.bench.figures import Figure, cpu_seconds, memory, spread
from tests.bench.streams import make
from tests.bench.subjects import SUBJECTS, Name, Place, Running, running

IDLE_MOST, CTRL_C_MOST = 0.5, 200.0


def idle(place: Place, *, quick: bool) -> Iterator[Figure]:
    """CPU of all processes together while nothing happens."""
    seconds = 5.0 if quick else 20.0
    share: dict[Name, float] = {}
    for name in SUBJECTS:
        with running(place, name) as subject:
            subject.outer.settle(1.5)
            pids = list(subject.pids().values())
            before = cpu_seconds(pids)
            subject.outer.run(seconds)
            share[name] = 100 * (cpu_seconds(pids) - before) / seconds
    yield Figure(
        f"CPU idle over {seconds:.0f} s, all processes", {name: f"{share[name]:.2f} %" for name in SUBJECTS},
        target="≤ 0.5 %", met=max(share["panels"], share["agent"]) <= IDLE_MOST,
    )  # fmt: skip


def flood(place: Place, *, quick: bool) -> Iterator[Figure]:
    """Run `yes`, and stop it with Ctrl-C, again and again."""
    rounds = 3 if quick else 10
    chance = random.Random(11)
    cpu: dict[Name, list[str]] = {}
    frames: dict[Name, list[float]] = {name: [] for name in SUBJECTS}
    output: dict[Name, list[float]] = {name: [] for name in SUBJECTS}
    until_dead: dict[Name, list[float]] = {name: [] for name in SUBJECTS}
    until_seen: dict[Name, list[float]] = {name: [] for name in SUBJECTS}
    with ExitStack() as stack:
        for subject in [stack.enter_context(running(place, name)) for name in SUBJECTS]:
            cpu[subject.name] = _cost_of_flood(subject, frames, output, 2.0 if quick else 5.0)
            for _ in range(rounds):
                dead, seen = _ctrl_c(subject, chance.uniform(0.3, 1.0))
                until_dead[subject.name].append(dead)
                until_seen[subject.name].append(seen)
    yield Figure("CPU under `yes`, interface or client / host or server", {n: " / ".join(cpu[n]) for n in SUBJECTS})
    yield Figure("frames/s under `yes`", {n: f"{frames[n][0]:.0f}" if n != "tmux" else "" for n in SUBJECTS})
    yield Figure("written to the outer terminal under `yes`", {n: f"{output[n][0]:.0f} kB/s" for n in SUBJECTS})
    worst = max(max(until_dead["panels"]), max(until_dead["agent"]))
    yield Figure(
        f"Ctrl-C under `yes` × {rounds} → its death", {n: spread(until_dead[n], "ms", 0) for n in SUBJECTS},
        target="all < 200 ms", met=worst < CTRL_C_MOST,
    )  # fmt: skip
    worst = max(max(until_seen["panels"]), max(until_seen["agent"]))
    yield Figure(
        f"Ctrl-C under `yes` × {rounds} → prompt on the screen", {n: spread(until_seen[n], "ms", 0) for n in SUBJECTS},
        target="all < 200 ms", met=worst < CTRL_C_MOST,
    )  # fmt: skip


def _cost_of_flood(
    subject: Running, frames: dict[Name, list[float]], output: dict[Name, list[float]], seconds: float
) -> list[str]:
    pids = subject.pids()
    subject.begin("flood")
    subject.outer.run(0.5)
    before = [cpu_seconds([pids[role]]) for role in ("client", "server")]
    outer = subject.outer
    frames_before, taken_before = outer.frames, outer.taken
    outer.run(seconds)
    frames[subject.name].append((outer.frames - frames_before) / seconds)
    output[subject.name].append((outer.taken - taken_before) / seconds / 1e3)
    after = [cpu_seconds([pids[role]]) for role in ("client", "server")]
    outer.send(b"\x03")
    subject.answer()
    outer.settle()
    return [f"{100 * (b - a) / seconds:.0f} %" for a, b in zip(before, after, strict=True)]


def _ctrl_c(subject: Running, after: float) -> tuple[float, float]:
    """Return the milliseconds until `yes` was dead, and until the prompt was on the outer screen."""
    subject.begin("flood")
    subject.outer.run(after)
    begun, pressed = time.monotonic(), time.perf_counter()
    subject.outer.send(b"\x03")
    seen = subject.outer.wait_for(b"PROMPT")
    died = float(subject.answer())
    subject.outer.settle()
    return (died - begun) * 1e3, (seen - pressed) * 1e3


def full_scrollback(place: Place, *, quick: bool) -> Iterator[Figure]:
    """Resident memory before any output, and with 10,000 lines of coloured log kept."""
    stream = make(place.path, share=0.1)[0]
    empty: dict[Name, list[float]] = {}
    full: dict[Name, list[float]] = {}
    for name in SUBJECTS:
        with running(place, name) as subject:
            pids = list(subject.pids().values())
            empty[name] = [memory(pid) for pid in pids]
            subject.order("fill", str(stream.path), str(stream.times))
            subject.outer.settle(1.0)
            full[name] = [memory(pid) for pid in pids]
    roles = "interface or client / host or server / keeper"
    for what, values in (("empty", empty), ("10,000 lines kept", full)):
        shown = {name: " / ".join(f"{value:.0f}" for value in values[name]) + " MB" for name in SUBJECTS}
        yield Figure(f"RSS, {what}: {roles}", shown)
