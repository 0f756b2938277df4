"""The panels: each file is one, a pure function of the session and a widget that shows what it returns."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from agentsup.core.catalogue import Catalogue
from agentsup.core.session import Session


class Panel(VerticalScroll, can_focus=False):
    """A titled box around what `draw` returns; it scrolls by the wheel where that is longer."""

    ALLOW_SELECT = False
    TITLE_KEY: ClassVar[str]
    ACTION: ClassVar[str] = ""
    """What a person may do with what it shows; empty for nothing."""

    def __init__(self, catalogue: Catalogue, *, id: str) -> None:
        super().__init__(id=id)
        self._catalogue = catalogue
        self._session: Session | None = None
        self._drawn: tuple[Session | None, int, int] | None = None
        self._body = Static(markup=False)
        self._key = ""

    def compose(self) -> ComposeResult:
        """Hold one body."""
        yield self._body

    def draw(self, session: Session, catalogue: Catalogue, width: int, height: int) -> Content:
        """Return what to show in `width` x `height` cells."""
        raise NotImplementedError

    def show(self, session: Session, key: str = "") -> None:
        """Show a session; `key` is how its action is reached."""
        self._session = session
        if key != self._key:
            self._key = key
            self._show_title()
        self._redraw()

    def on_resize(self, event: events.Resize) -> None:
        """Draw for the new size."""
        self._show_title()
        self._redraw()

    def _show_title(self) -> None:
        # Beside a corner Textual puts a blank before the title, without one it does not.
        blank = "" if self.styles.border_left[0] else " "
        title = self._catalogue.text(self.TITLE_KEY)
        if self.ACTION and self._key:
            title = f"{title} · {self._catalogue.text(f'panel_action.{self.ACTION}', key=self._key)}"
        self.border_title = Content(f"{blank}{title} ")

    def _redraw(self) -> None:
        width, height = self.scrollable_content_region.size
        now = (self._session, width, height)
        if self._session is not None and width > 0 and height > 0 and now != self._drawn:
            self._drawn = now
            lines = self.draw(self._session, self._catalogue, width, height).wrap(width)
            self._body.styles.height = len(lines)
            self._body.update(Content("\n").join(lines))
