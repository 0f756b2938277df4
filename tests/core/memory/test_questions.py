"""Questions are read from any list; what is none stays where it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsup.core.memory.model import Spot
from agentsup.core.memory.questions import Question, Questions, read_questions, write_questions

PIECES = st.sampled_from(
    ["- [ ] ", "- [x] ", "* ", "1. ", "2、", "［ ］", "【x】", "[]", "• ", "-", "- ", "  ", "\t", "[SOFT]", "【强制】",
     "[MAYBE]", "[hard]", "（代理）", "(agent)", "?", "？", "Use X", "用哪个", "**[STALE]**", "```", "~~~", "<!--",
     "-->", "# Title", "", "[x](y)", "---", "\x0b", "\ufeff"]
)  # fmt: skip
LINES = st.lists(PIECES, max_size=6).map("".join)
TEXTS = st.tuples(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n", "\r"])).map(lambda t: t[1].join(t[0]))


@settings(max_examples=300, deadline=None)
@given(TEXTS | st.text())
def test_writing_what_was_read_changes_nothing_that_is_read(text: str) -> None:
    read = read_questions(text)
    written = write_questions(read)
    assert read_questions(written) == read
    assert write_questions(read_questions(written)) == written


@settings(max_examples=300, deadline=None)
@given(st.lists(st.builds(Question, st.text() | LINES, st.booleans(), st.sampled_from([None, "HARD", "STALE"]))))
def test_what_programs_make_is_written_the_same_after_reading(made: list[Question]) -> None:
    written = write_questions(Questions(tuple(made)))
    read = read_questions(written)
    assert [question.done for question in read.questions] == [question.done for question in made]
    assert write_questions(read) == written


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("- [ ] Which cache? [SOFT]", Question("Which cache?", confidence="SOFT")),
        ("- [x] Which cache?", Question("Which cache?", done=True)),
        ("* [X] done", Question("done", done=True)),
        ("3. [ ] numbered", Question("numbered")),
        ("-[ ] tight [tentative]", Question("tight", confidence="TENTATIVE")),
        ("[ ] no bullet", Question("no bullet")),
        ("- without a box [HARD]", Question("without a box", confidence="HARD")),
        ("- ［ ］ 用哪个缓存？［暂定］", Question("用哪个缓存？", confidence="TENTATIVE")),
        ("- 【✓】 用哪个缓存？【HARD】", Question("用哪个缓存？", done=True, confidence="HARD")),
        ("- [ ] Which cache [SOFT]?", Question("Which cache?", confidence="SOFT")),
        ("- [ ] Which cache [SOFT] (agent)", Question("Which cache (agent)", confidence="SOFT")),
        ("- [ ] [SOFT] Which cache", Question("Which cache", confidence="SOFT")),
        ("- [ ] Use [SOFT] or [HARD] limits", Question("Use [SOFT] or [HARD] limits")),
        ("- [ ] Which cache? [MAYBE]", Question("Which cache? [MAYBE]")),
        ("- [x](docs/a.md) or not", Question("[x](docs/a.md) or not")),
        ("  - [ ] below another", Question("below another", indent="  ")),
    ],
)
def test_a_question_as_people_write_it(line: str, question: Question) -> None:
    assert read_questions(line).questions == (question,)


@pytest.mark.parametrize(
    "line", ["# Open questions", "Prose - with a dash", "  - a remark below", "---", "", "> quoted"]
)
def test_other_lines_are_kept(line: str) -> None:
    read = read_questions(f"{line}\n- [ ] a\n")
    assert [question.text for question in read.questions] == ["a"]
    assert write_questions(read) == f"{line}\n- [ ] a\n"


def test_what_stands_in_a_fence_or_a_comment_is_no_question() -> None:
    text = "```\n- [ ] in a fence\n```\n<!--\n- [ ] in a comment\n-->\n- [ ] a\n"
    assert [question.text for question in read_questions(text).questions] == ["a"]
    assert write_questions(read_questions(text)) == text


def test_a_question_says_where_its_text_begins() -> None:
    assert read_questions("# Title\n\n  - [ ] text").questions[0].spot == Spot(3, 9)


def test_the_open_ones_are_those_without_a_mark() -> None:
    assert [q.text for q in read_questions("- [ ] a\n- [x] b\n- c").open] == ["a", "c"]
