"""What is said about the memory on disk, for as long as it is so: each once, and not again when it was dismissed."""

from __future__ import annotations

import time
from collections.abc import Callable

from agentsup.core import events as ev
from agentsup.core.restore.preparation import MEMORY_NOTICES, Said
from agentsup.core.session import Notice, Session


class MemoryNotices:
    """Raises and clears the notices that composing restore texts gives."""

    def __init__(self, happened: Callable[[ev.Event], None], session: Callable[[], Session]) -> None:
        self._happened, self._session = happened, session
        self._told: dict[str, tuple[tuple[str, str], ...]] = {}

    def are(self, said: tuple[Said, ...]) -> None:
        """These are to be said now, and no others of their kind."""
        now = time.time()
        for key in MEMORY_NOTICES - {key for key, _ in said}:
            if any(notice.key == key for notice in self._session().notices):
                self._happened(ev.NoticeCleared(now, key))
        for key, values in said:
            if Notice(key, values) not in self._session().notices and self._told.get(key) != values:
                self._happened(ev.NoticeRaised(now, key, values))
        self._told = dict(said)

    def say_once(self, key: str) -> None:
        """Say this, unless it was said and nothing else since: not at the end of every turn."""
        if key not in self._told:
            self._told[key] = ()
            self._happened(ev.NoticeRaised(time.time(), key))
