"""What a new host needs after its predecessor crashed: the program's last output and the modes it had set.

A file that is mapped into memory, so that it outlives the process without a write. Two segments are filled
in turn; each begins with the modes that held at its start, because a replay alone loses what was set before
(bracketed paste, mouse, focus reports, alternate screen, kitty keys).
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agentsup.core.screen import Cursor, Modes
from agentsup.store.opening import open_own

SEGMENT = 1 << 20
_HEAD = struct.Struct("!8sIIBB")
"""Magic, current segment, replays begun and not survived, a paste of ours or the person's open, bytes that wait."""

_KEPT = _HEAD.size - 1
_KEPT_MOST = 255

_SEGMENT_HEAD = struct.Struct("!II256s")
"""Bytes in use, generation, the modes at its start as terminal sequences (zero-padded)."""

_MAGIC = b"agentsu1"
_REPLAYS_LIMIT = 2
_SIZE = _HEAD.size + 2 * (_SEGMENT_HEAD.size + SEGMENT)


@dataclass(frozen=True)
class Replay:
    """What to feed a fresh engine: sequences that set the modes, then the output, in order."""

    modes: bytes
    output: bytes


class Ring:
    """The last one to two megabytes of a program's output."""

    def __init__(self, path: Path) -> None:
        self.lasting = True
        """False where the file can't be had: then a host that crashes takes the output with it."""
        try:
            self._map, fresh = _mapped(path)
        except OSError:
            self._map, fresh = mmap.mmap(-1, _SIZE), True
            self.lasting = False
        if fresh or self._map[: len(_MAGIC)] != _MAGIC:
            self.clear()

    def close(self) -> None:
        """Unmap the file."""
        self._map.close()

    def clear(self) -> None:
        """Forget everything: another program begins."""
        self._map[_KEPT] = 0
        self._write_head(0, 0, paste=False)
        self._begin(0, 1, b"")
        self._begin(1, 0, b"")

    def append(self, data: bytes, state: Callable[[], bytes]) -> None:
        """Keep output; `state` gives the sequences of the modes before it, asked where a segment begins."""
        if len(data) > SEGMENT:
            data = data[-SEGMENT:]
        current, replays, paste = self._head()
        length, generation, _ = self._segment(current)
        if length + len(data) > SEGMENT:
            current = 1 - current
            self._begin(current, generation + 1, state())
            self._write_head(current, replays, paste=paste)
            length = 0
        start = self._data_at(current) + length
        self._map[start : start + len(data)] = data
        self._set_length(current, length + len(data))

    def set_paste(self, is_open: bool) -> None:
        """Note whether a bracketed paste is being written."""
        current, replays, _ = self._head()
        self._write_head(current, replays, paste=is_open)

    @property
    def paste_open(self) -> bool:
        """Whether a paste was begun and not ended."""
        return self._head()[2]

    def set_kept(self, count: int) -> None:
        """Note how many bytes of what the person has typed are not in the pty yet."""
        self._map[_KEPT] = min(count, _KEPT_MOST)

    @property
    def kept(self) -> int:
        """How many bytes were not in the pty, or the most that is noted."""
        return self._map[_KEPT]

    def begin_replay(self) -> Replay | None:
        """Return what to feed; None where there is nothing, or where it has crashed a host twice."""
        current, replays, paste = self._head()
        if replays >= _REPLAYS_LIMIT:
            self.clear()
            return None
        self._write_head(current, replays + 1, paste=paste)
        segments = sorted(self._segments(), key=lambda found: found[0])
        if not any(output for _, _, output in segments):
            return None
        first = next(segment for segment in segments if segment[2])
        return Replay(first[1], b"".join(output for _, _, output in segments))

    def end_replay(self) -> None:
        """The replay did not crash this host."""
        current, _, paste = self._head()
        self._write_head(current, 0, paste=paste)

    def _segments(self) -> Iterator[tuple[int, bytes, bytes]]:
        for number in (0, 1):
            length, generation, modes = self._segment(number)
            start = self._data_at(number)
            yield generation, modes, bytes(self._map[start : start + min(length, SEGMENT)])

    def _head(self) -> tuple[int, int, bool]:
        _, current, replays, paste, _kept = _HEAD.unpack_from(self._map)
        return current & 1, replays, bool(paste)

    def _write_head(self, current: int, replays: int, *, paste: bool) -> None:
        _HEAD.pack_into(self._map, 0, _MAGIC, current, replays, paste, self._map[_KEPT])

    def _at(self, number: int) -> int:
        return _HEAD.size + number * (_SEGMENT_HEAD.size + SEGMENT)

    def _data_at(self, number: int) -> int:
        return self._at(number) + _SEGMENT_HEAD.size

    def _segment(self, number: int) -> tuple[int, int, bytes]:
        length, generation, modes = _SEGMENT_HEAD.unpack_from(self._map, self._at(number))
        return length, generation, modes.rstrip(b"\0")

    def _begin(self, number: int, generation: int, modes: bytes) -> None:
        _SEGMENT_HEAD.pack_into(self._map, self._at(number), 0, generation, modes)

    def _set_length(self, number: int, length: int) -> None:
        struct.pack_into("!I", self._map, self._at(number), length)


def _mapped(path: Path) -> tuple[mmap.mmap, bool]:
    """Return the mapped file, and whether it is new; raises OSError where the disk has no room for all of it."""
    number = open_own(path, os.O_RDWR | os.O_CREAT)
    try:
        fresh = os.fstat(number).st_size != _SIZE
        if fresh:
            os.ftruncate(number, 0)
        # Every page is reserved now: a write to a page that a full disk can't give ends the process (SIGBUS).
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(number, 0, _SIZE)
        else:
            os.ftruncate(number, _SIZE)
        return mmap.mmap(number, _SIZE), fresh
    finally:
        os.close(number)


def sequences(modes: Modes, cursor: Cursor) -> bytes:
    """Return the terminal sequences that set these modes on a fresh terminal."""
    switches = (
        (modes.alternate_screen, 1049), (modes.application_cursor, 1), (modes.bracketed_paste, 2004),
        (modes.focus_reports, 1004), (bool(modes.mouse), modes.mouse), (modes.mouse_sgr, 1006),
        (modes.application_keypad, 66), (modes.backarrow, 67), (bool(modes.mouse_extension), modes.mouse_extension),
    )  # fmt: skip
    parts = [f"\x1b[?{number}h" for on, number in switches if on]
    if modes.kitty_flags:
        parts.append(f"\x1b[={modes.kitty_flags};1u")
    if modes.modify_other_keys:
        parts.append(f"\x1b[>4;{modes.modify_other_keys}m")
    if cursor.shape:
        parts.append(f"\x1b[{cursor.shape} q")
    if not cursor.visible:
        parts.append("\x1b[?25l")
    return "".join(parts).encode()
