"""What the host writes into the journal of a project: every round of its session, once."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from agentsup.core import events as ev
from agentsup.core.rounds import Place, Round
from agentsup.core.session import Agent, Session, apply
from agentsup.host import rounds as module
from agentsup.host.rounds import RoundWriter
from agentsup.store.engram_history import project_path
from agentsup.store.journal import NAME, rounds
from tests.host.set_back import set_back

RESTORE = "by agentsup (restore bcdfgh, number 1)\n"


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


class Host:
    """A session that is told events as the supervisor tells them, and its writer."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.session = Session("abcde", str(root), Agent("codex"))
        self.at: int | None = None
        self.writer = RoundWriter(
            root, session=lambda: self.session, line_at=lambda: self.at, tell=self.take, is_caught_up=lambda: True,
        )  # fmt: skip

    def take(self, *events: ev.Event) -> None:
        for event in events:
            self.session = apply(self.session, event)
            self.writer.happened(event)

    def read(self, *turns: int, conversation: str = "c1", log: str = "/log") -> None:
        """Read the log of a conversation: each turn has two lines."""
        self.take(ev.ConversationIdentified(1, conversation, log))
        for number in turns:
            begin, end = ev.TurnStarted(10.0 * number, f"t{number}"), ev.TurnEnded(10.0 * number + 5, f"t{number}")
            self.at = 100 * number
            self.take(begin)
            self.at += 1
            self.take(end)
            self.at = None

    async def written(self, count: int) -> list[Round]:
        async with asyncio.timeout(10):
            while len(rounds(self.root)) < count:
                await asyncio.sleep(0.01)
        return list(rounds(self.root))


async def test_a_log_that_is_read_again_adds_nothing(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.take(ev.AgentStarted(5, 7))
    host.read(1, 2)
    host.read(1, 2, 3)
    found = await host.written(3)
    assert [(each.round, each.turn) for each in found] == [(1, "t1"), (2, "t2"), (3, "t3")]
    assert (found[2].input_ref, found[2].output_ref) == (Place("/log", 300), Place("/log", 301))


async def test_a_host_that_comes_after_a_crash_adds_what_is_new(tmp_path: Path) -> None:
    first = Host(tmp_path)
    first.take(ev.AgentStarted(5, 7))
    first.read(1, 2)
    await first.written(2)
    second = Host(tmp_path)
    second.take(ev.AgentStarted(5, 7))
    second.read(1, 2, 3)
    assert [each.turn for each in await second.written(3)] == ["t1", "t2", "t3"]


async def test_what_was_before_the_agents_start_is_another_sessions(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.take(ev.AgentStarted(25, 7))
    host.read(1, 2, 3)
    assert [each.turn for each in await host.written(1)] == ["t3"]


async def test_copies_in_the_log_of_a_branch_are_not_added(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.take(ev.AgentStarted(5, 7))
    host.read(1, 2)
    host.read(1, 2, 3, conversation="c2", log="/branch")
    assert [(each.turn, each.conversation) for each in await host.written(3)] == [
        ("t1", "c1"),
        ("t2", "c1"),
        ("t3", "c2"),
    ]


async def test_what_is_known_by_heart_does_not_grow_and_what_was_forgotten_is_not_added_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KNOWN_MOST", 3)
    host = Host(tmp_path)
    host.take(ev.AgentStarted(5, 7))
    host.read(*range(1, 8))
    await host.written(7)
    host.read(*range(1, 9))
    found = await host.written(8)
    assert [each.turn for each in found] == [f"t{number}" for number in range(1, 9)]
    assert host.writer._known is not None
    assert len(host.writer._known) <= 4
    after = Host(tmp_path)  # a host that comes after a crash
    after.take(ev.AgentStarted(5, 7))
    after.read(*range(1, 10))
    assert [each.turn for each in await after.written(9)] == [f"t{number}" for number in range(1, 10)]


async def test_the_last_round_is_there_when_the_agent_has_ended(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.take(ev.AgentStarted(5, 7), ev.TurnStarted(10, "t1"), ev.AgentExited(11, None, 9))
    assert [each.turn for each in rounds(tmp_path)] == ["t1"], "nobody waits after that"


async def test_a_verdict_that_comes_after_the_round_is_written_into_it(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.take(ev.AgentStarted(5, 7), ev.UserMessageRecorded(9, RESTORE))
    host.read(1)
    host.take(ev.RecitalJudged(16, "bcdfgh", "wrong", "said"))
    host.read(2)
    found = await host.written(2)
    assert [each.recite for each in found] == ["wrong", ""]


async def test_a_journal_that_can_not_be_written_is_told_once_and_stops_nothing(tmp_path: Path) -> None:
    host = Host(tmp_path)
    project_path(tmp_path).mkdir(parents=True)
    os.mkfifo(project_path(tmp_path) / NAME)
    host.take(ev.AgentStarted(5, 7))
    host.read(1, 2)
    async with asyncio.timeout(10):
        while not host.session.notices:
            await asyncio.sleep(0.01)
    host.read(3)
    host.take(ev.AgentExited(50, 0, None))  # waits for what was to be written
    await asyncio.sleep(0)
    assert [notice.key for notice in host.session.notices] == ["journal.unwritable"]


async def test_a_round_after_the_clock_was_set_back_is_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(tmp_path)
    host.take(ev.AgentStarted(time.time(), 7))
    set_back(monkeypatch, 3600.0)
    for name, begun in (("old", time.time() - 7200), ("new", time.time())):
        host.take(ev.TurnStarted(begun, name), ev.TurnEnded(begun + 600, name))
    assert [each.turn for each in await host.written(1)] == ["new"]
