"""Keep every version of the engram, whoever writes the file: a person's editor and an agent's tools tell nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from agentsup.core.memory.model import Document
from agentsup.host.aside import Aside
from agentsup.store.engram_history import Author, record

PAUSE = 2.0
"""Seconds in which a command of ours that has written the file adds the version itself, and knows why."""

REASON = "the file was changed"


class EngramVersions:
    """Adds what is on disk to the history of a project's engram."""

    def __init__(self, root: Path, *, is_at_work: Callable[[], bool]) -> None:
        self._root, self._is_at_work = root, is_at_work
        self._aside = Aside()
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def read(self, document: Document) -> None:
        """The engram is this now. While the agent works it is taken for the agent's, else for a person's."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if document.text is not None and document.text.strip() and not document.problem:
            author: Author = "agent" if self._is_at_work() else "person"
            self._timer = self._loop.call_later(PAUSE, self._add, document.text, author)

    def _add(self, text: str, author: Author) -> None:
        self._timer = None
        # A history that can't be written is told by what shows it.
        self._aside.do(lambda: record(self._root, text, author, REASON))
