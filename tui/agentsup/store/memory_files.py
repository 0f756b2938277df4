"""Read a project's memory from its files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from agentsup.core.memory import Document, Memory

SIZE_LIMIT = 1 << 20
"""Largest memory file that is read, in bytes."""

ENGRAM_PLACES = (".agent/engram.md",)
STATE_PLACES = (".agent/STATE.md", "STATE.md")


def read_memory(root: Path) -> Memory:
    """Return the memory of the project at `root`; what can't be read is said in its document."""
    return Memory(_first(root, ENGRAM_PLACES), _first(root, STATE_PLACES))


def _first(root: Path, places: tuple[str, ...]) -> Document:
    documents = [_read(root, place) for place in places]
    for document in documents:
        if document.text is not None or document.problem:
            return document
    return documents[0]


def _read(root: Path, place: str) -> Document:
    # O_NONBLOCK: a FIFO in place of the file must not stop us. O_NOFOLLOW: nor may a link lead elsewhere.
    try:
        number = os.open(root / place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return Document(place)
    except OSError:
        return Document(place, problem="memory.unreadable")
    status = os.fstat(number)
    if not stat.S_ISREG(status.st_mode):
        os.close(number)
        return Document(place, problem="memory.unreadable")
    with open(number, "rb") as file:
        if status.st_size > SIZE_LIMIT:
            return Document(place, problem="memory.too-long")
        try:
            return Document(place, file.read(SIZE_LIMIT + 1).decode("utf-8"))
        except UnicodeDecodeError:
            return Document(place, problem="memory.not-text")
