"""The line at the bottom: who runs, how it is, and which key opens the menu."""

from __future__ import annotations

from typing import NamedTuple

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from agentsup.core.catalogue import Catalogue
from agentsup.core.figures import share, summary
from agentsup.core.session import Notice, Session
from agentsup.core.shown_injection import BREAKER, goes_by_itself, shown_injection
from agentsup.ui.loop_choices import wants_judging
from agentsup.ui.notice_bar import notice_what
from agentsup.ui.panels.gauge_bar import shown_colour
from agentsup.ui.panels.gauge_lines import injection_line, phase_line, recital_line

SHOWN_STATES = ("queued", "held", "writing", "submitted", "failed")
"""Injections worth a place in the line; finished ones are in the gauge."""

LEAST_CUT = 12
"""Cells with which a part that has to be cut still says something."""


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
    line = Content("")
    parts = _parts(session, catalogue, connected, notices)
    if sum(part.whole.cell_length + 3 for part in parts) + menu.cell_length > width:
        parts = [_Part(part.brief or part.whole, part.brief) for part in parts]
    for part in parts:
        room = width - menu.cell_length - 3 - (line.cell_length + 3 if line else 0)
        if not line and part.whole.cell_length > room:
            line = part.whole.truncate(max(1, width), ellipsis=True)
            break
        shown, is_cut = _fitted(part, room)
        if shown is not None:
            line = Content.assemble(line, "   ", shown) if line else shown
        if shown is None or is_cut:
            break
    space = width - line.cell_length - menu.cell_length
    return Content.assemble(line, " " * space, menu) if space > 0 else line.truncate(width, pad=True)


class _Part(NamedTuple):
    whole: Content
    brief: Content | None = None
    """What still says what matters, where there is no room for the whole; cut where there is none for it either."""


def _fitted(part: _Part, room: int) -> tuple[Content | None, bool]:
    """Return what of a part fits, if anything, and whether something had to be left out."""
    if part.whole.cell_length <= room:
        return part.whole, False
    if part.brief is None or room < LEAST_CUT:
        return None, True
    return part.brief.truncate(room, ellipsis=True), part.brief.cell_length > room


def _parts(session: Session | None, catalogue: Catalogue, connected: bool, notices: tuple[Notice, ...]) -> list[_Part]:
    if not connected:
        agent = [] if session is None else [_Part(Content.styled(session.agent.name, "bold"))]
        return [*agent, _Part(Content.styled(catalogue.text("status.reconnecting"), "$warning"))]
    if session is None:
        return [_Part(Content.styled(catalogue.text("status.starting"), "$quiet"))]
    parts = [_Part(Content.styled(session.agent.name, "bold")), _Part(phase_line(session, catalogue))]
    if session.loop.breaker.is_open:
        parts.append(_Part(Content.styled(catalogue.text("status.breaker"), "bold $error")))
    injection = shown_injection(session)
    stands = None
    if injection is not None and injection.state in SHOWN_STATES:
        stands = _Part(injection_line(session, catalogue), injection_line(session, catalogue, brief=True))
    waits = injection is not None and injection.state in ("held", "failed") and not goes_by_itself(injection)
    # Held by the breaker says nothing more than that it is open.
    if stands is not None and waits and not (injection and injection.reason == BREAKER):
        parts.append(stands)
    if wants_judging(session) and (recital := recital_line(session.loop.recital, catalogue)):
        parts.append(_Part(recital))
    parts += _figures(session, catalogue)
    if notices:
        notice = Content.styled(f"▲ {notice_what(notices[-1], catalogue)}", "$warning")
        parts.append(_Part(notice, notice))
    if stands is not None and not waits:
        parts.append(stands)
    return parts


def _figures(session: Session, catalogue: Catalogue) -> list[_Part]:
    if session.context.used is None and share(session.context) is None:
        return []
    text = catalogue.text("status.context", context=summary(session.context, catalogue))
    return [_Part(Content.styled(text, shown_colour(session.context)))]


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
