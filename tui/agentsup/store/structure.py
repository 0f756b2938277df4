"""What a project's folders hold, two levels deep: the same names in, the same lines out."""

from __future__ import annotations

import heapq
import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from agentsup.store.opening import entries_beneath, status_beneath

NOISE = frozenset({
    ".git", ".hg", ".svn", ".jj", "CVS", "node_modules", "bower_components", "jspm_packages", "vendor", "dist",
    "build", "out", "target", "_build", "coverage", "htmlcov", "venv", ".venv", ".env", ".virtualenv",
    ".direnv", "virtualenv", "__pycache__", "__pypackages__", ".mypy_cache", ".pytest_cache", ".ruff_cache",
    ".hypothesis", ".tox", ".nox", ".eggs", ".cache", ".parcel-cache", ".next", ".nuxt", ".svelte-kit", ".turbo",
    ".gradle", ".terraform", ".idea", ".vscode", ".vs", ".DS_Store", "Thumbs.db", ".sass-cache", ".nyc_output",
    ".yarn", ".pnpm-store", ".dart_tool", ".bundle", ".cargo", ".stack-work", "DerivedData", "Pods", "tmp", "temp",
    ".tmp", ".ipynb_checkpoints", ".import-linter_cache", ".import_linter_cache",
})  # fmt: skip
"""Names that tell nobody anything about a project."""

_OURS = frozenset({".agent/restore"})
"""What agentsup itself puts there while an agent works, and git does not see either."""

_NOISE_MARKS = ("pyvenv.cfg", "CACHEDIR.TAG")
"""Files that say of their folder, at the root, that it is noise: an environment, a cache."""

_NOISE_ENDINGS = (".pyc", ".pyo", ".egg-info", ".agentsup", "~", ".swp")

_A_FOLDER = 100
"""Entries shown of one folder at most."""

_LOOKED_AT = 250_000
"""Entries of one folder that are counted at all."""


@dataclass(frozen=True)
class _Listing:
    """The first names of a folder, and how many more there are."""

    shown: tuple[str, ...]
    """Sorted bytewise; folders end with a slash."""
    more: int
    folders: tuple[tuple[str, str], ...]
    """As shown, and by its real name."""


def structure(root: Path, most: int = 400) -> tuple[str, ...]:
    """Return the paths of a project two levels deep, sorted bytewise, at most `most`; folders end with a slash.

    Noise is left out, links are not followed. What is too much in one folder is a count: `src/ (+99,900)`, `./ (+5)`
    for the root. Characters that are no plain text stand as \\xNN or \\uNNNN.
    """
    room = max(1, most)
    top = _listing(root, "", min(_A_FOLDER, room - 1 or 1), _NOISE_MARKS)
    paths = _entries("", top, _A_FOLDER)
    inside = {name: _listing(root, real, _A_FOLDER) for name, real in top.folders}
    # The same share for each folder: the largest at which all fit.
    for share in range(_A_FOLDER, -1, -1):
        if len(paths) + sum(_count(listing, share) for listing in inside.values()) <= room:
            paths += [path for name, listing in inside.items() for path in _entries(name, listing, share)]
            break
    return tuple(sorted(paths, key=str.encode))[:room]


def _count(listing: _Listing, share: int) -> int:
    shown = min(share, len(listing.shown))
    return shown + bool(listing.more or shown < len(listing.shown))


def _entries(folder: str, listing: _Listing, share: int) -> list[str]:
    names = listing.shown[:share]
    more = listing.more + len(listing.shown) - len(names)
    counted = [f"{folder or './'} (+{more:,})"] if more else []
    return [*(f"{folder}{name}" for name in names), *counted]


def _listing(root: Path, folder: str, most: int, marks: tuple[str, ...] = ()) -> _Listing:
    entries = islice(entries_beneath(root, folder), _LOOKED_AT)
    names = [_named(entry) for entry in entries if _is_told(root, folder, entry, marks)]
    first = heapq.nsmallest(most, names)
    folders = tuple((text, real) for _, text, real in first if text.endswith("/"))
    return _Listing(tuple(text for _, text, _ in first), len(names) - len(first), folders)


def _is_told(root: Path, folder: str, entry: os.DirEntry[str], marks: tuple[str, ...]) -> bool:
    if entry.name in NOISE or entry.name.endswith(_NOISE_ENDINGS) or f"{folder}/{entry.name}" in _OURS:
        return False
    if not marks or not entry.is_dir(follow_symlinks=False):
        return True
    return all(status_beneath(root, f"{entry.name}/{mark}") is None for mark in marks)


def _named(entry: os.DirEntry[str]) -> tuple[bytes, str, str]:
    """Return an entry as what it is sorted by, what is shown, and its real name."""
    text = visible(entry.name) + ("/" if entry.is_dir(follow_symlinks=False) else "")
    return text.encode(), text, entry.name


def visible(name: str) -> str:
    """Return a file name with what can't be printed as \\xNN or \\uNNNN, bytes that are no text included."""
    if name.isascii() and name.isprintable() and "\\" not in name:
        return name
    return "".join(_visible(character) for character in name)


def _visible(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # how a byte that is no UTF-8 comes out of the system
        return f"\\x{code - 0xDC00:02x}"
    if character == "\\":
        return "\\\\"
    if character.isprintable() and not 0xD800 <= code <= 0xDFFF:
        return character
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
