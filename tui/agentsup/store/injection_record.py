"""What was typed into the agent, on disk: the intent stands there before the first byte is written.

One JSON object a line. A host that comes after a crash reads here what its predecessor had begun.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from agentsup.core.events import Channel, InjectionChanged, InjectionState
from agentsup.core.injector import Print
from agentsup.store.content import read_plain
from agentsup.store.opening import open_own

_MOST = 256 << 20
"""Bytes of a record that are read at most: some million states."""


@dataclass(frozen=True)
class Recorded:
    """The last known state of one injection."""

    id: str
    occasion: str
    state: InjectionState
    time: float
    channel: Channel = "stdin"
    at: int = 0
    size: int = 0
    sha: str = ""

    @property
    def print(self) -> Print | None:
        """What the text is known by in a log; None in a record of an earlier version."""
        return Print(self.id, self.at, self.size, self.sha) if self.sha else None


RESET = "breaker:reset"
"""The occasion of an entry that says when a person let restores go on after a storm of compactions."""


class InjectionRecord:
    """Append-only file of one session."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.rest = path.with_name(f"{path.name.partition('.')[0]}.restore.txt")
        """Beside it, for a text that is sent only in parts: where the rest of it can be read."""

    def read(self) -> dict[str, Recorded]:
        """Return the newest state by occasion; a torn last line is passed over."""
        newest: dict[str, Recorded] = {}
        for line in (read_plain(self._path, None, _MOST) or b"").splitlines():
            try:
                entry = msgspec.json.decode(line, type=Recorded)
            except msgspec.MsgspecError:
                continue
            newest[entry.occasion] = entry
        return newest

    def append(self, event: InjectionChanged, print: Print | None = None) -> None:
        """Add a state; it is on the disk when this returns. Raises OSError."""
        known = print or Print(event.id)
        self._add(Recorded(
            event.id, event.occasion, event.state, event.time, event.channel, known.at, known.size, known.sha
        ))  # fmt: skip

    def breaker_reset(self, when: float) -> None:
        """Add that restores go on; raises OSError."""
        self._add(Recorded("", RESET, "confirmed", when))

    def write_rest(self, text: str) -> None:
        """Write what `rest` names; raises OSError.

        Without a lock: nobody but this session's host writes it, and the folder's may be another host's for seconds.
        """
        temporary = self.rest.with_name(f".{self.rest.name}.new")
        with open(open_own(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, self.rest)

    def _add(self, entry: Recorded) -> None:
        number = open_own(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        with open(number, "ab", buffering=0) as file:
            size = os.fstat(number).st_size
            if size and os.pread(number, 1, size - 1) != b"\n":
                file.write(b"\n")
            file.write(msgspec.json.encode(entry) + b"\n")
            os.fsync(number)
