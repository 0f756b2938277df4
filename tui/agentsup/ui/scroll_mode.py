"""The keys while older lines are shown.

Two ways lead here. After the wheel only the keys that move (page, arrows, Home, End) and Esc are ours: a person
who looks something up goes on typing to the agent, and no letter of that is lost. After the leader (PageUp or
`/`) the letters of a pager are ours too: g G n N q /. Every other key leaves, and is the agent's: it is the only
key that reaches the agent from here.
"""

from __future__ import annotations

from textual import events

from agentsup.core.catalogue import Catalogue
from agentsup.ui.prompt_bar import Choice, PromptBar
from agentsup.ui.terminal import Terminal

_MODIFIERS = ("_shift", "_control", "_alt", "_super", "_hyper", "_meta", "_lock")
"""Ends of the names of keys that only accompany others; some terminals report them."""


class ScrollMode:
    """Moves the terminal by keys, and takes a search text."""

    def __init__(self, terminal: Terminal, prompt: PromptBar, catalogue: Catalogue) -> None:
        self._terminal, self._prompt, self._catalogue = terminal, prompt, catalogue
        self._letters = False
        self._typed: str | None = None

    @property
    def active(self) -> bool:
        """Whether keys are taken here."""
        return self.asking or self._terminal.scrolled or self._terminal.searching

    @property
    def asking(self) -> bool:
        """Whether a search text is being typed."""
        return self._typed is not None

    def enter(self) -> None:
        """Scroll a page up; letters are commands."""
        self._letters = True
        self._terminal.scroll_pages(-1)

    def ask(self) -> None:
        """Take a search text."""
        self._letters = True
        self._type("")

    def stop_asking(self) -> None:
        """Take no search text any more: the line is needed for something else."""
        if self._typed is not None:
            self._typed = None
            self._prompt.display = False

    def left(self) -> None:
        """The screen is shown again: the next time may be by the wheel."""
        self._letters = False

    def take(self, event: events.Key) -> bool:
        """Do what a key means here; False: it leaves, and is the agent's."""
        if self._typed is not None:
            self._edit(self._typed, event)
            return True
        return event.key.endswith(_MODIFIERS) or self._move(event.key) or (self._letters and self._command(event))

    def _move(self, key: str) -> bool:
        terminal = self._terminal
        match key:
            case "pageup" | "shift+pageup":
                terminal.scroll_pages(-1)
            case "pagedown" | "shift+pagedown":
                terminal.scroll_pages(1)
            case "up" | "shift+up":
                terminal.scroll_lines(-1)
            case "down" | "shift+down":
                terminal.scroll_lines(1)
            case "home":
                terminal.scroll_to_top()
            case "end" | "escape":
                terminal.leave_scrolling()
            case _:
                return False
        return True

    def _command(self, event: events.Key) -> bool:
        terminal = self._terminal
        match event.character:
            case "g":
                terminal.scroll_to_top()
            case "G" | "q":
                terminal.leave_scrolling()
            case "/":
                self._type("")
            case "n":
                terminal.search_next()
            case "N":
                terminal.search_next(down=True)
            case _:
                return False
        return True

    def _edit(self, typed: str, event: events.Key) -> None:
        match event.key:
            case "enter":
                self.stop_asking()
                if typed:
                    self._terminal.search(typed)
            case "escape" | "ctrl+c":
                self.stop_asking()
            case "backspace":
                self._type(typed[:-1])
            case _ if event.is_printable and event.character:
                self._type(typed + event.character)

    def _type(self, text: str) -> None:
        self._typed = text
        words = self._catalogue.text
        choices = [Choice("", "Enter", "", words("scroll.up")), Choice("", "Esc", "", words("menu.cancel"))]
        self._prompt.offer(f"/{text}▏", choices)
