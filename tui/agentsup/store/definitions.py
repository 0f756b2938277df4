"""Where a name is defined: one search for all names, in the common languages."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from agentsup.store.git_calls import Git, GitUnavailable
from agentsup.store.opening import entries_beneath, read_beneath, status_beneath
from agentsup.store.structure import NOISE

_WORDS = (
    "def", "class", "func", "function", "fn", "fun", "struct", "interface", "type", "const", "enum", "trait", "impl",
    "module", "mod", "object", "record", "protocol", "union", "macro_rules!", "static", "let", "var", "val", "sub",
    "defn", "defun", "defmodule",
)  # fmt: skip

_SYMBOLS_MOST = 200
_FILES_MOST = 5000
_FILE_MOST = 1 << 20
_LINE_MOST = 4096
"""Bytes of a line that is looked at: longer ones are machine-made."""
_WALK_PATIENCE = 1.5
_DEPTH_MOST = 40
"""Folders in each other that are looked into."""


def definitions(root: Path, symbols: Iterable[str], git: Git, is_repository: bool) -> dict[str, tuple[str, ...]]:
    """Return by symbol (as given) the files that define it, sorted; nothing for a symbol that is no name."""
    names = {symbol: name for symbol in list(symbols)[:_SYMBOLS_MOST] if (name := _last_name(symbol))}
    if not names:
        return {}
    wanted = sorted(set(names.values()))
    found = _by_git(root, git, wanted) if is_repository else _by_walk(root, wanted)
    return {symbol: tuple(sorted(found.get(name, ()))) for symbol, name in names.items()}


def _last_name(symbol: str) -> str:
    """Return the name itself of `module.Class.method()`, `a::b` or `obj->call`."""
    found = re.findall(r"[^\W\d]\w*", symbol.partition("(")[0])
    return found[-1] if found and len(found[-1]) < 200 else ""


def _pattern(names: Iterable[str]) -> str:
    """Return the expression of a definition: a defining word, perhaps Go's receiver, a name."""
    words, wanted = "|".join(_WORDS), "|".join(names)
    return rf"(^|[^A-Za-z0-9_.])({words})[ \t]+(\([^()]*\)[ \t]*)?({wanted})([^A-Za-z0-9_]|$)"


def _by_git(root: Path, git: Git, names: list[str]) -> Mapping[str, set[str]]:
    found: dict[str, set[bytes]] = {}
    # Plain words and a short expression, not the pattern itself: eight times as fast.
    any_name = [part for name in names for part in ("--or", "-e", name)][1:]
    try:
        listing = git.run(
            "grep", "-z", "-I", "-E", "--untracked", "--no-textconv", "--no-recurse-submodules", "--no-color",
            "--no-full-name", "(", *any_name, ")", "--and", "-e", f"({'|'.join(_WORDS)})[ \t]", "--", ".",
            allowed=(0, 1), cut=True,
        )  # fmt: skip
    except GitUnavailable:
        return {}
    pattern = re.compile(_pattern(names))
    for line in listing.split(b"\n"):
        path, _, text = line.partition(b"\0")
        if len(text) > _LINE_MOST:
            continue
        for match in pattern.finditer(text.decode("utf-8", "replace")):
            found.setdefault(match[4], set()).add(path)
    return {name: _shown(root, paths) for name, paths in found.items()}


def _shown(root: Path, paths: Iterable[bytes]) -> set[str]:
    """Return the files as they are named, without those to which a link leads: git follows one on the way."""
    statuses = ((path, status_beneath(root, os.fsdecode(path))) for path in paths)
    return {_named(path) for path, status in statuses if status is not None and stat.S_ISREG(status.st_mode)}


def _named(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace")


def _by_walk(root: Path, names: list[str]) -> Mapping[str, set[str]]:
    pattern = re.compile(_pattern(names).encode(), re.MULTILINE)
    deadline = time.monotonic() + _WALK_PATIENCE
    found: dict[str, set[str]] = {}
    for path in _files(root):
        if time.monotonic() > deadline:
            break
        for match in pattern.finditer(_bytes(root, path)):
            found.setdefault(match[4].decode("utf-8", "replace"), set()).add(_named(os.fsencode(path)))
    return found


def _files(root: Path) -> Iterator[str]:
    """Yield the project's files, noise and links left out, in name order: a folder's own first."""
    count = 0
    folders = [""]
    while folders:
        folder = folders.pop()
        inner: list[str] = []
        files: list[str] = []
        for entry in islice(entries_beneath(root, folder), _FILES_MOST):
            if entry.name not in NOISE:
                is_folder = entry.is_dir(follow_symlinks=False)
                (inner if is_folder else files).append(f"{folder}{entry.name}")
        for path in sorted(files):
            count += 1
            if count > _FILES_MOST:
                return
            yield path
        if folder.count("/") < _DEPTH_MOST:
            folders += [f"{path}/" for path in sorted(inner, reverse=True)]


def _bytes(root: Path, path: str) -> bytes:
    """Return a source file's content; nothing of one that can't be read, is too long, or is no text."""
    data = None
    with suppress(OSError):
        data = read_beneath(root, path, _FILE_MOST)
    return b"" if data is None or b"\0" in data[:8000] else data
