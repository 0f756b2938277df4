"""Memory files under fire: killed writers, writers at once, other programs' writes, full and read-only disks."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from agentsup.store import atomic
from tests.soak.tally import Tally

ROOT = Path(__file__).parent.parent.parent

WRITER = """
import sys
from pathlib import Path
from agentsup.store import atomic
from tests.soak.memory_writes import content
path, number = Path(sys.argv[1]), int(sys.argv[2])
while True:
    number += 1
    atomic.replace(path, content(number), atomic.read(path).token)
    print(number, flush=True)
"""

UPDATER = """
import sys
from pathlib import Path
from agentsup.store import atomic
path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
refused = 0
for number in range(count):
    line = f"{name} {number}\\n".encode()
    while True:
        try:
            atomic.update(path, lambda old: (old or b"") + line)
            break
        except atomic.Conflict:
            refused += 1  # told, nothing is written: whoever asked for it asks again
print(refused)
"""

APPENDER = """
import random, sys, time
path, name, count, pause = sys.argv[1:]
pauses = random.Random(7)
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(count)):
    time.sleep(pauses.uniform(0.0, float(pause)))
    with open(path, "a") as file:
        file.write(f"{name} {number}\\n")
"""


def content(number: int) -> bytes:
    """Return a text of about 200 kB that tells whether it is whole."""
    line = b"%d\n" % number
    return line * (200_000 // len(line)) + b"end of %d\n" % number


def number_of(data: bytes) -> int | None:
    """Return the number of a whole text; None of any other."""
    first = data.partition(b"\n")[0]
    return int(first) if first.isdigit() and data == content(int(first)) else None


def run_kills(count: int, seed: int, folder: Path) -> Tally:
    """Kill a process that writes a file again and again, at random moments, and read the file all the while."""
    moments = random.Random(seed)
    path = folder / "STATE.md"
    path.write_bytes(content(0))
    held = {"whole": 0, "nothing acknowledged lost": 0, "readers saw whole texts only": 0, "nothing left over": 0}
    reads = left = 0
    for _ in range(count):
        before = number_of(path.read_bytes()) or 0
        command = [sys.executable, "-c", WRITER, str(path), str(before)]
        writer = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert writer.stdout
        acknowledged = int(writer.stdout.readline())
        deadline = time.monotonic() + moments.uniform(0.0, 0.03)
        seen: list[int | None] = []
        while time.monotonic() < deadline:
            seen.append(number_of(path.read_bytes()))
        writer.kill()
        acknowledged = max([acknowledged, *map(int, writer.communicate()[0].split())])
        number = number_of(path.read_bytes())
        held["whole"] += number is not None
        held["nothing acknowledged lost"] += (number or 0) >= acknowledged
        held["readers saw whole texts only"] += None not in seen
        reads += len(seen)
        left += len(os.listdir(folder)) > 1
        atomic.update(path, lambda old: content((number_of(old or b"") or 0) + 1))
        held["nothing left over"] += os.listdir(folder) == [path.name]
    return Tally(
        "kill -9 of a process that writes memory",
        count,
        held,
        f"{reads:,} reads meanwhile; {left} kills left a file beside, removed by the next write",
    )


def run_updates(writers: int, count: int, folder: Path) -> Tally:
    """Let some processes add items to one file at once."""
    path = folder / "progress.md"
    started = time.monotonic()
    _together([[sys.executable, "-c", UPDATER, str(path), str(name), str(count)] for name in range(writers)])
    seconds = time.monotonic() - started
    total = writers * count
    return Tally(
        f"updates of one file by {writers} processes",
        total,
        _found(path, [f"{name} {number}" for name in range(writers) for number in range(count)]),
        f"{1000 * seconds / total:.1f} ms an update",
    )


def run_foreign(count: int, folder: Path) -> Tally:
    """Let another program add lines to a file (`>>`) while a process of ours updates it: as many, as often."""
    path = folder / "progress.md"
    path.touch()
    started = time.monotonic()
    for number in range(50):
        atomic.update(path, lambda old, line=b"%d\n" % number: (old or b"") + line)  # type: ignore[misc]
    pause = 2 * (time.monotonic() - started) / 50  # at random, so half of it: the time of an update
    path.write_bytes(b"")
    commands = [
        [sys.executable, "-c", UPDATER, str(path), "ours", str(count)],
        [sys.executable, "-c", APPENDER, str(path), "theirs", str(count), str(pause)],
    ]
    refused = int(_together(commands)[0])
    names = [f"{name} {number}" for name in ("ours", "theirs") for number in range(count)]
    order = [line.partition(" ")[0] for line in path.read_text().splitlines()]
    turns = sum(one != other for one, other in pairwise(order))
    note = f"in turns: {turns:,} times the other's line came next; {refused:,} updates were refused and asked for again"
    return Tally("updates of a file that another program adds to", 2 * count, _found(path, names), note)


def _together(commands: list[list[str]]) -> list[str]:
    """Run programs that begin when all are ready; return what each said last."""
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for command in commands]
    for process in processes:
        assert process.stdout
        process.stdout.readline()
    for process in processes:
        assert process.stdin
        process.stdin.write(b"\n")
        process.stdin.flush()
    said = []
    for process in processes:
        said.append(process.communicate(timeout=600)[0].decode().strip())
        if process.returncode != 0:
            raise AssertionError(process.args)
    return said


def _found(path: Path, items: list[str]) -> dict[str, int]:
    lines = path.read_text().splitlines()
    strange = len(lines) - len(set(lines)) + len(set(lines) - set(items))
    return {"there": len(set(items) & set(lines)), "once and nothing else": len(items) - strange}


def run_hindered(folder: Path) -> Tally:
    """Write where it can't be: the old content stays, the error says why, and it works as soon as it can."""
    held = {"old content intact, nothing beside it": 0, "a clear error": 0, "works again by itself": 0}
    hindrances = (
        [_limit, _full_disk, _read_only_disk, _foreign_folder] if os.getuid() == 0 else [_limit, _closed_folder]
    )
    said = []
    for number, hindrance in enumerate(hindrances):
        place = folder / str(number)
        place.mkdir()
        with hindrance(place) as hindered:
            path = place / "engram.md"
            if not path.exists():
                path.write_bytes(OLD)
            error = hindered.attempt(place)
            held["a clear error"] += error == hindered.expected
            held["old content intact, nothing beside it"] += path.read_bytes() == OLD and set(os.listdir(place)) <= {
                path.name,
                FILLER,
            }
            said.append(error)
            hindered.end()
            written = hindered.attempt(place)
            held["works again by itself"] += written == "written" and path.read_bytes() == b"new " * 25_000
    return Tally("writes to full and read-only disks", len(hindrances), held, ", ".join(said).lower())


OLD = b"old"
FILLER = "filler"

ATTEMPT = """
import os, resource, sys
from pathlib import Path
from agentsup.store import atomic
user, limit = map(int, sys.argv[1:])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
if user:
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
path = Path("engram.md")
try:
    atomic.replace(path, b"new " * 25_000, atomic.read(path).token)
except OSError as error:
    print(error.strerror)
else:
    print("written")
"""


@dataclass
class Hindered:
    """What is in the way of a writer, and what it should say. `end` takes it away."""

    expected: str
    end: Callable[[], object] = lambda: None
    user: int = 0
    limit: int = 0

    def attempt(self, place: Path) -> str:
        """Write in a process of its own; return what it says."""
        command = [sys.executable, "-c", ATTEMPT, str(self.user), str(self.limit)]
        return subprocess.run(command, cwd=place, capture_output=True, text=True, check=True).stdout.strip()


@contextmanager
def _limit(place: Path) -> Iterator[Hindered]:
    """No file may become longer than 50 kB: what a quota, or a limit of the shell, is to a writer."""
    hindered = Hindered("File too large", limit=50_000)

    def end() -> None:
        hindered.limit = 0

    hindered.end = end
    yield hindered


@contextmanager
def _full_disk(place: Path) -> Iterator[Hindered]:
    with _mounted("-t", "tmpfs", "-o", "size=256k", "tmpfs", at=place):
        (place / "engram.md").write_bytes(OLD)
        with suppress(OSError), open(place / FILLER, "wb", buffering=0) as filler:
            while True:
                filler.write(b"x" * 4096)
        yield Hindered("No space left on device", (place / FILLER).unlink)


@contextmanager
def _read_only_disk(place: Path) -> Iterator[Hindered]:
    (place / "engram.md").write_bytes(OLD)
    with _mounted("--bind", str(place), at=place):
        _mount("-o", "remount,bind,ro", str(place))
        yield Hindered("Read-only file system", lambda: _mount("-o", "remount,bind,rw", str(place)))


@contextmanager
def _foreign_folder(place: Path) -> Iterator[Hindered]:
    hindered = Hindered("Permission denied", user=65534)
    hindered.end = lambda: os.chown(place, 65534, 65534)
    yield hindered


@contextmanager
def _closed_folder(place: Path) -> Iterator[Hindered]:
    (place / "engram.md").write_bytes(OLD)
    place.chmod(0o500)
    yield Hindered("Permission denied", lambda: place.chmod(0o700))


@contextmanager
def _mounted(*arguments: str, at: Path) -> Iterator[None]:
    _mount(*arguments, str(at))
    try:
        yield
    finally:
        subprocess.run(["umount", str(at)], check=True)


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)
