"""What holds of every STATE.md and every state, whatever is in them; and how long reading takes."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsup.core.memory.labels import STATE_ORDER
from agentsup.core.memory.model import Language
from agentsup.core.memory.state import TaskState
from agentsup.core.memory.state_forms import read_state, write_state
from agentsup.core.memory.state_markdown import read_markdown, write_markdown
from tests.core.memory.written_texts import plain_states, states, texts

LANGUAGES: tuple[Language, ...] = ("en", "zh")


@settings(max_examples=300, deadline=None)
@given(texts, st.sampled_from(LANGUAGES))
def test_any_text_is_read_and_what_is_written_of_it_is_read_the_same(text: str, fallback: Language) -> None:
    state = read_state("markdown", text, fallback)
    written = write_state(state)
    assert read_state("markdown", written, fallback) == state
    assert write_state(read_state("markdown", written, fallback)) == written


@settings(max_examples=300, deadline=None)
@given(texts, states)
def test_any_state_in_any_file_is_written_in_a_form_that_stays(text: str, state: TaskState) -> None:
    written = write_state(replace(state, others=read_markdown(text).others))
    assert write_state(read_state("markdown", written, state.language)) == written


@settings(max_examples=300, deadline=None)
@given(texts, plain_states)
def test_a_state_written_into_any_file_is_read_back(text: str, state: TaskState) -> None:
    read = read_markdown(write_markdown(replace(state, others=read_markdown(text).others)), state.language)
    assert {name: getattr(read, name) for name in STATE_ORDER} == {name: getattr(state, name) for name in STATE_ORDER}
    assert read.updated_at == state.updated_at


@settings(max_examples=300, deadline=None)
@given(texts, plain_states)
def test_nothing_of_a_file_is_lost_when_its_state_changes(text: str, state: TaskState) -> None:
    before = read_markdown(text)
    after = read_markdown(write_markdown(replace(state, others=before.others, updated_at="", updated_by="")))
    for part in before.others:
        here = [each.text for other in after.others if other.name == part.name for each in other.kept]
        assert all(each.text in here for each in part.kept if each.kind not in ("updated", "updated_by"))


HOSTILE = {
    "blanks in an item": "## Next\n- a" + " " * 100_000 + "b",
    "blanks in a heading": "## a" + " " * 100_000 + "b" + " " * 100_000 + "c",
    "brackets": "## Next\n" + "[" * 100_000 + "\n" + "- " + "[ ] " * 50_000,
    "open fences": "".join("`" * (3 + (i * 7919) % 200) + f"x{i}\n" for i in range(10_000)),
    "open comments": "<!-- a\n" * 30_000,
    "sections": "## Next\n- a\n## Foo\n" * 10_000,
    "notes": "## Next\n" + "- a\n---\n" * 20_000,
    "keys": "Next: x\n" * 30_000,
    "colons": "Next" + ":" * 100_000,
    "number signs": "#" * 100_000 + "\n" + "# x\n" * 20_000,
    "backticks": "## Next\n- " + "`" * 100_000,
    "hexadecimal": "## Next\n- " + "a1" * 100_000,
    "updates": "updated: 2026 by " + "by " * 50_000 + "\n" + "updated: 2026\n" * 10_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_takes_more_than_its_length_in_time(text: str) -> None:
    started = time.process_time()
    state = read_markdown(text)
    assert read_markdown(write_markdown(state)) == state
    for step in state.next:
        assert len(step.commits) + len(step.commands) <= len(step.text)
    assert time.process_time() - started < 10


def test_a_long_file_is_read_at_once() -> None:
    """Measured: 80 ms for 1 MB with 20,000 items on a 2-core machine. The limit only tells a line from a curve."""
    text = "# STATE\n## Completed\n" + "".join(
        f"- item {i} in src/mod_{i}.py (commit {i:07x})\n" for i in range(20_000)
    )
    started = time.process_time()
    assert len(read_markdown(text).completed) == 20_000
    assert time.process_time() - started < 2
