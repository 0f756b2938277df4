"""Memory at the start of a new session: once, before its first work.

A session begins with the agent, and with every conversation in which nothing was said yet. One that is gone on with,
or copied from another, has its memory in it. So has a cold restart: it is in the first prompt.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from agentsup.agents.adapter import Conversation
from agentsup.core import events as ev
from agentsup.core.injector import BEGINS
from agentsup.core.occasion import START, Occasion
from agentsup.host.text_queue import TextQueue

LOOK_AGAIN = 0.2
"""Seconds between two looks whether there is something to restore, as long as texts are being composed."""

NOT_NEW = "injection.not-new"

SLACK = 1.0
"""Seconds by which a turn may seem older than the word that its conversation is new: two clocks, and late news."""


class StartRestore:
    """Asks for the restore of every new conversation."""

    def __init__(
        self,
        queue: TextQueue,
        *,
        begins_anew: Callable[[Conversation, bool], bool],
        is_settled: Callable[[], bool],
        on_missed: Callable[[], None],
        is_ours: Callable[[], bool],
    ) -> None:
        """`begins_anew`: whether nothing was said in a conversation; True with it for the first one of a launch.

        `on_missed`: work has begun in one of them before anything could be queued; `is_ours`: whether a text of ours
        has begun the turn that runs, which is no work.
        """
        self._queue, self._begins_anew, self._is_settled = queue, begins_anew, is_settled
        self._on_missed, self._is_ours = on_missed, is_ours
        self._loop = asyncio.get_running_loop()
        self._ended = self._is_restart = False
        self._is_first = True
        self._known: set[str] = set()
        self._brought: set[str] = set()
        """Those that a cold restart has begun."""
        self._wanted = ""
        """The new conversation that is still without work, and for which nothing could be queued so far."""
        self._since = 0.0
        """When that was known: turns of before it are those of another conversation, read once more."""
        self._timer: asyncio.TimerHandle | None = None

    def happened(self, event: ev.Event) -> None:
        """Follow the agent from one conversation to the next."""
        match event:
            case ev.AgentStarted():
                self._is_restart, self._ended, self._is_first = self._ended, False, True
                self._want("")
            case ev.AgentExited():
                self._ended = True
                self._want("")
            case ev.HookHeard(event="SessionStart") if event.conversation:
                self._told_by_a_hook(event.conversation, event.source)
            case ev.ConversationIdentified() if event.conversation:
                self._identified(Conversation(event.conversation, event.path))
            case ev.TurnStarted() if not self._is_ours():
                if self._wanted and event.asked and event.time > self._since - SLACK:
                    self._on_missed()
                self._want("")
            case ev.MemoryRead():
                self._try()
            case _:
                pass

    def _told_by_a_hook(self, conversation: str, source: str) -> None:
        # The agent knows best: what was concluded from its launch and files is put right.
        if source in BEGINS:
            self._meets(conversation)
            if conversation not in self._brought:
                self._want(conversation)
        elif source != "compact":
            self._meets(conversation)
            self._queue.withdraw(Occasion(START, conversation), NOT_NEW)
            if self._wanted == conversation:
                self._want("")

    def _identified(self, conversation: Conversation) -> None:
        first = self._is_first
        if self._meets(conversation.id):
            self._want(conversation.id if self._begins_anew(conversation, first) else "")

    def _meets(self, conversation: str) -> bool:
        """Take note of a conversation; say whether it is another one, and none that a cold restart begins with."""
        if conversation in self._known:
            return False
        if self._is_first and self._is_restart:
            self._brought.add(conversation)
        self._is_first = False
        self._known.add(conversation)
        return conversation not in self._brought

    def _want(self, conversation: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._wanted, self._since = conversation, time.time()
        self._try()

    def _try(self) -> None:
        if not self._wanted:
            return
        occasion = Occasion(START, self._wanted)
        if self._queue.is_served(occasion) or self._queue.restore(occasion, "start") is not None:
            self._wanted = ""
        elif not self._is_settled() and self._timer is None:
            self._timer = self._loop.call_later(LOOK_AGAIN, self._again)

    def _again(self) -> None:
        self._timer = None
        self._try()
