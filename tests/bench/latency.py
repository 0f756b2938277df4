"""From a key to its echo on the outer screen."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median
from time import perf_counter

from tests.bench.figures import Figure, percentile
from tests.bench.subjects import SUBJECTS, Name, Place, Running, running

FIRST = 0x1401
"""The keys are 600 syllables of one cell each, every one typed once: nothing else on the screen has them."""

MOST = 600
PAUSE = (0.02, 0.12)
"""Seconds between two keys, at least and at most."""


def quiet_latency(place: Place, *, quick: bool) -> Iterator[Figure]:
    """Type while the program does nothing else."""
    yield _measure(place, quick=quick, redrawing=False, beyond=(3.0, 8.0))


def busy_latency(place: Place, *, quick: bool) -> Iterator[Figure]:
    """Type while the program redraws its whole screen 12 times a second."""
    yield _measure(place, quick=quick, redrawing=True, beyond=(None, 16.0))


def _measure(place: Place, *, quick: bool, redrawing: bool, beyond: tuple[float | None, float]) -> Figure:
    keys, rounds = (100, 2) if quick else (500, 5)
    taken: dict[Name, list[float]] = {name: [] for name in SUBJECTS}
    chance = random.Random(7)
    with ExitStack() as stack:
        subjects = [stack.enter_context(running(place, name)) for name in SUBJECTS]
        for number in range(rounds):
            for subject in subjects:
                if redrawing:
                    subject.order("redraw", "on")
                    subject.outer.run(0.3)
                part = range(keys * number // rounds, keys * (number + 1) // rounds)
                taken[subject.name] += [_echo(subject, chr(FIRST + key).encode(), chance) for key in part]
                if redrawing:
                    subject.order("redraw", "off")
                subject.outer.settle()
    return _figure(taken, redrawing=redrawing, beyond=beyond)


def _echo(subject: Running, key: bytes, chance: random.Random) -> float:
    subject.outer.run(chance.uniform(*PAUSE))
    begun = perf_counter()
    subject.outer.send(key)
    return (subject.outer.wait_for(key, 5.0) - begun) * 1e3


def _figure(taken: dict[Name, list[float]], *, redrawing: bool, beyond: tuple[float | None, float]) -> Figure:
    middle = {name: median(values) for name, values in taken.items()}
    late = {name: percentile(values, 95) for name, values in taken.items()}
    more = {name: (middle[name] - middle["tmux"], late[name] - late["tmux"]) for name in ("panels", "agent")}
    limits = ["" if limit is None else f"{limit:g}" for limit in beyond]
    what = "redraws 12/s" if redrawing else "quiet"
    return Figure(
        f"key → echo, {len(taken['tmux'])} keys, program {what}: p50 / p95 / max ms",
        {name: f"{middle[name]:.1f} / {late[name]:.1f} / {max(taken[name]):.1f}" for name in SUBJECTS},
        compared=", ".join(f"+{a:.1f} / +{b:.1f}" for a, b in more.values()),
        target="p95 ≤ +16" if redrawing else f"p50 ≤ +{limits[0]}, p95 ≤ +{limits[1]}",
        met=all((beyond[0] is None or a <= beyond[0]) and b <= beyond[1] for a, b in more.values()),
    )
