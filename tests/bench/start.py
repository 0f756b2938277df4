"""How soon it is there: a new session, and an interface on one that runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median

from tests.bench.figures import Figure, spread
from tests.bench.subjects import SUBJECTS, Name, Place, running

SCRIPT = 'printf %s "$EPOCHREALTIME" > "$0.new"; mv "$0.new" "$0"; printf "FIRST-WORDS"; exec cat'
"""Notes the moment the program runs, then shows something."""


def start(place: Place, *, quick: bool) -> Iterator[Figure]:
    """Start anew, all subjects in turn."""
    run: dict[Name, list[float]] = {name: [] for name in SUBJECTS}
    shown: dict[Name, list[float]] = {name: [] for name in SUBJECTS}
    for _ in range(3 if quick else 10):
        for name in SUBJECTS:
            ran, seen = _started(place, name)
            run[name].append(ran)
            shown[name].append(seen)
    for what, values in (("the program runs", run), ("its first words are on the screen", shown)):
        more = [median(values[name]) - median(values["tmux"]) for name in ("panels", "agent")]
        cells = {name: spread(values[name], "ms", 0) for name in SUBJECTS}
        yield Figure(f"start → {what}", cells, compared=" / ".join(f"+{each:.0f} ms" for each in more))


def _started(place: Place, name: Name) -> tuple[float, float]:
    note = place.path / f"note{time.monotonic_ns()}"
    with running(place, name, ["/bin/bash", "--norc", "-c", SCRIPT, str(note)]) as subject:
        subject.outer.wait_for(b"FIRST-WORDS")
        seen = time.time()
        ran = float(note.read_text().replace(",", "."))
        begun = subject.outer.started
    return (ran - begun) * 1e3, (seen - begun) * 1e3


def attach(place: Place, *, quick: bool) -> Iterator[Figure]:
    """Attach to a session with a full screen, until its last word is on the outer screen."""
    taken: dict[Name, list[float]] = {name: [] for name in SUBJECTS}
    with ExitStack() as stack:
        subjects = [stack.enter_context(running(place, name)) for name in SUBJECTS]
        for subject in subjects:
            subject.order("page", "LAST-WORDS")
            subject.outer.settle()
        for _ in range(3 if quick else 10):
            for subject in subjects:
                subject.detach()
                subject.attach()
                taken[subject.name].append((subject.outer.wait_for(b"LAST-WORDS") - subject.outer.begun) * 1e3)
                subject.outer.settle()
    more = [median(taken[name]) - median(taken["tmux"]) for name in ("panels", "agent")]
    yield Figure(
        "attach → full screen", {name: spread(taken[name], "ms", 0) for name in SUBJECTS},
        compared=" / ".join(f"+{each:.0f} ms" for each in more), target="< 1 s",
        met=max(taken["panels"] + taken["agent"]) < 1000,
    )  # fmt: skip
