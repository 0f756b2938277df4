"""Find the log that belongs to the agent's own processes, by the files they hold open.

Never "the newest file in the folder": two agents in one project would be mixed up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from agentsup.agents.adapter import Adapter, Conversation
from agentsup.host.folder_watch import FolderWatch
from agentsup.host.log_tail import LogTail

LOOK_INTERVAL = 0.25
"""Least seconds between two looks at the processes; they follow the agent's output, so an idle agent costs nothing."""


def open_files(pid: int) -> list[str]:
    """Return the paths that a process and its descendants hold open; what can't be seen is left out."""
    import psutil

    paths: list[str] = []
    try:
        root = psutil.Process(pid)
        family = [root, *root.children(recursive=True)]
    except psutil.Error:
        return paths
    for process in family:
        try:
            paths += [file.path for file in process.open_files()]
        except (psutil.Error, OSError):
            continue
    return paths


class Conversations:
    """Follows the agent from one conversation to the next."""

    def __init__(
        self,
        adapter: Adapter,
        watch: FolderWatch,
        *,
        on_conversation: Callable[[Conversation], None],
        on_line: Callable[[bytes], None],
    ) -> None:
        self._adapter, self._watch = adapter, watch
        self._on_conversation, self._on_line = on_conversation, on_line
        self._loop = asyncio.get_running_loop()
        self._pid = 0
        self._current: Conversation | None = None
        self._tail: LogTail | None = None
        self._due = False
        self._last = 0.0

    def follow(self, pid: int) -> None:
        """Follow this process from now on."""
        self.close()
        self._pid = pid
        self.agent_wrote()

    def agent_wrote(self) -> None:
        """The agent has drawn something: have a look soon, for a new conversation always shows."""
        if self._due or not self._pid:
            return
        self._due = True
        wait = max(0.0, self._last + LOOK_INTERVAL - self._loop.time())
        self._loop.call_later(wait, self._look)

    def close(self) -> None:
        """Stop following."""
        if self._tail is not None:
            self._tail.close()
        self._tail, self._current, self._pid = None, None, 0

    @property
    def skipped(self) -> int:
        """Lines of the current log that were too long to read."""
        return self._tail.skipped if self._tail is not None else 0

    def _look(self) -> None:
        self._due = False
        self._last = self._loop.time()
        if not self._pid:
            return
        found = self._adapter.conversation(open_files(self._pid))
        if found is None or found == self._current:
            return
        if self._current is not None and found.id == self._current.id and not found.log:
            return  # the log was seen open before; it stays this conversation's log
        self._current = found
        self._on_conversation(found)
        if self._tail is not None:
            self._tail.close()
            self._tail = None
        if found.log:
            self._tail = LogTail(Path(found.log), self._watch, self._on_line)
