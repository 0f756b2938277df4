"""Notice an edit outside the paths that TASK.md allows, the moment the agent's log tells of it."""

from __future__ import annotations

from agentsup.core import events as ev
from agentsup.core.memory.model import Document
from agentsup.core.memory.task import TaskFile, is_allowed, read_task


class PathGuard:
    """Judges the agent's edits by the task of a project."""

    def __init__(self, project: str) -> None:
        self._project = project
        self._task: TaskFile | None = None
        self._document = Document("")

    @property
    def task(self) -> Document:
        """TASK.md as it was read last."""
        return self._document

    @task.setter
    def task(self, document: Document) -> None:
        if document != self._document:
            self._document = document
            self._task = read_task(document.text) if document.text else None

    def judged(self, event: ev.ToolUsed) -> tuple[ev.NoticeRaised, ...]:
        """Return what the person is to be told about a tool call."""
        if self._task is None or event.kind != "edit" or not event.path:
            return ()
        if is_allowed(self._task, event.path, root=self._project) is not False:
            return ()
        values = (("path", event.path), ("task", self._document.path))
        return (ev.NoticeRaised(event.time, "task.edited-outside", values),)
