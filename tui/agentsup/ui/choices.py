"""Which choices and questions are open, and so whose the keys are: theirs, those of scrolling, or the agent's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from textual import events
from textual.screen import Screen

from agentsup.core.catalogue import Catalogue
from agentsup.core.session import Notice, Session
from agentsup.ui.dialogs import Confirm
from agentsup.ui.input_messages import RawKey
from agentsup.ui.menu import exited_choices, exited_words, leader_choices
from agentsup.ui.prompt_bar import PromptBar
from agentsup.ui.scroll_mode import ScrollMode
from agentsup.ui.terminal import Terminal

KEYS_PAUSE = 0.005
"""Seconds until it is looked again whether the keys that went through Textual have all arrived."""


class Choices:
    """Opens and closes the choices, and takes the keys from the terminal or gives them back."""

    def __init__(
        self, terminal: Terminal, prompt: PromptBar, scroll: ScrollMode, catalogue: Catalogue, leader: str
    ) -> None:
        self._terminal, self._prompt, self._scroll = terminal, prompt, scroll
        self._catalogue, self._leader = catalogue, leader
        self._session: Session | None = None
        self.open: Literal["", "leader", "exited"] = ""
        self.offered: Session | None = None
        """The session as it was when the menu was opened: what its keys are about, whatever has come since."""

    def take_session(self, session: Session) -> None:
        """Offer what is left to do when the agent has ended, or take that away when it is there again."""
        self._session = session
        # An open leader menu stays; it closes into what is right then.
        if self.open != "leader" and (session.phase == "exited") != (self.open == "exited"):
            self.close()

    def open_leader_menu(self, notices: tuple[Notice, ...], *, copied: bool) -> None:
        """Offer what the leader opens."""
        self.open, self.offered = "leader", self._session
        self._scroll.stop_asking()
        choices = leader_choices(self._session, notices, self._catalogue, self._leader, copied=copied)
        self._terminal.close_tap()
        self._prompt.offer("", choices)

    def ask(self, question: Confirm, act: Callable[[], None]) -> None:
        """Act if the answer is yes."""

        def answered(yes: bool | None) -> None:
            if yes:
                act()
            self.close()

        self._terminal.app.push_screen(question, answered)

    def show(self, dialog: Screen[None]) -> None:
        """Show a dialog that does by itself what is chosen in it."""
        self._terminal.app.push_screen(dialog, lambda _: self.close())

    def show_for(self, dialog: Screen[str], act: Callable[[str | None], None]) -> None:
        """Show a dialog whose answer is acted on; what is done then has to close the choices."""
        self._terminal.app.push_screen(dialog, act)

    def close(self) -> None:
        """Go back to the agent, or to the choices that stay while it has ended."""
        session = self._session
        if session is not None and session.phase == "exited":
            self.open = "exited"
            self._terminal.close_tap()
            if not self._scroll.asking:
                self._prompt.offer(exited_words(session, self._catalogue), exited_choices(self._catalogue))
            return
        self.open = ""
        if not self._scroll.asking:
            self._prompt.display = False
        self.give_keys_back()

    def give_keys_back(self) -> None:
        """Give the keys back, behind those still on their way through Textual: none may overtake another."""
        self._terminal.app.call_later(self._give_keys_back)

    def take_key(self, event: events.Key) -> str | None:
        """Return the action a key chooses, empty for none; None: no choice, it scrolled or was the agent's."""
        if self.open == "leader" or (self.open and not self._scroll.active):
            return self._prompt.chosen(event)
        if self._scroll.active:
            asking = self._scroll.asking
            if self._scroll.take(event):
                if asking and not self._scroll.asking:
                    self.close()
                return None
            self._terminal.leave_scrolling()
        if isinstance(event, RawKey) and event.raw and not self.open:
            self._terminal.keys(event.raw)
        return None

    def _give_keys_back(self) -> None:
        terminal = self._terminal
        if self.open or not (terminal.is_attached and terminal.screen.is_active):  # the app may have ended by now
            return
        if self._scroll.active:
            self._terminal.close_tap(pastes=True)
        else:
            self._scroll.left()
            if not self._terminal.open_tap():
                # A timer, not call_later: a queue that feeds itself would keep those very keys from arriving.
                self._terminal.set_timer(KEYS_PAUSE, self._give_keys_back)
