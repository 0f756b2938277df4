"""Older lines: the position is the person's, keys and output do not disturb it, and typing leads back."""

from __future__ import annotations

from functools import partial

import pytest
from textual import events
from textual.geometry import Offset
from textual.pilot import Pilot

from agentsup.core.screen import CellStyle, Cursor, Modes, Scrollback
from agentsup.protocol.messages import Frame, Lines, Mouse
from agentsup.ui.input_messages import RawKey
from agentsup.ui.terminal import Terminal
from agentsup.ui.viewport import Viewport
from tests.ui.fake_host import FakeHost
from tests.ui.looking import interface, pressing, until
from tests.ui.scenes import EXITED

ROWS = 17
"""Of the terminal in a window of 80x24."""


def shown(pilot: Pilot[object]) -> list[str]:
    terminal = pilot.app.query_one(Terminal)
    return [terminal.render_line(row).text.rstrip() for row in range(terminal.size.height)]


async def sees(pilot: Pilot[object], row: int, text: str) -> None:
    await until(pilot, lambda: shown(pilot)[row].startswith(text))


async def wheel(pilot: Pilot[object], notches: int) -> None:
    """Turn the wheel over the terminal, upwards where negative."""
    terminal = pilot.app.query_one(Terminal)
    turned = events.MouseScrollUp if notches < 0 else events.MouseScrollDown
    for _ in range(abs(notches)):
        place = terminal.region.offset + Offset(5, 5)
        terminal.post_message(turned(terminal, 5, 5, 0, 0, 0, False, False, False, place.x, place.y))
    await pilot.pause()


def press(pilot: Pilot[object], key: str, character: str | None, raw: bytes) -> None:
    pilot.app.post_message(RawKey(key, character, raw))


@pytest.fixture
def host(host: FakeHost) -> FakeHost:
    host.older = [f"line {number}" for number in range(1000)]
    return host


async def test_the_wheel_shows_older_lines_and_the_end_is_the_screen_again(host: FakeHost) -> None:
    async with interface(host).run_test(size=(80, 24)) as pilot:
        await pressing("", host)(pilot)
        screen = shown(pilot)
        await wheel(pilot, -2)
        await sees(pilot, 0, "line 994")
        assert shown(pilot)[0].endswith(" -6/1000")
        assert shown(pilot)[5:7] == ["line 999", screen[0]]
        await wheel(pilot, 3)
        await until(pilot, lambda: shown(pilot) == screen)
        assert host.keys == b""


async def test_new_output_does_not_move_what_is_shown(host: FakeHost) -> None:
    async with interface(host).run_test(size=(80, 24)) as pilot:
        await pressing("leader pageup", host)(pilot)
        await sees(pilot, 1, "line 985")
        before = shown(pilot)
        for start in range(0, 60, 3):
            host.print_lines(*(f"new {number}" for number in range(start, start + 3)))
        await until(pilot, lambda: shown(pilot)[0].endswith(" -76/1060"))
        await sees(pilot, 16, "new 0")
        assert shown(pilot)[1:16] == before[1:16]
        await pressing("end", host)(pilot)
        assert not pilot.app.query_one(Terminal).scrolled


@pytest.mark.parametrize(
    ("keys", "first"),
    [
        ("up", 983), ("down", 985), ("pageup", 968), ("home", 0), ("g", 0), ("pageup pageup pagedown", 968),
        ("home down", 1), ("G", None), ("end", None), ("escape", None), ("q", None), ("pagedown", None),
    ],
)  # fmt: skip
async def test_keys_move_and_none_of_them_reaches_the_agent(host: FakeHost, keys: str, first: int | None) -> None:
    async with interface(host).run_test(size=(80, 24)) as pilot:
        await pressing(f"leader pageup {keys}", host)(pilot)
        if first is None:
            await until(pilot, lambda: not pilot.app.query_one(Terminal).scrolled)
        else:
            await sees(pilot, 0, f"line {first} ")
        assert host.keys == b""


async def test_typing_leaves_and_reaches_the_agent(host: FakeHost) -> None:
    async with interface(host).run_test(size=(80, 24)) as pilot:
        await pressing("", host)(pilot)
        await wheel(pilot, -1)
        await sees(pilot, 0, "line 997")
        press(pilot, "pageup", None, b"\x1b[5~")
        await sees(pilot, 0, "line 981")
        for letter in "go":  # after the wheel a letter is the agent's, whatever it means after the leader
            press(pilot, letter, letter, letter.encode())
        await until(pilot, lambda: host.keys == b"go")
        assert not pilot.app.query_one(Terminal).scrolled


async def test_after_the_leader_only_the_pagers_letters_stay(host: FakeHost) -> None:
    async with interface(host).run_test(size=(80, 24)) as pilot:
        await pressing("leader pageup", host)(pilot)
        press(pilot, "g", "g", b"g")
        await sees(pilot, 0, "line 0")
        press(pilot, "x", "x", b"x")
        await until(pilot, lambda: host.keys == b"x")
        await wheel(pilot, -1)
        press(pilot, "g", "g", b"g")
        await until(pilot, lambda: host.keys == b"xg")


async def test_a_search_finds_upwards_through_lines_not_seen_yet(host: FakeHost) -> None:
    host.older[40] = "the Needle is here"
    host.older[700] = "needle and needle"
    async with interface(host).run_test(size=(80, 24)) as pilot:
        await pressing("leader / n e e d l e x backspace enter", host)(pilot)
        await until(pilot, lambda: any(row.startswith("needle and") for row in shown(pilot)))
        assert "/needle -3" in shown(pilot)[0]
        terminal = pilot.app.query_one(Terminal)
        row = next(y for y, text in enumerate(shown(pilot)) if text.startswith("needle and"))
        marked = [part.text for part in terminal.render_line(row) if part.style and part.style.reverse]
        assert marked == ["needle", "needle"]
        await pressing("n", host)(pilot)
        await until(pilot, lambda: any(row.startswith("the Needle") for row in shown(pilot)))
        await pressing("n", host)(pilot)
        await until(pilot, lambda: "✗needle" in shown(pilot)[0])
        await pressing("N N", host)(pilot)
        await until(pilot, lambda: any(row.startswith("needle and") for row in shown(pilot)))
        await pressing("escape", host)(pilot)
        await until(pilot, lambda: not terminal.scrolled)
        assert host.keys == b""


async def test_a_search_text_is_not_the_agents(host: FakeHost) -> None:
    async with interface(host).run_test(size=(80, 24)) as pilot:
        await pressing("leader /", host)(pilot)
        for letter in "abc":
            press(pilot, letter, letter, letter.encode())
        press(pilot, "escape", None, b"\x1b")
        press(pilot, "k", "k", b"k")
        await until(pilot, lambda: host.keys == b"k")


async def test_the_alternate_screen_gets_cursor_keys_and_a_mouse_mode_the_wheel(host: FakeHost) -> None:
    async with interface(host).run_test(size=(80, 24)) as pilot:
        await pressing("", host)(pilot)
        terminal = pilot.app.query_one(Terminal)
        for modes in (Modes(alternate_screen=True), Modes(alternate_screen=True, application_cursor=True)):
            host.set_modes(modes)
            await until(pilot, lambda modes=modes: terminal._modes == modes)  # type: ignore[misc]
            await wheel(pilot, -1)
        await until(pilot, lambda: host.keys == b"\x1b[A" * 3 + b"\x1bOA" * 3)
        host.set_modes(Modes(mouse=1000))
        await until(pilot, lambda: terminal._modes.mouse)
        await wheel(pilot, 1)
        await until(pilot, lambda: Mouse("press", 65, 5, 5) in host.received)
        assert not terminal.scrolled


async def test_another_width_keeps_the_distance_to_the_end(host: FakeHost) -> None:
    async with interface(host).run_test(size=(80, 24)) as pilot:
        await pressing("leader pageup", host)(pilot)
        await sees(pilot, 1, "line 985")
        await pilot.resize_terminal(70, 24)
        await until(pilot, partial(lambda: host.size == (70, ROWS)))
        await sees(pilot, 1, "line 985")


async def test_a_new_host_is_asked_anew(host: FakeHost) -> None:
    async with interface(host).run_test(size=(80, 24)) as pilot:
        await pressing("leader pageup", host)(pilot)
        await sees(pilot, 1, "line 985")
        host.older = [f"other {number}" for number in range(1000)]
        host.drop()
        await sees(pilot, 1, "other 985")


def frame(end: int, *texts: str, lost: int = 0, alternate: bool = False) -> Frame:
    lines = tuple((row, ((text, 10, 0),)) for row, text in enumerate(texts))
    modes = Modes(alternate_screen=alternate)
    return Frame(True, 10, len(texts), (CellStyle(),), lines, Cursor(), modes, "", Scrollback(end - lost, lost))


def test_lines_that_were_lost_are_not_shown() -> None:
    asked: list[tuple[int, int]] = []
    view = Viewport(lambda first, count: asked.append((first, count)))
    view.take_frame(frame(500, "a", "b"))
    view.go_to(10)
    assert asked == [(0, 12)]
    view.take_lines(Lines(0, 10, (CellStyle(),), tuple(((f"{n}", 10, 0),) for n in range(12))))
    assert view.line(10) is not None
    view.take_frame(frame(600, "a", "b", lost=100))
    assert view.first == 100
    view.take_frame(frame(600, "a", "b", lost=600))
    assert view.top is None


def test_rows_that_left_the_screen_are_shown_until_the_host_has_said_how_they_look() -> None:
    asked: list[tuple[int, int]] = []
    view = Viewport(lambda first, count: asked.append((first, count)))
    view.take_frame(frame(1, "a", "b", "c"))
    view.move(-1)
    asked.clear()
    view.take_frame(frame(3, "c", "d", "e"))
    line = view.line(1)
    assert line is not None
    assert line.strip.text.strip() == "a"
    assert asked == [(0, 3)]


def test_the_alternate_screen_shows_itself() -> None:
    view = Viewport(lambda first, count: None)
    view.take_frame(frame(50, "a", "b"))
    view.move(-10)
    view.take_frame(frame(50, "a", "b", lost=50, alternate=True))
    assert view.top is None
    assert not view.move(-5)
    view.take_frame(frame(50, "a", "b"))
    assert view.move(-5)


async def test_the_lines_of_an_agent_that_has_ended_can_be_read(host: FakeHost) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("", host)(pilot)
        host.show(EXITED)
        await pressing("", host)(pilot)
        await wheel(pilot, -1)
        await sees(pilot, 0, "line 997")
        await pressing("pageup", host)(pilot)
        await sees(pilot, 0, "line 981")
        await pressing("escape", host)(pilot)
        await until(pilot, lambda: not pilot.app.query_one(Terminal).scrolled)
        await pressing("leader / n o p e enter", host)(pilot)
        await until(pilot, lambda: "✗nope" in shown(pilot)[0])
        assert app.query_one("#prompt").display
        await pressing("escape c", host)(pilot)
        await until(pilot, lambda: app.return_value)
    assert host.keys == b""
