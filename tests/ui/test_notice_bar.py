"""What to do is always seen, however long what is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsup.core.catalogue import Catalogue
from agentsup.core.session import Notice
from agentsup.protocol.messages import NoticeDismissed, Outcome
from agentsup.ui.notice_bar import NoticeBar, notice_lines
from tests.ui.fake_host import FakeHost
from tests.ui.looking import interface, pressing, until
from tests.ui.loop_scenes import STORM

LONG = {"long.what": "What happened here " + "and here " * 30, "long.todo": "Do this. " + "Then that. " * 30}
WIDE = {"wide.what": "发生了什么" * 30, "wide.todo": "该做什么" * 30}
SHORT = {"short.what": "It happened.", "short.todo": "Do this."}
FULL = {"full.what": "x" * 74, "full.todo": "Do this."}
WORDS = {"notice.dismiss": "{leader} n", "notice.dismiss_more": "{leader} n {count}", "notice.more": "+{count}"}
CATALOGUE = Catalogue({}, {**LONG, **WIDE, **SHORT, **FULL, **WORDS}, "en")


@pytest.mark.parametrize("width", [1, 2, 20, 78, 79, 160])
@pytest.mark.parametrize("key", ["long", "wide", "short"])
def test_both_lines_fit_the_width(key: str, width: int) -> None:
    what, todo = notice_lines((Notice(key),), CATALOGUE, "F1", width).split("\n")
    assert what.cell_length <= width
    assert todo.cell_length <= width


def test_a_line_that_was_cut_says_so() -> None:
    what, todo = notice_lines((Notice("long"),), CATALOGUE, "F1", 78).split("\n")
    assert what.plain.startswith("▲ What happened here and here")
    assert what.plain.endswith("…")
    assert todo.plain.startswith("  Do this. Then that.")
    assert todo.plain.endswith("…")


@pytest.mark.parametrize("rows", [2, 3, 5, 9])
@pytest.mark.parametrize("key", ["long", "wide", "short"])
def test_all_rows_are_used_and_no_more(key: str, rows: int) -> None:
    lines = notice_lines((Notice(key),), CATALOGUE, "F1", 58, rows=rows).split("\n")
    assert all(line.cell_length <= 58 for line in lines)
    assert len(lines) == (2 if key == "short" else rows)
    assert any(line.plain.startswith("  ") for line in lines[1:])


@pytest.mark.parametrize("width", [40, 60, 78])
@pytest.mark.parametrize("key", ["long", "wide", "full"])
def test_that_there_are_more_is_always_seen(key: str, width: int) -> None:
    what, todo = notice_lines((Notice("short"), Notice("short"), Notice(key)), CATALOGUE, "F1", width).split("\n")
    assert what.plain.endswith(" +2") or todo.plain.endswith(" F1 n 2")
    assert max(what.cell_length, todo.cell_length) <= width


async def test_no_later_notice_covers_the_open_breaker(host: FakeHost) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        host.wait(lambda: host.received)
        host.show(replace(STORM, notices=(*STORM.notices, Notice("engram.review", (("number", "3"),)))))
        host.say(Outcome(False, "guard.agent", (("x", "y"),)))
        bar = app.query_one(NoticeBar)
        await until(pilot, lambda: len(bar.notices) == 3)
        assert bar.notices[-1] == STORM.notices[0]
        assert "▲ 3 compactions in a row" in bar.render().plain
        assert "+2" in bar.render().plain
        await pressing("leader n", host)(pilot)
        host.wait(lambda: NoticeDismissed("breaker.open") in host.received)
        host.show(replace(STORM, notices=(Notice("engram.review", (("number", "3"),)),)))
        await until(pilot, lambda: len(bar.notices) == 2)
        await pressing("leader n", host)(pilot)
        await until(pilot, lambda: [notice.key for notice in bar.notices] == ["engram.review"])


def test_a_line_that_fits_is_whole() -> None:
    what, todo = notice_lines((Notice("short"),), CATALOGUE, "F1", 78).split("\n")
    assert what.plain.startswith("▲ It happened. ")
    assert what.plain.endswith(" F1 n")
    assert todo.plain == "  Do this."
