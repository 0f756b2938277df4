"""What goes to the terminal when something has changed: the title, and the picture."""

from __future__ import annotations

from agentsup.core.text import sanitise
from agentsup.demo.agent import Agent
from agentsup.demo.painter import Painter
from agentsup.demo.view import live, title


class Frames:
    """Makes one frame after the other."""

    def __init__(self, agent: Agent, painter: Painter) -> None:
        self.painter = painter
        self._agent, self._stage = agent, agent.stage
        self._title = ""

    def next(self) -> str:
        """Return what shows the stage as it is now; nothing where it shows already."""
        stage = self._stage
        out, new = "", sanitise(title(stage))
        if new != self._title:
            self._title = new
            out = f"\x1b]0;{new}\x1b\\"
        placeholder = stage.text("placeholder-tour" if self._agent.offers_tour else "placeholder")
        out += self.painter.paint(
            stage.transcript.entries,
            lambda columns, rows: live(stage, columns, rows, placeholder=placeholder),
            stage.scrolled,
        )
        stage.scrolled = self.painter.scrolled
        return out
