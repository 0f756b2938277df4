"""Find the log that belongs to the agent's own process, by the files it holds open.

Never "the newest file in the folder": two agents in one project would be mixed up. And never a descendant's:
an agent that runs another one as a tool is still in its own conversation.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from agentsup.agents.adapter import Adapter, Conversation
from agentsup.host.folder_watch import FolderWatch
from agentsup.host.log_tail import LogTail

LOOK_INTERVAL = 0.25
"""Least seconds between two looks at the process. They follow its output, so an idle agent costs nothing."""

LOGLESS_LOOKS = 4
"""Looks for which a newer conversation may be without a log before it is taken for the one the person opened."""


def open_files(pid: int) -> list[str]:
    """Return the paths that one process holds open; nothing where that can't be seen."""
    folder = f"/proc/{pid}/fd"
    try:
        numbers = os.listdir(folder)
    except OSError:
        return _open_files_elsewhere(pid) if not os.path.isdir("/proc") else []
    paths = []
    for number in numbers:
        # The link is read and never followed: a file on a dead network drive would stop us.
        try:
            paths.append(os.readlink(f"{folder}/{number}"))
        except OSError:
            continue
    return paths


def _open_files_elsewhere(pid: int) -> list[str]:
    import psutil

    try:
        return [file.path for file in psutil.Process(pid).open_files()]
    except psutil.Error:
        return []


def children(pid: int) -> list[int]:
    """Return the direct children of a process."""
    # The kernel's own list, where it has one: psutil reads the status of every process there is for it, 3 to
    # 9 ms in which no key is echoed.
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    except OSError:
        return _children_elsewhere(pid)
    return found


def _children_elsewhere(pid: int) -> list[int]:
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children()]
    except psutil.Error:
        return []


class Conversations:
    """Follows the agent from one conversation to the next."""

    def __init__(
        self,
        adapter: Adapter,
        watch: FolderWatch,
        *,
        on_conversation: Callable[[Conversation], None],
        on_line: Callable[[bytes], None],
        on_skipped: Callable[[], None],
    ) -> None:
        self._adapter, self._watch = adapter, watch
        self._on_conversation, self._on_line, self._on_skipped = on_conversation, on_line, on_skipped
        self._loop = asyncio.get_running_loop()
        self._pid = 0
        self._own = 0
        self._current: Conversation | None = None
        self._strangers: set[str] = set()
        self._logless = ("", 0)
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
        self._tail, self._current, self._pid, self._own = None, None, 0, 0
        self._strangers.clear()

    def settled(self) -> bool:
        """Look now: whether the agent is still in the conversation that was told last."""
        if not self._pid or self._current is None:
            return True
        found = self._found()
        return found is None or found.id == self._current.id

    def _look(self) -> None:
        self._due = False
        self._last = self._loop.time()
        if not self._pid:
            return
        found = self._found()
        if found is None or found == self._current:
            return
        current = self._current
        if current is not None and found.id == current.id and not found.log:
            return  # the log was seen open before; it stays this conversation's log
        if current is not None and found.id != current.id and not self._is_the_persons(found):
            return
        self._current = found
        if self._tail is not None:
            self._tail.close()
            self._tail = None
        self._on_conversation(found)
        if found.log:
            self._tail = LogTail(Path(found.log), self._watch, self._on_line, self._on_skipped)

    def _found(self) -> Conversation | None:
        """Look at the agent's process: the one we started, or the one its launcher has started."""
        if self._own:
            return self._adapter.conversation(open_files(self._own), self._strangers)
        for pid in (self._pid, *children(self._pid)):
            found = self._adapter.conversation(open_files(pid), self._strangers)
            if found is not None:
                self._own = pid
                return found
        return None

    def _is_the_persons(self, found: Conversation) -> bool:
        """Tell a conversation that the person has opened from one that the agent runs for itself."""
        if found.log:
            if self._adapter.is_persons(Path(found.log)):
                return True
            self._strangers.add(found.id)
            return False
        id, looks = self._logless
        self._logless = (found.id, looks + 1 if id == found.id else 1)
        if self._logless[1] < LOGLESS_LOOKS:
            self._loop.call_later(LOOK_INTERVAL, self.agent_wrote)
            return False
        return True
