"""The line of choices: after the leader, and when the agent has ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual import events
from textual.content import Content
from textual.widget import Widget


class Choice(NamedTuple):
    """A key, how it is written, what it does: `action` for the app, `label` for the person."""

    key: str
    written: str
    action: str
    label: str


LISTS_ALL = "keys"
"""The action that lists all keys: it stands last where not all choices fit."""


def prompt_line(lead: str, choices: Sequence[Choice], width: int) -> Content:
    """Return the choices that fit, after `lead`; where some do not, the last one is that which lists them all."""
    parts = [Content.styled(lead, "bold")] if lead else []
    shown = [choice for choice in choices if choice.label]
    fitting = _fitting(parts, shown, width)
    listing = [_written(choice) for choice in shown if choice.action == LISTS_ALL]
    if len(fitting) < len(parts) + len(shown) and listing:
        room = width - listing[0].cell_length - 2
        fewer = _fitting(parts, [choice for choice in shown if choice.action != LISTS_ALL], room)
        fitting = [*fewer, listing[0]] if sum(part.cell_length + 2 for part in fewer) - 2 <= room else fitting
    return Content("  ").join(fitting).truncate(width)


def _fitting(lead: Sequence[Content], choices: Sequence[Choice], width: int) -> list[Content]:
    parts, length = list(lead), sum(part.cell_length + 2 for part in lead)
    for part in map(_written, choices):
        length += part.cell_length + 2
        if length - 2 > width:
            break
        parts.append(part)
    return parts


def _written(choice: Choice) -> Content:
    return Content.assemble((choice.written, "bold $accent"), f" {choice.label}")


class PromptBar(Widget):
    """A line of choices; the app, which gets the keys first, asks it what a key chooses."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._lead = ""
        self._choices: tuple[Choice, ...] = ()

    def offer(self, lead: str, choices: Sequence[Choice]) -> None:
        """Show choices."""
        self._lead, self._choices = lead, tuple(choices)
        self.display = True
        self.refresh()

    def chosen(self, event: events.Key) -> str:
        """Return the action a key stands for, empty for none."""
        # Shift or caps lock must not turn a menu off: D is d.
        key = event.character.lower() if event.is_printable and event.character else event.key
        return next((choice.action for choice in self._choices if choice.key == key), "")

    def render(self) -> Content:
        """Return the line for the present width."""
        return prompt_line(self._lead, self._choices, self.content_size.width)
