"""The tail: every good line once, whatever happens to the file."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from agentsup.host import log_tail
from agentsup.host.folder_watch import FolderWatch
from agentsup.host.log_tail import LogTail

DEADLINE = 10.0


class Reading:
    """A tail and the lines it gave."""

    def __init__(self, path: Path) -> None:
        self.lines: list[bytes] = []
        self._came = asyncio.Event()
        self.watch = FolderWatch()
        self.tail = LogTail(path, self.watch, self._take)

    def _take(self, line: bytes) -> None:
        self.lines.append(line)
        self._came.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE):
            while not condition():
                self._came.clear()
                await self._came.wait()

    def close(self) -> None:
        self.tail.close()
        self.watch.close()


@pytest.fixture
async def reading(tmp_path: Path) -> AsyncIterator[Reading]:
    made = Reading(tmp_path / "log.jsonl")
    yield made
    made.close()


async def test_lines_written_byte_by_byte_come_whole(reading: Reading) -> None:
    with open(reading.tail.path, "ab", buffering=0) as file:
        for byte in b"first\nsecond\r\n\n  \nthird":
            file.write(bytes([byte]))
        await reading.until(lambda: len(reading.lines) >= 2)
        file.write(b"\n")
        await reading.until(lambda: len(reading.lines) >= 3)
    assert reading.lines == [b"first", b"second\r", b"third"]


async def test_what_was_there_before_is_read_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(b"%07d\n" % number for number in range(200_000)))
    reading = Reading(path)
    await reading.until(lambda: len(reading.lines) == 200_000)
    assert reading.lines[-1] == b"0199999"
    reading.close()


async def test_a_replaced_and_a_cut_file_are_read_from_their_start(reading: Reading, tmp_path: Path) -> None:
    reading.tail.path.write_bytes(b"one\ntwo\n")
    await reading.until(lambda: len(reading.lines) == 2)
    fresh = tmp_path / "fresh"
    fresh.write_bytes(b"three\n")
    os.replace(fresh, reading.tail.path)
    await reading.until(lambda: len(reading.lines) == 3)
    reading.tail.path.write_bytes(b"4\n")
    await reading.until(lambda: len(reading.lines) == 4)
    assert reading.lines == [b"one", b"two", b"three", b"4"]


async def test_a_line_over_the_limit_is_skipped_and_counted(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_tail, "LINE_LIMIT", 1000)
    reading.tail.path.write_bytes(b"before\n" + b"x" * 600_000 + b"\nafter\n")
    await reading.until(lambda: b"after" in reading.lines)
    assert reading.lines == [b"before", b"after"]
    assert reading.tail.skipped == 1
