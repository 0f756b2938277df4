"""Every version of an engram is kept, by whomever the file was written."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from agentsup.core import events as ev
from agentsup.core.engram_intake import Knowledge, after
from agentsup.core.memory.model import Document
from agentsup.host import engram_versions as module
from agentsup.host.engram_versions import EngramVersions
from agentsup.store.engram_history import history, record

ENGRAM = "[Task] Make a() faster.\n[Taboo] c.py: shared\n"
OTHER = ENGRAM.replace("faster", "smaller")


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(module, "PAUSE", 0.05)


def document(text: str | None, problem: str = "") -> Document:
    return Document(".agent/engram.md", text, problem, modified=5.0)


async def added(root: Path, count: int) -> list[tuple[str, str]]:
    async with asyncio.timeout(10):
        while len(history(root)) < count:
            await asyncio.sleep(0.01)
    return [(version.author, version.text) for version in history(root)]


async def test_whose_it_is_is_asked_when_the_log_has_had_its_time(tmp_path: Path) -> None:
    known = Knowledge()
    versions = EngramVersions(tmp_path, known=lambda: known, on_found=lambda: None)
    versions.read(document(ENGRAM))
    await added(tmp_path, 1)
    versions.read(document(OTHER))
    known = after(known, ev.ToolUsed(5.0, "edit", ".agent/engram.md", content=OTHER))
    assert await added(tmp_path, 2) == [("found", ENGRAM), ("agent", OTHER)]


async def test_one_of_the_agents_that_is_put_back_with_its_old_time_is_found(tmp_path: Path) -> None:
    (tmp_path / ".agent").mkdir()
    path = tmp_path / ".agent" / "engram.md"
    path.write_text(ENGRAM)
    os.utime(path, (5.0, 5.0))
    known = after(Knowledge(), ev.ToolUsed(5.0, "edit", ".agent/engram.md", content=ENGRAM))
    EngramVersions(tmp_path, known=lambda: known, on_found=lambda: None).read(document(ENGRAM))
    assert await added(tmp_path, 1) == [("found", ENGRAM)]


async def test_what_a_person_says_is_theirs_is(tmp_path: Path) -> None:
    versions = EngramVersions(tmp_path, known=Knowledge, on_found=lambda: None)
    versions.read(document(ENGRAM))
    await added(tmp_path, 1)
    versions.saved(ENGRAM)
    versions.saved(ENGRAM)
    assert await added(tmp_path, 2) == [("found", ENGRAM), ("person", ENGRAM)]
    versions.saved(OTHER)
    assert await added(tmp_path, 3) == [("found", ENGRAM), ("person", ENGRAM), ("person", OTHER)]


async def test_a_command_that_adds_its_version_itself_is_not_doubled(tmp_path: Path) -> None:
    versions = EngramVersions(tmp_path, known=Knowledge, on_found=lambda: None)
    versions.read(document("[Task] a\n"))
    record(tmp_path, "[Task] a\n", "agent", "set by command")
    versions.read(document("[Task] b\n"))  # the first one is not waited for
    versions.read(document("[Task] c\n"))
    assert await added(tmp_path, 2) == [("agent", "[Task] a\n"), ("found", "[Task] c\n")]


async def test_nothing_is_kept_of_what_is_none_or_could_not_be_read(tmp_path: Path) -> None:
    versions = EngramVersions(tmp_path, known=Knowledge, on_found=lambda: None)
    for nothing in (document(None), document(" \n"), document("x", "memory.too-long")):
        versions.read(nothing)
    versions.read(document("[Task] a\n"))
    assert await added(tmp_path, 1) == [("found", "[Task] a\n")]


async def test_a_history_that_can_not_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    failed: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context))
    versions = EngramVersions(tmp_path, known=Knowledge, on_found=lambda: None)
    versions.read(document("[Task] a\n"))
    await asyncio.sleep(0.2)
    assert failed == []


async def test_a_change_that_nobody_knows_the_author_of_is_told_once(tmp_path: Path) -> None:
    told: list[int] = []
    known = Knowledge()
    versions = EngramVersions(tmp_path, known=lambda: known, on_found=lambda: told.append(1))
    versions.read(document(ENGRAM))  # what was there at first
    await added(tmp_path, 1)
    for _ in range(2):
        versions.read(document(OTHER))
        await added(tmp_path, 2)
    async with asyncio.timeout(10):
        while not told:
            await asyncio.sleep(0.01)
    known = after(known, ev.ToolUsed(5.0, "edit", ".agent/engram.md", content=ENGRAM + "[Files] a.py\n"))
    versions.read(document(ENGRAM + "[Files] a.py\n"))
    assert (await added(tmp_path, 3))[-1][0] == "agent"
    versions.read(document(OTHER + "[Files] b.py\n"))
    await added(tmp_path, 4)
    async with asyncio.timeout(10):
        while len(told) < 2:
            await asyncio.sleep(0.01)
    assert len(told) == 2
