"""The engram: the anchor that comes back after every compaction."""

from __future__ import annotations

from textual.content import Content

from agentsup.core.catalogue import Catalogue
from agentsup.core.memory.engram import read_engram
from agentsup.core.session import Session
from agentsup.ui.panels import Panel
from agentsup.ui.panels.tagged import TaggedLine, hint, tagged


def engram(session: Session, catalogue: Catalogue, width: int, height: int) -> Content:
    """Return the engram, one tagged item a line."""
    document = session.memory.engram
    if document.problem:
        return Content.styled(catalogue.text(document.problem, path=document.path), "$warning")
    if document.text is None:
        return hint(catalogue.text("engram.missing"))
    items = read_engram(document.text).items
    if not items:
        return hint(catalogue.text("engram.empty"))
    lines = [TaggedLine(catalogue.text(f"tag.{item.tag}"), f"$tag-{item.tag}", item.text) for item in items]
    return tagged(lines, width, height)


class EngramPanel(Panel):
    """The engram."""

    TITLE_KEY = "engram.title"
    ACTION = "engram"

    def draw(self, session: Session, catalogue: Catalogue, width: int, height: int) -> Content:
        """Return the engram."""
        return engram(session, catalogue, width, height)
