"""Every version of an engram: who wrote it, when and why, and what it changed; one of them can be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from agentsup.core.catalogue import Catalogue
from agentsup.core.engram_reasons import words_beside
from agentsup.core.memory.engram_draft import Compared, compared
from agentsup.core.text import legible
from agentsup.locale.time_of_day import when
from agentsup.store.engram_history import standing
from agentsup.ui import prompt_bar
from agentsup.ui.engram_texts import TextColumn

if TYPE_CHECKING:
    from agentsup.store.engram_history import Version


class EngramVersionList(ModalScreen["Version | None"], inherit_bindings=False):
    """Lists versions, the newest first; answers the one that is to be edited, or None."""

    def __init__(self, versions: Sequence[Version], catalogue: Catalogue) -> None:
        super().__init__()
        self._versions = versions
        self._catalogue = catalogue
        self._at = 0
        self._list = Static(id="versions-list", markup=False)
        self._text = TextColumn(id="versions-text")
        self._keys = Static(id="versions-keys", markup=False)

    def compose(self) -> ComposeResult:
        """Hold the list, the text of the version that is looked at, and the keys."""
        with Vertical(classes="dialog", id="versions") as box:
            box.border_title = Content(self._catalogue.text("editor.versions.title", count=len(self._versions)))
            yield self._list
            yield self._text
            yield self._keys

    def on_mount(self) -> None:
        """Show the newest."""
        self._show()

    def on_resize(self) -> None:
        """Show as much as fits."""
        self._show()

    def on_key(self, event: events.Key) -> None:
        """Move, scroll, take a version, or go back."""
        event.stop()
        event.prevent_default()
        match event.key:
            case "escape":
                self.dismiss(None)
            case "enter" if self._versions:
                self.dismiss(self._versions[self._at])
            case "up" | "down" if self._versions:
                step = -1 if event.key == "up" else 1
                self._at = min(max(0, self._at + step), len(self._versions) - 1)
                self._show()
            case _:
                self._text.scroll_by_key(event.key)

    def _show(self) -> None:
        width, height = self.size.width - 4, self.size.height
        rows = max(2, min(len(self._versions), (height - 6) // 3))
        first = min(max(0, self._at - rows // 2), max(0, len(self._versions) - rows))
        shown = range(first, min(first + rows, len(self._versions)))
        lines = [self._line(number, width) for number in shown]
        if not lines:
            lines = [Content.styled(self._catalogue.text("editor.versions.none"), "$quiet")]
        self._list.update(Content("\n").join(lines))
        if self._versions:
            self._text.show(self._changes())
        names = (("↑↓", "move"), ("PgUp PgDn", "scroll"), ("Enter", "take"), ("Esc", "back"))
        choices = [prompt_bar.Choice("", key, "", self._catalogue.text(f"editor.versions.key.{n}")) for key, n in names]
        self._keys.update(prompt_bar.prompt_line("", choices, width))

    def _line(self, number: int, width: int) -> Content:
        version = self._versions[number]
        who = self._catalogue.text(f"editor.by.{version.author}")
        reason = legible(words_beside(version.author, version.reason, self._catalogue).replace("\n", " "))
        words = "  ".join(part for part in (when(version.time), version.sha[:7], who, reason) if part)
        here = number == self._at
        line = Content.assemble(("▌" if here else " ", "$accent"), words).truncate(width, ellipsis=True, pad=True)
        return line.stylize("on $panel") if here else line

    def _changes(self) -> tuple[Compared, ...]:
        """Return the version's text, marked where it differs from the one that was in the file before."""
        before = standing(self._versions[: self._at : -1])
        return compared(before.text if before is not None else "", self._versions[self._at].text)
