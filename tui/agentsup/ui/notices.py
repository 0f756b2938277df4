"""Which notices there are: the session's, which the host keeps, and after them the interface's own."""

from __future__ import annotations

from agentsup.core.session import Notice
from agentsup.ui.notice_bar import NoticeBar
from agentsup.ui.status_bar import StatusBar
from agentsup.ui.window import Window

OUTRANKING = ("breaker.open",)
"""Notices that no later one covers."""


class Notices:
    """Shows notices in their bar, or counts them in the status where that has no room."""

    def __init__(self, bar: NoticeBar, status: StatusBar, window: Window) -> None:
        self._bar, self._status, self._window = bar, status, window
        self._of_session: tuple[Notice, ...] = ()
        self._own: tuple[Notice, ...] = ()

    @property
    def all(self) -> tuple[Notice, ...]:
        """All notices, the newest last, but behind it what outranks it."""
        return tuple(sorted((*self._of_session, *self._own), key=lambda notice: notice.key in OUTRANKING))

    def take(self, of_session: tuple[Notice, ...]) -> None:
        """Take those the session has now."""
        self._of_session = of_session
        self.show()

    def add(self, notice: Notice) -> None:
        """Add one of our own."""
        self._own += (notice,)
        self.show()

    def dismiss(self) -> str:
        """Put the newest away; returns its key where it is the session's, for the host to do that."""
        notices = self.all
        if not notices:
            return ""
        if notices[-1] in self._of_session:
            return notices[-1].key
        self._own = self._own[:-1]
        self.show()
        return ""

    def show(self) -> None:
        """Bring the notices where there is room for them."""
        notices = self.all
        self._bar.notices = notices
        if bool(notices) != self._window.notice_shown:
            self._window.rearrange(notice_shown=bool(notices))
        self._status.notices = () if self._window.shows_notices else notices
