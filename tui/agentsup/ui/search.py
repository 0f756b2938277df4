"""Search the lines, upwards from where the person is, without regard to case.

Lines that are not known here are asked for as the search reaches them; `go_on` is called when some came.
"""

from __future__ import annotations

import re
from typing import Literal

from rich.cells import cell_len

from agentsup.protocol.messages import LINES_AT_ONCE
from agentsup.ui.viewport import Viewport

State = Literal["found", "waiting", "nothing"]


class Search:
    """One search text, and where its last match stands."""

    def __init__(self, view: Viewport, text: str) -> None:
        self.text = text
        self.state: State = "nothing"
        self._view = view
        self._pattern = re.compile(re.escape(text), re.IGNORECASE)
        self._at = view.first + view.rows
        self._step = -1

    def matches(self, line: str) -> list[tuple[int, int]]:
        """Return the columns of all matches in a line: from, to before."""
        return [
            (cell_len(line[: found.start()]), cell_len(line[: found.end()])) for found in self._pattern.finditer(line)
        ]

    def next(self, *, down: bool = False) -> State:
        """Look for the next line that matches, upwards or `down`; the position moves to it."""
        self._step = 1 if down else -1
        self._at += self._step
        return self.go_on()

    def go_on(self) -> State:
        """Look on from where lines were missing."""
        view = self._view
        scrollback = view.scrollback
        last = scrollback.end + view.rows - 1
        self._at = min(max(self._at, scrollback.lost - 1), last + 1)
        while scrollback.lost <= self._at <= last:
            line = view.line(self._at)
            if line is None:
                view.ask_before(self._at + 1 if self._step < 0 else min(self._at + LINES_AT_ONCE, scrollback.end))
                self.state = "waiting"
                return self.state
            if self._pattern.search(line.strip.text):
                self._show()
                self.state = "found"
                return self.state
            self._at += self._step
        self.state = "nothing"
        return self.state

    def _show(self) -> None:
        view = self._view
        if not view.first <= self._at < view.first + view.rows:
            view.go_to(self._at - view.rows // 2)
