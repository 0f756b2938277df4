"""Long lines and huge logs: what is left out is counted, and nothing after it is missed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agentsup.host.log_tail import LIMITS, Limits
from tests.host.test_log_tail import DEADLINE, Following

SMALL = Limits(piece=256, line=1000, head=100, whole=10_000, part=2000)


async def test_of_a_line_over_the_limit_its_head_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    longest, longer = b"y" * 1000, b"z" * 1001
    path.write_bytes(b"\n".join([b"before", b"x" * 5000, b"between", longest, longer, b"after", b""]))
    following = Following(path, SMALL)
    await following.until_line(b"after")
    assert following.lines == [b"before", b"between", longest, b"after"]
    assert following.heads == [b"x" * 100, b"z" * 100]
    assert [(each.lines, each.skipped) for each in following.counts] == [(1, 1), (3, 2)]
    following.close()


async def test_a_long_line_is_told_when_it_ends(tmp_path: Path) -> None:
    following = Following(tmp_path / "log.jsonl", SMALL)
    following.append(b'{"type":"compacted",' + b"x" * 5000)
    await asyncio.sleep(0)
    assert following.tail.reading.skipped == 0
    following.append(b"\n")
    await following.until(lambda: following.tail.reading.skipped == 1)
    assert following.heads[0].startswith(b'{"type":"compacted",x')
    following.close()


@pytest.mark.parametrize("cut", range(6))
async def test_a_huge_log_begins_with_the_first_whole_line_of_its_end(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "log.jsonl"
    # The part that is read begins at each byte of a line once.
    lines = [b"%05d" % number for number in range(2000)] + [b"x" * cut]
    path.write_bytes(b"\n".join([*lines, b""]))
    following = Following(path, SMALL)
    following.append(b"end\n")
    await following.until_line(b"end")
    data = path.read_bytes()
    start = len(data) - SMALL.part
    if data[start - 1 : start] != b"\n":
        start = data.index(b"\n", start) + 1
    assert following.lines == [line for line in data[start:].split(b"\n") if line]
    assert following.tail.reading.from_middle
    assert [each.from_middle for each in following.counts] == [True]
    following.append(b"more\n")
    await following.until_line(b"more")
    following.path.write_bytes(b"small\n")
    await following.until_line(b"small")
    assert not following.tail.reading.from_middle
    assert [each.from_middle for each in following.counts] == [True, False]
    following.close()


async def test_a_log_that_grows_huge_is_read_whole(tmp_path: Path) -> None:
    following = Following(tmp_path / "log.jsonl", SMALL)
    following.append(b"one\n")
    await following.until_line(b"one")
    following.append(b"".join(b"%05d\n" % number for number in range(5000)))
    await following.until_line(b"04999")
    assert len(following.lines) == 5001
    assert following.counts == []
    following.close()


@pytest.mark.parametrize("before", [b"", b"\n"])
async def test_a_sparse_log_of_20_gb_is_opened_at_once(tmp_path: Path, before: bytes) -> None:
    path = tmp_path / "log.jsonl"
    with path.open("wb") as file:
        file.truncate(20 << 30)
        file.seek(0, 2)
        file.write(before + b'{"good":1}\n')
    began = asyncio.get_running_loop().time()
    following = Following(path)
    await following.until_line(b'{"good":1}')
    assert asyncio.get_running_loop().time() - began < DEADLINE / 10
    assert following.lines == [b'{"good":1}']
    reading = following.tail.reading
    assert reading.from_middle
    assert reading.bytes < LIMITS.part + 100
    following.close()
