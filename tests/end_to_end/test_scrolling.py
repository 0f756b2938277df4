"""Older lines, selecting and the clipboard as a person meets them: real host, real interface, real terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.place import Place
from tests.terminals.tmux import Tmux

MENU = "C-\\"
WHEEL_UP = "\x1b[<64;5;5M"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.close()


def counting(place: Place) -> Tmux:
    """Return a shell that has printed the numbers up to 500."""
    terminal = place.open("--layout", "agent", "--", "sh")
    terminal.wait_for("ready$")
    terminal.type("seq 500")
    terminal.key("Enter")
    terminal.wait_for(lambda rows: rows[22] == "500" and rows[23].startswith("ready$"))
    return terminal


def drag(start: tuple[int, int], end: tuple[int, int]) -> str:
    (x, y), (to_x, to_y) = start, end
    return f"\x1b[<0;{x};{y}M\x1b[<32;{to_x};{to_y}M\x1b[<0;{to_x};{to_y}m"


def test_scrolling_searching_and_back_by_typing(place: Place) -> None:
    terminal = counting(place)
    terminal.key(MENU, "PageUp")
    terminal.wait_for(lambda rows: rows[1] == "456" and "-23/478" in rows[0])
    terminal.key("PageUp", "Up", "g")
    terminal.wait_for(lambda rows: rows[1] == "1" and rows[23] == "23")
    terminal.key("G")
    terminal.wait_for(lambda rows: rows[23].startswith("ready$"))
    terminal.key(MENU, "/")
    terminal.type("123")
    terminal.key("Enter")
    terminal.wait_for(lambda rows: "123" in rows and "/123 -" in rows[0])
    terminal.type("echo ty''ped")
    terminal.key("Enter")
    terminal.wait_for(lambda rows: rows[22] == "typed" and rows[23].startswith("ready$"))


def test_output_that_comes_meanwhile_moves_nothing(place: Place) -> None:
    terminal = counting(place)
    (place.work / "go").unlink(missing_ok=True)
    terminal.type("(while [ ! -e go ]; do sleep 0.05; done; seq 1000 3000; touch gone) &")
    terminal.key("Enter")
    terminal.wait_for(lambda rows: rows[23].startswith("ready$") and "touch gone" in rows[22])
    terminal.type(WHEEL_UP * 5)
    before = terminal.wait_for(lambda rows: "-15/" in rows[0])
    (place.work / "go").touch()
    terminal.wait_until((place.work / "gone").exists)
    rows = terminal.wait_for(lambda rows: "-2016/" in rows[0] or "-2017/" in rows[0])
    assert rows[1:15] == before[1:15]
    terminal.key("End")
    terminal.wait_for("3000")


def test_what_is_selected_reaches_the_terminals_clipboard(place: Place) -> None:
    terminal = counting(place)
    terminal.type(WHEEL_UP)
    terminal.wait_for(lambda rows: "-3/" in rows[0] and rows[2:5] == ["477", "478", "479"])
    terminal.type(drag((2, 3), (2, 5)))
    terminal.wait_until(lambda: terminal.clipboard() == "77\n478\n47", what="the clipboard")


def test_the_program_may_write_the_clipboard_and_not_read_it(place: Place) -> None:
    terminal = counting(place)
    terminal.type(r"printf '\033]52;c;aGVsbG8=\a\033]52;c;?\a'")
    terminal.key("Enter")
    terminal.wait_until(lambda: terminal.clipboard() == "hello", what="the clipboard")
    terminal.type("echo un''disturbed")
    terminal.key("Enter")
    terminal.wait_for(lambda rows: rows[22] == "undisturbed")


def test_showing_the_panels_twice_leaves_an_inline_program_its_lines(place: Place) -> None:
    terminal = place.open("--", "sh")
    terminal.wait_for("ready$")
    terminal.type("seq 100")
    terminal.key("Enter")
    before = terminal.wait_for(lambda rows: rows[15] == "100" and rows[16].startswith("ready$"))
    for _ in range(2):
        terminal.key(MENU, "p")
        terminal.wait_for(lambda rows: "Context" not in "\n".join(rows) and "ready$" in rows[22])
        terminal.key(MENU, "p")
        terminal.wait_for(lambda rows: rows[:17] == before[:17])
    terminal.key(MENU, "PageUp", "g")
    terminal.wait_for(lambda rows: rows[1:17] == [str(number) for number in range(1, 17)])
