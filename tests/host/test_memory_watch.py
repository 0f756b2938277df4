"""Memory is read anew when it changes, however much else a project's root holds, and however often that changes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentsup.core.events import MemoryRead
from agentsup.host import memory_watch as module
from agentsup.host.folder_watch import FolderWatch
from agentsup.host.memory_watch import MemoryWatch
from agentsup.store.evidence import bump_context_version


class Heard:
    """What the watch tells, and a way to wait for it."""

    def __init__(self) -> None:
        self.engrams: list[str | None] = []
        self.files = 0
        self._changed = asyncio.Event()

    def memory(self, event: MemoryRead) -> None:
        self.engrams.append(event.memory.engram.text)
        self._changed.set()

    def changed(self) -> None:
        self.files += 1
        self._changed.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not condition():
                await self._changed.wait()
                self._changed.clear()


async def test_what_lies_at_the_root_is_seen_among_any_number_of_other_files(tmp_path: Path) -> None:
    for number in range(1_200):
        (tmp_path / f"file-{number}").touch()
    (tmp_path / "DECISIONS.md").write_text("## a\n")
    heard, watch = Heard(), FolderWatch()
    MemoryWatch(tmp_path, watch, heard.memory, heard.changed)
    (tmp_path / "DECISIONS.md").write_text("## a\n## another\n")
    await heard.until(lambda: heard.files == 1)
    watch.close()


async def test_a_folder_that_comes_later_is_watched(tmp_path: Path) -> None:
    heard, watch = Heard(), FolderWatch()
    MemoryWatch(tmp_path, watch, heard.memory, heard.changed)
    (tmp_path / ".agent").mkdir()
    (tmp_path / ".agent" / "engram.md").write_text("[Task] a\n")
    await heard.until(lambda: heard.engrams[-1] == "[Task] a\n")
    (tmp_path / ".agent" / "engram.md").write_text("[Task] b\n")
    await heard.until(lambda: heard.engrams[-1] == "[Task] b\n")
    watch.close()


async def test_a_commit_is_seen_and_what_else_git_writes_is_not(tmp_path: Path) -> None:
    (tmp_path / ".git" / "logs").mkdir(parents=True)
    heard, watch = Heard(), FolderWatch()
    MemoryWatch(tmp_path, watch, heard.memory, heard.changed)
    (tmp_path / ".git" / "COMMIT_EDITMSG").write_text("Parse numbers\n")
    (tmp_path / ".git" / "logs" / "HEAD").write_text("0 1 commit\n")
    await heard.until(lambda: heard.files == 1)
    watch.close()


async def test_a_file_that_says_the_same_again_is_told_for_it_is_younger(tmp_path: Path) -> None:
    (tmp_path / ".agent").mkdir()
    engram = tmp_path / ".agent" / "engram.md"
    engram.write_text("[Task] a\n")
    os.utime(engram, (100.0, 100.0))
    heard, watch = Heard(), FolderWatch()
    MemoryWatch(tmp_path, watch, heard.memory, heard.changed)
    engram.write_text("[Task] a\n")
    await heard.until(lambda: len(heard.engrams) >= 2)
    watch.close()


async def test_many_changes_at_a_slow_place_are_one_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard, watch = Heard(), FolderWatch()
    made = MemoryWatch(tmp_path, watch, heard.memory, heard.changed)
    looks = 0
    look = made._look

    def slow() -> None:
        nonlocal looks
        looks += 1
        look()

    monkeypatch.setattr(made, "_look", slow)
    monkeypatch.setattr(module, "PAUSE_SHARE", 1e9)  # after the first look: a pause of LONGEST_PAUSE
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.2)
    for number in range(100):
        made._changed()
        if number % 10 == 0:
            await asyncio.sleep(0)
    (tmp_path / "STATE.md").write_text("## Next\n- a\n")
    await heard.until(lambda: len(heard.engrams) == 2)
    assert looks <= 2
    watch.close()


@pytest.mark.parametrize("name", [".agent", ".agent/log", ".agent/tasks", ".agent/tasks/main", ".git"])
async def test_a_link_in_place_of_a_folder_is_neither_read_nor_watched(tmp_path: Path, name: str) -> None:
    outside, project = tmp_path / "outside", tmp_path / "project"
    for folder in (outside, project):
        for inner in (".agent/log", ".agent/tasks/main", ".git"):
            (folder / inner).mkdir(parents=True)
        (folder / ".agent" / "engram.md").write_text(f"[Task] {folder.name}\n")
    (project / name).rename(project / "real")
    (project / name).symlink_to(outside / name)
    heard, watch = Heard(), FolderWatch()
    MemoryWatch(project, watch, heard.memory, heard.changed)
    assert heard.engrams == ["[Task] project\n" if name != ".agent" else None]
    assert not watch.watches(project / name)
    (project / name).unlink()
    (project / "real").rename(project / name)
    (project / name / "HEAD").write_text("changed\n")
    await heard.until(lambda: watch.watches(project / name) and heard.engrams[-1] == "[Task] project\n")
    watch.close()


async def test_what_we_write_and_nobody_reads_is_not_told(tmp_path: Path) -> None:
    (tmp_path / ".agent").mkdir()
    heard, watch = Heard(), FolderWatch()
    MemoryWatch(tmp_path, watch, heard.memory, heard.changed)
    for _ in range(5):
        bump_context_version(tmp_path)
        await asyncio.sleep(0.02)  # each is seen by itself: of many at once only the end would be
    assert heard.files == 0
    (tmp_path / ".agent" / "state" / "operation-index.jsonl").write_text("{}\n")
    await heard.until(lambda: heard.files == 1)
    watch.close()
