"""The text of an engram while a person edits it: its tags in their colours, and what is wrong marked where it stands.

All keys are read here, one after the other: what follows a command key too quickly must not land in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual import events
from textual.widgets import TextArea

from agentsup.core.memory.engram import tag_of
from agentsup.core.memory.engram_draft import Draft, Insertion, draft_of, text_of
from agentsup.core.memory.lines import tagged
from agentsup.core.text import sanitise

if TYPE_CHECKING:
    from agentsup.core.checks.finding import Finding

PASTE_MOST = 64 << 10
"""Bytes that are taken of a paste."""

UNDO_MOST = 1000
"""Steps that can be undone."""

_BARE_TAG = re.compile(r"\s*\[[^\[\]]+\]\s*")


class EngramArea(TextArea):
    """Edits a draft; a key goes to `command` first, which says whether it took it."""

    def __init__(self, command: Callable[[events.Key], bool], *, id: str) -> None:
        super().__init__(id=id, show_line_numbers=True, max_checkpoints=UNDO_MOST, compact=True)
        self.match_cursor_bracket = False
        self.cursor_blink = False
        self.highlight_cursor_line = False  # it would take the colours of tags and faults away
        self._command = command
        self._draft = Draft("")
        self._marks: dict[int, list[Finding]] = {}

    # What is edited

    @property
    def meant(self) -> str:
        """The text as it would be saved."""
        return text_of(self._draft, self.text)

    def show_draft(self, draft: Draft) -> None:
        """Begin with a text, without anything to undo: behind the first tag that says nothing yet, or at the end."""
        self._draft = draft
        self.load_text(draft.text)
        lines = draft.text.removesuffix("\n").split("\n")
        row = next((row for row, line in enumerate(lines) if _BARE_TAG.fullmatch(line)), len(lines) - 1)
        self.move_cursor((row, len(lines[row])))

    def take(self, text: str) -> None:
        """Replace everything, which can be undone."""
        self._replace_selection(text, everything=True)

    def mark(self, findings: Sequence[Finding]) -> None:
        """Mark what was found, where it stands."""
        self._marks = {}
        for finding in findings:
            if finding.length:
                self._marks.setdefault(finding.spot.line - 1, []).append(finding)
        self.notify_style_update()
        self.refresh()

    def put(self, insertion: Insertion) -> None:
        """Insert at a place, and go behind it."""
        place = (insertion.row, insertion.column)
        self.history.checkpoint()
        self.replace(insertion.text, place, place, maintain_selection_offset=False)
        self.move_cursor(insertion.cursor)

    # What the person does

    def on_key(self, event: events.Key) -> None:
        """Do what the key is a command for; all others edit."""
        if self._command(event):
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Insert what is pasted, with nothing hidden in it."""
        event.stop()
        event.prevent_default()
        if event.text:
            self._replace_selection(sanitise(event.text))

    def _replace_selection(self, text: str, *, everything: bool = False) -> None:
        taken = draft_of(text)
        self._draft = Draft("", {**self._draft.codes, **taken.codes}, self._draft.returns)
        self.history.checkpoint()
        start, end = ((0, 0), self.document.end) if everything else self.selection
        self.replace(taken.text, start, end, maintain_selection_offset=False)
        self.history.checkpoint()
        self.scroll_cursor_visible()

    # How it looks

    def get_line(self, line_index: int) -> Text:
        """Return a line with its tag in its colour, and lines below what is wrong."""
        line = super().get_line(line_index)
        colours = self.app.theme_variables
        if tag := tag_of(line.plain):
            found = tagged(line.plain)
            end = found.column - 1 if found else 0
            line.stylize(Style(color=_colour(colours.get(f"tag-{tag}", "")), bold=True), 0, end)
        if self._draft.codes:
            return line  # places are those of the text that is meant, and what is seen is longer
        for finding in self._marks.get(line_index, ()):
            start = finding.spot.column - 1
            colour = colours.get("error" if finding.severity == "error" else "warning", "")
            line.stylize(Style(color=_colour(colour), underline=True), start, start + finding.length)
        return line


class PasteTap:
    """Takes pastes from the terminal while the editor has the keys. Called in the input thread."""

    def __init__(self, deliver: Callable[[events.Paste], None]) -> None:
        self._deliver = deliver
        self._pieces = bytearray()

    def keys(self, data: bytes) -> None:
        """Take no keys: they come through the app."""

    def paste(self, data: bytes, *, first: bool, last: bool) -> None:
        """Take a piece of a paste, and hand it on when it is whole."""
        if first:
            self._pieces.clear()
        self._pieces += data[: max(0, PASTE_MOST - len(self._pieces))]
        if last:
            text = self._pieces.decode("utf-8", "ignore").replace("\r\n", "\n").replace("\r", "\n")
            self._deliver(events.Paste(text))


def _colour(name: str) -> str | None:
    return name if name.startswith("#") else None
