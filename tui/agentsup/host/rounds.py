"""Write the journal: every round that ends in this session, once, whatever is read of the agent's log again."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from agentsup.core import events as ev
from agentsup.core.problems import Problem
from agentsup.core.rounds import Judged, Place, Round, Rounds, after
from agentsup.core.session import Session
from agentsup.host import clock
from agentsup.host.aside import Aside
from agentsup.store import journal
from agentsup.tokens import guess

PATIENCE = 1.0
"""Seconds for which the last round is waited for: after the agent's end the host may end at any moment."""

KEPT = 1_000
"""Rounds of before this session that are known by heart: a branch's log may hold copies of them."""

KNOWN_MOST = 5_000
"""The same and those of this session: what is older than those that were forgotten is not written again either."""

UNWRITABLE = "journal.unwritable"


class RoundWriter:
    """Follows a session, and adds its rounds to the journal of the project."""

    def __init__(
        self,
        root: Path,
        *,
        session: Callable[[], Session],
        line_at: Callable[[], int | None],
        tell: Callable[[ev.Event], None],
        is_caught_up: Callable[[], bool],
    ) -> None:
        """`is_caught_up`: whether what the log tells is news, and not what it held when it was begun."""
        self._root, self._session, self._line_at, self._tell = root, session, line_at, tell
        self._is_caught_up, self._is_old = is_caught_up, False
        self._loop = asyncio.get_running_loop()
        self._aside = Aside()
        self._rounds = Rounds()
        self._since = 0.0
        self._known: deque[Round] | None = None
        """Rounds of this session that the journal holds, and some before; read with the first one that is added."""
        self._forgotten = 0.0
        """When the newest round of this session was that is known no more."""
        self._failed = False

    def happened(self, event: ev.Event) -> None:
        """Take an event that the session has in it now."""
        if isinstance(event, ev.AgentStarted):
            self._since = event.time
        session = self._session()
        self._rounds, ended = after(self._rounds, event, session, at=self._place(session), count=guess)
        for each in ended:
            # What a resumed conversation's log begins with was another session's.
            if isinstance(each, Judged) or not self._is_old:
                self._later(each)
        if isinstance(event, ev.TurnStarted) and event.asked:
            self._is_old = clock.is_old(event.time, self._since, caught_up=self._is_caught_up())
        if ended and isinstance(event, ev.AgentExited):
            self._wait()

    def _later(self, ended: Round | Judged) -> None:
        self._aside.do(lambda: self._write(ended))

    def _wait(self) -> None:
        written = threading.Event()
        self._aside.do(written.set)
        written.wait(PATIENCE)

    def _place(self, session: Session) -> Place | None:
        offset = self._line_at()
        return None if offset is None else Place(os.fsencode(session.log.path).decode("utf-8", "replace"), offset)

    def _write(self, ended: Round | Judged) -> None:
        """Write one thing; in the thread of those."""
        try:
            if isinstance(ended, Judged):
                journal.judge(self._root, ended)
                return
            if self._known is None:
                found = journal.rounds(self._root)
                self._known = deque(each for each in found[:-KEPT] if each.time >= self._since)
                self._known += found[-KEPT:]
            self._forget(self._known)
            added = journal.add(self._root, ended, known=self._known) if ended.time > self._forgotten else None
            if added is not None:
                self._known.append(added)
        except (OSError, Problem, journal.Conflict) as error:
            reason = error.values.get("reason", error.key) if isinstance(error, Problem) else str(error)
            with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
                self._loop.call_soon_threadsafe(self._could_not, reason)

    def _forget(self, known: deque[Round]) -> None:
        while len(known) > KNOWN_MOST:
            oldest = known.popleft()
            if oldest.time >= self._since:
                self._forgotten = max(self._forgotten, oldest.time)

    def _could_not(self, reason: str) -> None:
        if not self._failed:
            self._failed = True
            self._tell(ev.NoticeRaised(time.time(), UNWRITABLE, (("reason", reason),)))
