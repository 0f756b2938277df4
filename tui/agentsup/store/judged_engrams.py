"""Which engrams of agents were judged in a project, and what came of it: a log may be read again, in any session."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from agentsup.store import atomic
from agentsup.store.engram_history import project_folder, project_path, user_data

KEPT = 500
"""Engrams that are remembered, those judged last."""

_FILE = "engrams-judged.json"


def outcome_of(root: Path, message: str, environment: Mapping[str, str] | None = None) -> str:
    """Return what came of a message with an engram, by its id; empty where it was not judged. Raises OSError."""
    path = project_path(root, environment) / _FILE
    return _read(atomic.read(path, beneath=user_data(environment)).data).get(message, "")


def remember(root: Path, message: str, outcome: str, environment: Mapping[str, str] | None = None) -> None:
    """Remember what came of a message; raises UsageProblem, Conflict or OSError."""

    def added(data: bytes | None) -> bytes:
        known = {id: before for id, before in _read(data).items() if id != message} | {message: outcome}
        return msgspec.json.encode(dict(list(known.items())[-KEPT:]))

    path = project_folder(root, environment) / _FILE
    atomic.update(path, added, mode=0o600, beneath=user_data(environment))


def _read(data: bytes | None) -> dict[str, str]:
    try:
        return msgspec.json.decode(data or b"{}", type=dict[str, str])
    except (msgspec.MsgspecError, RecursionError):
        return {}
