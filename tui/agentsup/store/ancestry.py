"""Whose process is it? One with a keeper among its ancestors is an agent's, whatever its environment says.

The keeper adopts what is left behind below it (a subreaper, on Linux), so a double fork, a session or a terminal of
its own lead nowhere else; and its command line is the same whatever folders the asking process has chosen.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise

KEEPER = ("-m", "agentsup.keeper")
"""The two words of a keeper's command line that make it one."""


def own_pid() -> int:
    """Return our number as /proc counts: in a sandbox with numbers of its own, /proc may still be that outside."""
    try:
        return int(os.readlink("/proc/self"))
    except (OSError, ValueError):
        return os.getpid()


def is_under_a_keeper(pid: int) -> bool:
    """Say whether a process is a keeper's or descends from one; True where it is gone, and nothing can be told."""
    import psutil

    if pid <= 0:
        return False  # the system does not name its peers: nothing to hold against this one
    try:
        process = psutil.Process(pid)
        family = [process, *process.parents()]
    except psutil.Error:
        return True
    return any(is_keeper(_words(each.pid)) for each in family)


def is_own_keeper(pid: int) -> bool:
    """Say whether a process is a keeper, and no agent's: one that runs below a keeper only calls itself so."""
    import psutil

    try:
        return is_keeper(_words(pid)) and not any(is_keeper(_words(each.pid)) for each in psutil.Process(pid).parents())
    except (psutil.Error, ValueError):
        return False


def any_keeper() -> bool:
    """Say whether a keeper of ours runs anywhere on this machine, whatever folders it has chosen."""
    import psutil

    return any(is_own_keeper(pid) for pid in psutil.pids() if is_keeper(_words(pid)))


def ancestors(pid: int) -> tuple[int, ...]:
    """Return a process and those above it, the nearest first, as far as they can be seen."""
    import psutil

    try:
        return (pid, *(parent.pid for parent in psutil.Process(pid).parents()))
    except psutil.Error:
        return (pid,)


def session_of(pid: int) -> str:
    """Return the session whose agent a process was started as; it can't change that of another one afterwards."""
    import psutil

    try:
        return psutil.Process(pid).environ().get("AGENTSUP_SESSION", "")
    except (psutil.Error, OSError):
        return ""


def is_keeper(words: Sequence[str]) -> bool:
    """Say whether a command line is that of a keeper."""
    return any(pair == KEEPER for pair in pairwise(words))


def _words(pid: int) -> list[str]:
    import psutil

    try:
        return psutil.Process(pid).cmdline()
    except psutil.Error:
        return []  # it has ended meanwhile, or is somebody else's: a keeper is neither
