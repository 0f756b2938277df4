"""Write what nobody waits for without holding up the loop: a folder's lock may be somebody else's for seconds."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable

from agentsup.core.problems import Problem
from agentsup.store.content import Conflict


class Aside:
    """Does one thing after the other in a thread of its own; one that fails is left undone, and one at the end too."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def do(self, write: Callable[[], object]) -> None:
        """Have this done soon; OSError, Problem and Conflict are passed over."""
        self._waiting.put(write)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="aside", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while True:
            write = self._waiting.get()
            try:
                write()
            except (OSError, Problem, Conflict):
                pass
            except Exception as error:  # noqa: BLE001  the border around one: those after it are done all the same
                self._tell(error)

    def _tell(self, error: Exception) -> None:
        failed = {"message": "what was to be written aside", "exception": error}
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            self._loop.call_soon_threadsafe(self._loop.call_exception_handler, failed)
