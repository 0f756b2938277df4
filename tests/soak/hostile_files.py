"""Files of a project that somebody exchanges for links to the outside, while they are read and written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from agentsup.core.problems import Problem
from agentsup.store import atomic
from agentsup.store.engram_history import write_engram_file
from agentsup.store.evidence import add_operation, bump_context_version, recall
from agentsup.store.project_memory import read_project
from agentsup.store.task_choice import NoSuchTask, choose
from tests.soak.tally import Tally
from tests.store.hostile import EVERY_PLACE, MARK, checksum, content, deadline, lay_outside
from tests.store.project import write

ROOT = Path(__file__).parent.parent.parent

SWAPPED = (".agent", ".agent/engram.md", ".agent/log", ".agent/tasks/main")
"""What is exchanged for a link, one after the other."""

SWAPPER = """
import os, sys
from agentsup.store import swapping
root, outside, *places = sys.argv[1:]
os.chdir(root)
os.makedirs("links")
for number, place in enumerate(places):
    os.symlink(os.path.join(outside, place), f"links/{number}")
print("ready", flush=True)
folder = os.open(".", os.O_RDONLY)
while True:
    for number, place in enumerate(places):
        for _ in range(50):
            # In one step: at every moment there is one of the two.
            try:
                swapping.exchange(folder, place, f"links/{number}")
                swapping.exchange(folder, place, f"links/{number}")
            except FileNotFoundError:
                pass  # a writer of ours is at this file
"""

WORD = "of-the-inside"


def run(count: int, folder: Path) -> Tally:
    """Read and write so often, while a program exchanges folders and files on the way for links that lead out."""
    root, outside = folder / "project", lay_outside(folder / "outside")
    write(root, {place: content(place, WORD) for place in EVERY_PLACE})
    before = checksum(outside)
    held = {"nothing of the outside seen": 0, "answered in time": 0, "nothing outside changed": 0}
    done = refused = 0
    with _swapped(root, outside):
        for number in range(count):
            calls = _calls(root, {"XDG_DATA_HOME": str(folder / "data")})
            name = list(calls)[number % len(calls)]
            answer = ""
            with deadline():
                try:
                    answer = repr(calls[name]())
                    done += 1
                except (OSError, Problem, atomic.Conflict, NoSuchTask) as error:
                    answer = repr(error)
                    refused += 1
            held["answered in time"] += 1
            held["nothing of the outside seen"] += MARK not in answer
            held["nothing outside changed"] += number % 100 != 0 or checksum(outside) == before
    if checksum(outside) != before:
        held["nothing outside changed"] = 0
    note = f"{done:,} did their work, {refused:,} were refused at a link"
    return Tally("reads and writes of files that are exchanged for links to the outside", count, held, note)


def _calls(root: Path, home: Mapping[str, str]) -> dict[str, Callable[[], object]]:
    engram = root / ".agent/engram.md"
    return {
        "read": lambda: read_project(root),
        "recall": lambda: recall(root, "op-001"),
        "engram": lambda: write_engram_file(
            root, content("x.md", WORD), atomic.read(engram, beneath=root).token, "person", environment=home
        ),
        "operation": lambda: add_operation(root, "run", WORD, WORD, WORD),
        "version": lambda: bump_context_version(root),
        "choose": lambda: choose(root, "main"),
        "state": lambda: atomic.update(
            root / ".agent/tasks/main/STATE.md", lambda old: (old or b"")[-1000:] + b"- more\n", beneath=root
        ),
    }


@contextmanager
def _swapped(root: Path, outside: Path) -> Iterator[None]:
    """Let another process exchange files and folders for links; raises AssertionError where it ends by itself."""
    command = [sys.executable, "-c", SWAPPER, str(root), str(outside), *SWAPPED]
    swapper = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, env=os.environ)
    try:
        assert swapper.stdout
        assert swapper.stdout.readline() == b"ready\n"
        yield
        assert swapper.poll() is None
    finally:
        swapper.kill()
        swapper.communicate()
