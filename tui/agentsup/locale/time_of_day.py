"""A moment as a person reads it."""

from __future__ import annotations

import time


def when(moment: float, *, seconds: bool = False) -> str:
    """Return the time of day of a moment, with its date where that is not today's."""
    then, today = time.localtime(moment), time.localtime()
    clock = "%H:%M:%S" if seconds else "%H:%M"
    return time.strftime(clock if then[:3] == today[:3] else f"%Y-%m-%d {clock}", then)
