"""Tell whose log a file is by how it begins, and name what was found where it is nobody's."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from agentsup.agents.adapter import Adapter

HEAD = 1 << 16
"""Bytes of a file's beginning that decide."""

_NAMED = 5
"""Record types that are named where none is known."""

_SHOWN = 60
"""Characters that are shown of a file without record types."""

_BOM = b"\xef\xbb\xbf"


class _Record(msgspec.Struct):
    type: str


def agent_of(head: bytes, agents: Iterable[Adapter]) -> Adapter | None:
    """Return the agent whose log begins like this; None where no one's does."""
    head = head.removeprefix(_BOM)
    return next((agent for agent in agents if agent.is_log(head)), None)


def seen(head: bytes) -> str:
    """Return the first record types of a file, or its first characters where there are none; foreign text."""
    types: dict[str, None] = {}
    for line in head.removeprefix(_BOM).splitlines():
        try:
            types[msgspec.json.decode(line, type=_Record).type] = None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
    if types:
        return ", ".join(name[:_SHOWN] for name in list(types)[:_NAMED])
    return head[: _SHOWN * 4].decode(errors="replace").strip()[:_SHOWN]
