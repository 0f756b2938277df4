"""What a unit's process is limited to, whatever the process had that starts it."""

from __future__ import annotations

import resource
import signal
from collections.abc import Callable
from contextlib import suppress

_FILE_MOST = 16 << 20
"""Bytes of a file that a unit writes: it should write none, but temporary files are its own affair."""

_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


def limits(seconds: float) -> Callable[[], None]:
    """Return what is to be called in the child, before it becomes the unit."""
    prctl = _prctl()
    processor = int(seconds) + 2

    def apply() -> None:
        for what, most in (
            (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, _FILE_MOST), (resource.RLIMIT_CPU, processor),
        ):  # fmt: skip
            _, hard = resource.getrlimit(what)
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(what, (most, most))
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        if prctl is not None:
            prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)

    return apply


def _prctl() -> Callable[..., int] | None:
    with suppress(OSError, AttributeError):
        import ctypes

        found: Callable[..., int] = ctypes.CDLL(None).prctl
        return found
    return None
