"""Keep every version of the engram, whoever writes the file: a person's editor and an agent's tools tell nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from agentsup.core.engram_commands import PLACE
from agentsup.core.engram_intake import Knowledge
from agentsup.core.memory.model import Document
from agentsup.host.aside import Aside
from agentsup.store.engram_history import record, record_found, written_at
from agentsup.store.opening import status_beneath

PAUSE = 2.0
"""Seconds in which who has written the file adds the version, and knows why; and the agent's log tells of a tool."""


class EngramVersions:
    """Adds what is on disk to the history of a project's engram."""

    def __init__(self, root: Path, *, known: Callable[[], Knowledge], on_found: Callable[[], None]) -> None:
        """`known`: what the agent knows, and has written; `on_found`: it was changed, and nobody knows by whom."""
        self._root, self._known, self._on_found = root, known, on_found
        self._seen = ""
        """The text that was looked at last; what the file said at first is no change."""
        self._aside = Aside()
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def read(self, document: Document) -> None:
        """The engram is this now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if document.text is not None and document.text.strip() and not document.problem:
            self._timer = self._loop.call_later(PAUSE, self._add, document.text, document.modified)

    def saved(self, text: str) -> None:
        """A person has saved this, or says that what was found is theirs."""
        self._aside.do(lambda: record(self._root, text, "person"))

    def _add(self, text: str, modified: float) -> None:
        self._timer = None
        known = self._known()
        # A history that can't be written is told by what shows it.
        self._aside.do(lambda: self._record(text, modified, known))

    def _record(self, text: str, modified: float, known: Knowledge) -> None:
        status = status_beneath(self._root, PLACE)
        version = record_found(self._root, text, written_at(status) if status else modified, known)
        before, self._seen = self._seen, text
        if version.author == "found" and before not in ("", text):
            self._loop.call_soon_threadsafe(self._on_found)
