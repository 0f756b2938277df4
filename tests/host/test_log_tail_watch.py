"""The folder watch under a log: told at once, once for many changes, and never too little."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from agentsup.host.folder_watch import Callback, FolderWatch
from agentsup.host.log_tail import LogTail
from tests.host.test_log_tail import DEADLINE, Following, assert_watched

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it looks every half second")


class Heard:
    """Counts calls, and waits for them."""

    def __init__(self) -> None:
        self.calls = 0
        self._came = asyncio.Event()

    def __call__(self) -> None:
        self.calls += 1
        self._came.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE):
            while not condition():
                self._came.clear()
                await self._came.wait()


@pytest.fixture
async def watch() -> AsyncIterator[FolderWatch]:
    made = FolderWatch()
    yield made
    made.close()


async def test_thousands_of_writes_are_few_calls(watch: FolderWatch, tmp_path: Path) -> None:
    heard = Heard()
    watch.add(tmp_path, heard)
    loop = asyncio.get_running_loop()
    with open(tmp_path / "file", "ab", buffering=0) as file, open(tmp_path / "other", "ab", buffering=0) as other:
        turns, ends = 0, loop.time() + 0.1
        while loop.time() < ends:
            file.write(b"x")
            other.write(b"y")
            turns += 1
            await asyncio.sleep(0)
    # What was written last is told too.
    (tmp_path / "last").touch()
    before = heard.calls
    await heard.until(lambda: heard.calls > before)
    assert turns > 200
    assert heard.calls < 30


async def test_one_folder_under_two_paths(watch: FolderWatch, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    heard, also = Heard(), Heard()
    watch.add(tmp_path / "real", heard)
    watch.add(tmp_path / "link", also)
    (tmp_path / "real" / "one").touch()
    await heard.until(lambda: heard.calls == 1)
    assert also.calls == 1
    watch.remove(tmp_path / "link", also)
    (tmp_path / "real" / "two").touch()
    await heard.until(lambda: heard.calls == 2)
    assert also.calls == 1


@pytest.mark.parametrize("how", ["removed", "moved"])
async def test_a_folder_that_goes_is_told_and_watched_no_longer(watch: FolderWatch, tmp_path: Path, how: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    heard = Heard()
    watch.add(folder, heard)
    if how == "moved":
        folder.rename(tmp_path / "elsewhere")
    else:
        folder.rmdir()
    await heard.until(lambda: heard.calls == 1)
    assert not watch.watches(folder)
    folder.mkdir()
    assert watch.add(folder, heard)
    (folder / "file").touch()
    await heard.until(lambda: heard.calls > 1)


async def test_a_change_that_the_system_could_not_keep_is_told(watch: FolderWatch, tmp_path: Path) -> None:
    noisy, quiet = tmp_path / "noisy", tmp_path / "quiet"
    noisy.mkdir()
    quiet.mkdir()
    heard = Heard()
    watch.add(noisy, Heard())
    watch.add(quiet, heard)
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    with open(noisy / "a", "ab", buffering=0) as one, open(noisy / "b", "ab", buffering=0) as other:
        for _ in range(most // 2 + 1):  # by turns: the same event twice is kept once
            one.write(b"x")
            other.write(b"y")
    (quiet / "file").touch()
    await heard.until(lambda: heard.calls > 0)


async def test_a_folder_that_can_not_be_asked_about_is_not_watched(watch: FolderWatch, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert not watch.add(tmp_path / "loop", Heard())
    assert not watch.add(tmp_path / "nothing", Heard())
    assert not watch.add(tmp_path / ("x" * 300), Heard())


class FullWatch(FolderWatch):
    """Has no room for a watch the first few times."""

    refused = 0

    def add(self, folder: Path, callback: Callback) -> bool:
        """Refuse three times."""
        self.refused += 1
        return self.refused > 3 and super().add(folder, callback)


async def test_a_log_is_watched_as_soon_as_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    following = Following(tmp_path / "log.jsonl", watch=FullWatch())
    following.append(b"one\n")
    await following.until_line(b"one")
    await assert_watched(following, monkeypatch)
    following.close()


async def test_a_closed_tail_is_no_longer_called(watch: FolderWatch, tmp_path: Path) -> None:
    told: list[bytes] = []
    tail = LogTail(tmp_path / "log.jsonl", watch, told.append)
    heard = Heard()
    watch.add(tmp_path, heard)
    tail.close()
    (tmp_path / "log.jsonl").write_bytes(b"one\n")
    await heard.until(lambda: heard.calls > 0)
    assert told == []
