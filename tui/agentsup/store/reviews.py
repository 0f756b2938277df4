"""Which compactions of a project its person was asked to review the engram after: the first few, for good."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from agentsup.store import atomic
from agentsup.store.engram_history import project_folder, user_data

MOST = 3
"""Compactions after which a person is asked: that is when agents write too vaguely, and learn."""

_FILE = "reviews.json"


def count(root: Path, compaction: str, environment: Mapping[str, str] | None = None) -> int | None:
    """Add a compaction and return its number, from 1; None where it is a later one, or was counted before.

    Raises UsageProblem or OSError.
    """
    number = None

    def counted(data: bytes | None) -> bytes:
        nonlocal number
        try:
            known = msgspec.json.decode(data or b"[]", type=list[str])
        except msgspec.MsgspecError:
            known = []
        if compaction in known or len(known) >= MOST:
            number = None
            return data or b"[]"
        known.append(compaction)
        number = len(known)
        return msgspec.json.encode(known)

    path = project_folder(root, environment) / _FILE
    atomic.update(path, counted, mode=0o600, beneath=user_data(environment))
    return number
