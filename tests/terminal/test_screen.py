"""Text, styles, widths, links and cursor as the engine reads them off the library."""

from __future__ import annotations

import pytest

from agentsup.core.screen import (
    BLINK,
    BOLD,
    DIM,
    HIDDEN,
    INVERSE,
    ITALIC,
    OVERLINE,
    PLAIN,
    RGB_FLAG,
    STRIKE,
    CellStyle,
    Cursor,
    Run,
)
from agentsup.terminal import open_engine
from agentsup.terminal.engine import MINIMUM_COLUMNS, MINIMUM_ROWS
from tests.terminal.shown import shown


def test_a_row_is_its_text_and_the_blanks_behind_it() -> None:
    assert shown(10).feed("hi").rows[0] == (Run("hi        ", 10),)


def test_an_untouched_row_is_one_run_of_blanks() -> None:
    assert shown(7).rows[3] == (Run(" " * 7, 7),)


@pytest.mark.parametrize(
    ("sgr", "style"),
    [
        ("1", CellStyle(flags=BOLD)),
        ("2", CellStyle(flags=DIM)),
        ("3", CellStyle(flags=ITALIC)),
        ("5", CellStyle(flags=BLINK)),
        ("7", CellStyle(flags=INVERSE)),
        ("8", CellStyle(flags=HIDDEN)),
        ("9", CellStyle(flags=STRIKE)),
        ("53", CellStyle(flags=OVERLINE)),
        ("1;2;3;5;7;8;9;53", CellStyle(flags=255)),
        ("4", CellStyle(underline=1)),
        ("21", CellStyle(underline=2)),
        *[(f"4:{kind}", CellStyle(underline=kind)) for kind in range(1, 6)],
        ("4:0", PLAIN),
        ("4;58;5;200", CellStyle(underline=1, underline_colour=200)),
        ("4:3;58;2;1;2;3", CellStyle(underline=3, underline_colour=RGB_FLAG | 0x010203)),
        ("31", CellStyle(foreground=1)),
        ("97", CellStyle(foreground=15)),
        ("42", CellStyle(background=2)),
        ("104", CellStyle(background=12)),
        ("38;5;0", CellStyle(foreground=0)),
        ("48;5;255", CellStyle(background=255)),
        ("38;2;255;128;0", CellStyle(foreground=RGB_FLAG | 0xFF8000)),
        ("38:2::255:128:0", CellStyle(foreground=RGB_FLAG | 0xFF8000)),
        ("48;2;0;0;0", CellStyle(background=RGB_FLAG)),
        ("1;31;39;22", PLAIN),
        ("1;31;0", PLAIN),
    ],
)
def test_every_attribute_and_colour_is_read(sgr: str, style: CellStyle) -> None:
    runs = shown(10).feed(f"\x1b[{sgr}mab\x1b[0m|").rows[0]
    if style == PLAIN:
        assert runs == (Run("ab|       ", 10),)
    else:
        assert runs == (Run("ab", 2, style), Run("|       ", 8))


@pytest.mark.parametrize(
    ("sgr", "colour"),
    [
        ("44", 4),
        ("48;5;200", 200),
        ("48;2;1;2;3", RGB_FLAG | 0x010203),
        ("48;2;255;0;9", RGB_FLAG | 0xFF0009),
    ],
)
def test_cleared_cells_keep_only_the_background(sgr: str, colour: int) -> None:
    """The library stores them as another kind of cell."""
    screen = shown(10).feed(f"\x1b[4;1m\x1b[{sgr}m\x1b[K\x1b[3G\x1b[0mx")
    ground = CellStyle(background=colour)
    assert screen.rows[0] == (Run("  ", 2, ground), Run("x", 1), Run(" " * 7, 7, ground))


def test_text_and_cleared_cells_of_one_background_are_one_run() -> None:
    assert shown(10).feed("\x1b[44mab\x1b[K").rows[0] == (Run("ab        ", 10, CellStyle(background=4)),)


WIDE = [
    ("你好", 4),
    ("ｆｕｌｌ", 8),
    ("한국", 4),
    ("😀", 2),
    ("👩\u200d👩\u200d👧", 2),
    ("🇫🇷", 2),
    ("❤\ufe0f", 2),
    ("👍🏽", 2),
    ("e\u0301", 1),
    ("ﷺ", 1),
]


@pytest.mark.parametrize(("text", "cells"), WIDE)
def test_wide_text_and_clusters_keep_their_cells(text: str, cells: int) -> None:
    screen = shown(20).feed(f"\x1b[31m{text}\x1b[0m|")
    assert screen.rows[0] == (
        Run(text, cells, CellStyle(foreground=1)),
        Run("|".ljust(20 - cells), 20 - cells),
    )
    assert screen.engine.cursor().column == cells + 1


def test_clusters_are_still_clusters_after_a_full_reset() -> None:
    assert shown(20).feed("\x1bc👩\u200d👩\u200d👧").engine.cursor().column == 2


def test_a_cluster_longer_than_any_buffer_is_whole() -> None:
    text = "e" + "\u0301" * 100
    assert shown(20).feed(text).text().startswith("e\u0301")


def test_no_control_character_stands_in_a_row() -> None:
    assert shown(8).feed("a\x7fb\u0085\u009bc").rows[0][0].text.isprintable()


def test_cells_of_every_row_add_up_to_the_width() -> None:
    screen = shown(9, 12).feed("".join(text + " " for text, _ in WIDE) * 2)
    # Overwrite halves of wide characters, and leave some that don't fit at the end of a line.
    screen.feed("\x1b[1;2Hx\x1b[2;4Hy\x1b[44m\x1b[3;1H\x1b[1P\x1b[4;3H\x1b[1@\x1b[5;2H\x1b[1X")
    for row in screen.rows.values():
        assert sum(run.cells for run in row) == 9
    screen.engine.resize(7, 12)
    screen.update()
    assert {sum(run.cells for run in row) for row in screen.rows.values()} == {7}


def test_a_wide_character_that_does_not_fit_leaves_a_blank() -> None:
    assert shown(5).feed("abcd你").texts() == ["abcd", "你"]


def test_links_are_told_apart_cell_by_cell() -> None:
    link = "\x1b]8;{};{}\x1b\\{}\x1b]8;;\x1b\\"
    text = link.format("", "https://a.example/?q=1", "ab") + link.format("id=1", "https://b.example", "c你")
    assert shown(10).feed(text + "d").rows[0] == (
        Run("ab", 2, CellStyle(link="https://a.example/?q=1")),
        Run("c你", 3, CellStyle(link="https://b.example")),
        Run("d    ", 5),
    )


def test_a_link_is_read_in_the_row_it_stands_in() -> None:
    screen = shown(4, 3).feed("\x1b]8;;x:1\x07ab\x1b[3;1H\x1b]8;;x:2\x07cd\x1b]8;;\x07")
    assert screen.rows[0][0] == Run("ab", 2, CellStyle(link="x:1"))
    assert screen.rows[2][0] == Run("cd", 2, CellStyle(link="x:2"))


def test_a_link_keeps_the_style_of_its_text() -> None:
    screen = shown(4).feed("\x1b[1;31m\x1b]8;;file:///x\x07ab\x1b]8;;\x07cd")
    red = CellStyle(foreground=1, flags=BOLD)
    assert screen.rows[0] == (Run("ab", 2, red._replace(link="file:///x")), Run("cd", 2, red))


def test_a_link_nobody_could_follow_is_plain_text() -> None:
    assert shown(8, 2).feed(f"\x1b]8;;x:{'y' * 5000}\x07ab\x1b]8;;\x07").rows[0] == (Run("ab      ", 8),)


def test_the_cursor_is_where_the_program_put_it() -> None:
    engine = shown().feed("\x1b[3;5H").engine
    assert engine.cursor() == Cursor(column=4, row=2, visible=True, shape=0)
    engine.feed(b"\x1b[?25l")
    assert engine.cursor() == Cursor(column=4, row=2, visible=False, shape=0)
    engine.feed(b"\x1b[?25h")
    assert engine.cursor().visible


@pytest.mark.parametrize("shape", range(7))
def test_the_cursor_has_the_shape_the_program_chose(shape: int) -> None:
    engine = open_engine(10, 3)
    engine.feed(b"\x1b[6 q\x1b[%d q" % shape)
    assert engine.cursor().shape == shape
    engine.feed(b"\x1bc")
    assert engine.cursor().shape == 0


def test_only_damaged_rows_are_reported_and_only_once() -> None:
    engine = open_engine(10, 5)
    assert engine.changes()[0]
    engine.feed(b"\x1b[2;1Hx\x1b[4;1Hy")
    engine.cursor()  # reads the same state, and must not swallow the damage
    engine.modes()
    every, rows = engine.changes()
    assert not every
    assert rows[1] == (Run("x         ", 10),)
    assert rows[3] == (Run("y         ", 10),)
    assert 2 not in rows
    assert engine.changes() == (False, {})


@pytest.mark.parametrize("cause", ["\x1b[?1049h", "\x1bc", "\x1b[2J"])
def test_what_replaces_the_screen_reports_all_rows(cause: str) -> None:
    screen = shown().feed("text")
    screen.engine.feed(cause.encode())
    assert screen.update()
    assert screen.texts() == []


def test_a_resize_reports_all_rows_and_wraps_anew() -> None:
    screen = shown(10, 4).feed("abcdefgh")
    screen.engine.resize(5, 6)
    assert screen.update()
    assert screen.texts() == ["abcde", "fgh"]
    assert (screen.engine.columns, screen.engine.rows, len(screen.rows)) == (5, 6, 6)


def test_the_normal_screen_returns_after_the_alternate_one() -> None:
    assert shown().feed("one\x1b[?1049htwo").feed("\x1b[?1049l").texts() == ["one"]


@pytest.mark.parametrize("size", [(0, 0), (-1, -5), (1, 1), (200, 1), (1, 200)])
def test_small_sizes_are_raised_to_the_minimum(size: tuple[int, int]) -> None:
    screen = shown(*size)
    screen.feed("你好👩\u200d👩\u200d👧 wide\r\n" * 50)
    screen.engine.resize(80, 24)
    screen.engine.resize(*size)
    screen.feed("你好👩\u200d👩\u200d👧 wide\r\n" * 50)
    assert screen.engine.columns == max(size[0], MINIMUM_COLUMNS)
    assert screen.engine.rows == max(size[1], MINIMUM_ROWS) == len(screen.rows)


def test_an_absurd_size_is_lowered() -> None:
    engine = open_engine(10, 3)
    engine.resize(10**9, 3)
    assert engine.columns == 2000


def test_an_engine_that_was_closed_refuses_and_does_not_crash() -> None:
    engine = open_engine(10, 3)
    engine.close()
    engine.close()
    for late in (lambda: engine.feed(b"x"), engine.changes, engine.cursor, engine.modes, engine.title):
        with pytest.raises(TypeError):
            late()
