"""Read what runs and instructs in a project: each file once, by descriptor, and beneath the root."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from agentsup.core.trust.manifest import Kind, Manifest, ManifestFile, is_unit
from agentsup.store.init_units import is_ignored
from agentsup.store.opening import UnsafeFile, folder_beneath, open_beneath, read_whole
from agentsup.store.placements import HOMES, INIT_FOLDER

TEMPLATE_FOLDER = ".agent/templates"

A_FILE = 1 << 20
"""Largest file that can run, be included or be a template, in bytes. The bytes of a larger one are only hashed."""

FILES = 500
"""Most files of a manifest."""

ALL = 16 << 20
"""Most bytes that are read."""

_DEPTH = 10
"""Most folders within each other."""

_LOOKED_AT = 10_000
"""Entries of one folder that are looked at."""

_HOMES = "|".join(re.escape(home.rpartition("/")[2]) for home in sorted(HOMES))

_BESIDE_HOMES = re.compile(rf"[.#]*(?:{_HOMES})(?:~|#|\.sw[a-p]|\.\d{{1,10}}\.[0-9a-f]{{8}}\.agentsup)?")
"""Homes of memory, and what editors and our own writers put beside them for a moment."""

_SPECIAL = {stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket", stat.S_IFCHR: "device", stat.S_IFBLK: "device"}


def read_manifest(root: Path) -> Manifest | None:
    """Return what runs and instructs in a project; None where nothing does. Nothing is raised.

    That is all of init.d (but for the homes of memory, which are written all the time, and never run), all templates,
    and what the scripts include. What is too much to be read whole gets another digest each time: nobody can approve
    what was not read.
    """
    reading = _Reading(root)
    reading.folder(INIT_FOLDER)
    reading.folder(TEMPLATE_FOLDER)
    for script in tuple(reading.files.values()):
        for path in script.includes:
            reading.include(path)
    files = tuple(sorted(reading.files.values(), key=lambda file: file.path))
    runs_or_instructs = any(file.kind in ("script", "template") for file in files)
    return Manifest(files) if runs_or_instructs or reading.is_full else None


class _Reading:
    """One reading of all files, with what is left of the room."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._left = ALL
        self.files: dict[str, ManifestFile] = {}
        self.is_full = False

    def folder(self, place: str, depth: int = 0) -> None:
        """Add all files of a folder and of those in it."""
        try:
            with folder_beneath(self._root, place) as number:
                entries = _listing(number)
                if entries is None or depth > _DEPTH:
                    self._full(place)
                    return
                for name, mode in entries:
                    self._entry(number, f"{place}/{name}", mode, depth)
        except FileNotFoundError:
            return
        except OSError as error:
            self._add(_unusable(place, error))

    def include(self, path: str) -> None:
        """Add a file that a script includes."""
        if path in self.files:
            return
        try:
            mode, target = _include_mode(self._root, path)
        except FileNotFoundError:
            self._add(ManifestFile(path, "other", False, "", "missing"))
        except OSError as error:
            self._add(_unusable(path, error))
        else:
            is_link = stat.S_ISLNK(mode)
            self._add(ManifestFile(path, "link", False, "", target) if is_link else self._file(path, mode, "include"))

    def _entry(self, folder: int, place: str, mode: int, depth: int) -> None:
        name = place.rpartition("/")[2]
        if stat.S_ISDIR(mode):
            self.folder(place, depth + 1)
            return
        if stat.S_ISLNK(mode):
            try:
                self._add(ManifestFile(place, "link", False, "", os.readlink(name, dir_fd=folder)))
            except OSError as error:  # changed since
                self._add(_unusable(place, error))
            return
        in_init = place.startswith(f"{INIT_FOLDER}/")
        if in_init and not depth and not mode & 0o111 and _BESIDE_HOMES.fullmatch(name):
            return
        self._add(self._file(place, mode, "data" if in_init else "template"))

    def _file(self, place: str, mode: int, kind: Kind) -> ManifestFile | None:
        """Return a file as it is when it is opened; None where it is gone by then."""
        if not stat.S_ISREG(mode):
            return ManifestFile(place, "other", False, "", _SPECIAL.get(stat.S_IFMT(mode), "no regular file"))
        try:
            opened = open_beneath(self._root, place)
            if opened is None:
                return None
            number, status = opened
            data = read_whole(number, status.st_size, self._left, place)
        except OSError as error:
            if error.errno == errno.EFBIG:
                self._full(place)
                return None
            return _unusable(place, error)
        self._left -= len(data)
        executable = bool(status.st_mode & 0o111)
        sha = hashlib.sha256(data).hexdigest()
        if len(data) > A_FILE:
            return ManifestFile(place, "other", executable, sha, f"{len(data):,} bytes")
        folder, _, name = place.rpartition("/")
        if folder == INIT_FOLDER and is_unit(name, executable=executable):
            kind = kind if place in HOMES or is_ignored(name) else "script"
        return ManifestFile(place, kind, executable, sha, "", data)

    def _add(self, file: ManifestFile | None) -> None:
        if file is None:
            return
        if len(self.files) >= FILES:
            self._full(file.path.rpartition("/")[0])
            return
        self.files[file.path] = file

    def _full(self, place: str) -> None:
        self.is_full = True
        # A number that never comes again: what was not read can't be approved.
        self.files[place] = ManifestFile(place, "other", False, secrets.token_hex(32), "more than can be read")


def _listing(folder: int) -> list[tuple[str, int]] | None:
    """Return names and modes of a folder's entries, sorted; None where there are too many."""
    found: list[tuple[str, int]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if len(found) >= _LOOKED_AT:
                return None
            with suppress(FileNotFoundError):  # gone since
                found.append((entry.name, entry.stat(follow_symlinks=False).st_mode))
    return sorted(found)


def _unusable(place: str, error: OSError) -> ManifestFile:
    return ManifestFile(place, "other", False, "", error.strerror or str(error))


def _include_mode(root: Path, path: str) -> tuple[int, str]:
    """Return the mode of a path beneath the root, and where it leads if it is a link; raises OSError."""
    folder, _, name = path.rpartition("/")
    if path.startswith("/") or ".." in path.split("/"):
        raise UnsafeFile(errno.EINVAL, "leads out of the project", path)
    with folder_beneath(root, folder) as number:
        mode = os.stat(name, dir_fd=number, follow_symlinks=False).st_mode
        return mode, os.readlink(name, dir_fd=number) if stat.S_ISLNK(mode) else ""
