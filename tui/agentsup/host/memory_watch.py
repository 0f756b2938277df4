"""Read the project's memory again whenever its files change."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from agentsup.core.events import MemoryRead
from agentsup.core.memory import Memory
from agentsup.host.folder_watch import FolderWatch
from agentsup.store.memory_files import read_memory


class MemoryWatch:
    """Watches the project's root and its .agent folder, which may come later."""

    def __init__(self, project: Path, watch: FolderWatch, on_memory: Callable[[MemoryRead], None]) -> None:
        self._project, self._watch, self._on_memory = project, watch, on_memory
        self._last: Memory | None = None
        watch.add(project, self._changed)
        self._changed()

    def _changed(self) -> None:
        folder = self._project / ".agent"
        if not self._watch.watches(folder):
            self._watch.add(folder, self._changed)
        memory = read_memory(self._project)
        if memory != self._last:
            self._last = memory
            self._on_memory(MemoryRead(time.time(), memory))
