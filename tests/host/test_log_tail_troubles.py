"""Errors of the system: told once, never raised, and over when the file can be read again."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.host.test_log_tail import Following


@pytest.fixture(autouse=True)
async def nothing_raised() -> AsyncIterator[None]:
    """Fail the test where anything was raised into the loop."""
    raised: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: raised.append(context))
    yield
    assert raised == []


class Broken:
    """Reads as `os.pread` does, but for the reads that fail."""

    def __init__(self, *fail: int) -> None:
        self.fail = set(fail)
        self.reads = 0

    def __call__(self, file: int, size: int, offset: int) -> bytes:
        self.reads += 1
        if self.reads in self.fail:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return os.pread(file, size, offset)


async def test_reads_that_fail_lose_and_repeat_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"one\ntwo\nthr")
    following = Following(path, read=Broken(3, 4))
    await following.until_line(b"two")
    following.append(b"ee\nfour\n")
    await following.until_line(b"four")
    assert following.lines == [b"one", b"two", b"three", b"four"]
    assert following.troubles == [os.strerror(errno.EIO), ""]
    assert following.tail.reading.restarts == 0
    following.close()


async def test_a_file_that_was_replaced_while_it_could_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"one\n")
    following = Following(path, read=Broken(3))
    await following.until_line(b"one")
    following.append(b"lost\n")
    await following.until(lambda: len(following.troubles) == 1)
    path.unlink()
    following.append(b"another\n")
    await following.until_line(b"another")
    assert following.lines == [b"one", b"another"]
    assert following.troubles == [os.strerror(errno.EIO), ""]
    following.close()


async def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.mkdir()
    following = Following(path)
    await following.until(lambda: bool(following.troubles))
    (tmp_path / "noise").touch()  # looked at again, told no more
    path.rmdir()
    following.append(b"one\n")
    await following.until_line(b"one")
    assert following.troubles == [os.strerror(errno.EISDIR), ""]
    assert following.tail.reading.trouble == ""
    assert following.tail.reading.restarts == 0
    following.close()


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="the system's own unreadable file")
async def test_a_file_the_system_can_not_read(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.symlink_to("/proc/self/mem")  # its first page is never there: EIO
    following = Following(path)
    await following.until(lambda: bool(following.troubles))
    assert following.tail.reading.trouble == os.strerror(errno.EIO)
    path.unlink()
    following.append(b"one\n")
    await following.until_line(b"one")
    assert following.troubles == [os.strerror(errno.EIO), ""]
    following.close()


async def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"one\n")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("nothing is forbidden to root")
    following = Following(path)
    await following.until(lambda: bool(following.troubles))
    path.chmod(0o600)
    await following.until_line(b"one")
    assert following.troubles == [os.strerror(errno.EACCES), ""]
    following.close()
