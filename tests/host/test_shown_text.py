"""What was shown is counted once, and never more than was written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsup.core.screen import Row
from agentsup.host.shown_text import ShownText, plain
from agentsup.tokens import count
from tests.host.played import PlayedScreen


class Watched:
    """A screen that is sampled when the test says so, as the estimate does it."""

    def __init__(self, columns: int = 40, rows: int = 8) -> None:
        self.screen = PlayedScreen(columns, rows)
        self.text = ShownText()
        self.pieces: list[str] = []
        self.fed = ""
        self._line = self._bottom = 0

    def feed(self, text: str) -> Watched:
        self.fed += text
        self.screen.feed(text)
        return self

    def sample(self, times: int = 1) -> Watched:
        for _ in range(times):
            scrollback = self.screen.scrollback
            if scrollback.end > self._line:
                first, rows = self.screen.read_lines(self._line, scrollback.end - self._line)
                gap = first > self._line
                self._took(self.text.scrolled(rows, sampled=max(0, self._bottom - first), gap=gap))
                self._line = scrollback.end
            rows = self.screen.lines
            self._took(self.text.sample(rows, self.screen.cursor.row))
            self._bottom = scrollback.end + len(rows)
        return self

    @property
    def found(self) -> list[str]:
        found, self.pieces = self.pieces, []
        return [line for piece in found for line in piece.split("\n")]

    @property
    def tokens(self) -> int:
        return sum(count(piece).tokens for piece in self.pieces)

    def _took(self, piece: str) -> None:
        if piece:
            self.pieces.append(piece)


def test_a_row_counts_once_it_has_stayed_and_never_again() -> None:
    watched = Watched().feed("the first line\r\nthe second one\r\n")
    assert watched.sample().found == []
    assert watched.sample().found == ["the first line", "the second one"]
    watched.feed("\x1b[2J\x1b[H\r\n\r\nthe first line\r\n")
    assert watched.sample(3).found == []


def test_a_row_that_is_being_written_counts_when_it_is_done() -> None:
    watched = Watched()
    for word in ("one", "two", "three", "four", "five", "six"):
        watched.feed(f"{word} ").sample(2)
    assert watched.found == []
    assert watched.feed("\r\n").sample(2).found == ["one two three four five six"]


def test_of_a_row_that_grows_elsewhere_only_the_rest_counts() -> None:
    watched = Watched().feed("one two thr\x1b[5H").sample(2)
    assert watched.found == ["one two thr"]
    assert watched.feed("\x1b[1;12Hee four five\x1b[5H").sample(2).found == [" four five"]


def test_clocks_spinners_and_bars_are_no_news() -> None:
    watched = Watched()
    for second in range(10):
        spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"[second]
        watched.feed(f"\x1b[H{spinner} Working {'█' * second}{'#' * second} {second}s\x1b[K\x1b[5H").sample(3)
    assert watched.found == [" Working 0s"]


def test_a_change_beside_a_text_does_not_count_it_again() -> None:
    watched = Watched(80).feed("an answer of quite some words that stays │ files: none\x1b[5H").sample(2)
    assert watched.found == ["an answer of quite some words that stays files: none"]
    watched.feed("\x1b[1;51Hmain.py\x1b[5H")
    assert watched.sample(2).found == ["main.py"]


def test_lines_that_scrolled_off_between_two_samples_count() -> None:
    watched = Watched().sample(2)
    watched.feed("".join(f"line {word}\r\n" for word in "abcdefghijklmnop")).sample()
    assert watched.found == [f"line {word}" for word in "abcdefghi"]
    assert watched.sample().found == [f"line {word}" for word in "jklmnop"]


def test_a_wrapped_line_is_one_and_a_word_that_was_cut_is_left_out() -> None:
    watched = Watched(10).feed("aaaa internationalisation bb\r\n").sample(2)
    assert watched.found == ["aaaa internationalisation bb"]
    watched = Watched(10, 6).feed("one two internationalisation").sample(2)
    assert watched.found == ["one two "]
    assert watched.feed(" three four\r\n").sample(2).found == [" three four"]


def test_a_word_that_goes_on_from_a_line_that_scrolled_off_is_left_out() -> None:
    watched = Watched(10, 3).feed("one two internationalisation").sample(2)
    assert watched.found == ["one two "]
    watched.feed(" three four\r\n\r\n\r\n").sample(2)
    assert watched.found == [" three four"]


def test_what_is_drawn_around_a_text_is_left_out() -> None:
    assert [plain(row) for row in _rows("│ ⠋ some text │")] == [" some text"]
    assert [plain(row) for row in _rows("some  text")] == ["some text"]


def _rows(text: str) -> list[Row]:
    screen = PlayedScreen(40, 2)
    screen.feed(text)
    rows = [row for row in screen.lines if "".join(run.text for run in row).strip()]
    screen.close()
    return rows


def test_a_paste_that_is_shown_later_is_known() -> None:
    watched = Watched(30)
    watched.text.know("please mend the bug in the parser that was found\n程序在处理很长的输入时会出错请修复")
    watched.feed("> please mend the bug in the\r\n  parser that was found\r\n  程序在处理很长的输\r\n").sample(2)
    assert watched.found == []


def test_another_size_shows_nothing_new() -> None:
    watched = Watched(40).feed("a line that will be broken at another place\r\nsecond\r\n").sample(2)
    assert watched.found
    watched.screen.resize(20, 8)
    watched.text.skip(watched.screen.lines)
    assert watched.sample(3).found == []


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentsup.host.shown_text.SEEN", 50)
    watched = Watched()
    for name in (f"{a}{b}" for a in "abcdefghijklm" for b in "abcdefghijklm"):
        watched.feed(f"{name}\r\n").sample()
    assert len(watched.text._seen) == 50
    assert len(watched.text._counted) <= 160


_WORDS = st.sampled_from([
    "the", "a", "agent", "context", "internationalization", "Zimbabwe", "return", "self.foo", "x=1;", "}", "1234567",
    "0.5", "你好，世界", "编程代理的终端监护程序", "❯", "│", "⠋", "────", "😀", "ctx_window(used=3)", "->", "it's",
    "SupercalifragilisticExpialidocious",
])  # fmt: skip
_TEXTS = st.lists(_WORDS, min_size=1, max_size=12).map(" ".join) | st.text(
    st.characters(blacklist_categories=("Cc", "Cs", "Cn", "Co")), max_size=20
)
_APPENDED = st.one_of(_TEXTS, st.sampled_from([" ", "\r\n", "\r\n\r\n", "\r\n    "]))
_DRAWN = st.one_of(
    _APPENDED,
    st.builds("\x1b[{};{}H".format, st.integers(1, 12), st.integers(1, 40)),
    st.sampled_from([
        "\x1b[2K\r", "\x1b[J", "\x1b[2J\x1b[H", "\x1b[A", "\x1bM", "\x1b[K", "\x1b[?1049h", "\x1b[?1049l", "\x1b[1P",
        "\x1b[2@", "\x1b[2;5r", "\x1b[r", "\b \b", "\r", "\x1b[L", "\x1b[M", "\x1b[3J",
    ]),
)  # fmt: skip


@pytest.mark.parametrize("streams", [_APPENDED, _DRAWN], ids=["appended", "drawn"])
def test_what_is_found_is_never_more_than_what_was_written(streams: st.SearchStrategy[str]) -> None:
    @settings(max_examples=150, deadline=None)
    @given(
        size=st.tuples(st.sampled_from([10, 20, 40, 80]), st.sampled_from([3, 6, 12])),
        steps=st.lists(st.tuples(streams, st.integers(0, 3)), max_size=40),
    )
    def check(size: tuple[int, int], steps: list[tuple[str, int]]) -> None:
        watched = Watched(*size)
        for text, samples in steps:
            watched.feed(text).sample(samples)
        watched.sample(3)
        watched.screen.close()
        assert watched.tokens <= count(watched.fed).tokens

    check()
