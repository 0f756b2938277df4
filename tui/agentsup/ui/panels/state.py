"""The task's state: what is being done, what comes next, what is done."""

from __future__ import annotations

from textual.content import Content

from agentsup.core.catalogue import Catalogue
from agentsup.core.memory import state_sections
from agentsup.core.session import Session
from agentsup.ui.panels import Panel
from agentsup.ui.panels.tagged import TaggedLine, hint, tagged

SECTIONS: tuple[tuple[str, str], ...] = (
    ("in_progress", "$primary"),
    ("next", "$warning"),
    ("completed", "$success"),
    ("evidence", "$secondary"),
    ("scope", "$secondary"),
)
"""Sections in the order of use: a low panel shows the first ones."""


def state(session: Session, catalogue: Catalogue, width: int, height: int) -> Content:
    """Return STATE.md's sections; the section's name stands at its first item."""
    document = session.memory.state
    if document.problem:
        return Content.styled(catalogue.text(document.problem, path=document.path), "$warning")
    if document.text is None:
        return hint(catalogue.text("state.missing"))
    sections = state_sections(document.text)
    lines = [
        TaggedLine("" if index else catalogue.text(f"section.{name}"), style, item)
        for name, style in SECTIONS
        for index, item in enumerate(sections.get(name, ()))
    ]
    return tagged(lines, width, height) if lines else hint(catalogue.text("state.empty"))


class StatePanel(Panel):
    """The task's state."""

    TITLE_KEY = "state.title"

    def draw(self, session: Session, catalogue: Catalogue, width: int, height: int) -> Content:
        """Return the state."""
        return state(session, catalogue, width, height)
