"""Write what nobody waits for without holding up the loop: a folder's lock may be somebody else's for seconds."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable

from agentsup.core.problems import Problem


class Aside:
    """Does one thing after the other in a thread of its own; one that fails is left undone, and one at the end too."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def do(self, write: Callable[[], object]) -> None:
        """Have this done soon; OSError and Problem are passed over."""
        self._waiting.put(write)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="aside", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while True:
            write = self._waiting.get()
            with contextlib.suppress(OSError, Problem):
                write()
