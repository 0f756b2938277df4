"""The dialog in which a person sees what a project's memory wants, and says what of it may be.

Nothing is approved by default, nothing by a key that may have been meant for the agent, and nothing before Enter.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from agentsup.core.catalogue import Catalogue
from agentsup.core.problems import Problem
from agentsup.core.session import Notice
from agentsup.ui import prompt_bar, trust_pages
from agentsup.ui.foreign_text import legible
from agentsup.ui.notice_bar import notice_todo, notice_what
from agentsup.ui.trust_pages import Choice, Page
from agentsup.ui.trust_reader import Reader

if TYPE_CHECKING:
    from agentsup.store.trust_review import Answer, Review

DEAF = 0.5
"""Seconds without any key after which keys count: what a person typed as the dialog came was not meant for it."""


LOW = 16
"""Rows below which no line is left empty."""

CHANGED_MEANWHILE = "trust.changed-meanwhile"
"""The problem of an answer to what is no longer so: it is shown again as it is now."""


class TrustReview(ModalScreen[None], inherit_bindings=False):
    """Shows what there is to approve, and records the answer."""

    def __init__(
        self,
        read: Callable[[], Review],
        record: Callable[[Review, Answer], object],
        catalogue: Catalogue,
    ) -> None:
        """Both callables are run in a thread, and may raise Problem."""
        super().__init__()
        self._read, self._record = read, record
        self._catalogue = catalogue
        self._review: Review | None = None
        self._pages: tuple[Page, ...] = ()
        self._page = 0
        self._chosen: frozenset[Choice] = frozenset()
        self._recording = False
        self.deaf_until = float("inf")
        """What was typed before this time, by the monotonic clock, was not meant for us."""
        self._problem = Static(id="trust-problem", markup=False)
        self._groups = Static(id="trust-groups", markup=False)
        self._reader = Reader(catalogue, id="trust-reader")
        self._summary = Static(id="trust-summary", markup=False)
        self._hint = Static(id="trust-hint", markup=False)

    def compose(self) -> ComposeResult:
        """Hold what is wrong, the groups, what is read, what Enter would approve, and the keys."""
        with Vertical(classes="dialog", id="trust") as box:
            box.border_title = Content(self._catalogue.text("trust_review.title"))
            yield self._problem
            yield self._groups
            yield self._reader
            yield self._summary
            yield self._hint

    def on_mount(self) -> None:
        """Read what there is, with a look at files and git that may take its time."""
        self.deaf_until = time.monotonic() + DEAF
        self._say(None)
        self._summary.update(Content(self._catalogue.text("trust_review.reading")))
        self.run_worker(self._show_review(), exclusive=True)

    def on_resize(self) -> None:
        """Show as many keys as fit."""
        self.set_class(self.size.height < LOW, "-low")
        self.call_after_refresh(self._show)

    async def _show_review(self) -> None:
        self._review = None
        try:
            review = await asyncio.to_thread(self._read)
            pages = await asyncio.to_thread(trust_pages.pages, review, self._catalogue)
        except Exception as error:  # noqa: BLE001 - the border: what a hostile project holds must not end the interface
            self._say(_notice_of(error))
            self._summary.update(Content(self._catalogue.text("trust_review.unread")))
            return
        self.deaf_until = float("inf")  # until it can be seen
        self._review, self._pages, self._page, self._chosen = review, pages, 0, frozenset()
        if review.problem:
            self._say(Notice(review.problem))
        self._show()
        self.call_after_refresh(self._begin_to_listen)

    def _begin_to_listen(self) -> None:
        self.deaf_until = time.monotonic() + DEAF

    # What is shown

    def _say(self, notice: Notice | None) -> None:
        """Show a problem above everything else, or none."""
        self._problem.display = notice is not None
        if notice is not None:
            what = Content.styled(f"▲ {notice_what(notice, self._catalogue)}", "bold $error")
            todo = notice_todo(notice, self._catalogue)
            self._problem.update(Content.assemble(what, f"\n  {todo}" if todo else ""))

    def _show(self) -> None:
        review, text = self._review, self._catalogue.text
        width = self._groups.size.width or self.size.width
        self._hint.update(self._keys(width))
        if review is None:
            return
        self.set_class(not self._pages, "-empty")
        if not self._pages:
            self._summary.update(Content(text(f"trust_review.{'begin_anew' if review.problem else 'nothing'}")))
            return
        self._reader.show(self._pages[self._page], self._chosen)
        self._groups.update(self._group_line(width))
        approved = trust_pages.summary(review, self._chosen, self._catalogue)
        words = text("trust_review.approves", what=approved) if approved else text("trust_review.approves_nothing")
        self._summary.update(Content.styled(words, "bold $warning" if approved else "bold"))

    def _group_line(self, width: int) -> Content:
        """Return all groups with what is chosen in them, or where they do not fit, the one that is read."""
        parts = []
        for number, page in enumerate(self._pages):
            name = self._catalogue.text(f"trust_review.{page.name}.name")
            state = trust_pages.state_of(page, self._chosen, self._catalogue)
            here = number == self._page
            parts.append(Content.styled(f" {number + 1} {name}: {state} ", "bold reverse" if here else "$quiet"))
        line = Content("").join(parts)
        if line.cell_length <= width:
            return line
        more = Content.styled(f" {self._page + 1}/{len(parts)}", "$quiet")
        return Content.assemble(parts[self._page], more).truncate(width, ellipsis=True)

    def _keys(self, width: int) -> Content:
        text = self._catalogue.text
        keys = [("Esc", "leave")]
        if self._pages:
            keys = [("Space", "change"), *keys, ("Tab", "group"), ("↑↓ PgUp PgDn", "read")]
        choices = [prompt_bar.Choice("", key, "", text(f"trust_review.key.{name}")) for key, name in keys]
        return prompt_bar.prompt_line("", choices, width)

    def on_reader_moved(self) -> None:
        """Say where the person is."""
        line, lines = self._reader.position
        self.query_one("#trust").border_subtitle = Content(f"{line}/{lines}") if lines else ""

    # What the person does

    def on_key(self, event: events.Key) -> None:
        """Move, or take an answer, unless that key may have been meant for the agent."""
        event.stop()
        event.prevent_default()
        if not self._move(event.key) and self._hears(event):
            self._take(event.key)

    def _hears(self, event: events.Key) -> bool:
        """Tell whether keys count by now; if not, they will after a pause."""
        # The time it was typed: where we were slow to look at it, what came before still counts as before.
        if event.time >= self.deaf_until:
            return not self._recording
        self.deaf_until = max(self.deaf_until, event.time + DEAF)
        return False

    def _move(self, key: str) -> bool:
        match key:
            case "tab" | "shift+tab":
                self._turn(1 if key == "tab" else -1)
            case "up" | "down":
                self._reader.move(1 if key == "down" else -1)
            case "pageup" | "pagedown":
                self._reader.move_pages(1 if key == "pagedown" else -1)
            case "home" | "end":
                self._reader.move_to_end(last=key == "end")
            case _:
                return False
        return True

    def _take(self, key: str) -> None:
        match key:
            case "escape":
                self.dismiss(None)
            case "enter":
                self._confirm()
            case "space":
                self._choose(None)
            case "left" | "right":
                self._choose(key == "right")
            case _:
                pass

    def _turn(self, step: int) -> None:
        if self._pages and not self._recording:
            self._page = (self._page + step) % len(self._pages)
            self._show()

    def _choose(self, yes: bool | None) -> None:
        """Say yes or no to what the person is at; None: the other of the two."""
        choice = self._reader.choice
        if choice is None:
            return
        yes = choice not in self._chosen if yes is None else yes
        self._chosen = self._chosen | {choice} if yes else self._chosen - {choice}
        self._show()

    def _confirm(self) -> None:
        if self._review is None:
            return
        self._recording = True
        self._summary.update(Content(self._catalogue.text("trust_review.recording")))
        self.run_worker(self._record_answer(self._review, self._chosen), exclusive=True)

    async def _record_answer(self, review: Review, chosen: frozenset[Choice]) -> None:
        try:
            await asyncio.to_thread(self._record, review, trust_pages.answer_of(chosen))
        except Exception as error:  # noqa: BLE001 - the border: a record that can't be written must not end the interface
            self._say(_notice_of(error))
            if isinstance(error, Problem) and error.key == CHANGED_MEANWHILE:
                await self._show_review()
            self._recording = False
            self._show()
        else:
            self.dismiss(None)


def _notice_of(error: Exception) -> Notice:
    if isinstance(error, Problem):
        return Notice(error.key, tuple((name, legible(value)) for name, value in error.values.items()))
    reason = error.strerror if isinstance(error, OSError) and error.strerror else f"{type(error).__name__}: {error}"
    return Notice("trust_review.failed", (("reason", legible(reason)),))
