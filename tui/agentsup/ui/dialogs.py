"""Questions before something is ended, and the list of keys."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from agentsup.core.catalogue import Catalogue
from agentsup.core.recital.expected import expected
from agentsup.core.session import Session

_LOOP_KEYS = ("v", "x", "h", "a", "b", "c")
"""Keys that are there only where there is something to decide."""

_KEY_NAMES = {"PgUp": "scroll", "/": "search"}
"""Keys whose words go by another name in the catalogue."""


class Confirm(ModalScreen[bool], inherit_bindings=False):
    """A question whose default is no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("y", "answer(True)"),
        ("n,escape", "answer(False)"),
        ("left,right,tab,shift+tab", "other"),
    ]

    def __init__(self, title: str, body: Content, catalogue: Catalogue) -> None:
        super().__init__()
        self._question = title
        self._body = body
        self._catalogue = catalogue

    def compose(self) -> ComposeResult:
        """Show the question, what will happen, and two answers."""
        with Vertical(classes="dialog") as box:
            box.border_title = Content(self._question)
            yield Static(self._body, classes="body", markup=False)
            with Horizontal(classes="answers"):
                yield Button(Content(f"{self._catalogue.text('confirm.yes')} (y)"), id="yes")
                yield Button(Content(f"{self._catalogue.text('confirm.no')} (n)"), id="no")

    def on_mount(self) -> None:
        """Stand on no."""
        self.query_one("#no").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer."""
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        """Answer."""
        self.dismiss(answer)

    def action_other(self) -> None:
        """Go to the other answer."""
        self.query_one("#yes" if self.query_one("#no").has_focus else "#no").focus()


class KeyList(ModalScreen[None], inherit_bindings=False):
    """What the keys after the leader do."""

    def __init__(self, catalogue: Catalogue, leader: str, *, function_keys: frozenset[str] = frozenset()) -> None:
        """`function_keys` are those that are ours."""
        super().__init__()
        self._catalogue = catalogue
        self._leader = leader
        self._function_keys = function_keys
        self._body = Static(Content("\n").join(self._lines(10_000)), classes="body", markup=False)

    def compose(self) -> ComposeResult:
        """Hold one line a key, which is filled when its width is known."""
        with Vertical(classes="dialog", id="keys") as box:
            box.border_title = Content(self._catalogue.text("keys.title"))
            yield self._body

    def on_resize(self) -> None:
        """Say how to go on reading, where there is more than is seen."""
        self.call_after_refresh(self._show_how)

    def _show_how(self) -> None:
        box = self.query_one("#keys")
        self._body.update(Content("\n").join(self._lines(max(20, self._body.content_size.width))))
        box.border_subtitle = Content(self._catalogue.text("keys.more" if box.max_scroll_y else "keys.close"))

    def _lines(self, width: int) -> list[Content]:
        """Return one line a key; of what does not fit the rest stands under its beginning."""
        text = self._catalogue.text
        lines = [*Content(text("keys.intro", leader=self._leader)).wrap(width), Content("")]
        for key in ("d", "r", "i", "e", "p", "t", "l", "m", "s", "n", "PgUp", "/", "y", *_LOOP_KEYS):
            words = text(f"{'loop_keys' if key in _LOOP_KEYS else 'keys'}.{_KEY_NAMES.get(key, key)}")
            lines += self._of_key(key, words, width)
        lines += [*self._of_key(self._leader, text("keys.again", leader=self._leader), width), Content("")]
        if self._function_keys:
            also = text("editor.function_key") if "F2" in self._function_keys else ""
            lines += Content(f"{text('keys.function_keys')}{also}").wrap(width)
        return [*lines, *(line for name in ("wheel", "select") for line in Content(text(f"keys.{name}")).wrap(width))]

    def _of_key(self, key: str, words: str, width: int) -> list[Content]:
        column = max(4, len(self._leader))
        lead, indent = Content.styled(f"  {key:<{column}} ", "bold $accent"), " " * (column + 3)
        pieces = Content(words).wrap(max(8, width - len(indent)))
        return [Content.assemble(indent if number else lead, piece) for number, piece in enumerate(pieces)]

    def on_key(self, event: events.Key) -> None:
        """Close, or go on reading."""
        event.stop()
        box = self.query_one("#keys")
        page = max(1, box.scrollable_content_region.height - 1)
        moves = {"up": -1, "down": 1, "pageup": -page, "pagedown": page, "home": -box.max_scroll_y, "end": page * 99}
        if box.max_scroll_y and event.key in moves:
            box.scroll_relative(y=moves[event.key], animate=False)
        else:
            self.dismiss(None)

    def on_click(self) -> None:
        """Close."""
        self.dismiss(None)


def restart_question(session: Session, catalogue: Catalogue) -> Confirm:
    """Ask for a cold restart: what it does, and what the fresh agent will be told first."""
    known = expected(session.memory)
    task, following = next(iter(known.task), ""), next(iter(known.next), "")
    nothing = catalogue.text("restart.nothing")
    body = Content.assemble(
        catalogue.text("restart.steps"),
        "\n\n",
        (f"{catalogue.text('restart.task')}  ", "$tag-task"),
        task or (nothing, "$quiet"),
        "\n",
        (f"{catalogue.text('restart.next')}  ", "$tag-pending"),
        following or (nothing, "$quiet"),
    )
    return Confirm(catalogue.text("restart.title", agent=session.agent.name), body, catalogue)


def stop_question(session: Session, catalogue: Catalogue, leader: str) -> Confirm:
    """Ask for the end of the session: what it does, and what does less."""
    body = Content(catalogue.text("stop.steps", leader=leader))
    return Confirm(catalogue.text("stop.title", agent=session.agent.name), body, catalogue)
