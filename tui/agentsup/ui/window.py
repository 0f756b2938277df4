"""The one screen, whose widgets stand where `core.layout` says."""

from __future__ import annotations

from typing import ClassVar

from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.screen import Screen
from textual.widget import Widget

from agentsup.core.layout import Area, Arrangement, arrange, line_row
from agentsup.core.layout import Layout as LayoutName


class Window(Screen[None], inherit_bindings=False):
    """Terminal, panels, notice and status."""

    def __init__(self, layout_name: LayoutName) -> None:
        super().__init__()
        self.layout_name = layout_name
        self.panels_shown = True
        self.notice_shown = False
        self.waits = False
        """Whether something waits for the person."""
        self._line = 0
        """The row of the agent's that the status lies over, where the agent is alone and something waits."""
        self._by_arrangement = ByArrangement()

    @property
    def layout(self) -> Layout:
        """The layout of the widgets, the same whatever a stylesheet says."""
        return self._by_arrangement

    @property
    def shows_notices(self) -> bool:
        """Whether a notice has lines of its own here."""
        return self.arrangement(self.size).notice is not None

    def rearrange(
        self, *, panels_shown: bool | None = None, notice_shown: bool | None = None, waits: bool | None = None
    ) -> None:
        """Place everything anew."""
        self.panels_shown = self.panels_shown if panels_shown is None else panels_shown
        self.notice_shown = self.notice_shown if notice_shown is None else notice_shown
        self.waits = self.waits if waits is None else waits
        self.set_class(self.arrangement(self.size).shape == "side", "-side")
        # Through a child: by its own refresh a screen does not forget the places it has worked out before.
        for widget in self.children[:1] or [self]:
            widget.refresh(layout=True)

    def keep_clear_of(self, cursor: int) -> None:
        """Take the line over the agent away from the row of its cursor."""
        line = line_row(cursor, self.size.height, self._line)
        if line != self._line:
            self._line = line
            if self.waits:
                self.rearrange()

    def on_resize(self) -> None:
        """Place everything anew."""
        self.rearrange()

    def arrangement(self, size: Size) -> Arrangement:
        """Return where everything stands in a window of `size`."""
        return arrange(
            size.width,
            size.height,
            self.layout_name,
            panels_shown=self.panels_shown,
            notice=self.notice_shown,
            waits=self.waits,
            line=self._line,
        )


class ByArrangement(Layout):
    """Places the window's widgets, each by its id; those without an area are not shown."""

    name: ClassVar[str] = "arrangement"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        """Return the places."""
        assert isinstance(parent, Window)
        placed = parent.arrangement(size)
        areas: dict[str | None, Area | None] = {
            "terminal": placed.terminal,
            "gauge": placed.gauge,
            "engram": placed.engram,
            "state": placed.state,
            "notice": placed.notice,
            "status": placed.status,
            # Where the layout has no status line there, choices lie over the agent's last row while they are open.
            "prompt": Area(0, size.height - 1, size.width, 1),
        }
        return [
            WidgetPlacement(Region(*area), NULL_OFFSET, NULL_SPACING, widget)
            for widget in children
            if (area := areas.get(widget.id)) is not None
        ]
