"""The folders agentsup writes to: are they there, ours alone, writable, and is there room? Nothing is made here."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from agentsup.cli.doctor.finding import Finding
from agentsup.store.folders import SOCKET_PATH_LIMIT, config_file, data_path, runtime_path

SESSION_AND_SOCKET = "/xxxxx/socket"
"""As long as what comes after the runtime folder in the path of a session's socket."""

ROOM_NEEDED, ROOM_WANTED = 4 << 20, 64 << 20
"""Bytes: a session's copy of the output takes 2 MB; with less than the second figure left it may soon be over."""


@dataclass(frozen=True)
class Seen:
    """What the system says of a path that exists."""

    is_folder: bool
    owner: int
    mode: int
    writable: bool


def look_runtime(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Look at the folder of the sessions, and whether a socket's path fits."""
    path, reason = runtime_path(environment)
    yield _looked("folders.runtime", path)
    if reason:
        given = environment.get("XDG_RUNTIME_DIR", "")
        yield Finding("folders.runtime", "warning", f"doctor.runtime-{reason}", {"given": given, "path": str(path)})
    yield judged_socket(len(os.fsencode(path)) + len(SESSION_AND_SOCKET))
    yield _room("folders.runtime", path)


def look_data(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Look at the folder of lasting records."""
    path = data_path(environment)
    yield _looked("folders.data", path)
    yield _room("folders.data", path)


def look_config(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Look at the folder of the person's settings, which is theirs to make."""
    yield _looked("folders.config", config_file(environment).parent, open_mode=0o022)


def look_project(project: Path) -> Iterator[Finding]:
    """Look at the project's folder, where memory is kept."""
    writable = os.access(project, os.W_OK | os.X_OK)
    key = "doctor.folder-ok" if writable else "project.read-only"
    yield Finding("folders.project", "ok" if writable else "problem", key, {"path": str(project)})
    yield _room("folders.project", project)


def judged(check: str, path: Path, seen: Seen | None, parent: Seen, *, me: int, open_mode: int = 0o077) -> Finding:
    """Judge a folder of ours; one that is not there yet by the nearest one above that is."""
    values = {"path": str(path)}
    if seen is None:
        if parent.is_folder and parent.writable:
            return Finding(check, "ok", "doctor.folder-not-yet", values)
        reason = os.strerror(13 if parent.is_folder else 20)
        return Finding(check, "problem", "folder.unusable", values | {"reason": reason})
    if not seen.is_folder or seen.owner != me:
        return Finding(check, "problem", "folder.foreign", values)
    if not seen.writable:
        return Finding(check, "problem", "folder.unusable", values | {"reason": os.strerror(13)})
    if seen.mode & open_mode:
        return Finding(check, "warning", "doctor.folder-open", values | {"mode": f"{seen.mode:04o}"})
    return Finding(check, "ok", "doctor.folder-ok", values)


def judged_socket(length: int) -> Finding:
    """Judge the length of a socket's path."""
    fits = length < SOCKET_PATH_LIMIT
    values = {"length": str(length), "most": str(SOCKET_PATH_LIMIT - 1)}
    key = "doctor.socket-fits" if fits else "doctor.socket-too-long"
    return Finding("folders.socket", "ok" if fits else "problem", key, values)


def judged_room(check: str, path: Path, room: int, files: int | None) -> Finding:
    """Judge the bytes that may still be written, and the files that may be made; None where that has no limit."""
    values = {"path": str(path), "megabytes": str(room >> 20)}
    if files == 0:
        return Finding(f"{check}-room", "problem", "doctor.no-files-left", values)
    if room < ROOM_NEEDED:
        return Finding(f"{check}-room", "problem", "doctor.disk-full", values)
    if room < ROOM_WANTED:
        return Finding(f"{check}-room", "warning", "doctor.disk-nearly-full", values)
    return Finding(f"{check}-room", "ok", "doctor.disk-room", values)


def is_safe(environment: Mapping[str, str]) -> bool:
    """Say whether the runtime folder is there and ours, so that looking into it changes nothing."""
    return _looked("", path := runtime_path(environment)[0]).level == "ok" and path.is_dir()


def _looked(check: str, path: Path, open_mode: int = 0o077) -> Finding:
    return judged(check, path, _seen(path), _nearest(path.parent)[1], me=os.getuid(), open_mode=open_mode)


def _seen(path: Path) -> Seen | None:
    """Look at the path itself and not at what a link points to; None where nothing can be seen."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    writable = os.access(path, os.W_OK | os.X_OK)
    return Seen(stat.S_ISDIR(status.st_mode), status.st_uid, stat.S_IMODE(status.st_mode), writable)


def _nearest(path: Path) -> tuple[Path, Seen]:
    """Return the nearest of this path and those above it that exists; a link counts as what it points to."""
    for folder in (path, *path.parents):
        if (seen := _seen(folder.resolve())) is not None:
            return folder, seen
    return Path("/"), Seen(True, 0, 0o755, False)


def _room(check: str, path: Path) -> Finding:
    status = os.statvfs(_nearest(path)[0])
    # Some file systems have no limit to their files, and say 0 of 0.
    return judged_room(check, path, status.f_bavail * status.f_frsize, status.f_favail if status.f_files else None)
