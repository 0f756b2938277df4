"""Read the project's memory again whenever its files change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from agentsup.core.events import MemoryRead
from agentsup.core.memory.model import Memory
from agentsup.host.folder_watch import FolderWatch
from agentsup.store.memory_files import read_memory

FOLDERS = (".agent", ".agent/init.d", ".agent/state", ".agent/log", ".agent/templates", "state")
"""Where memory is kept beside the project's root."""

TASK_FOLDERS = (".agent/tasks", "tasks")
"""Where several tasks are kept, each in a folder of its own."""

ROOT_FILES = frozenset({"STATE.md", "TASK.md", "CONTRACT.md", "DECISIONS.md", "progress.json", "task.json"})
"""What is memory among all that changes in a project's root."""

_UNREAD = frozenset({"context-version"})
_MOST = 500
"""Files of one folder that are looked at."""

Signature = tuple[tuple[str, int, int], ...]


class MemoryWatch:
    """Watches the places where memory is kept; those that are not there may come later.

    `on_memory` is told what the panels show whenever that changes, `on_files` that any file of the memory did.
    """

    def __init__(
        self,
        project: Path,
        watch: FolderWatch,
        on_memory: Callable[[MemoryRead], None],
        on_files: Callable[[], None],
    ) -> None:
        self._project, self._watch = project, watch
        self._on_memory, self._on_files = on_memory, on_files
        self._last: Memory | None = None
        self._signature: Signature = ()
        watch.add(project, self._changed)
        self._changed()

    def _changed(self) -> None:
        for folder in self._folders():
            if not self._watch.watches(folder):
                self._watch.add(folder, self._changed)
        signature = self._signed()
        changed, self._signature = signature != self._signature, signature
        memory = read_memory(self._project)
        if memory != self._last:
            self._last = memory
            self._on_memory(MemoryRead(time.time(), memory))
        elif changed:
            self._on_files()

    def _folders(self) -> Iterator[Path]:
        for name in FOLDERS:
            yield self._project / name
        for name in TASK_FOLDERS:
            tasks = self._project / name
            yield tasks
            yield from (tasks / entry.name for entry in _entries(tasks) if entry.is_dir(follow_symlinks=False))

    def _signed(self) -> Signature:
        """Return what tells one state of the files from another."""
        signed: list[tuple[str, int, int]] = []
        for folder in (self._project, *self._folders()):
            for entry in _entries(folder):
                if entry.name in _UNREAD or (folder == self._project and entry.name not in ROOT_FILES):
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                signed.append((entry.path, status.st_mtime_ns, status.st_size))
        return tuple(sorted(signed))


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            for count, entry in enumerate(entries):
                if count >= _MOST:
                    return
                yield entry
    except OSError:
        return
