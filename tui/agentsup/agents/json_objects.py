"""Read JSON objects that somebody else writes: what can't be read is none."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

FIGURE_MOST = 10**12
"""Tokens, at most: a million of them added up still have 64 bits."""


def parsed_object(data: bytes | str) -> dict[str, Any] | None:
    """Return the object; None where it is no JSON, or something else."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def figure(value: object) -> int | None:
    """Return a count that somebody else wrote; None for what is none, or is beyond all that can be meant.

    A broken model server's 5e20 tokens, passed on, would not go into a message to the clients.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= FIGURE_MOST else None


def read_object(path: Path, most: int) -> dict[str, Any]:
    """Return the object in the first `most` bytes of a file; an empty one where there is none."""
    try:
        # O_NONBLOCK: the file may be anybody's, and a FIFO must not stop us.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return parsed_object(file.read(most)) or {} if is_file else {}
    except OSError:
        return {}
