"""The composer of the real Claude Code: empty only where it surely is, in every situation that was captured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import wrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.agents import claude_typing
from agentsup.agents.adapter import Place
from agentsup.agents.claude import Claude
from agentsup.agents.claude_composer import composer
from agentsup.core.injector import Composer, shows
from agentsup.core.screen import Cursor, Run, Screen
from agentsup.core.text import squeezed
from tests.agents.screens import captures, index, names

NOTED = index("claude")
READY = {
    "idle_empty", "idle_empty_classic", "idle_after_turn", "idle_after_turn_classic", "draft_removed", "interrupted",
    "interrupted_classic", "compacted", "compacted_classic", "suggestion", "suggestion_classic", "status_line",
    "status_line_classic", "status_line_silent", "status_line_silent_classic", "plan_mode", "vim_insert",
}  # fmt: skip
"""Where it has to be recognised: a person who does nothing leaves Claude Code like this."""


@pytest.mark.parametrize("name", names("claude"))
def test_the_composer_in_every_captured_situation(name: str) -> None:
    noted = [NOTED[key] for key in sorted(NOTED) if key.partition(".")[0] == name]
    for truth, screen in zip(noted, captures(name, "claude"), strict=True):
        found = composer(screen, vim_keys=name.startswith("vim_"))
        if truth["composer"] != "empty":
            assert found.kind != "empty"
        elif name in READY:
            assert found.kind == "empty"
        else:
            assert found.kind in ("empty", "unknown")
        # Where the classic renderer has scrolled the upper rule away, nothing is recognised.
        if truth["composer"] == "text" and truth["text"] and name != "draft_tall_classic":
            assert found.kind == "text"
            # A command shows its arguments behind it; a paste of several lines only a placeholder.
            shown, typed = squeezed(found.text), squeezed(truth["text"])
            assert shown.startswith(typed) or "[Pastedtext" in shown or ("tall" in name and shown in typed)


@given(st.integers(0, 120), st.integers(0, 40))
def test_the_cursor_anywhere_else_is_no_proof(column: int, row: int) -> None:
    moved = replace(SCREEN, cursor=SCREEN.cursor._replace(column=column, row=row))
    if (column, row) != (SCREEN.cursor.column, SCREEN.cursor.row):
        assert Claude().composer(moved).kind != "empty"


def test_the_box_of_a_sub_agent_is_not_that_of_the_conversation() -> None:
    screen = captures("suggestion", "claude")[0]
    row = screen.cursor.row
    prompt, under, dim, *rest = screen.rows[row]
    to_another = (prompt, under._replace(text="M"), dim._replace(text="essage @general-purpose…"), *rest)
    assert composer(screen).kind == "empty"
    assert composer(replace(screen, rows=(*screen.rows[:row], to_another, *screen.rows[row + 1 :]))).kind != "empty"
    below = (prompt._replace(text="  ◯ main"),)
    assert composer(replace(screen, rows=(*screen.rows[:-1], below))).kind == "unknown"


def test_an_editor_that_shows_a_picture_of_the_box_is_not_it(tmp_path: Path) -> None:
    picture = replace(SCREEN, cursor=SCREEN.cursor._replace(visible=True))
    assert Claude().composer(SCREEN).kind == "empty"
    assert Claude().composer(picture).kind == "unknown"
    by_environment, by_settings = {"CLAUDE_CODE_NATIVE_CURSOR": "1"}, '{"env": {"CLAUDE_CODE_ACCESSIBILITY": "1"}}'
    for settings, environment in (("{}", by_environment), (by_settings, {})):
        (tmp_path / "settings.json").write_text(settings)
        claude = Claude()
        claude.began(Place("claude", (), {"CLAUDE_CONFIG_DIR": str(tmp_path), **environment}, tmp_path))
        assert claude.composer(picture).kind == "empty"


def test_vim_keys_are_known_from_the_settings(tmp_path: Path) -> None:
    screen = captures("vim_normal", "claude")[0]
    for file, text in (("settings.json", '{"editorMode": "vim"}'), (".claude.json", '{"editorMode": "vim"}')):
        claude = Claude()
        assert claude.composer(screen).kind == "empty"
        (tmp_path / file).write_text(text)
        claude.began(Place("claude", (), {"CLAUDE_CONFIG_DIR": str(tmp_path)}, tmp_path))
        assert claude.composer(screen).kind == "unknown"
        (tmp_path / file).unlink()


def test_no_screen_at_all_is_unknown() -> None:
    assert Claude().composer(Screen()) == Composer()


SCREEN = captures("idle_empty", "claude")[0]


@pytest.mark.parametrize(
    ("rows", "lead", "ends"),
    [
        (["[Pasted text #1 +39 lines]"], "", 39),
        (["[Pasted text #12]"], "", 0),
        (["words before it", "[Pasted text #1 +39 lines]"], "words before it\n", 39),
        (["words that", "are wrapped", "[Pasted text #3 +1 line]"], "words that\nare wrapped\n", 1),
    ],
)
def test_a_longer_paste_is_told_apart_from_what_stands_before_it(rows: list[str], lead: str, ends: int) -> None:
    found = composer(drawn(rows))
    assert (found.kind, found.lead, found.pasted_lines) == ("text", lead, ends)


@pytest.mark.parametrize(
    "rows",
    [["words [Pasted text #1 +39 lines]"], ["[Pasted text #1 +39 lines]", "words"], ["[Pasted text #1 +39 lines] x"]],
)
def test_words_beside_or_behind_a_longer_paste_are_no_lead(rows: list[str]) -> None:
    assert composer(drawn(rows)).pasted_lines is None


def test_what_we_type_is_recognised_and_no_draft_before_it() -> None:
    text = "Restored from disk by agentsup (restore abc123).\n" + "a line of memory\n" * 60
    typed = claude_typing.typing(text)
    rows = [*wrap(typed.lead.strip(), 70), "[Pasted text #1 +61 lines]"]
    assert shows(composer(drawn(rows)), typed)
    assert not shows(composer(drawn(["a draft", *rows])), typed)
    assert not shows(composer(drawn([*rows, "more"])), typed)
    assert not shows(composer(drawn(rows[-1:])), typed)
    assert not shows(composer(drawn([*rows[:-1], "[Pasted text #1 +60 lines]"])), typed)


def drawn(rows: list[str], columns: int = 80) -> Screen:
    """Return a screen with these rows in the box, and the cursor behind the last."""
    rule = Run("─" * columns, columns)
    first, *others = rows
    box = [f"❯\N{NO-BREAK SPACE}{first}", *(f"  {row}" for row in others)]
    lines = ((rule,), *((Run(row, len(row)),) for row in box), (rule,))
    return Screen(columns, lines, Cursor(len(box[-1]), len(box), visible=False))
