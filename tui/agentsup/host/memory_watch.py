"""Read the project's memory again whenever its files change."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from agentsup.core.events import MemoryRead
from agentsup.core.memory.model import Memory
from agentsup.core.redaction import without_secrets
from agentsup.host.folder_watch import FolderWatch
from agentsup.store.memory_files import read_memory
from agentsup.store.opening import entries_beneath, status_beneath

FOLDERS = (".agent", ".agent/init.d", ".agent/state", ".agent/log", ".agent/templates", "state")
"""Where memory is kept beside the project's root."""

TASK_FOLDERS = (".agent/tasks", "tasks")
"""Where several tasks are kept, each in a folder of its own."""

ROOT_FILES = frozenset({"STATE.md", "TASK.md", "CONTRACT.md", "DECISIONS.md", "progress.json", "task.json"})
"""What is memory among all that changes in a project's root."""

GIT = (".git/HEAD", ".git/index", ".git/logs/HEAD")
"""What changes with a commit, a checkout or an add: restore texts say what git says."""

_UNREAD = frozenset({"context-version"})
_OURS = re.compile(r"\..*\.agentsup\Z", re.DOTALL)
"""The name of a file that is written, before it takes its place: it stands there for a moment only."""

_MOST = 500
"""Files of one folder that are looked at."""

PAUSE_SHARE = 15
"""Times as long as a look took it is not looked again: a root with a log that grows tells of it all the time."""

LONGEST_PAUSE = 1.0

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
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._next = 0.0
        watch.add(project, self._changed)
        self._look()

    def _changed(self) -> None:
        """Look at once, but never so often that looking is most of what the host does."""
        if self._timer is None:
            self._timer = self._loop.call_later(max(0.0, self._next - self._loop.time()), self._timed)

    def _timed(self) -> None:
        self._timer = None
        begun = self._loop.time()
        self._look()
        now = self._loop.time()
        self._next = now + min(LONGEST_PAUSE, PAUSE_SHARE * (now - begun))

    def _look(self) -> None:
        for folder in (*self._folders(), ".git", ".git/logs"):
            path = self._project / folder
            # A link to a folder elsewhere is not memory: what happens there is nothing to look at.
            if not self._watch.watches(path) and _is_folder(self._project, folder):
                self._watch.add(path, self._changed)
        signature = self._signed()
        changed, self._signature = signature != self._signature, signature
        memory = read_memory(self._project)
        if memory != self._last or (changed and _written(memory) != _written(self._last)):
            self._last = memory
            # It goes to every interface, and what is made of it to disk.
            self._on_memory(MemoryRead(time.time(), without_secrets(memory)))
        elif changed:
            self._on_files()

    def _folders(self) -> Iterator[str]:
        """Yield the folders in which there may be memory, relative to the project."""
        yield from FOLDERS
        for name in TASK_FOLDERS:
            yield name
            for entry in self._entries(name):
                if entry.is_dir(follow_symlinks=False):
                    yield f"{name}/{entry.name}"

    def _signed(self) -> Signature:
        """Return what tells one state of the files from another."""
        signed: list[tuple[str, int, int]] = []
        # By name: a project's root may hold anything, and any number of it.
        for place in (*sorted(ROOT_FILES), *GIT):
            if (status := status_beneath(self._project, place)) is not None:
                signed.append((place, status.st_mtime_ns, status.st_size))
        for folder in self._folders():
            for entry in self._entries(folder):
                with suppress(OSError):  # removed meanwhile
                    status = entry.stat(follow_symlinks=False)
                    # The time of a folder changes with files of ours that are written beside those that are read.
                    is_read = entry.name not in _UNREAD and not _OURS.match(entry.name)
                    if is_read and not stat.S_ISDIR(status.st_mode):
                        signed.append((f"{folder}/{entry.name}", status.st_mtime_ns, status.st_size))
        return tuple(sorted(signed))

    def _entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        return islice(entries_beneath(self._project, folder), _MOST)


def _is_folder(root: Path, place: str) -> bool:
    status = status_beneath(root, place)
    return status is not None and stat.S_ISDIR(status.st_mode)


def _written(memory: Memory) -> tuple[float, float]:
    """Return when the files were written whose age counts."""
    return memory.engram.modified, memory.state.modified
