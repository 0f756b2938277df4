"""Notice an edit outside the paths that TASK.md allows, the moment the agent's log tells of it."""

from __future__ import annotations

import os
from pathlib import Path

from agentsup.core import events as ev
from agentsup.core.checks.task import forbidden_paths
from agentsup.core.memory.model import Memory
from agentsup.core.memory.task import TaskFile, read_task
from agentsup.core.text import sanitise


class PathGuard:
    """Judges the agent's edits by the task of a project."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._folder, self._root = folder, root
        """Where the agent was started, and where its project's memory is: that is above it, or the same."""
        self._task: TaskFile | None = None
        self._memory = Memory()

    def read(self, memory: Memory) -> None:
        """Judge by this memory from now on."""
        if memory.task != self._memory.task:
            self._task = read_task(memory.task.text) if memory.task.text else None
        self._memory = memory

    def judged(self, event: ev.ToolUsed) -> tuple[ev.NoticeRaised, ...]:
        """Return what the person is to be told about a tool call."""
        if self._task is None or event.kind != "edit" or not event.path:
            return ()
        path = self._inside(sanitise(event.path))
        if not forbidden_paths(self._task, self._memory, (path,)):
            return ()
        values = (("path", path), ("task", self._memory.task.path))
        return (ev.NoticeRaised(event.time, "task.edited-outside", values),)

    def _inside(self, path: str) -> str:
        """Return a path relative to the root, also where it names the project by a link to it."""
        full = os.path.join(self._folder, path)
        found = os.path.relpath(full, self._root)
        if not found.startswith(".."):
            return found
        real = os.path.relpath(os.path.realpath(full), os.path.realpath(self._root))
        return found if real.startswith("..") else real
