"""The project's own restore units in `.agent/init.d`. Nothing is run here: an executable is only named."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Container
from contextlib import suppress
from pathlib import Path

from agentsup.core.memory.model import Document, InitUnit
from agentsup.store.documents import read_document, read_json_document
from agentsup.store.opening import entries_beneath
from agentsup.store.placements import INIT_FOLDER

READ = (".md", ".txt", ".json")
"""Endings of files that are read."""

_IGNORED = re.compile(r"^\.|~$|^#.*#$|\.(?:swp|swo|swx|bak|orig|rej|tmp|old|pyc)$", re.IGNORECASE)
"""Hidden files, and what editors and merges leave behind."""

_MOST = 500
"""Units that are read at all."""


def init_units(root: Path, homes: Container[str]) -> tuple[InitUnit, ...]:
    """Return the units in numeric, then name order, without those that are in use or named as `homes`.

    Files of other endings without the run bit are none. A link or a FIFO is one that can't be read.
    """
    units = []
    for name, mode in _files(root):
        place = f"{INIT_FOLDER}/{name}"
        if place in homes:
            continue
        stem, ending = os.path.splitext(name)
        is_plain = stat.S_ISREG(mode)
        executable = is_plain and (ending == ".sh" or bool(mode & 0o111))
        if executable:
            units.append(InitUnit(stem, Document(place), executable=True))
        elif ending.lower() == ".json":
            units.append(InitUnit(stem, read_json_document(root, place)))
        elif ending.lower() in READ or not is_plain:
            units.append(InitUnit(stem, read_document(root, place)))
    return tuple(units[:_MOST])


def is_ignored(name: str) -> bool:
    """Say whether a file of init.d is no unit by its name alone."""
    return bool(_IGNORED.search(name)) or not name.isprintable()


def _files(root: Path) -> list[tuple[str, int]]:
    found = []
    for entry in entries_beneath(root, INIT_FOLDER):
        with suppress(OSError):  # one that is gone since it was listed is none
            if not is_ignored(entry.name) and not entry.is_dir(follow_symlinks=False):
                found.append((entry.name, entry.stat(follow_symlinks=False).st_mode))
        if len(found) > 20 * _MOST:
            break
    return sorted(found, key=lambda pair: _order(pair[0]))


def _order(name: str) -> tuple[int, str]:
    number = name.partition("-")[0]
    return (int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 10**10, name)
