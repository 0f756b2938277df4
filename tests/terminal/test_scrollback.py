"""The lines above the screen: whatever is printed and however the size changes, none is lost or doubled."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.screen import CellStyle, Row, Run, Scrollback, WrappedRow, row_text
from agentsup.terminal import open_engine
from agentsup.terminal.engine import Engine
from tests.terminal.shown import Shown

Sizes = st.tuples(st.integers(4, 40), st.integers(2, 12))
Lines = st.lists(st.text("ab 你👍", min_size=1, max_size=60).map(lambda text: text.rstrip() + "."), max_size=30)


def everything(engine: Engine) -> list[Row]:
    """Return all lines, in reads of seven."""
    count = engine.scrollback()
    rows: list[Row] = []
    for first in range(count.lost, count.end + engine.rows, 7):
        rows += engine.lines(first, 7)
    return rows


def unwrapped(rows: list[Row]) -> list[str]:
    """Return lines as they were printed."""
    lines, begun = [], ""
    for row in rows:
        if isinstance(row, WrappedRow):
            # What a wide character at the edge did not fit into is a blank that nobody printed.
            begun += "".join(run.text for run in row)
        else:
            lines.append((begun + row_text(row)).replace(" ", ""))
            begun = ""
    while lines and not lines[-1]:
        lines.pop()
    return lines


@given(st.lists(Lines | Sizes, max_size=8))
def test_scrollback_and_screen_are_all_lines_ever_printed(steps: list[list[str] | tuple[int, int]]) -> None:
    engine = open_engine(20, 6)
    printed: list[str] = []
    for step in steps:
        if isinstance(step, tuple):
            engine.resize(*step)
        else:
            printed += [line.replace(" ", "") for line in step]
            engine.feed("".join(f"{line}\r\n" for line in step).encode())
    assert engine.scrollback().lost == 0
    assert unwrapped(everything(engine)) == printed


@given(st.lists(Lines | st.sampled_from([b"\x1b[2;3Hx", b"\x1b[A\x1b[K", b"\x1b[?1049h", b"\x1b[?1049l"]), max_size=8))
def test_reading_lines_changes_nothing_that_is_shown(steps: list[list[str] | bytes]) -> None:
    read, left = Shown(open_engine(20, 6)), Shown(open_engine(20, 6))
    for step in steps:
        data = step if isinstance(step, bytes) else "".join(f"{line}\r\n" for line in step).encode()
        for each in (read, left):
            each.engine.feed(data)
        everything(read.engine)
        for each in (read, left):
            each.update()
        assert read.rows == left.rows
        assert everything(read.engine)[-6:] == [read.rows[number] for number in range(6)]
    assert read.engine.cursor() == left.engine.cursor()


def test_lines_keep_their_numbers_while_old_ones_are_lost() -> None:
    engine = open_engine(20, 4)
    seen = Scrollback()
    for start in range(0, 40_000, 100):
        engine.feed("".join(f"{number}\r\n" for number in range(start, start + 100)).encode())
        seen = engine.scrollback()
        assert seen.end == start + 100 - 3
        assert row_text(engine.lines(seen.end - 5, 1)[0]) == str(seen.end - 5)
    assert seen.lost > 20_000
    assert engine.lines(0, 1) == []
    assert row_text(engine.lines(seen.lost, 1)[0]) == str(seen.lost)
    assert engine.lines(seen.end + 4, 10) == []


def test_a_flood_that_replaces_all_lines_leaves_numbers_that_only_grow() -> None:
    engine = open_engine(20, 4, scrollback=100)
    engine.feed(b"x\r\n" * 50)
    before = engine.scrollback()
    engine.feed(b"x\r\n" * 20_000)
    after = engine.scrollback()
    assert after.lost >= before.end
    assert len(everything(engine)) == after.lines + 4


def test_cleared_lines_are_lost() -> None:
    for clear in (b"\x1b[3J", b"\x1bc"):
        engine = open_engine(20, 4)
        engine.feed(b"x\r\n" * 50)
        engine.scrollback()
        engine.feed(clear)
        assert engine.scrollback() == Scrollback(0, 47)


def test_the_alternate_screen_has_no_lines_above_it_and_takes_none_away() -> None:
    engine = open_engine(20, 4)
    engine.feed("".join(f"{number}\r\n" for number in range(50)).encode())
    assert engine.scrollback() == Scrollback(47, 0)
    engine.feed(b"\x1b[?1049h" + b"alternate\r\n" * 20)
    assert engine.scrollback() == Scrollback(0, 47)
    assert [row_text(row) for row in engine.lines(0, 60)] == ["alternate", "alternate", "alternate", ""]
    engine.feed(b"\x1b[?1049l")
    assert engine.scrollback() == Scrollback(47, 0)
    assert row_text(engine.lines(3, 1)[0]) == "3"


def test_rows_that_a_smaller_screen_pushed_up_come_back_with_a_larger_one() -> None:
    engine = open_engine(20, 20)
    engine.feed("".join(f"{number}\r\n" for number in range(30)).encode())
    before = everything(engine)
    for rows in (12, 20, 12, 20):
        engine.resize(20, rows)
        assert everything(engine) == before
    assert engine.scrollback() == Scrollback(11, 0)


def test_old_lines_keep_styles_links_and_widths() -> None:
    engine = open_engine(10, 2)
    engine.feed("\x1b[31m你\x1b[0m\x1b]8;;x:1\x07ab\x1b]8;;\x07\r\n\n\n\n".encode())
    row = (Run("你", 2, CellStyle(foreground=1)), Run("ab", 2, CellStyle(link="x:1")), Run("      ", 6))
    assert engine.lines(0, 1) == [row]


def test_a_row_is_wrapped_as_soon_as_its_line_goes_on() -> None:
    screen = Shown(open_engine(4, 3)).feed("abcd")
    assert not isinstance(screen.rows[0], WrappedRow)
    screen.feed("e")
    assert isinstance(screen.rows[0], WrappedRow)
    assert not isinstance(screen.rows[1], WrappedRow)
