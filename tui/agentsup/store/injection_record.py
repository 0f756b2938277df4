"""What was typed into the agent, on disk: the intent stands there before the first byte is written.

One JSON object a line. A host that comes after a crash reads here what its predecessor had begun.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from agentsup.core.events import Channel, InjectionState
from agentsup.core.injector import Print
from agentsup.core.occasion import BREAKER, Occasion, as_written
from agentsup.store.content import read_plain
from agentsup.store.opening import open_own
from agentsup.store.rest_file import RestFile

_MOST = 256 << 20
"""Bytes of a record that are read at most: some million states."""


@dataclass(frozen=True)
class Recorded:
    """The last known state of one injection."""

    id: str
    occasion: Occasion
    state: InjectionState
    time: float
    channel: Channel = "stdin"
    at: int = 0
    size: int = 0
    sha: str = ""
    number: int = 0
    """Of a restore: which one of its conversation it is; 0 of other texts, and in records of an earlier version."""
    conversation: str = ""
    """Where a restore went whose occasion is of no conversation."""

    @property
    def print(self) -> Print | None:
        """What the text is known by in a log; None in a record of an earlier version."""
        return Print(self.id, self.at, self.size, self.sha) if self.sha else None


class InjectionRecord:
    """Append-only file of one session."""

    def __init__(self, path: Path, project: Path | None = None) -> None:
        self._path = path
        self.rest = RestFile(path.with_name(f"{path.name.partition('.')[0]}.restore.txt"), project)
        """For a text that is sent only in parts: where the rest of it can be read."""

    def read(self) -> dict[Occasion, Recorded]:
        """Return the newest state by occasion; a torn last line is passed over."""
        newest: dict[Occasion, Recorded] = {}
        for line in (read_plain(self._path, None, _MOST) or b"").splitlines():
            try:
                entry = _decoded(line)
            except (msgspec.MsgspecError, RecursionError):
                continue
            newest[entry.occasion] = entry
        return newest

    def append(self, entry: Recorded) -> None:
        """Add a state; it is on the disk when this returns. Raises OSError."""
        number = open_own(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        with open(number, "ab", buffering=0) as file:
            size = os.fstat(number).st_size
            if size and os.pread(number, 1, size - 1) != b"\n":
                file.write(b"\n")
            file.write(msgspec.json.encode(asdict(entry) | {"occasion": entry.occasion.written}) + b"\n")
            os.fsync(number)

    def breaker_reset(self, conversation: str, when: float) -> None:
        """Add that restores go on in a conversation; raises OSError."""
        self.append(Recorded("", Occasion(BREAKER, conversation, "reset"), "confirmed", when))


def _decoded(line: bytes) -> Recorded:
    """Return what a line says; raises msgspec.MsgspecError."""
    fields = msgspec.json.decode(line, type=dict[str, Any])
    occasion = as_written(msgspec.convert(fields.get("occasion"), str))
    return msgspec.convert(fields | {"occasion": asdict(occasion)}, Recorded)
