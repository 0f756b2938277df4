"""The words of a restore: of what is on disk now, numbered, and short where the long ones pile up."""

from __future__ import annotations

from collections.abc import Callable

from agentsup.agents.adapter import ARGUMENT_MOST
from agentsup.core.restore.composition import RestoreText
from agentsup.core.restore.frame import RestoreForm, Then
from agentsup.core.session import Session
from agentsup.core.text import on_one_line
from agentsup.host.restores import Restores
from agentsup.store.rest_file import RestFile


class RestoreTexts:
    """Composes for one session."""

    def __init__(
        self, restores: Restores, session: Callable[[], Session], *, stops: bool = False, rest: RestFile | None = None
    ) -> None:
        self._restores, self._session = restores, session
        self._stops = stops
        """Whether an agent that was interrupted is to stop once it has read back."""
        self.rest = rest
        """The file that a short text names; None where there can't be any."""

    @property
    def can_be_short(self) -> bool:
        """Say whether a text can name a file with the rest: as it is spelt, on one line."""
        rest = str(self.rest.path) if self.rest is not None else ""
        return bool(rest) and on_one_line(rest) == rest

    @property
    def settled(self) -> bool:
        """Say whether the newest text is of what is on disk, or that is not to be waited for."""
        return self._restores.settled

    def text(self, of: RestoreForm, id: str, *, number: int = 1, then: Then = "wait") -> str:
        """Return the text; empty where there is nothing to restore."""
        rest = str(self.rest.path) if self.rest is not None else ""
        then = "stop" if then == "go-on" and self._stops else then
        return self._of(of).text(id=id, number=number, then=then, rest=rest)

    def first_prompt(self, id: str) -> str:
        """Return the first prompt of a cold restart, of what is on disk now; empty where there is nothing to restore.

        It is a word of a command line: one that no system takes would leave the person without an agent.
        """
        text = self._of("cold-start").text(id=id)
        if len(text.encode()) <= ARGUMENT_MOST:
            return text
        session = self._session()
        return self._restores.short("cold-start", session.memory, session.work).text(id=id)

    def _of(self, occasion: RestoreForm) -> RestoreText:
        session = self._session()
        return self._restores.of(occasion, session.memory, session.context.window, session.work)
