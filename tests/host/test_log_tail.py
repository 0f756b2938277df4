"""The tail: every good line once, whatever happens to the file."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from agentsup.host import log_tail
from agentsup.host.folder_watch import FolderWatch
from agentsup.host.log_tail import LIMITS, Limits, LogTail, Reading

DEADLINE = 10.0

Told = TypeVar("Told")


class Following:
    """A tail on a real folder watch, and what it told."""

    def __init__(
        self,
        path: Path,
        limits: Limits = LIMITS,
        *,
        read: Callable[[int, int, int], bytes] = os.pread,
        watch: FolderWatch | None = None,
    ) -> None:
        self.path = path
        self.lines: list[bytes] = []
        self.heads: list[bytes] = []
        self.counts: list[Reading] = []
        self.troubles: list[str] = []
        self.news_from: list[int] = []
        self._came = asyncio.Event()
        self.watch = watch or FolderWatch()
        self.tail = LogTail(
            path, self.watch, self._keep(self.lines), self._keep(self.counts), on_long_line=self._keep(self.heads),
            on_trouble=self._keep(self.troubles), on_caught_up=self._caught_up, limits=limits, read=read,
        )  # fmt: skip

    def _keep(self, kept: list[Told]) -> Callable[[Told], None]:
        def keep(told: Told) -> None:
            kept.append(told)
            self._came.set()

        return keep

    def _caught_up(self) -> None:
        self._keep(self.news_from)(len(self.lines))

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE):
            while not condition():
                self._came.clear()
                await self._came.wait()

    async def until_line(self, line: bytes) -> None:
        await self.until(lambda: line in self.lines)

    def append(self, data: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(data)

    def close(self) -> None:
        self.tail.close()
        self.watch.close()


async def assert_watched(following: Following, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that lines come by the folder watch, not by the next look at its time."""
    monkeypatch.setattr(log_tail, "LOOK_INTERVAL", 10 * DEADLINE)
    before = list(following.lines)
    for line in (b"perhaps found by the look that was planned already", b"found by the watch"):
        following.append(line + b"\n")
        await following.until_line(line)
        before.append(line)
    assert following.lines == before


@pytest.fixture
async def following(tmp_path: Path) -> AsyncIterator[Following]:
    folder = tmp_path / "above" / "logs"
    folder.mkdir(parents=True)
    made = Following(folder / "log.jsonl")
    yield made
    made.close()


async def test_lines_written_byte_by_byte_come_whole(following: Following) -> None:
    with open(following.path, "ab", buffering=0) as file:
        for byte in b"\xef\xbb\xbffirst\nsecond\r\n\n  \r\n\xef\xbb\xbfthird\xff":
            file.write(bytes([byte]))
        await following.until(lambda: len(following.lines) >= 2)
        assert following.lines == [b"first", b"second"]
        file.write(b"\n")
        await following.until(lambda: len(following.lines) >= 3)
    assert following.lines[2:] == [b"\xef\xbb\xbfthird\xff"], "only the file's start has a byte order mark"
    assert following.tail.reading == Reading(lines=3, bytes=following.path.stat().st_size)


async def test_what_was_there_before_is_read_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(b"%07d\n" % number for number in range(200_000)))
    following = Following(path)
    assert following.lines == [], "nothing is told before the tail is there"
    await following.until(lambda: len(following.lines) == 200_000)
    assert following.lines == [b"%07d" % number for number in range(200_000)]
    following.close()


async def test_what_stood_in_the_file_is_history_until_all_of_it_was_told(following: Following) -> None:
    await following.until(lambda: following.news_from == [0])
    assert following.tail.caught_up, "there is no file, and so no history"
    following.close()
    following.append(b"old\n" * 50_000)
    again = Following(following.path)
    assert not again.tail.caught_up
    await again.until(lambda: len(again.lines) > 1_000)
    assert not again.tail.caught_up
    await again.until(lambda: again.news_from == [50_000])
    again.append(b"news\n" * 50_000)
    await again.until(lambda: len(again.lines) == 100_000)
    assert again.tail.caught_up
    again.path.write_bytes(b"written anew\n")
    await again.until(lambda: again.news_from == [50_000, 100_001])
    again.close()


async def test_a_file_that_can_not_be_read_is_not_caught_up_with(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"one\n")

    def read(_file: int, _size: int, _offset: int) -> bytes:
        raise PermissionError("not now")

    following = Following(path, read=read)
    await following.until(lambda: bool(following.troubles))
    assert not following.tail.caught_up
    assert following.news_from == []
    following.close()


async def test_a_line_is_told_with_its_place_in_the_file(following: Following) -> None:
    told: list[tuple[int | None, bytes]] = []
    places = FolderWatch()
    limits = Limits(piece=50, line=60, head=10, whole=300, part=200)

    def tell(line: bytes) -> None:
        told.append((tail.at, line))

    for content in (b"".join(b"%03d\n" % number for number in range(60)), b"x" * 99 + b"\n" + b"y" * 59 + b"\n"):
        told.clear()
        following.path.write_bytes(content)
        tail = LogTail(following.path, places, tell, on_long_line=tell, limits=limits)
        async with asyncio.timeout(DEADLINE):
            while sum(map(len, (line for _, line in told))) < 69:
                await asyncio.sleep(0)
        tail.close()
        assert all(at is not None and content[at:].startswith(line) for at, line in told)
        assert tail.at is None
    assert [at for at, _ in told] == [0, 100]
    places.close()


async def test_a_replaced_and_a_cut_file_are_read_from_their_start(following: Following, tmp_path: Path) -> None:
    following.path.write_bytes(b"one\ntwo\nhalf")
    await following.until_line(b"two")
    fresh = tmp_path / "fresh"
    fresh.write_bytes(b"three\n")
    os.replace(fresh, following.path)
    await following.until_line(b"three")
    following.path.write_bytes(b"4\n")
    await following.until_line(b"4")
    assert following.lines == [b"one", b"two", b"three", b"4"]
    assert following.tail.reading.restarts == 2


async def test_what_is_left_of_a_replaced_file_is_read_first(following: Following, tmp_path: Path) -> None:
    following.append(b"one\n")
    await following.until_line(b"one")
    # In one turn of the loop: the tail can look only when the old file is away already.
    following.append(b"two\nthree\nhalf")
    os.rename(following.path, tmp_path / "rotated")
    following.append(b"four\n")
    await following.until_line(b"four")
    assert following.lines == [b"one", b"two", b"three", b"four"]


async def test_a_file_written_anew_is_noticed_though_it_is_longer(following: Following) -> None:
    following.append(b"one\ntwo\n")
    await following.until_line(b"two")
    following.path.write_bytes(b"another\ncontent\n")
    await following.until_line(b"content")
    assert following.lines == [b"one", b"two", b"another", b"content"]


async def test_a_file_removed_and_made_again(following: Following) -> None:
    following.append(b"one\n")
    await following.until_line(b"one")
    with following.path.open("ab", buffering=0) as agent:
        following.path.unlink()
        agent.write(b"two\n")
        await following.until_line(b"two")  # the agent still writes to the one it has open
    following.append(b"three\n")
    await following.until_line(b"three")
    assert following.lines == [b"one", b"two", b"three"]


@pytest.mark.parametrize("above", [False, True])
async def test_a_folder_removed_and_made_again(
    following: Following, above: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    following.append(b"one\n")
    await following.until_line(b"one")
    folder = following.path.parent
    shutil.rmtree(folder.parent if above else folder)
    folder.mkdir(parents=True)
    following.append(b"two\n")
    await following.until_line(b"two")
    await assert_watched(following, monkeypatch)


async def test_another_folder_in_place_of_one_above(
    following: Following, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    following.append(b"one\n")
    await following.until_line(b"one")
    folder = following.path.parent
    folder.parent.rename(tmp_path / "moved")
    folder.mkdir(parents=True)
    following.append(b"two\n")
    await following.until_line(b"two")
    await assert_watched(following, monkeypatch)


async def test_a_folder_that_comes_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    following = Following(tmp_path / "later" / "log.jsonl")
    following.path.parent.mkdir()
    following.append(b"one\n")
    await following.until_line(b"one")
    await assert_watched(following, monkeypatch)
    following.close()


async def test_nuls_of_a_crashed_machine_end_a_line(following: Following) -> None:
    following.append(b"one\n" + bytes(5000) + b"two\nhalf" + bytes(70_000) + b"three\n")
    await following.until_line(b"three")
    assert following.lines == [b"one", b"two", b"half", b"three"]


async def test_a_line_whose_consumer_fails_is_the_only_one_lost(tmp_path: Path) -> None:
    told: list[bytes] = []
    raised: list[dict[str, Any]] = []
    over = asyncio.Event()

    def take(line: bytes) -> None:
        if int(line) % 5 == 0:
            raise RuntimeError("a bug")
        told.append(line)
        if line == b"199":
            over.set()

    asyncio.get_running_loop().set_exception_handler(lambda _, context: raised.append(context))
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(b"%d\n" % number for number in range(200)))
    watch = FolderWatch()
    tail = LogTail(path, watch, take)
    async with asyncio.timeout(DEADLINE):
        await over.wait()
    assert told == [b"%d" % number for number in range(200) if number % 5]
    assert len(raised) == 40
    tail.close()
    watch.close()


async def test_nothing_is_told_after_it_was_closed_from_within(tmp_path: Path) -> None:
    told: list[bytes] = []
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"one\ntwo\n")
    watch = FolderWatch()

    def take(line: bytes) -> None:
        told.append(line)
        tail.close()
        over.set()

    over = asyncio.Event()
    tail = LogTail(path, watch, take)
    async with asyncio.timeout(DEADLINE):
        await over.wait()
    await asyncio.sleep(0)  # the turn in which a look would come
    assert told == [b"one"]
    watch.close()
