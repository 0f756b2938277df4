"""Who is asking? A peer that descends from a keeper is an agent, whatever its environment says."""

from __future__ import annotations

import time
from importlib import import_module

SLACK = 0.1
"""Seconds by which a process may seem younger than its connection: its start is told in ticks of a clock of its own."""


def prepare() -> None:
    """Load what telling peers needs: later, agentsup may have been upgraded or removed."""
    import_module("psutil")
    import_module("agentsup.store.ancestry")


def clock() -> float:
    """Return a time that also goes on while the machine sleeps, and that nobody sets; in seconds."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def is_agent(pid: int, own: tuple[int, ...], connected: float) -> bool:
    """Say whether the process at the other end of a socket is an agent's; True where it can't be told.

    `own` are the numbers of this session's keeper and agent, `connected` is when it connected, by `clock`: a process
    that is younger has taken over the number of one that is gone.
    """
    import psutil

    from agentsup.store.ancestry import is_under_a_keeper

    if pid <= 0:
        return False  # the system does not name its peers: nothing to hold against this one
    try:
        process = psutil.Process(pid)
        if time.time() - process.create_time() + SLACK < clock() - connected:
            return True
        if pid in own or any(parent.pid in own for parent in process.parents()):
            return True
    except psutil.Error:
        return True
    return is_under_a_keeper(pid)
