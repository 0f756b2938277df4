"""The composer of the real Codex: empty only where it surely is, in every situation that was captured."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.agents.codex import Codex
from agentsup.core.injector import Composer, one_paste, shows
from agentsup.core.screen import Screen
from tests.agents.screens import captures, names

EMPTY = {
    "background_terminal", "compacted", "compacted_manual", "draft_removed", "idle_empty",
    "idle_placeholder_done", "imitation_idle", "interrupted", "status", "plan_mode", "transcript",
}  # fmt: skip
"""Nothing is typed and nothing is open: the only places where a text may be pasted."""

EMPTY_WHILE_WORKING = {
    "compacting", "compacting_manual", "queued", "steering", "tool_running", "working",
}  # fmt: skip
"""Nothing is typed, but Codex works: its own report forbids to type."""

DRAFT = {
    "draft", "draft_after_turn", "draft_cursor_home", "draft_newline", "draft_same_as_placeholder",
    "draft_space", "draft_wrapped", "file_popup_at", "file_popup_match", "history_recalled",
    "imitation_draft", "pasted_900", "pasted_into_draft", "pasted_long", "pasted_many_lines",
    "pasted_multiline", "pasted_short", "slash_popup", "slash_unknown", "working_draft",
}  # fmt: skip


def kinds(name: str) -> set[str]:
    return {Codex().composer(screen).kind for screen in captures(name)}


@pytest.mark.parametrize("name", names())
def test_the_composer_in_every_captured_situation(name: str) -> None:
    found = kinds(name)
    if name in EMPTY:
        assert "empty" in found
        assert found <= {"empty", "unknown"}
    elif name in EMPTY_WHILE_WORKING:
        assert found <= {"empty", "unknown"}
    elif name in DRAFT:
        assert found == {"text"}
    else:
        assert "empty" not in found


def test_a_draft_is_read_as_it_stands() -> None:
    assert {Codex().composer(screen).text for screen in captures("draft")} == {"half typed by a hum"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pasted_short", "Restore text that fills some rows of it. " * 20),
        ("pasted_900", "Restore text that fills some rows of it. " * 60),
        ("pasted_multiline", "\n".join(f"- line {number} of a restore text" for number in range(1, 6))),
        ("pasted_many_lines", "\n".join(f"- line {number} of a restore text" for number in range(1, 31))),
    ],
)
def test_a_paste_is_recognised_as_ours_and_no_other(name: str, text: str) -> None:
    for screen in captures(name):
        composer = Codex().composer(screen)
        if name == "pasted_short":
            text = text[:300]
        elif name == "pasted_900":
            text = text[:900]
        assert shows(composer, one_paste(text)), (composer, text)
        assert not shows(composer, one_paste(text + "x"))


def test_a_long_paste_is_recognised_by_its_length() -> None:
    for screen in captures("pasted_long"):
        composer = Codex().composer(screen)
        assert composer.pasted == 3000
        assert shows(composer, one_paste("x" * 3000))
        assert not shows(composer, one_paste("x" * 2999))


def test_a_paste_behind_a_draft_is_not_ours_alone() -> None:
    text = "\n".join(f"- line {number} of a restore text" for number in range(1, 6))
    for screen in captures("pasted_into_draft"):
        assert not shows(Codex().composer(screen), one_paste(text))


@given(st.integers(0, 120), st.integers(0, 40), st.booleans())
def test_the_cursor_anywhere_else_is_no_proof(column: int, row: int, visible: bool) -> None:
    screen = SCREEN
    moved = replace(screen, cursor=screen.cursor._replace(column=column, row=row, visible=visible))
    composer = Codex().composer(moved)
    if (column, row, visible) != (screen.cursor.column, screen.cursor.row, True):
        assert composer.kind != "empty"


def test_no_screen_at_all_is_unknown() -> None:
    assert Codex().composer(Screen()) == Composer()


SCREEN = captures("idle_empty")[0]


@pytest.mark.parametrize("end", ["@calc.py", "$skill", "@", "$", "a\n@calc"])
def test_no_menu_is_open_when_our_return_comes(end: str) -> None:
    found = Codex().typing(f"Look at {end}")
    assert found == one_paste(f"Look at {end} ")


@pytest.mark.parametrize("text", ["Look at @calc.py ", "somebody@calc.py", "costs 5$", "(@calc", "@calc.py is it"])
def test_what_opens_no_menu_is_typed_as_it_is(text: str) -> None:
    assert Codex().typing(text) == one_paste(text)
