"""What a command leaves alone in a file stays as the person wrote it: line ends, bullets, names, wrapped lines."""

from __future__ import annotations

from difflib import ndiff

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsup.core.memory.identity import read_identity, with_entry, write_identity
from agentsup.core.memory.merge_conflict import conflict_line
from agentsup.core.memory.own_lines import with_own_lines
from agentsup.core.memory.state import with_progress
from agentsup.core.memory.state_markdown import read_markdown, write_markdown
from tests.core.memory.written_texts import texts

STATE = """\
# Project state

Read me first.

# Scope
Finish the importer

## Done:
1. Parsed the header (commit abc1234)
2. Parsed the body
   that is long (`pytest -q`)

## Notes
* starred\tby hand

### Next steps
- [ ] Write parse_footer() in parse.py
- [ ] Run `make docs` until it passes

## Evidence

```
pytest -q
```
"""


def recorded(text: str, done: str = "", following: tuple[str, ...] = ()) -> str:
    before = read_markdown(text)
    after = with_progress(before, done=done, following=following, at="2026-01-02T03:04:05Z", by="agent")
    return with_own_lines(text, write_markdown(before), write_markdown(after), read_markdown)


def changes(before: str, after: str) -> list[str]:
    """Return the lines that are gone (-) and new (+), without the blank ones."""
    rows = ndiff(before.splitlines(), after.splitlines())
    return [row for row in rows if row[0] in "-+" and row[1:].strip()]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_only_what_was_recorded_is_changed(end: str, mark: str) -> None:
    text = mark + STATE.replace("\n", end)
    written = recorded(text, "Write parse_footer() in parse.py (`pytest -q`)")
    assert changes(text, written) == [
        "+ updated: 2026-01-02T03:04:05Z by agent",
        "+ - Write parse_footer() in parse.py (`pytest -q`)",
        "- - [ ] Write parse_footer() in parse.py",
    ]
    assert written.startswith(f"{mark}# Project state{end}")
    assert set(written.replace(end, "")) & {"\r", "\n"} == set()


def test_steps_that_are_replaced_leave_the_name_of_their_section() -> None:
    written = recorded(STATE, following=("Ensure lexer.py reads tabs",))
    assert {row for row in changes(STATE, written) if "updated" not in row} == {
        "- - [ ] Write parse_footer() in parse.py",
        "- - [ ] Run `make docs` until it passes",
        "+ - Ensure lexer.py reads tabs",
    }


def test_a_last_line_without_an_end_gets_one_only_where_something_follows() -> None:
    text = "## Next\n- a.py\n## Completed\n* b.py (commit abc1234)"
    assert recorded(text, "c.py (`ls`)").endswith("* b.py (commit abc1234)\n- c.py (`ls`)\n")


def test_an_identity_keeps_its_other_lines() -> None:
    text = "\ufeff# Facts\r\nlanguage : Python\r\n禁忌：不要改 vendor/\r\n\r\nprose\r\nlast: one"
    before = read_identity(text)
    after = write_identity(with_entry(before, "language", "Rust"))
    assert with_own_lines(text, write_identity(before), after, read_identity) == text.replace(
        "language : Python", "language: Rust"
    )


def test_where_nothing_changes_the_text_stays() -> None:
    text = "## Done\r\n1) a.py\n\n\n"
    same = write_markdown(read_markdown(text))
    assert with_own_lines(text, same, same, read_markdown) == text


def test_a_text_that_is_empty_becomes_the_canonical_form() -> None:
    assert with_own_lines("", "", "## Next\n- a.py\n", read_markdown) == "## Next\n- a.py\n"


@settings(max_examples=300, deadline=None)
@given(texts, st.text(max_size=30), st.lists(st.text(max_size=30), max_size=2))
def test_any_text_is_read_afterwards_as_the_canonical_form_would_be(text: str, done: str, following: list[str]) -> None:
    before = read_markdown(text)
    after = with_progress(before, done=done, following=tuple(following), at="2026-01-02", by="agent")
    written = with_own_lines(text, write_markdown(before), write_markdown(after), read_markdown)
    assert read_markdown(written) == read_markdown(write_markdown(after))


CONFLICT = "# State\n<<<<<<< HEAD\n- one\n=======\n- two\n>>>>>>> other\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (CONFLICT, 2), (CONFLICT.replace("\n", "\r\n"), 2), ("\ufeff" + CONFLICT[8:], 1), (CONFLICT * 2, 2), ("", 0),
        ("<<<<<<< one side only\n", 0), ("Title\n=======\n", 0), ("a <<<<<<< b\n=======\n>>>>>>> c\n", 0),
    ],
)  # fmt: skip
def test_a_merge_that_stopped_is_seen(text: str, line: int) -> None:
    assert conflict_line(text) == line
