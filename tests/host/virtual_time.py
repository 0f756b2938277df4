"""An event loop whose waits take no time: its clock goes on to the next timer as soon as nothing else is ready."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any


class _Clock(selectors.SelectSelector):
    """Does not wait, but lets the time it would have waited pass."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "everything waits, and no timer runs"
            self.now += timeout
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self, clock: _Clock) -> None:
        super().__init__(clock)
        self._virtual = clock

    def time(self) -> float:
        return self._virtual.now


def run(main: Coroutine[Any, Any, None]) -> None:
    """Run until it has ended."""
    loop = _Loop(_Clock())
    try:
        loop.run_until_complete(main)
    finally:
        loop.close()
