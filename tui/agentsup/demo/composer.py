"""The composer: a draft, the history of what was submitted before, and the keys that edit them."""

from __future__ import annotations

from agentsup.demo.draft import Draft, Layout, PastedBlock, lay_out
from agentsup.demo.keys import KeyName

PASTED_FROM = 1000
"""Characters from which a paste is shown as a placeholder, where a script says nothing else."""


class Composer:
    """The person's input box."""

    def __init__(self, placeholder: str, pasted_from: int = PASTED_FROM) -> None:
        self.draft = Draft()
        self.cells = 80
        """How wide its rows are drawn; the arrow keys move by these rows."""
        self._placeholder, self._pasted_from = placeholder, pasted_from
        self._history: list[Draft] = []
        self._place = 0
        self._kept = Draft()

    @property
    def text(self) -> str:
        """The text that would be submitted."""
        return self.draft.text

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all stands in it."""
        return not self.draft.pieces

    def layout(self) -> Layout:
        """Return the draft in rows."""
        return lay_out(self.draft, self.cells, self._placeholder)

    def type(self, text: str) -> None:
        """Insert typed text."""
        self.draft = self.draft.insert(text)

    def paste(self, text: str) -> None:
        """Insert a paste at the cursor, whatever stands there already."""
        self.draft = self.draft.insert([PastedBlock(text)] if len(text) > self._pasted_from else text)

    def take(self) -> str:
        """Empty it; return the text and remember it in the history."""
        text = self.text
        self._remember(self.draft)
        self.clear()
        return text

    def put_back(self, text: str) -> None:
        """Put text before what stands there, as a queue that was returned."""
        joined = f"{text}\n" if self.draft.pieces else text
        self.draft = Draft((*joined, *self.draft.pieces), len(joined) + self.draft.cursor)

    def replace(self, text: str) -> None:
        """Put a text in the place of everything, as an editor does."""
        self.draft = Draft(tuple(text), len(text))

    def clear(self) -> None:
        """Empty it."""
        self.draft, self._kept = Draft(), Draft()
        self._place = len(self._history)

    def discard(self) -> None:
        """Empty it as Ctrl-C does: the draft can be recalled."""
        self._remember(self.draft)
        self.clear()

    def press(self, name: KeyName) -> bool:
        """Take an editing key; False where it is none."""
        draft = self.draft
        match name:
            case "newline":
                self.draft = draft.insert("\n")
            case "backspace":
                self.draft = draft.without(draft.cursor - 1, draft.cursor)
            case "delete" | "ctrl-d":
                self.draft = draft.without(draft.cursor, draft.cursor + 1)
            case "left":
                self.draft = draft.moved(draft.cursor - 1)
            case "right":
                self.draft = draft.moved(draft.cursor + 1)
            case "home":
                self.draft = draft.moved(draft.line_start)
            case "end":
                self.draft = draft.moved(draft.line_end)
            case "ctrl-u":
                self.draft = draft.without(draft.line_start, draft.cursor)
            case "ctrl-k":
                self.draft = draft.without(draft.cursor, draft.line_end)
            case "ctrl-w":
                self.draft = draft.without(draft.word_start, draft.cursor)
            case "up":
                self._vertical(-1)
            case "down":
                self._vertical(1)
            case _:
                return False
        return True

    def _vertical(self, step: int) -> None:
        """Move one row; over the first or last row, to an older or newer draft of the history."""
        layout = self.layout()
        row, column = layout.places[self.draft.cursor]
        if 0 <= row + step < len(layout.rows):
            self.draft = self.draft.moved(layout.nearest(row + step, column))
            return
        place = self._place + step
        if not 0 <= place <= len(self._history):
            return
        if self._place == len(self._history):
            self._kept = self.draft
        self._place = place
        found = self._kept if place == len(self._history) else self._history[place]
        self.draft = found.moved(len(found.pieces))

    def _remember(self, draft: Draft) -> None:
        if draft.pieces and (not self._history or self._history[-1].pieces != draft.pieces):
            self._history.append(draft)
