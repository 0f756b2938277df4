"""When the editor of the engram opens, and what of the session it is told meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from agentsup.agents.registry import names_with_log
from agentsup.core.catalogue import Catalogue
from agentsup.core.session import Session
from agentsup.protocol.messages import ClientMessage, EngramSaved
from agentsup.ui.choices import Choices

if TYPE_CHECKING:
    from agentsup.ui.engram_editor import EngramEditor


class EngramOpening:
    """Opens the editor when a person asks for it."""

    def __init__(self, choices: Choices, ask: Callable[[ClientMessage], bool], catalogue: Catalogue) -> None:
        self._choices, self._ask, self._catalogue = choices, ask, catalogue
        self._session: Session | None = None
        self._editor: EngramEditor | None = None
        self._seen = ""

    def take_session(self, session: Session) -> None:
        """Note the session; an editor that is open looks at its file again when that has changed."""
        self._session = session
        sha, before = session.memory.engram.sha, self._seen
        self._seen = sha
        if self._editor is not None and self._editor.is_attached:
            self._editor.take_pastes()  # the end of an agent takes them away from all
            if sha != before:
                self._editor.look_again()

    def take_leader(self, key: str) -> None:
        """Give an open editor the leader: a person may have chosen one of its keys."""
        if self._editor is not None and self._editor.is_attached and self._editor.is_current:
            self._editor.take_leader(key)

    def open(self) -> None:
        """Edit the engram."""
        session = self._session
        if session is None:
            self._choices.close()
            return
        # Here, not above: the interface starts without it.
        from agentsup.ui.engram_desk import Desk
        from agentsup.ui.engram_editor import EngramEditor

        desk = Desk(session.project)
        self._editor = EngramEditor(desk, self._tell, self._catalogue, is_told=self._is_told)
        self._choices.show(self._editor)

    def _tell(self, sha: str, tell: bool) -> bool:
        return self._ask(EngramSaved(sha, tell))

    def _is_told(self) -> bool:
        """Say whether there is an agent that can be told: into one without a log that is read nothing is typed."""
        session = self._session
        return session is not None and session.phase != "exited" and session.agent.name in names_with_log()
