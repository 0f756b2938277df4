"""Which of a project's tasks is the current one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from agentsup.core.trust.names import is_task_name
from agentsup.store import atomic
from agentsup.store.documents import exists, read_document
from agentsup.store.opening import entries_beneath
from agentsup.store.placements import CURRENT_TASK, FOUR, TASK_FOLDERS

CHOICE_MOST = 4096
"""Bytes of the file that names the current task."""

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
    unusable: tuple[str, ...] = ()
    """Folders that would be tasks, were their names words."""

    @property
    def folder(self) -> str:
        """The folder of the current task; empty where there are none."""
        return self.folders.get(self.current, "")


def tasks(root: Path, current: str | None = None, *, whoever: bool = False) -> Tasks:
    """Return the tasks under `.agent/tasks` and `tasks`, and the current one.

    A folder in `tasks` is a task if it has one of the four files: `tasks` may be anything. The current one is
    `current`, else the one named in `.agent/state/current-task`, else the first by name: not the one written last,
    for the same files must always give the same restore text. A name without a folder does not count.

    What came with commits of others chooses nothing, until a person takes it as their own; git is asked about that
    where it matters. `whoever`: the choice counts whoever wrote it, and git is not asked.
    """
    folders: dict[str, str] = {}
    doubles, unusable = [], []
    for parent in TASK_FOLDERS:
        for name in _names(root, parent):
            folder = f"{parent}/{name}"
            if parent == TASK_FOLDERS[-1] and not _has_any(root, folder):
                continue
            if not is_task_name(name):
                unusable.append(folder)
            elif name in folders:
                doubles.append((folders[name], folder))
            else:
                folders[name] = folder
    folders = dict(sorted(folders.items()))
    first = next(iter(folders), "")
    chosen = _chosen(root) if folders else None
    if chosen not in (None, first) and not whoever and _is_of_others(root):
        chosen = None
    used = next((wanted for wanted in (current, chosen) if wanted in folders), None)
    missing = chosen if used is None and chosen else ""
    return Tasks(folders, used or first, tuple(doubles), missing, tuple(unusable))


def choose(root: Path, name: str) -> None:
    """Make a task the current one, lastingly; raises NoSuchTask, Conflict or OSError."""
    found = tasks(root)
    if name not in found.folders:
        raise NoSuchTask(name, tuple(found.folders))
    atomic.update(root / CURRENT_TASK, lambda _: f"{name}\n".encode(), beneath=root)


def _chosen(root: Path) -> str | None:
    text = read_document(root, CURRENT_TASK, CHOICE_MOST).text
    lines = text.removeprefix("\ufeff").split("\n") if text else []
    return next((line.strip() for line in lines if line.strip()), None)


def _is_of_others(root: Path) -> bool:
    from agentsup.store.provenance import foreign  # with several tasks only
    from agentsup.store.trust_record import approvals

    return bool(foreign(root, [CURRENT_TASK], accepted=approvals(root).commit).files)


def _names(root: Path, parent: str) -> list[str]:
    return sorted(
        entry.name
        for entry in islice(entries_beneath(root, parent), _MOST)
        if entry.name[0] != "." and entry.is_dir(follow_symlinks=False)
    )


def _has_any(root: Path, folder: str) -> bool:
    return any(exists(root, f"{folder}/{name}") for names in FOUR.values() for name in names)
