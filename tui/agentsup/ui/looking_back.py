"""What a person opens to look back: the view of what has happened, and the mark for the last round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentsup.core.catalogue import Catalogue
from agentsup.core.session import Session
from agentsup.ui.prompt_bar import Choice

if TYPE_CHECKING:
    from agentsup.ui.choices import Choices
    from agentsup.ui.log_view import LogView


class LookingBack:
    """Opens them, and keeps the view up to date."""

    def __init__(self, choices: Choices, catalogue: Catalogue) -> None:
        self._choices, self._catalogue = choices, catalogue
        self._session: Session | None = None
        self._view: LogView | None = None

    def take_session(self, session: Session) -> None:
        """Show what has come in a view that is open."""
        self._session = session
        if self._view is not None and self._view.is_attached:
            self._view.take_session(session)

    def open(self, action: str) -> None:
        """Open what was chosen."""
        # Here, not above: the interface starts without them.
        from agentsup.ui.log_view import LogView
        from agentsup.ui.round_mark import LastRound, RoundMark

        if self._session is None:
            self._choices.close()
        elif action == "mark":
            last = LastRound(self._session.project, self._session.conversation)
            self._choices.show(RoundMark(last.read, last.record, self._catalogue))
        else:
            self._view = LogView(self._session, self._catalogue)
            self._choices.show(self._view)


def looking_back_choices(catalogue: Catalogue) -> list[Choice]:
    """Return their choices in the leader's menu."""
    text = catalogue.text
    return [
        Choice("l", "l", "happened", text("looking_back.happened")),
        Choice("m", "m", "mark", text("looking_back.mark")),
    ]
