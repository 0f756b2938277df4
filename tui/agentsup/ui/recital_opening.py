"""When what the agent has read back is shown: by the menu; and what follows from the person's answer."""

from __future__ import annotations

from collections.abc import Callable

from agentsup.core.catalogue import Catalogue
from agentsup.core.session import Session
from agentsup.protocol.messages import ClientMessage, RecitalAnswered
from agentsup.ui.choices import Choices


class RecitalOpening:
    """Opens the dialog, tells the host the answer, or goes on to what was chosen instead."""

    def __init__(
        self,
        choices: Choices,
        ask: Callable[[ClientMessage], object],
        catalogue: Catalogue,
        choose: Callable[[str], None],
    ) -> None:
        """`choose` does what the leader's menu does for an action of this name."""
        self._choices, self._ask, self._catalogue, self._choose = choices, ask, catalogue, choose
        self._session: Session | None = None

    def take_session(self, session: Session) -> None:
        """Know what there is to show."""
        self._session = session

    def open(self) -> None:
        """Show what was read back, beside what memory says."""
        session = self._session
        if session is None or session.loop.recital is None:
            self._choices.close()
            return
        # Here, not above: the interface starts without it.
        from agentsup.ui.recital_review import RecitalReview

        id = session.loop.recital.id
        self._choices.show_for(RecitalReview(session, self._catalogue), lambda answer: self._answered(id, answer))

    def _answered(self, id: str, answer: str | None) -> None:
        match answer:
            case "right":
                self._ask(RecitalAnswered(id, right=True))
            case "resend":
                self._ask(RecitalAnswered(id, right=False, resend=True))
            case "engram" | "restart":
                self._choose(answer)
                return
            case _:
                pass
        self._choices.close()
