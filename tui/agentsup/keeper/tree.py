"""End a process tree: everything that descends from the keeper, except the host.

The keeper is a child subreaper on Linux, so a double-forked daemon of the agent becomes its child and is
found too. Processes are known by pid and start time: a pid that was used again is a stranger.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from importlib import import_module

_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2)."""

Known = dict[int, float]


def become_subreaper() -> bool:
    """Adopt orphaned descendants from now on; False where the system can't."""
    try:
        import ctypes

        return bool(ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def prepare() -> None:
    """Load what ending a tree needs: by then agentsup may have been upgraded or removed."""
    import_module("psutil")


def descendants(root: int, *, spared: Iterable[int]) -> Known:
    """Return the living descendants of `root` as pid → start time, without `spared` and what is below those."""
    import psutil

    children: dict[int, list[psutil.Process]] = {}
    for process in psutil.process_iter():
        try:
            children.setdefault(process.ppid(), []).append(process)
        except psutil.Error:
            continue
    found: Known = {}
    left_alone = set(spared)
    waiting = [root]
    while waiting:
        for process in children.get(waiting.pop(), []):
            if process.pid in left_alone:
                continue
            waiting.append(process.pid)
            try:
                if process.status() != psutil.STATUS_ZOMBIE:
                    found[process.pid] = process.create_time()
            except psutil.Error:
                continue
    return found


def alive(known: Known) -> Known:
    """Return those of `known` that still run and are still the same process."""
    import psutil

    left = {}
    for pid, started in known.items():
        try:
            process = psutil.Process(pid)
            if process.create_time() == started and process.status() != psutil.STATUS_ZOMBIE:
                left[pid] = started
        except psutil.Error:
            continue
    return left


def end(find: Callable[[], Known], wait: Callable[[float], None], *, graces: tuple[float, float] = (3.0, 2.0)) -> Known:
    """Ask the tree to end, then make it end; return what could not be ended.

    `find` names the tree as it is now, `wait` reaps for at most so many seconds. SIGHUP goes with SIGTERM
    because a shell with jobs ignores the latter; SIGCONT because a stopped process acts on neither.
    """
    for round_signals, grace in (
        ((signal.SIGTERM, signal.SIGHUP, signal.SIGCONT), graces[0]),
        ((signal.SIGKILL,), graces[1]),
    ):
        known = find()
        _send(known, round_signals)
        waited = 0.0
        while known and waited < grace:
            wait(0.02)
            waited += 0.02
            known = alive(known) | (find() if round_signals == (signal.SIGKILL,) else {})
            if round_signals == (signal.SIGKILL,):
                _send(known, round_signals)
    return alive(find())


def _send(known: Known, signals: tuple[signal.Signals, ...]) -> None:
    for pid in alive(known):
        for number in signals:
            try:
                os.kill(pid, number)
            except OSError:
                break
