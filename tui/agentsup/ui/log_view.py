"""The view of what has happened: compactions, texts of ours, verdicts, engrams. It grows while it is open."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from agentsup.core.catalogue import Catalogue
from agentsup.core.session import Session
from agentsup.ui.happened_lines import lines, told


class LogView(ModalScreen[None], inherit_bindings=False):
    """A list to scroll in, the newest last; every key that does not scroll closes it."""

    def __init__(self, session: Session, catalogue: Catalogue) -> None:
        super().__init__()
        self._session, self._catalogue = session, catalogue
        self._box = Vertical(classes="dialog", id="happened")
        self._list = Static(classes="body", markup=False)

    def compose(self) -> ComposeResult:
        """Hold the list."""
        text = self._catalogue.text
        with self._box:
            self._box.border_title = Content(text("happened.title"))
            self._box.border_subtitle = Content(text("happened.close"))
            yield self._list

    def on_mount(self) -> None:
        """Show what there is, and the newest of it."""
        self._show()
        self._to_end()

    def take_session(self, session: Session) -> None:
        """Show what has come; who reads the newest goes on reading the newest."""
        if session.loop.happened == self._session.loop.happened:
            return
        self._session = session
        at_end = self._box.scroll_offset.y >= self._box.max_scroll_y
        self._show()
        if at_end:
            self._to_end()

    def on_key(self, event: events.Key) -> None:
        """Scroll or close."""
        event.stop()
        match event.key:
            case "up":
                self._box.scroll_up(animate=False)
            case "down":
                self._box.scroll_down(animate=False)
            case "pageup":
                self._box.scroll_page_up(animate=False)
            case "pagedown" | "space":
                self._box.scroll_page_down(animate=False)
            case "home":
                self._box.scroll_home(animate=False)
            case "end":
                self._to_end()
            case _:
                self.dismiss(None)

    def _show(self) -> None:
        found = lines(told(self._session.loop.happened), self._catalogue)
        nothing = Content.styled(self._catalogue.text("happened.nothing"), "$quiet")
        self._list.update(Content("\n").join(found) if found else nothing)

    def _to_end(self) -> None:
        self.call_after_refresh(self._box.scroll_end, animate=False)
