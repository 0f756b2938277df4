"""Which of a project's tasks is the current one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from agentsup.store import atomic
from agentsup.store.documents import exists, read_document
from agentsup.store.opening import entries_beneath
from agentsup.store.placements import CURRENT_TASK, FOUR, TASK_FOLDERS

_MOST = 1000
"""Entries of a folder of tasks that are looked at."""


class NoSuchTask(LookupError):
    """There is no task of that name; `names` are those there are."""

    def __init__(self, name: str, names: tuple[str, ...]) -> None:
        super().__init__(name)
        self.name, self.names = name, names


@dataclass(frozen=True)
class Tasks:
    """The tasks of a project by name, in name order: folders relative to its root. `current` is empty without any."""

    folders: dict[str, str]
    current: str = ""
    doubles: tuple[tuple[str, str], ...] = ()
    missing: str = ""
    """The task that is named as the current one, and is not there."""

    @property
    def folder(self) -> str:
        """The folder of the current task; empty where there are none."""
        return self.folders.get(self.current, "")


def tasks(root: Path, current: str | None = None) -> Tasks:
    """Return the tasks under `.agent/tasks` and `tasks`, and the current one.

    A folder in `tasks` is a task if it has one of the four files: `tasks` may be anything. The current one is
    `current`, else the one named in `.agent/state/current-task`, else the first by name: not the one written last,
    for the same files must always give the same restore text. A name without a folder does not count.
    """
    folders: dict[str, str] = {}
    doubles = []
    for parent in TASK_FOLDERS:
        for name in _names(root, parent):
            folder = f"{parent}/{name}"
            if parent == TASK_FOLDERS[-1] and not _has_any(root, folder):
                continue
            if name in folders:
                doubles.append((folders[name], folder))
            else:
                folders[name] = folder
    folders = dict(sorted(folders.items()))
    chosen = _chosen(root) if folders else None
    for wanted in (current, chosen):
        if wanted in folders:
            return Tasks(folders, wanted, tuple(doubles))
    return Tasks(folders, next(iter(folders), ""), tuple(doubles), chosen or "")


def choose(root: Path, name: str) -> None:
    """Make a task the current one, lastingly; raises NoSuchTask, Conflict or OSError."""
    found = tasks(root)
    if name not in found.folders:
        raise NoSuchTask(name, tuple(found.folders))
    atomic.update(root / CURRENT_TASK, lambda _: f"{name}\n".encode(), beneath=root)


def _chosen(root: Path) -> str | None:
    text = read_document(root, CURRENT_TASK, 4096).text
    lines = text.removeprefix("\ufeff").split("\n") if text else []
    return next((line.strip() for line in lines if line.strip()), None)


def _names(root: Path, parent: str) -> list[str]:
    return sorted(
        entry.name
        for entry in islice(entries_beneath(root, parent), _MOST)
        if entry.name.isprintable() and entry.name[0] != "." and entry.is_dir(follow_symlinks=False)
    )


def _has_any(root: Path, folder: str) -> bool:
    return any(exists(root, f"{folder}/{name}") for names in FOUR.values() for name in names)
