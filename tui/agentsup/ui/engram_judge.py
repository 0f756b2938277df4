"""Judges the text of the editor when it rests, beside the interface's loop: git and large projects take their time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.timer import Timer

from agentsup.ui.engram_area import EngramArea

if TYPE_CHECKING:
    from agentsup.core.checks.finding import Finding

PAUSE = 0.25
"""Seconds without a change after which the text is judged."""


class Judge:
    """What is wrong with the text of an area; one look at a time."""

    def __init__(
        self,
        area: EngramArea,
        check: Callable[[str], tuple[Finding, ...]],
        *,
        judged: Callable[[], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """`check` is called in a thread."""
        self._area, self._check = area, check
        self._judged, self._failed = judged, failed
        self._timer: Timer | None = None
        self._at_work = False
        self.findings: tuple[Finding, ...] = ()
        self.text: str | None = None
        """The text that the findings are about; None before the first look."""

    def changed(self) -> None:
        """Judge the text in a moment, unless it changes again before that."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._area.set_timer(PAUSE, self._begin)

    def _begin(self) -> None:
        if not self._at_work and self._area.meant != self.text:
            self._at_work = True
            self._area.run_worker(self._judge(self._area.meant))

    async def _judge(self, text: str) -> None:
        try:
            findings = await asyncio.to_thread(self._check, text)
        except Exception as error:  # noqa: BLE001 - the border: what git or a text of others does must not end us
            self._failed(error)
            return
        finally:
            self._at_work = False
        if text == self._area.meant:
            self.findings, self.text = findings, text
            self._area.mark(findings)
            self._judged()
        else:
            self.changed()
