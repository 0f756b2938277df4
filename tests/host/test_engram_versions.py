"""Every version of an engram is kept, by whomever the file was written."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agentsup.core.memory.model import Document
from agentsup.host import engram_versions as module
from agentsup.host.engram_versions import EngramVersions
from agentsup.store.engram_history import history, record


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
    is_agents = False
    asked: list[tuple[str, float]] = []

    def answer(text: str, modified: float) -> bool:
        asked.append((text, modified))
        return is_agents

    versions = EngramVersions(tmp_path, is_agents=answer)
    versions.read(document("[Task] a\n"))
    await added(tmp_path, 1)
    versions.read(document("[Task] b\n"))
    is_agents = True
    assert await added(tmp_path, 2) == [("person", "[Task] a\n"), ("agent", "[Task] b\n")]
    assert asked == [("[Task] a\n", 5.0), ("[Task] b\n", 5.0)]


async def test_a_command_that_adds_its_version_itself_is_not_doubled(tmp_path: Path) -> None:
    versions = EngramVersions(tmp_path, is_agents=lambda *_: False)
    versions.read(document("[Task] a\n"))
    record(tmp_path, "[Task] a\n", "agent", "set by command")
    versions.read(document("[Task] b\n"))  # the first one is not waited for
    versions.read(document("[Task] c\n"))
    assert await added(tmp_path, 2) == [("agent", "[Task] a\n"), ("person", "[Task] c\n")]


async def test_nothing_is_kept_of_what_is_none_or_could_not_be_read(tmp_path: Path) -> None:
    versions = EngramVersions(tmp_path, is_agents=lambda *_: False)
    for nothing in (document(None), document(" \n"), document("x", "memory.too-long")):
        versions.read(nothing)
    versions.read(document("[Task] a\n"))
    assert await added(tmp_path, 1) == [("person", "[Task] a\n")]


async def test_a_history_that_can_not_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    failed: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context))
    versions = EngramVersions(tmp_path, is_agents=lambda *_: False)
    versions.read(document("[Task] a\n"))
    await asyncio.sleep(0.2)
    assert failed == []
