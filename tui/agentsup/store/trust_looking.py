"""Read all trust records, again and again: hosts watch them, and an agent may fill their folder with anything."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from agentsup.store.opening import UnsafeFile
from agentsup.store.trust_chain import Heads, Line, chain, fits
from agentsup.store.trust_record import (
    MOST,
    TAMPERED,
    UNREADABLE,
    Record,
    Sealing,
    known,
    read_in,
    record_of,
    sealing_of,
)  # fmt: skip

RECORDS_MOST = 2_000
TOTAL_MOST = 16 << 20
"""Records that are looked at, and bytes of all of them together; what is more is left alone."""

_LISTED_MOST = 20_000
_ATTEMPTS = 10
_RECORD = re.compile(r"([0-9a-f]{32})\.jsonl")

_Stamp = tuple[int, int, int, int, int]


class _Read(NamedTuple):
    """A file as it was read: the lines of its chain, None where it is none."""

    stamp: _Stamp
    key: bytes | None
    lines: tuple[Line, ...] | None
    record: Record


class Records:
    """Reads records; a file is not read twice while it is the same. Never waits for a lock, raises nothing."""

    def __init__(self, folder: Path, *, seconds: float) -> None:
        """`seconds`: how long one reading may take; the rest is for the next one."""
        self._folder, self._seconds = folder, seconds
        self._read: dict[str, _Read] = {}
        self.complete = True
        """Whether the last reading came to the end."""

    def read(self, first: Sequence[str]) -> dict[str, Record]:
        """Return the records by project: those of `first` before the others, and also where there are none."""
        found: dict[str, Record] = {}
        for _ in range(_ATTEMPTS):
            sealing = sealing_of(self._folder)
            found = self._all(first, sealing)
            # Again where a writer has come between the reading of the files.
            if not any(record.problem for record in found.values()) or sealing_of(self._folder) == sealing:
                break
        return found

    def _all(self, first: Sequence[str], sealing: Sealing | None) -> dict[str, Record]:
        end, left = time.monotonic() + self._seconds, TOTAL_MOST
        self.complete, again = True, 0
        listed = _names(self._folder, sealing and sealing.heads)
        names = list(dict.fromkeys((*first, *listed)))[:RECORDS_MOST]
        found: dict[str, Record] = {}
        for name in names:
            stamp = _stamp(self._folder / f"{name}.jsonl")
            size = stamp[2] if stamp else 0
            is_same = stamp is None or (name in self._read and self._read[name].stamp == stamp)
            if size <= MOST:
                left -= size
            if left < 0:
                continue
            if not is_same:
                if again and time.monotonic() > end:
                    self.complete = False
                    continue
                again += 1
            found[name] = self._record(name, stamp, sealing)
        self._read = {name: each for name, each in self._read.items() if name in found}
        return found

    def _record(self, name: str, stamp: _Stamp | None, sealing: Sealing | None) -> Record:
        if sealing is None:
            return Record(problem=UNREADABLE)
        if sealing.heads is None or (stamp and stamp[2] > MOST):
            return Record(problem=TAMPERED)
        if stamp is None:
            return known(self._folder, name, Record()) if fits((), name, sealing.heads) else Record(problem=TAMPERED)
        read = self._read.get(name)
        if read is None or (read.stamp, read.key) != (stamp, sealing.key):
            read = self._again(name, stamp, sealing.key)
        if read.lines is None:
            return read.record
        if not fits(read.lines, name, sealing.heads):
            return Record(problem=TAMPERED)
        return read.record if read.lines else known(self._folder, name, read.record)

    def _again(self, name: str, stamp: _Stamp, key: bytes | None) -> _Read:
        try:
            data = read_in(self._folder, f"{name}.jsonl", most=MOST) or b""
            lines = chain(key, name, data) if key is not None else None if data else ()
            record = Record(problem=TAMPERED) if lines is None else record_of(lines)
        except UnsafeFile:
            lines, record = None, Record(problem=UNREADABLE)
        except OSError:
            return _Read(stamp, key, None, Record(problem=UNREADABLE))  # perhaps only for now
        self._read[name] = _Read(stamp, key, lines, record)
        return self._read[name]


def _stamp(path: Path) -> _Stamp | None:
    """Return what changes with a file: also its ctime, which nobody can set."""
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _names(folder: Path, heads: Heads | None) -> list[str]:
    found = {match[1] for name in _listed(folder) if (match := _RECORD.fullmatch(name))}
    return sorted(found | set(heads.heads if heads else ()))


def _listed(folder: Path) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            yield from (entry.name for entry in islice(entries, _LISTED_MOST))
    except OSError:
        return
