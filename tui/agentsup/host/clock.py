"""One clock for what the host waits for, which nobody sets; and what follows where the system's own was set back.

Events, records and files have the system's time. Unless that was corrected, both clocks tell the same.
"""

from __future__ import annotations

import time

from agentsup.host import peers

LAG = 60.0
"""Seconds after its own time stamp for which a line of a log may be news: agents write up to 0.6 s late."""

_BEGAN = time.time() - peers.clock()


def now() -> float:
    """Return Unix seconds that go on evenly, also while the machine sleeps."""
    return _BEGAN + peers.clock()


def at(told: float) -> float:
    """Return when that was by this clock what the system's, as it goes now, tells."""
    return told + (now() - time.time())


def told(when: float) -> float:
    """Return what the system's clock, as it goes now, tells of that time by this one."""
    return when + (time.time() - now())


def is_old(when: float, since: float, *, caught_up: bool) -> bool:
    """Say whether what a log tells is of before `since`; `caught_up`: whether the log had been read to its end.

    Where the system's clock was set back behind that, what happens now seems to be of before.
    """
    present = time.time()
    is_set_back = caught_up and present < since
    return when < since and not (is_set_back and abs(present - when) < LAG)
