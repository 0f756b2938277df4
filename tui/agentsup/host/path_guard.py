"""Notice an edit outside the paths that TASK.md allows, the moment the agent's log tells of it."""

from __future__ import annotations

import os
from pathlib import Path

from agentsup.core import events as ev
from agentsup.core.checks.task import forbidden_paths
from agentsup.core.memory.model import Memory
from agentsup.core.memory.task import TaskFile, read_task


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
        path = os.path.relpath(os.path.join(self._folder, event.path), self._root)
        if not forbidden_paths(self._task, self._memory, (path,)):
            return ()
        values = (("path", path), ("task", self._memory.task.path))
        return (ev.NoticeRaised(event.time, "task.edited-outside", values),)
