"""The task's state: what is being done, what comes next, what is done."""

from __future__ import annotations

from textual.content import Content

from agentsup.core.catalogue import Catalogue
from agentsup.core.memory.problems import Unparsable
from agentsup.core.memory.state import Step, TaskState
from agentsup.core.memory.state_forms import read_state
from agentsup.core.session import Session
from agentsup.ui.panels import Panel
from agentsup.ui.panels.tagged import TaggedLine, hint, tagged

SECTIONS: tuple[tuple[str, str], ...] = (
    ("in_progress", "$primary"),
    ("next", "$warning"),
    ("blocked", "$error"),
    ("completed", "$success"),
    ("evidence", "$secondary"),
    ("scope", "$secondary"),
)
"""Sections in the order of use: a low panel shows the first ones."""


def state(session: Session, catalogue: Catalogue, width: int, height: int) -> Content:
    """Return the state's sections; the section's name stands at its first item."""
    document = session.memory.state
    if document.problem:
        return Content.styled(catalogue.text(document.problem, path=document.path), "$warning")
    if document.text is None:
        return hint(catalogue.text("state.missing"))
    try:
        found = read_state(session.memory.state_form, document.text)
    except Unparsable as problem:
        place = f"{document.path}:{problem.spot.line}:{problem.spot.column}"
        return Content.styled(catalogue.text("state.unparsable", place=place, reason=problem.reason), "$warning")
    lines = [
        TaggedLine("" if index else catalogue.text(f"section.{name}"), style, step.text)
        for name, style in SECTIONS
        for index, step in enumerate(_section(found, name))
    ]
    return tagged(lines, width, height) if lines else hint(catalogue.text("state.empty"))


def _section(state: TaskState, name: str) -> tuple[Step, ...]:
    steps: tuple[Step, ...] = getattr(state, name)
    return steps


class StatePanel(Panel):
    """The task's state."""

    TITLE_KEY = "state.title"

    def draw(self, session: Session, catalogue: Catalogue, width: int, height: int) -> Content:
        """Return the state."""
        return state(session, catalogue, width, height)
