"""What the interface does with what the host says, without a terminal."""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from textual import events, timer

from agentsup.cli.interface import show
from agentsup.core.breaker import Breaker
from agentsup.core.continuity import Continuity
from agentsup.core.layout import agent_area, arrange
from agentsup.core.occasion import as_written
from agentsup.core.screen import Cursor, Modes
from agentsup.core.session import Injection, Notice, Session
from agentsup.protocol.messages import VERSION, Frame, Goodbye, Hello, NoticeDismissed, Outcome, StopRequest
from agentsup.ui import connection
from agentsup.ui.dialogs import Confirm
from agentsup.ui.end import InterfaceEnd
from agentsup.ui.input_messages import FunctionKeyPressed, LeaderPressed
from agentsup.ui.interface import Interface
from agentsup.ui.notice_bar import NoticeBar
from agentsup.ui.prompt_bar import PromptBar
from agentsup.ui.status_bar import StatusBar
from agentsup.ui.terminal import Terminal
from tests.ui import scenes
from tests.ui.fake_host import FakeHost
from tests.ui.looking import interface, pressing, until
from tests.ui.loop_scenes import FAILED
from tests.ui.scenes import CALM, EXITED, NOTICED, WORKING


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (4, 3), (10, 5), (30, 20), (79, 19), (150, 4), (200, 60)])
async def test_widgets_stand_where_the_layout_says(host: FakeHost, size: tuple[int, int]) -> None:
    app = interface(host)
    async with app.run_test(size=size) as pilot:
        await pressing("", host)(pilot)
        assert host.received[0] == Hello(VERSION, "ui", *agent_area(*size, "auto"))
        placed = arrange(*size, "auto")
        for name in ("terminal", "gauge", "engram", "state", "status"):
            area = getattr(placed, name)
            if area is not None:
                region = app.query_one(f"#{name}").region
                assert (region.x, region.y, region.width, region.height) == tuple(area)


async def test_sizes_may_change_at_will(host: FakeHost) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("", host)(pilot)
        for size in [(1, 1), (160, 50), (3, 40), (80, 1), (79, 23)]:
            await pilot.resize_terminal(*size)
            await until(pilot, partial(_has_size, host, agent_area(*size, "auto")))


async def test_the_agent_alone_has_the_whole_window(host: FakeHost) -> None:
    app = interface(host, layout="agent")
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("leader", host)(pilot)
        assert host.size == (80, 24)
        assert app.query_one("#prompt").region.y == 23
        assert app.query_one("#prompt").region.area > 0


async def test_the_agent_alone_is_covered_by_one_line_while_something_waits(host: FakeHost) -> None:
    app = interface(host, layout="agent")
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("", host)(pilot)
        status = app.query_one("#status", StatusBar)
        failed = Injection("k3f2ab", as_written("compaction:c:1"), "failed", "injection.not-recorded")
        storm = replace(CALM, loop=Continuity(breaker=Breaker(in_a_row=3)))
        for session in (
            replace(CALM, injection=failed), replace(CALM, injection=replace(failed, state="held", reason="x")),
            storm,
        ):  # fmt: skip
            host.show(session)
            await until(pilot, lambda: status.is_attached and status.region.area)
            assert (status.region.y, status.region.width, status.region.height) == (0, 80, 1)
            assert app.query_one("#terminal").size == (80, 24)
            host.show(CALM)
            await until(pilot, lambda: not app.screen._compositor.visible_widgets.get(status))
        host.show(replace(CALM, turns=7, notices=(Notice("memory.no-engram"),)))
        await until(pilot, lambda: status.session is not None and status.session.turns == 7)
        await pilot.pause()
        assert not app.screen._compositor.visible_widgets.get(status), "a notice alone covers nothing"
        assert host.size == (80, 24)


async def test_that_line_lies_where_the_cursor_is_not(host: FakeHost) -> None:
    app = interface(host, layout="agent")
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("", host)(pilot)
        status = app.query_one("#status", StatusBar)
        host.show(FAILED)
        for cursor, row in ((20, 0), (5, 0), (3, 23), (12, 23), (20, 0), (0, 23)):
            host.say(msgspec.structs.replace(scenes.frame(80, 24, Modes()), cursor=Cursor(2, cursor)))
            await until(pilot, lambda row=row: status.region.area and status.region.y == row)  # type: ignore[misc]
        assert host.size == (80, 24)


async def test_that_line_goes_with_the_leader_and_comes_back_with_something_new(host: FakeHost) -> None:
    app = interface(host, layout="agent")
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("", host)(pilot)
        status = app.query_one("#status", StatusBar)

        def is_shown() -> bool:
            return bool(app.screen._compositor.visible_widgets.get(status))

        assert FAILED.injection is not None
        held = replace(FAILED, injection=replace(FAILED.injection, id="b3f2ab", state="held", reason="injection.draft"))
        assert held.injection is not None
        keys = replace(held, injection=replace(held.injection, reason="injection.keys", time=9.0))
        for session, same in ((FAILED, FAILED), (held, keys)):
            host.show(session)
            await until(pilot, is_shown)
            await pressing("leader", host)(pilot)
            await until(pilot, lambda: not is_shown())
            await pilot.press("escape")
            for turns, again in enumerate((same, CALM, same), 1):
                host.show(replace(again, turns=turns))
                await until(pilot, lambda turns=turns: status.session and status.session.turns == turns)  # type: ignore[misc]
                await pilot.pause()
                assert not is_shown()
        host.show(replace(FAILED, injection=replace(FAILED.injection, time=99.0)))  # once more
        await until(pilot, is_shown)


def _told(host: FakeHost, size: tuple[int, int]) -> bool:
    return host.size == size


async def test_a_new_size_counts_however_busy_the_machine_is(host: FakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10**9))
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: host.size == (80, 17))
        # Ten milliseconds pass between any two looks at the clock: a process that others keep from running.
        monkeypatch.setattr(timer, "_time", SimpleNamespace(get_time=lambda: next(clock) / 100))
        for size, terminal in (((120, 40), (120, 30)), ((80, 24), (80, 17))):
            await pilot.resize_terminal(*size)
            await until(pilot, partial(_told, host, terminal))


async def test_panels_can_be_hidden(host: FakeHost) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("leader p", host)(pilot)
        await until(pilot, lambda: host.size == (80, 23))
        await pressing("leader p", host)(pilot)
        await until(pilot, lambda: host.size == (80, 17))


async def test_notices_are_dismissed(host: FakeHost) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        host.wait(lambda: host.received)
        host.show(NOTICED)
        await pressing("leader n", host)(pilot)
        host.wait(lambda: NoticeDismissed("interface.version") in host.received)
        host.say(Outcome(False, "guard.agent", (("x", "[red]y"),)))
        bar = app.query_one(NoticeBar)
        await until(pilot, lambda: bar.notices[-1] == Notice("guard.agent", (("x", "[red]y"),)))
        await pressing("leader n", host)(pilot)
        await until(pilot, lambda: bar.notices == NOTICED.notices)


async def test_foreign_text_is_never_markup(host: FakeHost) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("", host)(pilot)
        nasty = "[bold]x[/] [/nothing] \x1b[31m"
        memory = replace(WORKING.memory, engram=replace(WORKING.memory.engram, text=f"[Task] {nasty}"))
        host.show(replace(WORKING, agent=replace(WORKING.agent, name=nasty), memory=memory))
        host.say(Frame(True, 80, 17, (), ((0, ((nasty, 24, 7),)), (99, ())), Cursor(200, 90), Modes(), nasty))
        await pressing("", host)(pilot)
        assert app.query_one(Terminal).render_line(0).text.startswith("[bold]x[/] [/nothing] \ufffd[31m")


@pytest.mark.parametrize("keys", ["c", "enter", "d", "leader c", "leader d"])
async def test_an_agent_that_ended_is_closed_by_a_key(host: FakeHost, keys: str) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        host.wait(lambda: host.received)
        host.show(EXITED)
        await pressing(f"x {keys}", host)(pilot)
    end = app.return_value
    assert isinstance(end, InterfaceEnd)
    assert (end.reason, end.code) == ("exited", 1)
    host.wait(lambda: StopRequest() in host.received)


@pytest.mark.parametrize("keys", ["ce", "clear", "cl?", "dcre"])
async def test_once_it_is_closed_keys_open_nothing(host: FakeHost, keys: str) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        host.wait(lambda: host.received)
        host.show(EXITED)
        await until(pilot, lambda: app.query_one(PromptBar).display)
        shown = app.screen
        for key in keys:
            app.post_message(events.Key(key, key))
        app.post_message(LeaderPressed(b"\x1c"))
        app.post_message(events.Key("e", "e"))
        app.post_message(FunctionKeyPressed("engram"))
        await until(pilot, lambda: app.return_value)
        assert app.screen_stack[-1] is shown
    assert app.failure is None


@pytest.mark.parametrize(("session", "goes_on"), [(WORKING, True), (EXITED, False)], ids=["running", "ended"])
def test_a_failure_says_whether_the_agent_goes_on(
    session: Session, goes_on: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(app: Interface) -> None:
        app._session = session
        raise RuntimeError("made to fail")

    monkeypatch.setattr(Interface, "run", fail)
    options = argparse.Namespace(
        layout="auto", language="en", leader="ctrl+\\", f_keys="auto", theme="auto", debug=False
    )  # fmt: skip
    assert show(Path("/none/abc/socket"), options) == 1
    said = capsys.readouterr().err
    assert ("goes on" in said) == goes_on
    assert ("The agent has ended" in said) == (not goes_on)


@pytest.mark.parametrize(
    ("keys", "goodbye", "reason"),
    [
        ("", "goodbye.stopped", "stopped"),
        ("", "goodbye.slow", "lost"),
        ("leader s y", "goodbye.stopped", "stopped"),
    ],
)
async def test_the_host_says_goodbye(host: FakeHost, keys: str, goodbye: str, reason: str) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing(keys, host)(pilot)
        host.say(Goodbye(goodbye))
        await until(pilot, lambda: app.return_value)
    assert app.return_value == InterfaceEnd(reason, key=goodbye)  # type: ignore[arg-type]


async def test_a_host_that_stays_away_is_given_up(host: FakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "GIVE_UP", 0.1)
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("", host)(pilot)
        host.path.unlink()
        host.drop()
        await until(pilot, lambda: app.return_value)
    assert app.return_value == InterfaceEnd("lost", key="goodbye.lost")


async def test_where_there_is_no_host_it_ends_at_once(host: FakeHost) -> None:
    host.path.unlink()
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.return_value)
    assert app.return_value == InterfaceEnd("lost", key="interface.no_host")


async def test_textuals_own_keys_are_gone(host: FakeHost) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("ctrl+q ctrl+c ctrl+p leader r ctrl+q ctrl+c ctrl+p", host)(pilot)
        assert isinstance(app.screen, Confirm)
        assert app.return_value is None


def _has_size(host: FakeHost, size: tuple[int, int]) -> bool:
    return host.size == size
