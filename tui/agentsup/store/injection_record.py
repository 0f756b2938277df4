"""What was typed into the agent, on disk: the intent stands there before the first byte is written.

One JSON object a line. A host that comes after a crash reads here what its predecessor had begun.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from agentsup.core.events import InjectionChanged, InjectionState


@dataclass(frozen=True)
class Recorded:
    """The last known state of one injection."""

    id: str
    occasion: str
    state: InjectionState
    time: float


class InjectionRecord:
    """Append-only file of one session."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, Recorded]:
        """Return the newest state by occasion; a torn last line is passed over."""
        newest: dict[str, Recorded] = {}
        try:
            lines = self._path.read_bytes().splitlines()
        except FileNotFoundError:
            return newest
        for line in lines:
            try:
                entry = msgspec.json.decode(line, type=Recorded)
            except msgspec.MsgspecError:
                continue
            newest[entry.occasion] = entry
        return newest

    def append(self, event: InjectionChanged) -> None:
        """Add a state; it is on the disk when this returns. Raises OSError."""
        entry = Recorded(event.id, event.occasion, event.state, event.time)
        number = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        with open(number, "ab", buffering=0) as file:
            if file.tell() and not self._ends_whole():
                file.write(b"\n")
            file.write(msgspec.json.encode(entry) + b"\n")
            os.fsync(number)

    def _ends_whole(self) -> bool:
        with open(self._path, "rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"
