"""The lines around the text of the editor, as widgets: above it how long it is, below it what is wrong and the keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from agentsup.core.catalogue import Catalogue
from agentsup.core.memory.engram_draft import length_of
from agentsup.core.memory.model import Language
from agentsup.ui import engram_view
from agentsup.ui.engram_area import EngramArea
from agentsup.ui.engram_view import Chosen, Mode

if TYPE_CHECKING:
    from agentsup.core.checks.finding import Finding
    from agentsup.ui.engram_desk import Opened

LOW = 16
"""Rows below which findings get two lines, and none stands between the parts."""


@dataclass(frozen=True)
class Editing:
    """What there is to show of an edit."""

    opened: Opened | None
    dirty: bool
    mode: Mode
    chosen: Chosen
    language: Language
    """What the text is written in."""
    findings: Sequence[Finding] | None
    """None as long as nobody has looked."""
    is_told: bool = True
    """Whether there is an agent that can be told."""


class EngramLines:
    """The lines of one editor."""

    def __init__(self, area: EngramArea, catalogue: Catalogue) -> None:
        self._area, self._catalogue = area, catalogue
        names = ("head", "found", "said", "switches", "keys")
        self._head, self._found, self._said, self._switches, self._keys = (
            Static(id=f"editor-{name}", markup=False) for name in names
        )
        self._said_of = ""
        """The text that was there when something was said."""

    @property
    def above(self) -> tuple[Static, ...]:
        """The lines above the text."""
        return (self._head,)

    @property
    def below(self) -> tuple[Static, ...]:
        """The lines below the text."""
        return (self._found, self._said, self._switches, self._keys)

    def say(self, words: Content | None) -> None:
        """Show a line until the text is another, or none."""
        self._said_of = self._area.text
        self._said.display = words is not None
        self._said.update(words or Content(""))

    def text_changed(self) -> None:
        """What was said is no longer so."""
        if self._area.text != self._said_of:
            self._said.display = False

    def show(self, editing: Editing, width: int, rows: int) -> None:
        """Show an edit in lines of a width, on a screen with so many rows."""
        catalogue, opened = self._catalogue, editing.opened
        self._keys.update(engram_view.keys(editing.mode, editing.language, catalogue=catalogue, width=width))
        if opened is None:
            return
        length = length_of(self._area.meant)
        self._head.update(engram_view.head(opened, length, dirty=editing.dirty, catalogue=catalogue, width=width))
        tell = editing.chosen.tell if editing.is_told else None
        example = editing.chosen.teaches(editing.findings) if opened.corrects else None
        self._switches.update(engram_view.switches(tell=tell, example=example, catalogue=catalogue, width=width))
        if editing.findings is not None:
            row = self._area.cursor_location[0]
            height = rows // 3 - 1 if rows >= LOW else 2
            self._found.update(
                engram_view.found(editing.findings, row, catalogue=catalogue, width=width, height=height)
            )  # fmt: skip
