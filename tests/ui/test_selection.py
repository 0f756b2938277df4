"""What is selected is what is copied: wide cells, wrapped lines, words and lines, wherever they stand."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from agentsup.ui import outward
from agentsup.ui.lines import Line, reversed_between
from agentsup.ui.selection import Place, Pointer, Selection, selected_text

WIDTH = 10


class Page:
    """Lines of one width; a text that ends with \\ is wrapped."""

    def __init__(self, *texts: str) -> None:
        self.lines = []
        for text in texts:
            shown = text.removesuffix("\\")
            shown += " " * (WIDTH - cell_len(shown))
            self.lines.append(Line(Strip([Segment(shown)], WIDTH), text.endswith("\\")))

    def line(self, number: int) -> Line | None:
        return self.lines[number] if 0 <= number < len(self.lines) else None

    def dragged(self, start: tuple[int, int], *ends: tuple[int, int], clicks: int = 1) -> str:
        pointer = Pointer(self.line)
        selection = None
        for click in range(clicks):
            pointer.release()
            selection = pointer.press(Place(*start), click * 0.1)
        for end in ends:
            selection = pointer.drag(Place(*end))
        return selected_text(selection, self.line) if selection is not None else ""


PAGE = Page("hello you", "你好 ab", "", "0123456789\\", "abcdefghij\\", "end, more", "'q' x|y z")


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [
        ((0, 0), (0, 4), "hello"),
        ((0, 4), (0, 0), "hello"),
        ((0, 6), (0, 9), "you"),
        ((1, 0), (1, 1), "你"),
        ((1, 1), (1, 2), "你好"),
        ((1, 3), (1, 5), "好 a"),
        ((0, 6), (1, 3), "you\n你好"),
        ((1, 5), (3, 2), "ab\n\n012"),
        ((3, 8), (5, 2), "89abcdefghijend"),
        ((5, 2), (3, 8), "89abcdefghijend"),
        ((4, 0), (4, 9), "abcdefghij"),
    ],
)
def test_a_drag_selects_cells(start: tuple[int, int], end: tuple[int, int], text: str) -> None:
    assert PAGE.dragged(start, end) == text


def test_a_click_selects_nothing_and_a_drag_back_takes_it_away() -> None:
    assert PAGE.dragged((0, 3)) == ""
    assert PAGE.dragged((0, 3), (0, 8), (0, 3)) == ""


@pytest.mark.parametrize(
    ("place", "word"),
    [
        ((0, 1), "hello"), ((0, 5), " "), ((1, 3), "你好"), ((3, 4), "0123456789abcdefghijend"),
        ((4, 4), "0123456789abcdefghijend"), ((5, 1), "0123456789abcdefghijend"), ((5, 3), ","), ((6, 1), "q"),
        ((6, 4), "x"),
    ],
)  # fmt: skip
def test_a_double_click_selects_a_word_over_wrapped_rows(place: tuple[int, int], word: str) -> None:
    assert PAGE.dragged(place, clicks=2) == word


def test_a_double_click_that_is_dragged_goes_by_words() -> None:
    assert PAGE.dragged((0, 1), (0, 7), clicks=2) == "hello you"


@pytest.mark.parametrize(
    ("line", "text"), [(0, "hello you"), (4, "0123456789abcdefghijend, more"), (5, "0123456789abcdefghijend, more")]
)
def test_a_triple_click_selects_a_line_however_it_wraps(line: int, text: str) -> None:
    assert PAGE.dragged((line, 2), clicks=3) == text


def test_a_fourth_or_a_late_click_begins_anew() -> None:
    assert PAGE.dragged((0, 1), clicks=4) == ""
    pointer = Pointer(PAGE.line)
    assert pointer.press(Place(0, 1), 1.0) is None
    assert pointer.press(Place(0, 1), 2.0) is None


def test_the_blank_before_a_wide_character_that_did_not_fit_is_not_copied() -> None:
    assert Page("a一二三四\\", "五六").dragged((0, 0), (1, 1)) == "a一二三四五"
    assert Page("一二三四 \\", "五六").dragged((0, 0), (1, 1)) == "一二三四 五"
    assert Page("a b c d e \\", "f").dragged((0, 0), (1, 0)) == "a b c d e f"


def test_lines_that_are_not_known_any_more_are_blank() -> None:
    assert selected_text(Selection(Place(5, 0), Place(9, 3)), PAGE.line) == "end, more\n'q' x|y z\n\n\n"


@given(st.text("ab 你👍é\u0301", max_size=12), st.integers(-3, 15), st.integers(-3, 15))
def test_marking_keeps_the_text_and_the_width(text: str, start: int, end: int) -> None:
    strip = Strip([Segment(text)], cell_len(text))
    marked = reversed_between(strip, start, end)
    assert marked.cell_length == strip.cell_length
    if not any(cell_len(character) > 1 for character in text):
        assert marked.text == text


def test_what_goes_to_the_clipboard_is_whole_up_to_its_limit() -> None:
    sequence, cut = outward.clipboard("你好".encode())
    assert (sequence, cut) == ("\x1b]52;c;5L2g5aW9\x07", False)
    sequence, cut = outward.clipboard("你".encode() * 50_000)
    payload = sequence.removeprefix("\x1b]52;c;").removesuffix("\x07")
    assert cut
    assert len(payload) <= outward.CLIPBOARD_MOST
    assert set(base64.b64decode(payload).decode()) == {"你"}


@pytest.mark.parametrize(
    ("title", "body", "sequence"),
    [
        ("", "done", "\x1b]9;done\x07"),
        ("codex", "done", "\x1b]9;codex: done\x07"),
        ("", "4;1;50", "\x1b]9; 4;1;50\x07"),
        ("a\x07\x1b]52;c;x\x07", "b\x9c\n", "\x1b]9;a]52;c;x: b\x07"),
        ("", "\x1b\x07", ""),
        ("", "x" * 300, f"\x1b]9;{'x' * 200}\x07"),
    ],
)
def test_a_notification_is_one_plain_line(title: str, body: str, sequence: str) -> None:
    assert outward.notification(title, body) == sequence
