"""Identity is `key: value` lines; the rest of the file is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsup.core.memory.identity import Entry, Identity, read_identity, with_entry, write_identity
from agentsup.core.memory.model import Spot

PIECES = st.sampled_from(
    ["language", "test_command", ":", "：", " ", "  ", "- ", "* ", "1. ", "**", "`", "值", "中文 键", "pytest -q", "//",
     "\\", "# ", "<!--", "-->", "```", "~~~", "http", ",", "a b c d e", "\t", "\x0c", "\ufeff", "|", ">", "__init__"]
)  # fmt: skip
LINES = st.lists(PIECES, max_size=7).map("".join)
TEXTS = st.tuples(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n", "\r"])).map(lambda t: t[1].join(t[0]))

KEYS = st.sampled_from(["language", "测试 命令", "a-b", "tool.ruff", "C"])


@settings(max_examples=300, deadline=None)
@given(TEXTS | st.text())
def test_writing_what_was_read_changes_nothing_that_is_read(text: str) -> None:
    read = read_identity(text)
    written = write_identity(read)
    assert read_identity(written) == read
    assert write_identity(read_identity(written)) == written


@settings(max_examples=300, deadline=None)
@given(st.lists(st.builds(Entry, KEYS, st.text() | LINES, st.sampled_from(["", "- "]))))
def test_what_programs_make_is_written_the_same_after_reading(made: list[Entry]) -> None:
    written = write_identity(Identity(tuple(made)))
    assert write_identity(read_identity(written)) == written


@settings(max_examples=300, deadline=None)
@given(TEXTS | st.text(), st.text() | LINES)
def test_a_value_that_was_put_in_is_read_again(text: str, value: str) -> None:
    changed = with_entry(read_identity(text), "test_command", value)
    again = read_identity(write_identity(changed))
    assert again == changed
    assert again.value("Test Command").replace("→", "-->").split() == value.replace("→", "-->").split()


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        ("language: Python", Entry("language", "Python")),
        ("language：Python 3.11", Entry("language", "Python 3.11")),
        ("- 语言： Python", Entry("语言", "Python", "- ")),
        ("* test command: pytest -q: fast", Entry("test command", "pytest -q: fast", "* ")),
        ("1. forbidden: never push", Entry("forbidden", "never push", "1. ")),
        ("**language**: Python", Entry("language", "Python")),
        ("**language:** __init__.py", Entry("language", "__init__.py")),
        ("`lint_command`: ruff check .", Entry("lint_command", "ruff check .")),
        ("project_root: /srv/app", Entry("project_root", "/srv/app")),
        ("docs: https://example.org", Entry("docs", "https://example.org")),
        ("forbidden:", Entry("forbidden", "")),
    ],
)
def test_an_entry_as_people_write_it(line: str, entry: Entry) -> None:
    assert read_identity(line).entries == (entry,)


@pytest.mark.parametrize(
    "line",
    ["# Identity: ours", "https://example.org", "C:\\work", "Please remember the following rule: be kind", "prose", "",
     "> quoted: yes", "| a: b |", "std::vector", "First, this: that", ": no key"],
)  # fmt: skip
def test_other_lines_are_kept(line: str) -> None:
    read = read_identity(f"{line}\nlanguage: Python\n")
    assert [entry.key for entry in read.entries] == ["language"]
    assert write_identity(read) == f"{line}\nlanguage: Python\n"


def test_what_stands_in_a_fence_or_a_comment_is_no_entry() -> None:
    text = "```\na: b\n```\n<!-- c: d -->\ne: f\n"
    assert read_identity(text).entries == (Entry("e", "f"),)


def test_doubles_are_both_kept_and_the_first_counts() -> None:
    read = read_identity("language: Python\nlanguage: Rust\n")
    assert [entry.value for entry in read.entries] == ["Python", "Rust"]
    assert read.value("language") == "Python"


def test_a_value_replaces_the_first_of_its_key_in_place() -> None:
    read = read_identity("# I\n- Test-Command: make\n- language: Python\n- test_command: tox\n")
    assert write_identity(with_entry(read, "test_command", "pytest\n-q")) == (
        "# I\n- Test-Command: pytest -q\n- language: Python\n- test_command: tox\n"
    )


def test_a_new_key_goes_to_the_end_as_the_others_are_written() -> None:
    read = read_identity("- language: Python\n\nNotes below.\n")
    assert write_identity(with_entry(read, "framework", "none")) == (
        "- language: Python\n\nNotes below.\n- framework: none\n"
    )


@pytest.mark.parametrize("key", ["", " ", "a: b", "- a", "# a", "one two three four", "a\nb", "**a**", "x" * 50])
def test_a_key_that_could_not_be_read_again_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        with_entry(Identity(), key, "value")


def test_an_entry_says_where_its_key_begins() -> None:
    assert read_identity("\n - language: Python").entries[0].spot == Spot(2, 4)
