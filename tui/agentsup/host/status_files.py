"""Read the files in which an agent says how it is, whenever one changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from agentsup.agents.adapter import Adapter, Place
from agentsup.core.events import Event
from agentsup.host.folder_watch import FolderWatch
from agentsup.store.opening import open_persons

READ_MOST = 1 << 18
"""Bytes of a status file that are read; a larger one is none."""


class StatusFiles:
    """Follows the status files of one process."""

    def __init__(
        self, adapter: Adapter, place: Place, watch: FolderWatch, *, on_event: Callable[[Event], None]
    ) -> None:
        self._adapter, self._place, self._watch = adapter, place, watch
        self._on_event = on_event
        self._known: dict[Path, bytes] = {}
        self._folders: set[Path] = set()

    def follow(self, pid: int) -> None:
        """Follow this process from now on, and read what it has said so far."""
        self.close()
        self._known = dict.fromkeys(self._adapter.status_files(pid, self._place), b"")
        self.look()

    def look(self) -> None:
        """Read what is new, also in folders that did not exist before."""
        for folder in {path.parent for path in self._known} - self._folders:
            if self._watch.add(folder, self._changed):
                self._folders.add(folder)
        self._changed()

    def repeat(self) -> None:
        """Tell everything once more: what was said before belonged to another conversation."""
        self._known = dict.fromkeys(self._known, b"")
        self._changed()

    def close(self) -> None:
        """Stop following."""
        for folder in self._folders:
            self._watch.remove(folder, self._changed)
        self._folders.clear()
        self._known.clear()

    def _changed(self) -> None:
        for path, known in list(self._known.items()):
            try:
                opened = open_persons(path)
                data = None if opened is None else _first(opened[0])
            except OSError:
                continue
            if data is None or data == known:
                continue
            self._known[path] = data
            for event in self._adapter.read_status(path, data, time.time()):
                self._on_event(event)


def _first(number: int) -> bytes:
    with open(number, "rb") as file:
        return file.read(READ_MOST)
