"""What the person should know: one line what, one line what to do. Never over the agent, never modal."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from agentsup.core.catalogue import Catalogue
from agentsup.core.layout import NOTICE_ROWS
from agentsup.core.session import Notice


def notice_what(notice: Notice, catalogue: Catalogue) -> str:
    """Return the line that says what; a key without such a line is itself the message's."""
    key = f"{notice.key}.what"
    return catalogue.text(key if catalogue.has(key) else notice.key, **dict(notice.values))


def notice_todo(notice: Notice, catalogue: Catalogue) -> str:
    """Return the line that says what to do, empty where there is none."""
    key = f"{notice.key}.todo"
    return catalogue.text(key, **dict(notice.values)) if catalogue.has(key) else ""


def concerns_trust(notice: Notice) -> bool:
    """Say whether it is about what may run, may be law or came from others: what the review shows."""
    return notice.key.startswith("trust.")


def notice_lines(
    notices: tuple[Notice, ...], catalogue: Catalogue, leader: str, width: int, *, rows: int = NOTICE_ROWS
) -> Content:
    """Return the last notice, and on the right, where there is room, how to put it away; that there are more, always.

    What is too long for these rows is cut: first of what happened, so that what to do is seen.
    """
    if not notices:
        return Content("")
    newest, others = notices[-1], len(notices) - 1
    key = "notice.dismiss_more" if others else "notice.dismiss"
    what = Content.styled(f"▲ {notice_what(newest, catalogue)}", "bold $warning")
    todo = Content(f"  {notice_todo(newest, catalogue)}")
    away = Content.styled(catalogue.text(key, leader=leader, count=others), "$quiet")
    if (line := _with_end(what, away, width)) is not None:
        what = line
    elif (line := _with_end(todo, away, width)) is not None:
        todo = line
    elif others:
        more = Content.styled(catalogue.text("notice.more", count=others), "$quiet")
        what = _cut(what, width - more.cell_length - 2, 1)
        what = _with_end(what, more, width) or what
    todo = _cut(todo, width, rows - 1)
    return Content.assemble(_cut(what, width, rows - len(todo.plain.split("\n"))), "\n", todo)


def _with_end(line: Content, end: Content, width: int) -> Content | None:
    """Return a line with something at its right end; None where there is no room."""
    space = width - line.cell_length - end.cell_length
    return Content.assemble(line, " " * space, end) if space > 1 else None


def _cut(line: Content, width: int, rows: int) -> Content:
    """Return a line in at most so many rows."""
    pieces = line.wrap(max(2, width)) or [Content("")]
    if len(pieces) > rows:
        pieces = [*pieces[: rows - 1], Content.assemble(pieces[rows - 1].rstrip(), "…")]
    return Content("\n").join(piece.truncate(width, ellipsis=True) for piece in pieces)


class NoticeBar(Widget):
    """The newest notice."""

    ALLOW_SELECT = False

    notices: reactive[tuple[Notice, ...]] = reactive(())

    def __init__(self, catalogue: Catalogue, leader: str, *, id: str) -> None:
        super().__init__(id=id)
        self._catalogue = catalogue
        self._leader = leader

    def render(self) -> Content:
        """Return the two lines."""
        return notice_lines(
            self.notices,
            self._catalogue,
            self._leader,
            self.content_size.width,
            rows=max(NOTICE_ROWS, self.content_size.height),
        )
