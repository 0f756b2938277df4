"""What has happened, in words and in its view; and the mark for the last round, by one key."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from agentsup.core import events as ev
from agentsup.core.continuity import Continuity, Happened, after
from agentsup.core.occasion import as_written
from agentsup.core.rounds import Round
from agentsup.core.session import Session
from agentsup.locale import load
from agentsup.store import journal
from agentsup.ui.happened_lines import lines, told, words
from agentsup.ui.log_view import LogView
from agentsup.ui.round_mark import RoundMark
from tests.ui.fake_host import FakeHost
from tests.ui.looking import interface, pressing, until
from tests.ui.scenes import WORKING

SnapCompare = Callable[..., bool]

OCCASION = as_written("compaction:c1:w1")


def injected(time: float, state: ev.InjectionState, reason: str = "") -> ev.InjectionChanged:
    return ev.InjectionChanged(time, "bcdfgh", OCCASION, state, reason)


EVENTS: tuple[ev.Event, ...] = (
    ev.Compacted(100, "w1", 181_000, 22_000, "auto"),
    injected(101, "queued"),
    injected(102, "held", "injection.draft"),
    injected(103, "writing"),
    injected(104, "submitted"),
    injected(105, "confirmed"),
    ev.RecitalJudged(106, "bcdfgh", "wrong", "said"),
    ev.RecitalJudged(107, "bcdfgh", "right", "said", "person"),
    ev.EngramTaken(108, "sent-back", 2),
    ev.BreakerReset(109),
    ev.Compacted(110, "w2", None, None, "manual"),
)


def known(events: tuple[ev.Event, ...] = EVENTS) -> Continuity:
    loop = Continuity()
    for event in events:
        loop = after(loop, event)
    return loop


def said(happened: tuple[Happened, ...], language: str = "en") -> list[str]:
    return [words(entry, load(language)) for entry in told(happened)]


def test_what_has_happened_in_words() -> None:
    assert said(known().happened) == [
        "The agent compacted by itself: 181k → 22k tokens",
        "restore #bcdfgh: held — you have a draft: after Enter",
        "restore #bcdfgh: confirmed ✓",
        "Read back wrongly",
        "Read back rightly (a person says so)",
        "The agent's engram was sent back, to be written better",
        "Restores go on: a person says so",
        "The agent compacted: a person asked for it",
    ]  # fmt: skip
    assert said(known().happened, "zh-CN")[0] == "代理自行压缩了：181k → 22k 个 token"


def test_states_on_the_way_stand_there_while_nothing_comes_after_them() -> None:
    assert said(known(EVENTS[:2]).happened)[1:] == ["restore #bcdfgh: queued"]
    assert said(known(EVENTS[:5]).happened)[2:] == ["restore #bcdfgh: sent, not yet confirmed"]


def test_the_opening_of_the_breaker_has_a_line() -> None:
    storm = tuple(ev.Compacted(200 + number, f"s{number}", 150_000, 140_000, "auto") for number in range(4))
    happened = known((ev.TokensReported(199, 140_000, 200_000, "exact"), *storm)).happened
    opening = "Breaker open: too many compactions in a row, nothing more is sent"
    assert said(happened).count(opening) == 1
    assert said(happened)[-1] == opening


def test_what_waited_for_a_hook_only_stands_there_while_it_waits() -> None:
    waits = injected(102, "held", "injection.waits-for-hook")
    assert said(known((waits,)).happened) == ["restore #bcdfgh goes with the agent's next request"]
    assert not any("warning" in str(span.style) for span in lines(known((waits,)).happened, load("en"))[0].spans)
    assert said(known((waits, injected(105, "confirmed"))).happened) == ["restore #bcdfgh: confirmed ✓"]


def test_a_text_that_a_hook_has_brought_says_so() -> None:
    by_hook = ev.InjectionChanged(105, "bcdfgh", OCCASION, "confirmed", channel="hook")
    assert said(known((by_hook,)).happened) == ["restore #bcdfgh by hook: confirmed ✓"]


def test_a_restore_by_hand_is_no_text_of_the_persons() -> None:
    by_hand = Happened(1, "injection", "confirmed", id="bcdfgh", occasion=as_written("inject:bcdfgh"))
    assert said((by_hand,)) == ["sent by you #bcdfgh: confirmed ✓"]
    assert said((by_hand,), "zh-CN")[0].startswith("由你发送 #bcdfgh")


def test_a_log_that_is_read_again_tells_no_compaction_twice() -> None:
    happened = known((*EVENTS, EVENTS[0], EVENTS[-1])).happened
    assert said(happened) == said(known().happened)


def test_every_entry_there_can_be_has_words() -> None:
    catalogue = load("zh-CN")
    for kind, several in {
        "compaction": ("auto", "manual", "unknown"), "verdict": ("right", "wrong", "unclear"),
        "breaker": ("open", "reset"),
        "engram": ("stored", "same", "sent-back", "refused", "persons-stays", "found-stays"),
    }.items():  # fmt: skip
        for what in several:
            found = words(Happened(1, kind, what), catalogue)  # type: ignore[arg-type]
            assert found != what
            assert "happened." not in found


def test_foreign_text_is_no_markup_and_no_escape() -> None:
    hostile = Happened(1, "injection", "failed", id="id[/]\x1b", occasion=as_written("[red]x\x1b[31m:c1:w1"))
    (line,) = lines([hostile], load())
    assert "[red]x" in line.plain
    assert "id[/]" in line.plain
    assert "\x1b" not in line.plain


def test_another_days_time_has_its_date() -> None:
    now = time.time()
    recent, old = lines([Happened(now, "breaker", "reset"), Happened(now - 900_000, "breaker", "reset")], load())
    assert (recent.plain.index("  "), old.plain.index("  ")) == (8, 19)


def with_happened(*events: ev.Event) -> Session:
    return replace(WORKING, loop=known(events))


async def test_the_view_shows_what_comes_and_scrolls(host: FakeHost) -> None:
    many = tuple(ev.Compacted(100 + number, f"w{number}", number, 1, "auto") for number in range(60))
    host.session = with_happened(*many[:50])
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("leader l", host)(pilot)
        await until(pilot, lambda: isinstance(app.screen, LogView) and app.screen.is_attached)
        view = app.screen
        assert isinstance(view, LogView)
        box = view.query_one("#happened")
        await until(pilot, lambda: 0 < box.scroll_offset.y == box.max_scroll_y)
        before = box.max_scroll_y
        host.show(with_happened(*many))
        await until(pilot, lambda: before < box.scroll_offset.y == box.max_scroll_y)
        await pilot.press("home")
        await until(pilot, lambda: box.scroll_offset.y == 0)
        host.show(with_happened(*many, ev.BreakerReset(900)))
        await until(pilot, lambda: "Restores go on" in str(view.query_one(Static).render()))
        assert box.scroll_offset.y == 0, "who reads older ones goes on reading them"
        for key, place in (("pagedown", 1), ("up", 0), ("down", 1), ("end", 40)):
            await pilot.press(key)
            await until(pilot, partial(lambda place: box.scroll_offset.y >= place, place))
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, LogView))
        await pressing("leader l", host)(pilot)
        await until(pilot, lambda: isinstance(app.screen, LogView) and app.screen is not view)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: FakeHost) -> Path:
    """Return a project whose journal has two rounds of this session, and then one of another."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "project" / ".agent").mkdir(parents=True)
    host.session = replace(WORKING, project=str(tmp_path / "project"))
    for number, conversation in enumerate((WORKING.conversation, WORKING.conversation, "another"), 1):
        ended = Round(
            0, 1e9 + number, 9_000, 12_000, turn=f"t{number}", strategy="engram+recite", recite="right",
            conversation=conversation,
        )  # fmt: skip
        journal.add(tmp_path / "project", ended)
    return tmp_path / "project"


def shown(pilot: Pilot[object]) -> str:
    screen = pilot.app.screen
    return str(screen.query_one(Static).render()) if isinstance(screen, RoundMark) else ""


@pytest.mark.parametrize(("key", "mark"), [("r", True), ("W", False), ("escape", None), ("q", None)])
async def test_the_last_round_is_marked(host: FakeHost, root: Path, key: str, mark: bool | None) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("leader m", host)(pilot)
        await until(pilot, lambda: "engram" in shown(pilot))
        await pilot.press(key)
        await until(pilot, lambda: not shown(pilot))
    assert [each.next_action_correct for each in journal.rounds(root)] == [None, mark, None]


async def test_a_mark_is_shown_and_can_be_taken_back(host: FakeHost, root: Path) -> None:
    journal.mark(root, 2, right=False)
    app = interface(host, language="zh-CN")
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("leader m", host)(pilot)
        await until(pilot, lambda: "评判" in shown(pilot) and "错" in shown(pilot))
        await pilot.press("n")
        await until(pilot, lambda: not shown(pilot))
    assert journal.rounds(root)[1].next_action_correct is None


async def test_where_only_another_session_had_a_round_there_is_none_to_mark(host: FakeHost, root: Path) -> None:
    host.session = replace(host.session, conversation="a third")
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("leader m", host)(pilot)
        await until(pilot, lambda: "no round in this session yet" in shown(pilot))
        await pilot.press("r", "escape")
        await until(pilot, lambda: not shown(pilot))
    assert [each.next_action_correct for each in journal.rounds(root)] == [None] * 3


async def test_without_a_journal_and_with_one_that_is_none(host: FakeHost, root: Path, tmp_path: Path) -> None:
    path = next((tmp_path / "data").rglob(journal.NAME))
    path.unlink()
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("leader m", host)(pilot)
        await until(pilot, lambda: "no round in this session yet" in shown(pilot))
        await pilot.press("r")
        await pilot.press("escape")
        await until(pilot, lambda: not shown(pilot))
        path.mkdir()
        await pressing("leader m", host)(pilot)
        await until(pilot, lambda: "was not made" in shown(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: not shown(pilot))


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let local time be UTC."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.usefixtures("utc")
def test_how_the_view_looks(snap_compare: SnapCompare, tmp_path: Path, size: tuple[int, int]) -> None:
    with FakeHost(tmp_path / "h", with_happened(*EVENTS)) as host:
        app = interface(host)
        assert snap_compare(app, terminal_size=size, run_before=pressing("leader l", host))
