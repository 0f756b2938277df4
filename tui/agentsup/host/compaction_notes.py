"""What a compaction leaves behind for the person: an engram made from the log, and the question whether it will do."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from pathlib import Path

from agentsup.core import events as ev
from agentsup.core.engram_reasons import MADE
from agentsup.core.memory.engram import write_engram
from agentsup.core.restore.engram_part import automatic_engram
from agentsup.core.session import Session
from agentsup.host.aside import Aside
from agentsup.locale import restore_frame
from agentsup.store import reviews
from agentsup.store.engram_history import record


class CompactionNotes:
    """Notes each compaction of one session."""

    def __init__(
        self, root: Path, language: str, *, session: Callable[[], Session], tell: Callable[[ev.Event], None]
    ) -> None:
        self._root, self._frame = root, restore_frame(language)
        self._session, self._tell = session, tell
        self._loop = asyncio.get_running_loop()
        self._aside = Aside()

    def compacted(self, event: ev.Compacted) -> None:
        """Ask whether the engram will do; where there is none, keep the one that is restored in its place."""
        session = self._session()
        if (session.memory.engram.text or "").strip():
            if session.loop.breaker.is_open:
                return  # there is something graver to say, and nothing is restored
            self._aside.do(lambda: self._count(f"{session.conversation}:{event.id}"))
        elif engram := automatic_engram(session.work, self._frame):
            self._aside.do(lambda: record(self._root, write_engram(engram), "automatic", MADE))

    def _count(self, compaction: str) -> None:
        number = reviews.count(self._root, compaction)
        if number is not None:
            with contextlib.suppress(RuntimeError):  # the host ends meanwhile
                self._loop.call_soon_threadsafe(self._review, number)

    def _review(self, number: int) -> None:
        if not self._session().loop.breaker.is_open:
            self._tell(ev.NoticeRaised(time.time(), "engram.review", (("number", str(number)),)))
