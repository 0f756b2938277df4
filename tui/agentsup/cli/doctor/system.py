"""What agentsup stands on: Python, the terminal engine, the vocabulary, and the system's own limits."""

from __future__ import annotations

import ctypes
import errno
import gzip
import hashlib
import os
import platform
import sys
import zlib
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

from agentsup import __version__
from agentsup.cli.doctor.finding import Finding
from agentsup.terminal.declarations import package_folder
from agentsup.terminal.engine import EngineUnavailable

_LIMITS = Path("/proc/sys/fs/inotify")


def look_python() -> Iterator[Finding]:
    """Tell the versions: what is too old does not get here."""
    values = {"version": __version__, "python": platform.python_version(), "path": sys.executable}
    yield Finding("system.python", "ok", "doctor.python", values)


def look_engine() -> Iterator[Finding]:
    """Load the terminal engine's library, and nothing else: its declarations would be written to a cache."""
    check = "system.engine"
    try:
        library = next((package_folder() / "_lib").glob("libghostty-vt.*"), None)
        if library is None:
            yield Finding(check, "problem", "doctor.engine-missing", {"reason": platform.platform()})
            return
        ctypes.CDLL(str(library))
    except (EngineUnavailable, OSError) as error:
        yield Finding(check, "problem", "doctor.engine-missing", {"reason": str(error)})
        return
    yield Finding(check, "ok", "doctor.engine", {"path": str(library)})


def look_tokens() -> Iterator[Finding]:
    """Look at the vocabulary that ships with agentsup, and count with it."""
    from agentsup import tokens
    from agentsup.tokens import o200k

    file = files(tokens.__name__).joinpath(f"{o200k.NAME}.tiktoken.gz")
    yield judged_tokens(lambda: gzip.decompress(file.read_bytes()), o200k.SHA256, lambda: tokens.count("one").exact)


def judged_tokens(read: Callable[[], bytes], digest: str, counts: Callable[[], bool]) -> Finding:
    """Judge the vocabulary by its SHA-256, unpacked, and by whether it counts: else tokens are guessed."""
    check = "system.tokens"
    try:
        found = hashlib.sha256(read()).hexdigest()
    except (OSError, EOFError, zlib.error) as error:
        return Finding(check, "warning", "doctor.tokens-missing", {"reason": str(error)})
    if found != digest:
        return Finding(check, "warning", "doctor.tokens-damaged")
    return Finding(check, "ok", "doctor.tokens") if counts() else Finding(check, "warning", "doctor.tokens-no-library")


def look_pty() -> Iterator[Finding]:
    """Open a pseudo-terminal, as every session does."""
    try:
        for descriptor in os.openpty():
            os.close(descriptor)
    except OSError as error:
        yield Finding("system.pty", "problem", "doctor.pty-none", {"reason": error.strerror or str(error)})
        return
    yield Finding("system.pty", "ok", "doctor.pty")


def look_inotify(project: Path) -> Iterator[Finding]:
    """Watch a folder, as every session does: the limits are the person's, and others use them up as well."""
    if sys.platform != "linux":
        return
    from inotify_simple import INotify, flags

    try:
        watcher = INotify()
        try:
            watcher.add_watch(project, flags.CREATE)
        finally:
            watcher.close()
    except OSError as error:
        yield judged_inotify(error.errno, error.strerror or str(error), _limit("instances"), _limit("watches"))
        return
    yield judged_inotify(0, "", _limit("instances"), _limit("watches"))


def judged_inotify(number: int | None, reason: str, instances: str, watches: str) -> Finding:
    """Judge how it went to watch a folder: EMFILE is one watcher too many, ENOSPC one folder."""
    values = {"reason": reason, "instances": instances, "watches": watches}
    match number:
        case 0:
            return Finding("system.inotify", "ok", "doctor.inotify", values)
        case errno.EMFILE:
            return Finding("system.inotify", "problem", "doctor.inotify-instances", values)
        case errno.ENOSPC:
            # The folder is looked at twice a second instead.
            return Finding("system.inotify", "warning", "doctor.inotify-watches", values)
        case _:
            return Finding("system.inotify", "unknown", "doctor.failed", values)


def _limit(name: str) -> str:
    try:
        return (_LIMITS / f"max_user_{name}").read_text().strip()
    except OSError:
        return "?"
