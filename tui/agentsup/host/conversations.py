"""Find the log that belongs to the agent's own process, by what that process shows of itself.

Never "the newest file in the folder": two agents in one project would be mixed up. And never a descendant's:
an agent that runs another one as a tool is still in its own conversation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from agentsup.agents.adapter import Adapter, Conversation, Place
from agentsup.core.events import Event
from agentsup.host.folder_watch import FolderWatch
from agentsup.host.log_tail import LogTail, Reading
from agentsup.host.processes import SystemProcess, children, exists
from agentsup.host.status_files import StatusFiles

LOOK_INTERVAL = 0.25
"""Least seconds between two looks at the process. They follow its output, so an idle agent costs nothing."""

FIRST_INTERVAL = 0.04
"""The same while the conversation has no log yet: its first lines are to be events at once, too."""

LOGLESS_LOOKS = 4
"""Looks for which a newer conversation may be without a log before it is taken for the one the person opened."""


class Conversations:
    """Follows the agent from one conversation to the next."""

    def __init__(
        self,
        adapter: Adapter,
        place: Place,
        watch: FolderWatch,
        *,
        on_conversation: Callable[[Conversation], None],
        on_line: Callable[[bytes], None],
        on_long_line: Callable[[bytes], None],
        on_reading: Callable[[Reading], None],
        on_restart: Callable[[], None],
        on_trouble: Callable[[str], None],
        on_caught_up: Callable[[], None],
        on_event: Callable[[Event], None],
    ) -> None:
        self._adapter, self._place, self._watch = adapter, place, watch
        self._status = StatusFiles(adapter, place, watch, on_event=self._told)
        self._on_conversation, self._on_event = on_conversation, on_event
        self._on_line, self._on_long_line, self._on_reading = on_line, on_long_line, on_reading
        self._on_restart, self._on_trouble, self._on_caught_up = on_restart, on_trouble, on_caught_up
        self._loop = asyncio.get_running_loop()
        self._pid = 0
        self._own = 0
        self._current: Conversation | None = None
        self._strangers: set[str] = set()
        self._logless = ("", 0)
        self._tail: LogTail | None = None
        self._due = False
        self._last = 0.0

    @property
    def line_at(self) -> int | None:
        """Where in the log the line begins that is told right now, in bytes; None while none is."""
        return self._tail.at if self._tail is not None else None

    @property
    def caught_up(self) -> bool:
        """Whether what the log tells is news; while it is read for the first time, or once more, it is history."""
        if self._current is None or not self._current.log:
            return True
        return self._tail is not None and self._tail.caught_up

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
        interval = LOOK_INTERVAL if self._tail is not None else FIRST_INTERVAL
        wait = max(0.0, self._last + interval - self._loop.time())
        self._loop.call_later(wait, self._look)

    def close(self) -> None:
        """Stop following."""
        if self._tail is not None:
            self._tail.close()
        self._tail, self._current, self._pid, self._own = None, None, 0, 0
        self._status.close()
        self._strangers.clear()

    def settled(self) -> bool:
        """Look now: whether the agent is certainly still in the conversation that was told last."""
        if not self._pid or self._current is None:
            return True
        found = self._found()
        return found is None or (found.id == self._current.id and found.certain)

    def _told(self, event: Event) -> None:
        """The agent's own file about itself says something, perhaps another conversation."""
        self._on_event(event)
        self.agent_wrote()

    def _look(self) -> None:
        self._due = False
        self._last = self._loop.time()
        if not self._pid:
            return
        found = self._found()
        self._status.look()
        if found is None or found == self._current:
            return
        current = self._current
        if current is None:
            found = self._first(found)
        elif found.id == current.id and not found.log:
            return  # the log was seen open before; it stays this conversation's log
        elif found.id != current.id and not self._is_the_persons(found):
            return
        self._current = found
        if self._tail is not None:
            self._tail.close()
            self._tail = None
        self._on_conversation(found)
        if found.log:
            self._tail = LogTail(
                Path(found.log), self._watch, self._on_line, self._on_reading, on_long_line=self._on_long_line,
                on_restart=self._on_restart, on_trouble=self._on_trouble,
                on_caught_up=self._on_caught_up,
            )  # fmt: skip
        else:
            self._on_caught_up()
        if current is None or current.id != found.id:
            self._status.repeat()

    def _found(self) -> Conversation | None:
        """Look at the agent's process: the one we started, or the one its launcher has started."""
        if self._own != self._pid and not exists(self._own):
            self._own = 0  # its launcher may have started another one
        for pid in (self._own,) if self._own else (self._pid, *children(self._pid)):
            found = self._adapter.conversation(SystemProcess(pid), self._place, self._strangers)
            if found is not None:
                if not self._own:
                    self._own = pid
                    self._status.follow(pid)
                return None if self._is_outdated(found) else found
        return None

    def _first(self, newest: Conversation) -> Conversation:
        """Return the person's own, where a host that takes over finds others beside it; the newest of others alone."""
        found: Conversation | None = newest
        while found is not None and found.log and not self._adapter.is_persons(Path(found.log)):
            self._strangers.add(found.id)
            found = self._found()
        if found is None:
            self._strangers.discard(newest.id)
        return found or newest

    def _is_outdated(self, found: Conversation) -> bool:
        """Say whether that is where the agent was before: what tells of the present one is just being made anew."""
        current = self._current
        return current is not None and found.id != current.id and found.since < current.since

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
