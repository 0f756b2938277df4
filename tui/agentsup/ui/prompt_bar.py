"""The line of choices: after the leader, and when the agent has ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget


class Choice(NamedTuple):
    """A key, how it is written, what it does: `action` names a method of the app, `label` says it."""

    key: str
    written: str
    action: str
    label: str


def prompt_line(lead: str, choices: Sequence[Choice], width: int) -> Content:
    """Return the choices that fit, after `lead`."""
    line = Content.styled(lead, "bold") if lead else Content("")
    for choice in choices:
        if not choice.label:
            continue
        part = Content.assemble((choice.written, "bold $accent"), f" {choice.label}")
        longer = Content.assemble(line, "  " if line else "", part)
        if longer.cell_length > width:
            break
        line = longer
    return line.truncate(width)


class PromptBar(Widget, can_focus=True):
    """A line that has the keyboard while it is open."""

    ALLOW_SELECT = False

    class Chosen(Message):
        """A choice was made; `action` is empty where the key is none of the choices."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._lead = ""
        self._choices: tuple[Choice, ...] = ()

    def offer(self, lead: str, choices: Sequence[Choice]) -> None:
        """Show choices and take the keyboard."""
        self._lead, self._choices = lead, tuple(choices)
        self.display = True
        self.focus()
        self.refresh()

    def render(self) -> Content:
        """Return the line for the present width."""
        return prompt_line(self._lead, self._choices, self.content_size.width)

    def on_key(self, event: events.Key) -> None:
        """Make the choice."""
        event.stop()
        event.prevent_default()
        # Shift or caps lock must not turn a menu off: D is d.
        key = event.character.lower() if event.character and event.character.isprintable() else event.key
        self.post_message(self.Chosen(next((c.action for c in self._choices if c.key == key), "")))
