"""End everything that descends from this process, also what has forked away from its parent, group and session."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_SET_SUBREAPER, _GET_SUBREAPER = 36, 37
"""PR_SET_CHILD_SUBREAPER and PR_GET_CHILD_SUBREAPER of prctl(2)."""

_LISTS = "/proc/thread-self/children"

PAUSE = 0.002
"""Seconds between two rounds: what can't be ended must not cost a whole core meanwhile."""

PATIENCE = 3.0
"""Seconds after which those that are still there are left: processes of another user."""


@contextmanager
def adopting() -> Iterator[frozenset[int]]:
    """Adopt orphans of descendants meanwhile, on Linux: they are this process's children then.

    Yields the children that there were before; what has come to them is ended afterwards, whatever has happened.
    """
    before = _prctl_get()
    _prctl_set(1)
    spared = frozenset(_children(os.getpid()))
    try:
        yield spared
    finally:
        end_descendants(spared)
        _prctl_set(before)


def end_descendants(spared: frozenset[int]) -> bool:
    """End all descendants of this process but `spared` children, and what those have; whether that was possible."""
    until = time.monotonic() + PATIENCE
    while True:
        own = [pid for pid in _children(os.getpid()) if pid not in spared]
        if not own:
            return True
        if time.monotonic() > until:
            return False
        for pid in _with_descendants(own):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        # What was killed may leave children of its own here: only when no child is left, nothing is.
        _reap(own)
        time.sleep(PAUSE)


def reap_adopted(spared: frozenset[int]) -> None:
    """Wait for adopted children that have ended: else one that forks on and on fills the table of processes."""
    _reap([pid for pid in _children(os.getpid()) if pid not in spared])


def _reap(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def _with_descendants(pids: list[int]) -> list[int]:
    found = list(pids)
    for pid in found:
        found += _children(pid)
    return found


def _children(pid: int) -> list[int]:
    """Return the pids of a process's children, dead ones that nobody has waited for included."""
    if not os.path.exists(_LISTS):
        return _looked_for(pid)
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    return found


def _looked_for(pid: int) -> list[int]:
    """Return the children by looking at every process: on other systems, and a Linux that keeps no lists of them."""
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children()]
    except psutil.Error:
        return []


def _prctl_set(value: int) -> None:
    with suppress(OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(_SET_SUBREAPER, value, 0, 0, 0)


def _prctl_get() -> int:
    with suppress(OSError, AttributeError):
        import ctypes

        value = ctypes.c_int(0)
        ctypes.CDLL(None).prctl(_GET_SUBREAPER, ctypes.byref(value), 0, 0, 0)
        return value.value
    return 0
