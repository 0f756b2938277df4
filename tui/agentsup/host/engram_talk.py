"""What the agent is told of its engram: each text once, and none any more that something else has overtaken."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentsup.core import engram_texts as texts
from agentsup.core.catalogue import Catalogue
from agentsup.core.checks.finding import Finding
from agentsup.core.engram_intake import Knowledge, Message, knows, occasion_name
from agentsup.core.occasion import CORRECTION, ENGRAM, Occasion
from agentsup.core.session import Session
from agentsup.host.text_queue import TextQueue


class EngramTalk:
    """Asks one agent for its engram, says what is wrong with it, and which one a person has written."""

    def __init__(self, queue: TextQueue, catalogue: Catalogue, session: Callable[[], Session]) -> None:
        self._queue, self._catalogue, self._session = queue, catalogue, session
        self._conversation = session().conversation
        self._open: set[Occasion] = set()
        """Occasions of what is asked of the agent, and may still wait to be sent."""
        self._corrections: dict[Occasion, tuple[str, float]] = {}
        """Those of a person's engrams, with their texts and when they were written."""

    def moved(self, conversation: str) -> None:
        """The agent is in another conversation."""
        self._conversation = conversation
        self._open.clear()
        self._corrections.clear()

    def ask(self, percent: int, files: int, compactions: int) -> None:
        """Ask for an engram, once between two compactions."""
        occasion = Occasion(ENGRAM, self._conversation, f"ask{compactions}")
        if self._send(occasion, lambda id: texts.asking(self._catalogue, id, percent=percent, files=files)):
            self._open.add(occasion)

    def send_back(self, message: Message, attempt: int, findings: Sequence[Finding]) -> None:
        """Say what is wrong with the engram of a message."""
        # The same name when the log is read once more, and another one where the agent says the same again.
        occasion = Occasion(ENGRAM, self._conversation, f"{message.id}.{attempt}")
        if self._send(occasion, lambda id: texts.sending_back(self._catalogue, id, attempt, findings)):
            self._open.add(occasion)

    def correct(self, known: Knowledge, text: str, modified: float) -> str | None:
        """Tell the agent which engram holds, once for each time that it is written; return the id."""
        if not self._conversation or knows(known, text, modified):
            return None
        occasion = Occasion(CORRECTION, self._conversation, occasion_name(text, modified))
        id = self._send(occasion, lambda id: texts.correcting(self._catalogue, id, text))
        if id is not None:
            self._corrections[occasion] = text, modified
        return id

    def withdraw(self, reason: str, *, corrections: bool) -> None:
        """What was asked about an earlier engram need not be asked any more; nor an earlier correction be told."""
        for occasion in sorted(self._open, key=lambda each: each.name):
            self._queue.withdraw(occasion, reason)
        self._open.clear()
        if corrections:
            for occasion in self._corrections:
                self._queue.withdraw(occasion, reason)
            self._corrections.clear()

    def learnt(self, known: Knowledge) -> None:
        """What a restore text has told the agent meanwhile need not be told once more."""
        for occasion, (text, modified) in tuple(self._corrections.items()):
            if knows(known, text, modified):
                del self._corrections[occasion]
                self._queue.withdraw(occasion, "injection.told-meanwhile")

    def accepted(self) -> None:
        """A person has saved an engram: what waited for that may go."""
        self._queue.engram_accepted()

    def _send(self, occasion: Occasion, compose: Callable[[str], str]) -> str | None:
        return None if self._session().phase == "exited" else self._queue.send(occasion, compose)
