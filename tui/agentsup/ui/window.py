"""The one screen, whose widgets stand where `core.layout` says."""

from __future__ import annotations

from typing import ClassVar

from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.screen import Screen
from textual.widget import Widget

from agentsup.core.layout import Area, Arrangement, arrange
from agentsup.core.layout import Layout as LayoutName


class Window(Screen[None], inherit_bindings=False):
    """Terminal, panels, notice and status."""

    def __init__(self, layout_name: LayoutName) -> None:
        super().__init__()
        self.layout_name = layout_name
        self.panels_shown = True
        self.notice_shown = False
        self.styles.layout = ByArrangement()

    def arrangement(self, size: Size) -> Arrangement:
        """Return where everything stands in a window of `size`."""
        return arrange(
            size.width,
            size.height,
            self.layout_name,
            panels_shown=self.panels_shown,
            notice=self.notice_shown,
        )


class ByArrangement(Layout):
    """Places the window's widgets, each by its id; those without an area are not shown."""

    name: ClassVar[str] = "arrangement"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        """Return the places."""
        assert isinstance(parent, Window)
        placed = parent.arrangement(size)
        areas: dict[str | None, Area | None] = {
            "terminal": placed.terminal, "gauge": placed.gauge, "engram": placed.engram, "state": placed.state,
            "notice": placed.notice, "status": placed.status,
            # Where the layout has no status line, choices lie over the agent's last row while they are open.
            "prompt": placed.status or Area(0, size.height - 1, size.width, 1),
        }  # fmt: skip
        return [
            WidgetPlacement(Region(*area), NULL_OFFSET, NULL_SPACING, widget)
            for widget in children
            if (area := areas.get(widget.id)) is not None
        ]
