"""What a person has answered once, and what an agent's program has: `<data>/remembered.toml`, a table for each.

It is made of nothing else, so it may be removed: then the questions are asked again.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from agentsup.store import atomic
from agentsup.store.folders import data_folder, data_path

NAME = "remembered.toml"
MOST = 1 << 18
"""Bytes that are read: some thousand answers."""

KEPT = 50
"""Entries of one table that are kept, the newest: programs change with every update."""


def file(environment: Mapping[str, str]) -> Path:
    """Return the path of the file; it need not exist."""
    return data_path(environment) / NAME


def recall(environment: Mapping[str, str], table: str, name: str) -> str:
    """Return what was remembered; empty where there is nothing, or nothing that can be read."""
    try:
        return _tables(atomic.read(file(environment), MOST).data).get(table, {}).get(name, "")
    except OSError:
        return ""


def remember(environment: Mapping[str, str], table: str, name: str, value: str) -> None:
    """Remember it; raises OSError, Conflict or UsageProblem where it can't be written."""
    import tomli_w

    def changed(data: bytes | None) -> bytes:
        tables = _tables(data)
        known = {key: kept for key, kept in tables.get(table, {}).items() if key != name} | {name: value}
        newest = dict(list(known.items())[-KEPT:])
        return tomli_w.dumps(tables | {table: newest}).encode()

    data_folder(environment)
    atomic.update(file(environment), changed, MOST, mode=0o600)


def _tables(data: bytes | None) -> dict[str, dict[str, str]]:
    """Return the tables of a file; what is no table of texts is left out, of a broken one everything."""
    try:
        found = tomllib.loads((data or b"").decode())
    except (ValueError, RecursionError):
        return {}
    return {
        table: {name: value for name, value in entries.items() if isinstance(value, str)}
        for table, entries in found.items()
        if isinstance(entries, dict)
    }
