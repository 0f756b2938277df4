"""Editing, against the simplest thing that could be right: a list of characters and a place in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from agentsup.demo.cells import text_width, wrap
from agentsup.demo.composer import Composer
from agentsup.demo.draft import Draft, PastedBlock, lay_out
from agentsup.demo.keys import KeyName

LONG = "p" * 40
LETTERS = st.text("ab \n\t語é", min_size=1, max_size=6)
KEYS: list[KeyName] = [
    "newline", "backspace", "delete", "left", "right", "home", "end", "ctrl-u", "ctrl-k", "ctrl-w", "up", "down",
]  # fmt: skip
EDITS = st.lists(
    st.tuples(st.just("type"), LETTERS)
    | st.tuples(st.just("paste"), LETTERS | st.just(LONG))
    | st.tuples(st.just("key"), st.sampled_from(KEYS))
    | st.tuples(st.just("take"), st.just(""))
    | st.tuples(st.just("discard"), st.just("")),
    max_size=30,
)


@dataclass
class Model:
    """What a composer of endless width must do; a long paste is one item of the list."""

    items: list[str] = field(default_factory=list)
    at: int = 0
    history: list[list[str]] = field(default_factory=list)
    place: int = 0
    kept: list[str] = field(default_factory=list)

    def insert(self, items: list[str]) -> None:
        self.items[self.at : self.at] = items
        self.at += len(items)

    def line(self) -> tuple[int, int]:
        before = self.items[: self.at]
        start = len(before) - before[::-1].index("\n") if "\n" in before else 0
        after = self.items[self.at :]
        return start, self.at + (after.index("\n") if "\n" in after else len(after))

    def cut(self, start: int, end: int) -> None:
        del self.items[start:end]
        self.at = start

    def press(self, name: KeyName) -> None:
        start, end = self.line()
        match name:
            case "newline":
                self.insert(["\n"])
            case "backspace" if self.at:
                self.cut(self.at - 1, self.at)
            case "delete" if self.at < len(self.items):
                del self.items[self.at]
            case "left":
                self.at = max(0, self.at - 1)
            case "right":
                self.at = min(len(self.items), self.at + 1)
            case "home":
                self.at = start
            case "end":
                self.at = end
            case "ctrl-u":
                self.cut(start, self.at)
            case "ctrl-k":
                del self.items[self.at : end]
            case "ctrl-w":
                place = self.at
                while place and self.items[place - 1].isspace():
                    place -= 1
                while place and not self.items[place - 1].isspace():
                    place -= 1
                self.cut(place, self.at)
            case "up" | "down":
                self.vertical(-1 if name == "up" else 1)
            case _:
                pass

    def vertical(self, step: int) -> None:
        """Rows are lines here. A column is counted in cells."""
        start, _ = self.line()
        column = sum(width(item) for item in self.items[start : self.at])
        lines = split(self.items)
        row = next(n for n, (first, last) in enumerate(lines) if first <= self.at <= last)
        if 0 <= row + step < len(lines):
            first, last = lines[row + step]
            self.at = first
            while self.at < last and sum(width(item) for item in self.items[first : self.at + 1]) <= column:
                self.at += 1
            return
        place = self.place + step
        if not 0 <= place <= len(self.history):
            return
        if self.place == len(self.history):
            self.kept = self.items
        self.place = place
        self.items = list(self.kept if place == len(self.history) else self.history[place])
        self.at = len(self.items)

    def clear(self) -> None:
        if self.items and (not self.history or self.history[-1] != self.items):
            self.history.append(list(self.items))
        self.items, self.at, self.kept, self.place = [], 0, [], len(self.history)


def width(item: str) -> int:
    return text_width("[40]" if item == LONG else "    " if item == "\t" else item)


def split(items: list[str]) -> list[tuple[int, int]]:
    """Return where each line begins and ends."""
    ends = [n for n, item in enumerate(items) if item == "\n"]
    return list(zip([0, *(n + 1 for n in ends)], [*ends, len(items)], strict=True))


@given(EDITS)
def test_the_composer_edits_as_a_list_of_characters_does(edits: list[tuple[str, str]]) -> None:
    composer, model = Composer("[{count}]", pasted_from=20), Model()
    composer.cells = 10_000
    for kind, what in edits:
        match kind:
            case "type":
                composer.type(what)
                model.insert(list(what))
            case "paste":
                composer.paste(what)
                model.insert([what] if what == LONG else list(what))
            case "key":
                composer.press(what)  # type: ignore[arg-type]
                model.press(what)  # type: ignore[arg-type]
            case "take":
                assert composer.take() == "".join(model.items)
                model.clear()
            case _:
                composer.discard()
                model.clear()
        assert composer.text == "".join(model.items)
        assert composer.draft.cursor == model.at


@given(st.lists(st.sampled_from(["a", "語", "\n", "\t", " ", PastedBlock("x" * 99)])), st.integers(4, 30))
def test_a_layout_shows_every_piece_once_and_never_too_wide(pieces: list[str | PastedBlock], cells: int) -> None:
    layout = lay_out(Draft(tuple(pieces)), cells, "<{count}>")
    rows = ["".join(character for character, _ in row) for row in layout.rows]
    shown = "".join("<99>" if isinstance(p, PastedBlock) else {"\n": "", "\t": "    "}.get(p, p) for p in pieces)
    assert "".join(rows) == shown
    assert all(text_width(row) <= cells for row in rows)
    assert len(layout.places) == len(pieces) + 1
    assert list(layout.places) == sorted(layout.places)
    assert all(row < len(rows) and column < cells + 1 for row, column in layout.places)


@given(st.text("ab 語\n", max_size=60), st.text("ab 語\n", max_size=20), st.integers(2, 20))
def test_text_that_is_added_changes_only_the_last_row(text: str, more: str, cells: int) -> None:
    before, after = wrap(text, cells), wrap(text + more, cells)
    assert after[: len(before) - 1] == before[:-1]
    assert all(text_width(row) <= cells for row in after)
    assert "".join(after).split() == "".join(after).split()
    assert [c for c in "".join(after) if not c.isspace()] == [c for c in text + more if not c.isspace()]


def test_words_stay_whole_where_they_fit() -> None:
    assert wrap("ab cde fgh", 6) == ["ab cde", "fgh"]
    assert wrap("abcdefgh ij", 6) == ["abcdef", "gh ij"]
    assert wrap("一二三四", 5) == ["一二", "三四"]
    assert wrap("a\n\nb", 6) == ["a", "", "b"]
    assert wrap(" a語", 2) == ["", "a", "語"]


def test_a_queue_that_returns_stands_before_the_draft() -> None:
    composer = Composer("[{count}]")
    composer.type("half")
    composer.put_back("one\ntwo")
    assert (composer.text, composer.draft.cursor) == ("one\ntwo\nhalf", 12)
    composer.clear()
    composer.put_back("one")
    assert (composer.text, composer.draft.cursor) == ("one", 3)
