"""Read JSON objects that somebody else writes: what can't be read is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def parsed_object(data: bytes | str) -> dict[str, Any] | None:
    """Return the object; None where it is no JSON, or something else."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def read_object(path: Path, most: int) -> dict[str, Any]:
    """Return the object in the first `most` bytes of a file; an empty one where there is none."""
    try:
        with path.open("rb") as file:
            return parsed_object(file.read(most)) or {}
    except OSError:
        return {}
