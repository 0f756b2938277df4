"""What a person has sent: a text of their own, or the memory once more. It goes the way of everything that is typed."""

from __future__ import annotations

from collections.abc import Callable

from agentsup.core.catalogue import filled
from agentsup.core.occasion import PERSONAL, Occasion
from agentsup.core.session import Session
from agentsup.core.text import sanitise
from agentsup.host.text_queue import TextQueue
from agentsup.protocol import messages as m
from agentsup.store.folders import random_name

TEXT_MOST = 64 << 10
"""Bytes of a text: an agent reads a longer one better from a file."""

_NAME_LENGTH = 6

_BYTE_ORDER_MARK = "\ufeff"
"""How some programs begin a file."""

_LINE_ENDS = {0x2028: "\n", 0x2029: "\n"}
"""Ends of lines that input boxes drop."""


class OwnTexts:
    """Answers requests to send something: only where it can be proven to have arrived."""

    def __init__(
        self,
        queue: TextQueue,
        *,
        header: str,
        session: Callable[[], Session],
        has_log: bool,
        is_raw: Callable[[], bool],
        prepare: Callable[[], None],
    ) -> None:
        """`header`: the first line, with {id}; `prepare` has restore texts composed of what is on disk now."""
        self._queue, self._header, self._session = queue, header, session
        self._has_log, self._is_raw, self._prepare = has_log, is_raw, prepare

    def inject(self, request: m.InjectRequest) -> m.Outcome:
        """Queue it; the answer names its id, or says why nothing is sent."""
        if self._session().phase == "exited":
            return m.Outcome(False, "inject.exited")
        if not self._has_log:
            # What it does with a text is told nowhere, and a terminal that reads whole lines cuts long ones.
            return m.Outcome(False, "inject.no-log" if self._is_raw() else "inject.whole-lines")
        # A name of its own: who asks twice wants it sent twice.
        occasion = Occasion(PERSONAL, name=random_name(_NAME_LENGTH))
        if request.kind == "restore":
            self._prepare()
            id, refusal = self._queue.restore(occasion, "asked"), "inject.nothing"
        else:
            text = request.text.removeprefix(_BYTE_ORDER_MARK).translate(_LINE_ENDS)
            id, refusal = self._text(occasion, sanitise(text).strip("\n"))
        if id is None:
            return m.Outcome(False, refusal)
        return m.Outcome(True, "", (("id", id),))

    def _text(self, occasion: Occasion, text: str) -> tuple[str | None, str]:
        if not text.strip():
            return None, "inject.empty"
        if len(text.encode()) > TEXT_MOST:
            return None, "inject.too-long"
        return self._queue.send(occasion, lambda id: f"{filled(self._header, id=id)}\n\n{text}"), "inject.refused"
