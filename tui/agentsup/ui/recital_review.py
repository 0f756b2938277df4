"""What the agent has read back, beside what memory says: a person compares the two, and says how it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from agentsup.core.catalogue import Catalogue
from agentsup.core.continuity import Recital
from agentsup.core.recital import expected
from agentsup.core.session import Session
from agentsup.core.text import legible
from agentsup.ui import prompt_bar

BESIDE = 56
"""Cells from which the two texts stand side by side; else one below the other."""

_BETWEEN = " │ "
_WHEEL = 3

VERDICT_STYLES = {"right": "bold $success", "wrong": "bold $error", "unclear": "bold $warning"}

ANSWERS = {"r": "right", "c": "resend", "e": "engram", "k": "restart"}
"""What a key answers; every other one that moves nothing is no answer."""


class Line(NamedTuple):
    """A line of one of the texts: of others, so it is never marked up."""

    text: str
    style: str = ""


def said_lines(recital: Recital) -> list[Line]:
    """Return what the agent has said."""
    return [Line(legible(line)) for line in recital.said.split("\n")]


def memory_lines(session: Session, catalogue: Catalogue) -> list[Line]:
    """Return what it should have said: task, next step, and what it must leave alone."""
    known = expected(session.memory, session.work.last_request)
    parts = (("task", known.task), ("next", known.next), ("taboo", known.taboos))
    lines: list[Line] = []
    for name, texts in parts:
        lines.append(Line(catalogue.text(f"recital_review.{name}"), f"bold $tag-{_TAGS[name]}"))
        mark = "· " if len(texts) > 1 else ""
        lines += [Line(f"{mark}{legible(text)}") for text in texts]
        if not texts:
            lines.append(Line(catalogue.text("recital_review.nothing"), "$quiet"))
    return lines


_TAGS = {"task": "task", "next": "pending", "taboo": "taboo"}


def side_by_side(said: Sequence[Line], memory: Sequence[Line], catalogue: Catalogue, width: int) -> list[Content]:
    """Return both texts in lines of this width, each under its title."""
    titles = [Line(catalogue.text(f"recital_review.{name}"), "$quiet") for name in ("said", "memory")]
    left, right = [titles[0], *said], [titles[1], *memory]
    if width < BESIDE:
        return [line for side in (left, [Line("")], right) for line in _folded(side, width)]
    half = (width - len(_BETWEEN)) // 2
    columns = _folded(left, half), _folded(right, width - len(_BETWEEN) - half)
    rows = max(map(len, columns))
    padded = [[*column, *[Content("")] * (rows - len(column))] for column in columns]
    return [
        Content.assemble(a.pad_right(max(0, half - a.cell_length)), (_BETWEEN, "$rule"), b)
        for a, b in zip(*padded, strict=True)
    ]


def _folded(lines: Sequence[Line], width: int) -> list[Content]:
    return [piece for line in lines for piece in Content.styled(line.text, line.style).wrap(width) or [Content("")]]


class Sides(Widget):
    """Both texts; they scroll together."""

    ALLOW_SELECT = False

    def __init__(self, session: Session, recital: Recital, catalogue: Catalogue, *, id: str) -> None:
        super().__init__(id=id)
        self._texts = said_lines(recital), memory_lines(session, catalogue)
        self._catalogue = catalogue
        self._top = 0

    @property
    def lines(self) -> list[Content]:
        """All lines at the present width."""
        return side_by_side(*self._texts, self._catalogue, max(2, self.size.width))

    @property
    def is_cut(self) -> bool:
        """Whether there is more than is shown."""
        return len(self.lines) > self.size.height

    def move(self, lines: int) -> None:
        """Show what stands so many lines below, or above where negative."""
        last = max(0, len(self.lines) - self.size.height)
        self._top = max(0, min(self._top + lines, last))
        self.refresh()

    def render(self) -> Content:
        """Return the lines that fit."""
        height = self.size.height
        lines = self.lines
        top = max(0, min(self._top, len(lines) - height))
        return Content("\n").join(lines[top : top + height])

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Go up."""
        event.stop()
        self.move(-_WHEEL)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Go down."""
        event.stop()
        self.move(_WHEEL)


class RecitalReview(ModalScreen[str], inherit_bindings=False):
    """Ends with the answer: right, resend, engram, restart, or nothing."""

    def __init__(self, session: Session, catalogue: Catalogue) -> None:
        super().__init__()
        recital = session.loop.recital
        assert recital is not None
        self._recital, self._catalogue = recital, catalogue
        self._verdict = Static(id="recital-verdict", markup=False)
        self._sides = Sides(session, recital, catalogue, id="recital-sides")
        self._hint = Static(id="recital-hint", markup=False)

    def compose(self) -> ComposeResult:
        """Hold the verdict, both texts and the keys."""
        with Vertical(classes="dialog", id="recital") as box:
            box.border_title = Content(self._catalogue.text("recital_review.title", id=self._recital.id))
            yield self._verdict
            yield self._sides
            yield self._hint

    def on_mount(self) -> None:
        """Say how it was judged."""
        self._verdict.update(verdict_line(self._recital, self._catalogue))

    def on_resize(self) -> None:
        """Show as many keys as fit."""
        self.call_after_refresh(self._show_keys)

    def _show_keys(self) -> None:
        self._hint.update(self._keys(max(2, self._hint.size.width)))

    def _keys(self, width: int) -> Content:
        text = self._catalogue.text
        keys = [("r", "right"), ("c", "resend"), ("e", "engram"), ("k", "restart"), ("Esc", "leave")]
        if self._sides.is_cut:
            keys.append(("↑↓", "read"))
        choices = [prompt_bar.Choice("", key, "", text(f"recital_review.key.{name}")) for key, name in keys]
        lines: list[Content] = []
        while choices and len(lines) < 3:
            shown = next((n for n in range(len(choices), 1, -1) if _length(choices[:n]) <= width), 1)
            lines.append(prompt_bar.prompt_line("", choices[:shown], width))
            choices = choices[shown:]
        return Content("\n").join(lines)

    def on_key(self, event: events.Key) -> None:
        """Answer, or move."""
        event.stop()
        event.prevent_default()
        key = event.character.lower() if event.is_printable and event.character else event.key
        page = max(1, self._sides.size.height - 1)
        moves = {"up": -1, "down": 1, "pageup": -page, "pagedown": page, "home": -(1 << 20), "end": 1 << 20}
        if key in moves:
            self._sides.move(moves[key])
        elif key == "escape":
            self.dismiss("")
        elif key in ANSWERS:
            self.dismiss(ANSWERS[key])


def _length(choices: Sequence[prompt_bar.Choice]) -> int:
    return prompt_bar.prompt_line("", choices, 10_000).cell_length


def verdict_line(recital: Recital, catalogue: Catalogue) -> Content:
    """Return how it was judged and by whom, and what is missing in it."""
    text = catalogue.text
    words = text(f"recital_review.verdict.{recital.verdict}", by=text(f"recital_review.by.{recital.by}"))
    line = Content.styled(words, VERDICT_STYLES[recital.verdict])
    if not recital.missing:
        return line
    return Content.assemble(line, " ", " ".join(text(key) for key in recital.missing))
