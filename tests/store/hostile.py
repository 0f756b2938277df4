"""Projects laid out to lead a reader or a writer out of them, and what is outside, which nobody may see or change."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from agentsup.store.placements import PLACES
from tests.store.project import write

MARK = "of-the-outside"
"""A word that is in every file outside of the project, and nowhere in it."""

NUMBER = "918273645"
"""The same where only a number is read."""

DEADLINE = 10.0
"""Seconds that one call may take."""

STRANGER = 12345

OTHERS = (
    ".agent/state/current-task", ".agent/state/context-version", ".agent/log/ops/op-001.json",
    ".agent/log/archive/index-001.jsonl", ".agent/log/archive/decisions-001.md", ".agent/config.toml",
    ".agent/init.d/60-own.md", ".agent/init.d/61-own.json", ".agent/templates/recite.md", ".agent/tasks/main/TASK.md",
    ".agent/tasks/main/STATE.md", "tasks/main/CONTRACT.md", "tasks/main/DECISIONS.md", "logs/op-001.json", "AGENTS.md",
    "CLAUDE.md", ".claude/CLAUDE.md", "src/code.py", ".agent/restore.sh",
)  # fmt: skip
"""What is read or written beside the places of memory."""

EVERY_PLACE = tuple(dict.fromkeys([place for places in PLACES.values() for place in places] + list(OTHERS)))


def content(place: str, word: str) -> str:
    """Return a file that is what it should be at this place, and in which a word is said wherever there is room."""
    name = place.rpartition("/")[2]
    if name.endswith(".jsonl"):
        return f'{{"id": "op-001", "type": "run", "target": "{word}", "summary": "{word}", "log_path": ""}}\n'
    if name.endswith(".json"):
        return f'{{"current_task": "{word}", "completed": ["{word}"], "next_steps": ["{word}"], "detail": "{word}"}}\n'
    if name == "context-version":
        return f"{NUMBER}\n"
    if name == "config.toml":
        return f'# {word}\n[interface]\nlanguage = "zh-CN"\n'
    if name == "code.py":
        return "class DefinedOutside:\n    pass\n" if word == MARK else "class DefinedInside:\n    pass\n"
    return (
        f"[Task] {word}\n[Progress] {word}\n[Pending] {word}\n[Taboo] {word}\n\n# {word}\n\nlanguage: {word}\n\n"
        f"## Scope\n\n- {word}\n\n## Next\n\n- {word}\n\n## {word}\n\n- reason: {word}\n- confidence: [SOFT] {word}\n"
        f"- date: 2026-01-01\n\n- [ ] {word} [SOFT]\n"
    )


def lay_outside(folder: Path) -> Path:
    """Make what must not be seen: whatever place a link leads to, there is something to be read."""
    write(folder, {place: content(place, MARK) for place in EVERY_PLACE})
    return folder


def lay_project(root: Path, place: str) -> Path:
    """Make a project that has everything but this place, and much to be archived."""
    write(root, {"src/other.py": "x = 1\n"})
    index = "".join(
        f'{{"id": "op-{number:03}", "type": "run", "target": "x", "summary": "y", "log_path": ""}}\n'
        for number in range(1, 121)
    )
    decisions = "".join(f"## Decision {number}\n\n- reason: because\n\n" for number in range(30))
    if "index.jsonl" not in place:
        write(root, {".agent/log/index.jsonl": index})
    if "ecisions.md" not in place.lower() or "archive" in place:
        write(root, {".agent/DECISIONS.md": decisions})
    if "tasks/" in place:
        write(root, {str(Path(place).parent / "STATE.md"): "## Next\n\n- go on\n"})
    (root / place).unlink(missing_ok=True)
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    return root


Layout = Callable[[Path, Path, str], None]
"""Lay something hostile at a place of a project (the root, the outside, the place)."""


def _link(root: Path, outside: Path, place: str) -> None:
    (root / place).symlink_to(outside / place)


def _relative_link(root: Path, outside: Path, place: str) -> None:
    (root / place).symlink_to(os.path.relpath(outside / place, (root / place).parent))


def _links_in_a_row(root: Path, outside: Path, place: str) -> None:
    (root / "one").symlink_to(outside / place)
    (root / place).symlink_to(root / "one")


def _link_to_nothing(root: Path, outside: Path, place: str) -> None:
    (root / place).symlink_to(outside / "not-there-yet")


def _link_to_itself(root: Path, outside: Path, place: str) -> None:
    (root / place).symlink_to(root / place)


def _link_through_the_system(root: Path, outside: Path, place: str) -> None:
    (root / place).symlink_to(f"/proc/self/root{outside / place}")


def _link_to_an_endless_device(root: Path, outside: Path, place: str) -> None:
    (root / place).symlink_to("/dev/zero")


def _link_to_a_folder(root: Path, outside: Path, place: str) -> None:
    (root / place).symlink_to(outside)


def _first_folder(root: Path, outside: Path, place: str) -> None:
    first = place.partition("/")[0]
    _in_place_of(root / first)
    (root / first).symlink_to(outside / first)


def _last_folder(root: Path, outside: Path, place: str) -> None:
    last = str(Path(place).parent)
    if last == ".":
        return _link(root, outside, place)
    _in_place_of(root / last)
    (root / last).symlink_to(os.path.relpath(outside / last, (root / last).parent))


def _folder_of_dots(root: Path, outside: Path, place: str) -> None:
    """The same names, one folder further out: a link that only climbs."""
    first = place.partition("/")[0]
    _in_place_of(root / first)
    shutil.copytree(outside, root.parent, dirs_exist_ok=True)
    (root / first).symlink_to(f"../{first}")


def _fifo(root: Path, outside: Path, place: str) -> None:
    os.mkfifo(root / place)


def _folder_is_a_fifo(root: Path, outside: Path, place: str) -> None:
    last = root / Path(place).parent
    if last == root:
        return _fifo(root, outside, place)
    _in_place_of(last)
    os.mkfifo(last)


def _socket(root: Path, outside: Path, place: str) -> None:
    short = Path(tempfile.mkdtemp(dir="/tmp")) / "s"  # a socket's path is short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(short))
    os.rename(short, root / place)
    short.parent.rmdir()


def _folder(root: Path, outside: Path, place: str) -> None:
    write(root / place, {"inner": "x"})


def _endless_file(root: Path, outside: Path, place: str) -> None:
    with open(root / place, "wb") as file:
        file.truncate(1 << 40)


def _one_long_line(root: Path, outside: Path, place: str) -> None:
    (root / place).write_bytes(b"[" * 3_000_000)


def _no_text(root: Path, outside: Path, place: str) -> None:
    (root / place).write_bytes(bytes(range(256)) * 64)


def _names_that_are_no_text(root: Path, outside: Path, place: str) -> None:
    folder = os.fsencode((root / place).parent)
    for name in (b"60-\xff\xfe.md", b"\xc3\x28.json", b"tasks\xff", b"a\nb.md", b"\x1b[2J.md"):
        os.symlink(os.fsencode(outside / place), os.path.join(folder, name))
    (root / place).symlink_to(outside / place)


def _folders_in_each_other(root: Path, outside: Path, place: str) -> None:
    """Deeper than a path can be long, with a link to the outside at the end."""
    number = os.open((root / place).parent, os.O_RDONLY)
    for _ in range(45):
        os.mkdir("x" * 100, dir_fd=number)
        inner = os.open("x" * 100, os.O_RDONLY, dir_fd=number)
        os.close(number)
        number = inner
    os.symlink(outside, "link", dir_fd=number)
    os.close(number)
    _link(root, outside, place)


def _strangers_file(root: Path, outside: Path, place: str) -> None:
    (root / place).write_text(content(place, MARK))
    os.chown(root / place, STRANGER, STRANGER)


def _strangers_folder(root: Path, outside: Path, place: str) -> None:
    last = root / Path(place).parent
    (root / place).write_text(content(place, MARK))
    os.chown(root / place if last == root else last, STRANGER, STRANGER)


def _in_place_of(path: Path) -> None:
    """Take away what is at a path."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


LAYOUTS: Mapping[str, Layout] = {
    layout.__name__.strip("_"): layout
    for layout in (
        _link, _relative_link, _links_in_a_row, _link_to_nothing, _link_to_itself, _link_through_the_system,
        _link_to_an_endless_device, _link_to_a_folder, _first_folder, _last_folder, _folder_of_dots, _fifo,
        _folder_is_a_fifo, _socket, _folder, _endless_file, _one_long_line, _no_text, _names_that_are_no_text,
        _folders_in_each_other,
    )
}  # fmt: skip
if os.geteuid() == 0:  # only root can make what belongs to somebody else
    LAYOUTS = {**LAYOUTS, "strangers_file": _strangers_file, "strangers_folder": _strangers_folder}


def checksum(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Return what tells one state of a folder from another: kinds, times, contents."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_mtime_ns, hashlib.sha256(data).hexdigest())
    return found


class Hang(BaseException):
    """A call took too long; no `except` of what is tested takes it for an error of the system."""


@contextmanager
def deadline(seconds: float = DEADLINE) -> Iterator[None]:
    """Raise Hang in the main thread where this takes longer."""

    def over(number: int, frame: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
