"""When the review of a project's memory opens: by the menu, and once by itself, when the person's hands are still."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from agentsup.core.catalogue import Catalogue
from agentsup.core.session import Session
from agentsup.ui.choices import Choices
from agentsup.ui.terminal import Terminal

if TYPE_CHECKING:
    from agentsup.store.trust_review import Answer, Review

FIRST_USE = "trust.first-use"
"""The notice of a project that nobody has answered for."""

HANDS_STILL = 2.0
"""Seconds without a key for the agent after which a dialog may come by itself."""

LOOK_AGAIN = 0.25
"""Seconds until it is looked again whether it may."""


class TrustOpening:
    """Opens the review; by itself only once, and never under the fingers of somebody who types."""

    def __init__(self, terminal: Terminal, choices: Choices, catalogue: Catalogue) -> None:
        self._terminal, self._choices, self._catalogue = terminal, choices, catalogue
        self._session: Session | None = None
        self._shown = self._waits = False

    def take_session(self, session: Session) -> None:
        """Open the review if this is the project's first use."""
        self._session = session
        if not self._waits:
            self._open_if_first()

    def open(self) -> None:
        """Show what there is to approve."""
        if self._session is None:
            self._choices.close()
            return
        # Here, not above: the interface starts without it.
        from agentsup.ui.trust_review import TrustReview

        self._shown = True
        asked = Asked(self._session.project)
        self._choices.show(TrustReview(asked.read, asked.record, self._catalogue))

    def _open_if_first(self) -> None:
        self._waits = False
        if self._shown or self._session is None or all(each.key != FIRST_USE for each in self._session.notices):
            return
        still = time.monotonic() - self._terminal.typed >= HANDS_STILL
        if still and self._terminal.takes_keys:
            self._terminal.close_tap()
            self.open()
        else:
            self._waits = True
            self._terminal.set_timer(LOOK_AGAIN, self._open_if_first)


class Asked:
    """A project that is asked about. Called in a thread: files and git may take their time."""

    def __init__(self, project: str) -> None:
        self._project = project

    def read(self) -> Review:
        """Return what there is to approve; raises Problem."""
        from agentsup.store.project_root import project_root
        from agentsup.store.trust_review import review

        return review(project_root(Path(self._project)))

    def record(self, shown: Review, answer: Answer) -> None:
        """Record an answer, of which every running host is told first; raises Problem."""
        from agentsup.protocol.announcing import announce
        from agentsup.store.ancestry import is_own_keeper
        from agentsup.store.folders import runtime_folders
        from agentsup.store.trust_record import project_key
        from agentsup.store.trust_review import record_answer

        root = Path(shown.root)
        key, folders = project_key(root), runtime_folders(os.environ)

        def tell(macs: tuple[str, ...]) -> bool:
            return all(announce(folder, key, macs, is_keeper=is_own_keeper) for folder in folders)

        record_answer(root, shown, answer, by="interface", announce=tell)
