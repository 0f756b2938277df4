"""The line at the bottom: who runs, how it is, and which key opens the menu."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from agentsup.core.catalogue import Catalogue
from agentsup.core.figures import share, summary
from agentsup.core.session import Notice, Session, shown_injection
from agentsup.ui.loop_choices import wants_judging
from agentsup.ui.notice_bar import notice_what
from agentsup.ui.panels.gauge_bar import shown_colour
from agentsup.ui.panels.gauge_lines import injection_line, phase_line, recital_line

SHOWN_STATES = ("queued", "held", "writing", "submitted", "failed")
"""Injections worth a place in the line; finished ones are in the gauge."""


def status_line(
    session: Session | None,
    catalogue: Catalogue,
    width: int,
    *,
    leader: str,
    connected: bool = True,
    notices: tuple[Notice, ...] = (),
) -> Content:
    """Return the line: as many parts as fit, the menu's key always. `notices`: those no bar shows."""
    menu = Content.styled(catalogue.text("status.menu", leader=leader), "$quiet")
    parts = _parts(session, catalogue, connected, notices)
    line = Content("")
    for part in parts:
        longer = Content.assemble(line, "   ", part) if line else part
        if longer.cell_length + menu.cell_length + 3 > width:
            if not line:
                line = part.truncate(max(1, width), ellipsis=True)
            break
        line = longer
    space = width - line.cell_length - menu.cell_length
    return Content.assemble(line, " " * space, menu) if space > 0 else line.truncate(width, pad=True)


def _parts(
    session: Session | None, catalogue: Catalogue, connected: bool, notices: tuple[Notice, ...]
) -> list[Content]:
    parts: list[Content] = []
    if session is not None:
        parts.append(Content.styled(session.agent.name, "bold"))
    if not connected:
        return [*parts, Content.styled(catalogue.text("status.reconnecting"), "$warning")]
    if session is None:
        return [Content.styled(catalogue.text("status.starting"), "$quiet")]
    parts.append(phase_line(session, catalogue))
    if session.context.used is not None or share(session.context) is not None:
        text = catalogue.text("status.context", context=summary(session.context, catalogue))
        parts.append(Content.styled(text, shown_colour(session.context)))
    if notices:
        parts.append(Content.styled(f"▲ {notice_what(notices[-1], catalogue)}", "$warning"))
    injection = shown_injection(session)
    if injection is not None and injection.state in SHOWN_STATES:
        parts.append(injection_line(injection, catalogue))
    if wants_judging(session) and (recital := recital_line(session.loop.recital, catalogue)):
        parts.append(recital)
    return parts


class StatusBar(Widget):
    """The status line."""

    ALLOW_SELECT = False

    session: reactive[Session | None] = reactive(None)
    connected = reactive(True)
    notices: reactive[tuple[Notice, ...]] = reactive(())

    def __init__(self, catalogue: Catalogue, leader: str, *, id: str) -> None:
        super().__init__(id=id)
        self._catalogue = catalogue
        self._leader = leader

    def render(self) -> Content:
        """Return the line for the present width."""
        return status_line(
            self.session, self._catalogue, self.content_size.width,
            leader=self._leader, connected=self.connected, notices=self.notices,
        )  # fmt: skip
