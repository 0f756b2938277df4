"""The dialog in which a person sees what a project's memory wants, and says what of it may be.

Nothing is approved by default, nothing by keys that may have been meant for the agent, and nothing before Enter, a
question, and a y that stands alone.
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
from agentsup.core.text import legible
from agentsup.ui import prompt_bar, trust_hands, trust_pages
from agentsup.ui.notice_bar import notice_todo, notice_what
from agentsup.ui.trust_groups import Groups
from agentsup.ui.trust_hands import Hands, Sense
from agentsup.ui.trust_pages import Choice, Page
from agentsup.ui.trust_reader import Reader

if TYPE_CHECKING:
    from agentsup.store.trust_review import Answer, Review

MARGIN = 0.02
"""Seconds by which a timer may be early."""

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
        self.hands = Hands()
        """Judges the keys."""
        self._prose = False
        self._problem = Static(id="trust-problem", markup=False)
        self._groups = Groups(catalogue, id="trust-groups")
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
        self.hands.shown(time.monotonic())
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
        self.hands.shown(float("inf"))  # not yet
        self._review, self._pages, self._page, self._chosen = review, pages, 0, frozenset()
        if review.problem:
            self._say(Notice(review.problem))
        self._show()
        self.call_after_refresh(lambda: self.hands.shown(time.monotonic()))

    # What is shown

    def _say(self, notice: Notice | None) -> None:
        """Show a problem above everything else, or none."""
        self._problem.display = notice is not None
        if notice is not None:
            what = Content.styled(f"▲ {notice_what(notice, self._catalogue)}", "bold $error")
            todo = notice_todo(notice, self._catalogue)
            self._problem.update(Content.assemble(what, f"\n  {todo}" if todo else ""))

    def _show(self) -> None:
        review = self._review
        width = self._groups.size.width or self.size.width
        self._hint.update(self._keys(width))
        if review is None:
            return
        self.set_class(not self._pages, "-empty")
        if self._pages:
            self._reader.show(self._pages[self._page], self._chosen)
            self._groups.show(self._pages, self._page, self._chosen, width)
        self._summary.update(self._what_follows(review))

    def _what_follows(self, review: Review) -> Content:
        """Return what the next key would do."""
        text = self._catalogue.text
        if self._prose:
            return Content.styled(text("trust_review.prose", seconds=f"{trust_hands.PROSE:.0f}"), "bold $error")
        if not self._pages:
            return Content(text(f"trust_review.{'begin_anew' if review.problem else 'nothing'}"))
        approved = trust_pages.summary(review, self._chosen, self._catalogue)
        if not approved:
            return Content.styled(text("trust_review.approves_nothing"), "bold")
        if self.hands.asked is None:
            return Content.styled(text("trust_review.approves", what=approved), "bold $warning")
        return Content.styled(text("trust_review.asks", what=approved), "bold reverse $warning")

    def _keys(self, width: int) -> Content:
        text = self._catalogue.text
        keys = [("Esc", "leave")]
        if self._pages:
            # What is approved already can't be taken back here.
            first = ("Space", "change") if self._pages[self._page].choices else ("agentsup deny", "deny")
            group = [("Tab", "group")] if len(self._pages) > 1 else []
            keys = [first, *keys, *group, ("↑↓ PgUp PgDn", "read")]
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
        # The time it was typed: where we were slow to look at it, what came before still counts as before.
        sense = self.hands.key(event.key, event.time, pages=len(self._pages))
        if sense == "prose":
            self._forget()
        elif not self._recording:
            self._do(sense, event.key)

    def _do(self, sense: Sense, key: str) -> None:
        match sense:
            case "move":
                self._move(key)
            case "page":
                self._go_to(int(key) - 1)
            case "change" | "no" | "yes":
                self._choose(self._reader.choice, None if sense == "change" else sense == "yes")
            case "enter":
                self._enter()
            case "leave":
                self.dismiss(None)
            case "back":
                self._show()
            case "approve":
                self._summary.update(Content(self._catalogue.text("trust_review.recording")))
                self.set_timer(trust_hands.PAUSE + MARGIN, self._approve_behind_keys)
            case _:
                pass

    def on_paste(self, event: events.Paste) -> None:
        """Take a paste for what it is: meant for the agent."""
        event.stop()
        self.hands.text(event.time)
        self._forget()

    def on_click(self, event: events.Click) -> None:
        """Choose, or go to a page; a click never approves."""
        if event.button != 1 or self._recording or not self._pages:
            return
        may_choose = self.hands.click(event.time)
        if self._groups.region.contains(event.screen_x, event.screen_y):
            self._go_to(self._groups.page_at(event.screen_x - self._groups.region.x))
        elif may_choose and self._reader.region.contains(event.screen_x, event.screen_y):
            self._choose(self._reader.choice_at(event.screen_y - self._reader.region.y), None)
        self._show()

    def _forget(self) -> None:
        """Choose nothing, and say why, until the person's hands are still."""
        self._chosen = frozenset()
        if not self._prose:
            self._prose = True
            self.set_timer(trust_hands.PROSE + MARGIN, self._hands_may_be_still)
        self._show()

    def _hands_may_be_still(self) -> None:
        left = self.hands.deaf_until - time.monotonic()
        self._prose = left > 0
        if self._prose:
            self.set_timer(min(left, trust_hands.PROSE) + MARGIN, self._hands_may_be_still)
        self._show()

    def _move(self, key: str) -> None:
        match key:
            case "tab" | "shift+tab":
                if self._pages:
                    self._go_to((self._page + (1 if key == "tab" else -1)) % len(self._pages))
            case "up" | "down":
                self._reader.move(1 if key == "down" else -1)
            case "pageup" | "pagedown":
                self._reader.move_pages(1 if key == "pagedown" else -1)
            case _:
                self._reader.move_to_end(last=key == "end")

    def _go_to(self, page: int) -> None:
        self._page = page
        self._show()

    def _choose(self, choice: Choice | None, yes: bool | None) -> None:
        """Say yes or no to something; None: the other of the two."""
        if choice is None:
            return
        yes = choice not in self._chosen if yes is None else yes
        self._chosen = self._chosen | {choice} if yes else self._chosen - {choice}
        self._show()

    def _enter(self) -> None:
        """Ask whether what is chosen is meant, or where that is nothing, be done."""
        if not self._chosen:
            self._record_chosen()
        elif self._review is not None:
            self.hands.ask(float("inf"))  # until it can be seen
            self._show()
            self.call_after_refresh(self._asked)

    def _asked(self) -> None:
        if self.hands.asked is not None:
            self.hands.ask(time.monotonic())

    def _approve_behind_keys(self) -> None:
        """Approve, behind every key that has been typed by now and is still on its way through the app."""
        self.app.call_later(self.call_later, self._approve)

    def _approve(self) -> None:
        if self.hands.approves(time.monotonic()):
            self._record_chosen()

    def _record_chosen(self) -> None:
        if self._review is None or self._recording:
            return
        self._recording = True
        self.hands.stop_asking()
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
