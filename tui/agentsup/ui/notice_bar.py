"""What the person should know: one line what, one line what to do. Never over the agent, never modal."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from agentsup.core.catalogue import Catalogue
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


def notice_lines(notices: tuple[Notice, ...], catalogue: Catalogue, leader: str, width: int) -> Content:
    """Return the newest notice, and on the right, where there is room, how to put it away."""
    if not notices:
        return Content("")
    newest = notices[-1]
    key = "notice.dismiss_more" if len(notices) > 1 else "notice.dismiss"
    what = Content.styled(f"▲ {notice_what(newest, catalogue)}", "bold $warning").truncate(width, ellipsis=True)
    away = Content.styled(catalogue.text(key, leader=leader, count=len(notices) - 1), "$quiet")
    space = width - what.cell_length - away.cell_length
    line = Content.assemble(what, " " * space, away) if space > 1 else what
    todo = Content(f"  {notice_todo(newest, catalogue)}").truncate(width, ellipsis=True)
    return Content.assemble(line, "\n", todo)


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
        return notice_lines(self.notices, self._catalogue, self._leader, self.content_size.width)
