"""Notice what changes in a work tree between two moments, without reading any of its files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from agentsup.store.git_calls import Git, GitUnavailable
from agentsup.store.opening import folder_beneath
from agentsup.store.structure import NOISE, visible

_MOST = 50_000
"""Entries that are looked at where there is no git."""

_PATIENCE = 2.0
"""Seconds for git's answer."""

_GONE = "gone"
_FOLDER = "folder"


@dataclass(frozen=True)
class Snapshot:
    """A work tree at a moment: what can differ from the commit, or all there is."""

    by_git: bool
    whole: bool
    """Whether there was not too much to look at."""
    marks: Mapping[str, object]
    """By path: what is another after a change."""


def snapshot(root: Path) -> Snapshot:
    """Return a work tree as it is now: by git where that answers in time, else by a walk. Nothing is raised."""
    own = dict(_walk(root, ".agent"))
    try:
        return Snapshot(True, len(own) < _MOST, own | _by_git(root))
    except GitUnavailable:
        marks = dict(_walk(root, ""))
        return Snapshot(False, len(marks) < _MOST, marks | own)


def changes(before: Snapshot, after: Snapshot) -> tuple[str, ...]:
    """Return the paths that differ, sorted, fit to be shown; without an answer of git only those in `.agent`."""
    old, new = before.marks, after.marks
    paths = old.keys() | new.keys() if before.whole and after.whole else old.keys() & new.keys()
    comparable = before.by_git == after.by_git
    differing = (path for path in paths if old.get(path) != new.get(path))
    return tuple(sorted(visible(path) for path in differing if comparable or path.startswith(".agent/")))


def _by_git(root: Path) -> dict[str, object]:
    git = Git(root, _PATIENCE)
    prefix = git.run("rev-parse", "--show-prefix").rstrip(b"\n")
    head = git.run("rev-parse", "--verify", "--quiet", "HEAD", allowed=(0, 1, 128)).strip()
    listing = git.run_on_files(
        "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty",
        "--", ".",
    )  # fmt: skip
    marks: dict[str, object] = {".git/HEAD": head}
    for field in listing.split(b"\0"):
        name = field[3:]
        if name and name.startswith(prefix):
            path = os.fsdecode(name[len(prefix) :])
            marks[path] = _mark(root / path)
    return marks


def _mark(path: Path) -> object:
    try:
        return _mark_of(path.lstat())
    except OSError:
        return _GONE


def _mark_of(status: os.stat_result) -> object:
    # The time of the last change of the status can't be set by hand, as that of the content can.
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _walk(root: Path, start: str) -> Iterator[tuple[str, object]]:
    """Yield what is beneath a folder, noise left out."""
    waiting = [start]
    left = _MOST
    while waiting and left:
        place = waiting.pop()
        try:
            with folder_beneath(root, place) as number, os.scandir(number) as entries:
                for entry in islice((entry for entry in entries if entry.name not in NOISE), left):
                    left -= 1
                    path = f"{place}/{entry.name}" if place else entry.name
                    with suppress(OSError):  # one that is gone since it was listed says nothing of those beside it
                        mark: object = _FOLDER
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(path)
                        else:
                            mark = _mark_of(entry.stat(follow_symlinks=False))
                        yield path, mark
        except OSError:
            continue
