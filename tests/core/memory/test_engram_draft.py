"""An engram as it is edited: nothing hides, nothing is lost, and a tag has its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.checks.characters import first_control
from agentsup.core.memory.engram import read_engram, tag_of
from agentsup.core.memory.engram_draft import (
    COMPARED_MOST,
    Insertion,
    blank_engram,
    compared,
    draft_of,
    length_of,
    tag_at,
    text_of,
)
from agentsup.core.memory.labels import TAG_LABELS, Tag
from agentsup.core.memory.model import Language

HARMFUL = "\x1b]0;owned\x07\x9b31m\u202e\u2066\u200b\ufe0f\U000e0041\u2028\x85\x0b\r⟨"

texts = st.text(st.one_of(st.sampled_from(HARMFUL), st.characters(codec="utf-8"), st.sampled_from("\n[] \t")))


@given(texts)
def test_an_untouched_draft_means_its_text(text: str) -> None:
    draft = draft_of(text)
    meant = text_of(draft, draft.text)
    unified = text.replace("\r\n", "\n") if draft.returns else text
    ended = f"{unified.strip(chr(10))}\n" if unified.strip("\n").strip() else ""
    assert (meant.replace("\r\n", "\n") if draft.returns else meant) == ended


@given(texts)
def test_a_draft_hides_nothing_and_does_nothing(text: str) -> None:
    shown = draft_of(text).text
    assert first_control(shown) is None
    assert all(character.isprintable() or character in "\n\t\u3000" for character in shown)
    assert len(shown.split("\n")) == len(shown.splitlines()) + (not shown or shown.endswith("\n"))


def test_what_is_typed_is_no_code() -> None:
    assert text_of(draft_of("[Task] a"), "[Task] ⟨1b⟩") == "[Task] ⟨1b⟩\n"
    assert text_of(draft_of("[Task] \x1b"), "[Task] ⟨1b⟩⟨7⟩") == "[Task] \x1b⟨7⟩\n"


def test_line_ends_stay_what_they_are() -> None:
    draft = draft_of("[Task] a\r\n[Taboo] b\r\n")
    assert draft.text == "[Task] a\n[Taboo] b\n"
    assert text_of(draft, "[Task] a\n[Taboo] c") == "[Task] a\r\n[Taboo] c\r\n"
    assert text_of(draft_of("a\r\nb\n"), "a⟨d⟩\nb") == "a\r\nb\n"


def test_lengths_are_those_of_the_checks() -> None:
    assert length_of("[Task] two words\n[任务] 余额\nno item\n") == (4, 2)
    assert length_of("") == (0, 0)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_new_engram_begins_with_the_tags_it_needs(language: Language) -> None:
    engram = read_engram(blank_engram(language))
    assert [item.tag for item in engram.items] == ["task", "progress", "pending", "taboo"]
    assert engram.language == language


def inserted(text: str, at: Insertion) -> str:
    """Return a text after an insertion."""
    lines = text.split("\n")
    line = lines[at.row]
    lines[at.row] = line[: at.column] + at.text + line[at.column :]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "row", "tag", "after", "cursor"),
    [
        ("", 0, "task", "[Task] ", (0, 7)),
        ("[Task] a\n", 1, "taboo", "[Task] a\n[Taboo] ", (1, 8)),
        ("[Task] a\n[Taboo] b", 0, "progress", "[Task] a\n[Progress] \n[Taboo] b", (1, 11)),
        ("[任务] 甲\n补充", 1, "pending", "[任务] 甲\n[未决] 补充", (1, 7)),
        ("  words", 0, "files", "  [Files] words", (0, 15)),
        ("[任务] 甲", 0, "files", "[任务] 甲\n[关键文件] ", (1, 7)),
    ],
)
def test_a_tag_goes_where_the_cursor_is(text: str, row: int, tag: Tag, after: str, cursor: tuple[int, int]) -> None:
    at = tag_at(text, row, tag, "en")
    assert inserted(text, at) == after
    assert at.cursor == cursor


@given(texts, st.integers(0, 20), st.sampled_from(sorted(TAG_LABELS["en"])), st.sampled_from(["en", "zh"]))
def test_a_tag_is_read_as_one(text: str, row: int, tag: Tag, fallback: Language) -> None:
    shown = draft_of(text).text
    row = min(row, shown.count("\n"))
    at = tag_at(shown, row, tag, fallback)
    lines = inserted(shown, at).split("\n")
    assert tag_of(lines[at.cursor[0]]) == tag
    assert 0 <= at.cursor[1] <= len(lines[at.cursor[0]])


def test_texts_are_compared_whole() -> None:
    both = compared("a\nb\nc\n", "a\nx\nc\r\nd")
    assert [(line.mark, line.text) for line in both] == [
        (" ", "a"), ("-", "b"), ("+", "x"), (" ", "c"), ("+", "d"),
    ]  # fmt: skip
    assert compared("", "") == ()


@given(st.text(st.sampled_from("ab\n"), max_size=40), st.text(st.sampled_from("ab\n"), max_size=40))
def test_both_texts_are_in_a_comparison(before: str, after: str) -> None:
    both = compared(before, after)
    for text, marks in ((before, " -"), (after, " +")):
        lines = text.removesuffix("\n").split("\n") if text.removesuffix("\n") else []
        assert [line.text for line in both if line.mark in marks] == lines


def test_long_texts_are_not_compared() -> None:
    both = compared("a\n" * (COMPARED_MOST + 1), "b\n")
    assert [line.mark for line in both] == ["-"] * (COMPARED_MOST + 1) + ["+"]
