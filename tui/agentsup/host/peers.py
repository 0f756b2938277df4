"""Who is asking? A peer that descends from the keeper is the agent, whatever its environment says."""

from __future__ import annotations

from importlib import import_module


def prepare() -> None:
    """Load what telling peers needs: later, agentsup may have been upgraded or removed."""
    import_module("psutil")


def descends_from(pid: int, ancestor: int) -> bool:
    """Say whether process `pid` is `ancestor` or descends from it; True where it can't be told."""
    import psutil

    if pid <= 0:
        return False  # the system does not name its peers: nothing to hold against this one
    try:
        process = psutil.Process(pid)
        return pid == ancestor or any(parent.pid == ancestor for parent in process.parents())
    except psutil.Error:
        return True
