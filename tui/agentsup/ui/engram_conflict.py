"""Two texts of one engram: what a person wants to save, and what somebody else has written meanwhile."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from agentsup.core.catalogue import Catalogue
from agentsup.core.memory.engram_draft import Compared, compared
from agentsup.ui import prompt_bar
from agentsup.ui.engram_texts import TextColumn

if TYPE_CHECKING:
    from agentsup.ui.engram_desk import Opened

SETTLE = 0.5
"""Seconds in which no key chooses: it comes by itself, under the fingers of somebody who writes."""


def only_here(text: str, other: str) -> list[Compared]:
    """Return a text's lines; marked are those that the other one has nowhere."""
    elsewhere = Counter(line.text.rstrip() for line in compared("", other))
    lines = []
    for _, line in compared("", text):
        known = elsewhere[line.rstrip()] > 0
        elsewhere[line.rstrip()] -= known
        lines.append(Compared(" " if known or not line.strip() else "+", line))
    return lines


class EngramConflict(ModalScreen[str], inherit_bindings=False):
    """Shows both; answers mine, theirs, or nothing to go on editing."""

    def __init__(self, mine: str, theirs: Opened, catalogue: Catalogue) -> None:
        super().__init__()
        self._mine, self._theirs = mine, theirs
        self._catalogue = catalogue
        self._shown = float("inf")
        self._columns = (TextColumn(id="conflict-mine"), TextColumn(id="conflict-theirs"))
        self._keys = Static(id="conflict-keys", markup=False)

    def compose(self) -> ComposeResult:
        """Hold both texts, what will happen, and the keys."""
        text = self._catalogue.text
        with Vertical(classes="dialog", id="conflict") as box:
            box.border_title = Content(text("editor.conflict.title"))
            yield Static(Content(text("editor.conflict.intro")), id="conflict-intro", markup=False)
            with Horizontal(id="conflict-texts"):
                for name, column in zip(("mine", "theirs"), self._columns, strict=True):
                    column.border_title = Content(text(f"editor.conflict.{name}"))
                    yield column
            yield self._keys

    def on_mount(self) -> None:
        """Show the texts, each with what only it has."""
        self._shown = time.monotonic()
        mine, theirs = self._mine, self._theirs.text or ""
        self._columns[0].show(only_here(mine, theirs))
        self._columns[1].show(only_here(theirs, mine))

    def on_resize(self) -> None:
        """Show as many keys as fit."""
        text = self._catalogue.text
        names = (("m", "mine"), ("t", "theirs"), ("Esc", "neither"), ("↑↓", "scroll"))
        choices = [prompt_bar.Choice("", key, "", text(f"editor.conflict.key.{name}")) for key, name in names]
        self._keys.update(prompt_bar.prompt_line("", choices, self.size.width - 4))

    def on_key(self, event: events.Key) -> None:
        """Choose, or scroll both."""
        event.stop()
        event.prevent_default()
        moved = [column.scroll_by_key(event.key) for column in self._columns]
        if any(moved) or event.time - self._shown < SETTLE:
            return
        key = event.character.lower() if event.is_printable and event.character else event.key
        if key in ("m", "t", "escape"):
            self.dismiss({"m": "mine", "t": "theirs"}.get(key, ""))
