"""When the agent is asked for an engram, and the person to look at one."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from agentsup.core import events as ev
from agentsup.core.breaker import Breaker
from agentsup.store.engram_history import history
from tests.host.played_engrams import ENGRAM, Play, Played, play

__all__ = ["play"]


def fill(played: Played, used: int) -> None:
    played.happened(ev.TokensReported(time.time(), used, 100_000))


def edit(played: Played) -> None:
    played.happened(ev.ToolUsed(time.time() + 5, "edit", "a.py"))


async def test_it_is_asked_for_once_where_the_context_is_full_and_files_were_edited(play: Play) -> None:
    played = play()
    await played.outcome(ENGRAM)
    played.read_memory()
    edit(played)
    for used, message in ((69_000, "Done."), (71_000, ""), (72_000, "Done.")):
        fill(played, used)
        played.turn(message, interrupted=not message)
        await asyncio.sleep(0.06)  # nothing comes
        assert len(played.queue.texts) == (used == 72_000)
    (occasion,) = played.queue.texts
    assert occasion == "engram:c1:ask0"
    assert "72 %" in played.queue.texts[occasion].partition("\n")[0]
    played.turn("Done.")
    fresh = ENGRAM.replace("b()", "d()")
    assert await played.outcome(fresh) == "stored"
    assert (occasion, "injection.engram-written") in played.queue.withdrawn
    assert len(played.queue.texts) == 1


async def test_where_the_agent_compacts_early_it_is_told_how_near_that_is(play: Play) -> None:
    played = play()
    edit(played)
    fill(played, 62_000)
    played.happened(ev.CompactionLimitKnown(time.time(), 67_000))
    played.turn("Done.")
    await played.until(lambda: bool(played.queue.texts))
    (text,) = played.queue.texts.values()
    assert "93 %" in text.partition("\n")[0]


async def test_after_the_next_compaction_it_is_asked_for_again_and_nothing_waits(play: Play) -> None:
    played = play()
    edit(played)
    fill(played, 80_000)
    played.turn("Done.")
    await played.until(lambda: bool(played.queue.texts))
    played.happened(ev.Compacted(time.time(), "x"))
    assert ("engram:c1:ask0", "injection.compacted-meanwhile") in played.queue.withdrawn
    fill(played, 80_000)
    played.turn("Done.")
    await played.until(lambda: len(played.queue.texts) == 2)
    assert list(played.queue.texts) == ["engram:c1:ask0", "engram:c1:ask1"]


@pytest.mark.parametrize("percent", [0, 90])
async def test_below_the_limit_or_without_one_nobody_asks(play: Play, percent: int) -> None:
    played = play(percent=percent)
    edit(played)
    fill(played, 80_000)
    played.turn("Done.")
    await asyncio.sleep(0.06)  # nothing comes
    assert played.queue.texts == {}


async def test_the_first_three_compactions_of_a_project_ask_for_a_review(play: Play) -> None:
    played = play()
    await played.outcome(ENGRAM)
    played.read_memory()
    for number in range(1, 4):
        for _ in range(2):  # a log that is read once more counts once
            played.happened(ev.Compacted(time.time(), f"x{number}"))
        await played.reviewed(number)
    played.happened(ev.NoticeCleared(time.time(), "engram.review"))
    played.happened(ev.Compacted(time.time(), "x4"))
    another = play()
    another.read_memory()
    another.happened(ev.Compacted(time.time(), "x1"))
    await asyncio.sleep(0.1)  # nothing comes
    assert played.notices() == another.notices() == []


async def test_while_the_breaker_is_open_no_review_is_asked_for(play: Play) -> None:
    played = play()
    await played.outcome(ENGRAM)
    played.read_memory()
    played.session = replace(played.session, loop=replace(played.session.loop, breaker=Breaker(in_a_row=3)))
    played.happened(ev.Compacted(time.time(), "x1"))
    await asyncio.sleep(0.1)  # nothing comes
    assert played.notices() == []
    played.happened(ev.BreakerReset(time.time()))
    played.happened(ev.Compacted(time.time(), "x2"))
    await played.reviewed(1)


async def test_where_there_is_none_the_one_that_is_restored_is_kept(play: Play) -> None:
    played = play()
    played.happened(ev.UserMessageRecorded(time.time(), "Make a() accept weeks."))
    played.happened(ev.Compacted(time.time(), "x"))
    async with asyncio.timeout(10):
        while not history(played.root):
            await asyncio.sleep(0.01)
    (version,) = history(played.root)
    assert version.author == "automatic"
    assert version.text.startswith("[Task] Make a() accept weeks.\n")
    assert not (played.root / ".agent" / "engram.md").exists()
    assert played.notices() == []
