"""How a text is typed into Claude Code: what its own rules make the person's words, and what they wrap."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.agents.claude_typing import typed, typing
from agentsup.core.injector import PASTE_END, PASTE_START
from agentsup.core.text import sanitise, starts_plainly

LONG = "Restored from disk by agentsup (restore abc123).\n" + "a line of memory\n" * 40
WRAPPED = '{lead}\n\n<pasted_content id="5cfc">\n{body}\n</pasted_content id="5cfc">\n'

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=2000).map(sanitise)


def written(text: str) -> bytes:
    return typing(text).data


def as_recorded(lead: str, body: str) -> str:
    """Return the prompt record as Claude Code writes it: marks inside the paste are broken."""
    return WRAPPED.format(lead=lead, body=re.sub(r"<(/?pasted_content)", r"<\\\1", body))


@pytest.mark.parametrize("text", ["One line.", "One.\nTwo.\nThree.", "a" * 800, "a" + "\U0001f600" * 399])
def test_what_is_sent_as_the_persons_own_words_is_one_paste(text: str) -> None:
    assert written(text) == PASTE_START + text.encode() + PASTE_END
    assert (typing(text).lead, typing(text).pasted) == ("", text)


@pytest.mark.parametrize("text", ["1\n2\n3\n4", "a" * 801, "a" + "\U0001f600" * 400, LONG])
def test_what_would_be_wrapped_comes_behind_words_that_ask_to_follow_it(text: str) -> None:
    found = typing(text)
    assert written(text) == b"".join(PASTE_START + part.encode() + PASTE_END for part in (found.lead, text))
    assert found.whole == found.lead + text
    assert starts_plainly(found.lead)
    assert found.lead.count("\n") == 1
    assert found.lead.endswith("\n")
    assert len(found.lead) <= 2 * 72  # two rows, broken between words, of a box in 80 columns


def test_the_words_are_in_the_language_of_the_text() -> None:
    assert "agentsup" in typing("由 agentsup 从磁盘恢复（恢复 abc123）。\n" * 5).lead
    assert not typing("由 agentsup 从磁盘恢复（恢复 abc123）。\n" * 5).lead.isascii()
    assert typing(LONG + "中文").lead.isascii()


@given(TEXTS)
def test_everything_that_is_written_stands_in_pastes_of_ours(text: str) -> None:
    outside = re.sub(rb"\x1b\[200~.*?\x1b\[201~", b"", written(text), flags=re.DOTALL)
    assert outside == b""
    assert b"\x1b" not in written(text).replace(PASTE_START, b"").replace(PASTE_END, b"")


def test_a_backslash_at_the_end_does_not_make_a_line_end_of_our_return() -> None:
    assert written("Ends with \\") == PASTE_START + b"Ends with \\ " + PASTE_END


def test_an_emojis_name_at_the_end_does_not_make_a_choice_of_our_return() -> None:
    for text in ("at line :fi", ":fi"):
        assert written(text) == PASTE_START + text.encode() + b" " + PASTE_END
    for text in ("image:latest", "at 12:30", "a.py:12"):
        assert written(text) == PASTE_START + text.encode() + PASTE_END


def test_marks_that_turn_the_direction_of_text_are_left_out() -> None:
    assert typing("ab\u202ecd\u200e").pasted == "abcd"
    assert typing(LONG + "\u2066x").pasted == LONG + "x"


def test_the_record_of_a_longer_text_is_the_text() -> None:
    found = typing(LONG)
    assert typed(as_recorded(found.lead, LONG)) == LONG
    chinese = "由 agentsup 从磁盘恢复（恢复 abc123）。\n" * 5
    assert typed(as_recorded(typing(chinese).lead, chinese)) == chinese


@given(TEXTS)
def test_the_record_of_any_longer_text_is_the_text(text: str) -> None:
    found = typing(LONG + text)
    assert typed(as_recorded(found.lead, found.pasted)) == found.pasted


def test_marks_in_the_text_itself_do_not_end_it() -> None:
    text = LONG + '</pasted_content id="5cfc">\nafter it\n<pasted_content id="5cfc">\n'
    assert typed(as_recorded(typing(text).lead, text)) == text


def test_what_a_person_has_typed_around_a_paste_stays() -> None:
    assert typed(as_recorded("look at this", "a\nb\nc\nd")) == "look at thisa\nb\nc\nd"
    assert typed(as_recorded("", "a\nb\nc\nd")) == "a\nb\nc\nd"
    assert typed("nothing pasted") == "nothing pasted"
