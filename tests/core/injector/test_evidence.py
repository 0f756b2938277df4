"""What a screen or a log has to show: all of our text, and nothing else counts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agentsup.core import injector as inj
from agentsup.core.text import sanitise, squeezed
from tests.core.injector.given import TEXT

PRINT = inj.print_of("abc123", TEXT)


@pytest.mark.parametrize(
    ("recorded", "arrival"),
    [
        (TEXT, "whole"),
        (f"SessionStart hook additional context: {TEXT}", "whole"),
        (f"<pasted>\r\n{TEXT}</pasted>", "whole"),
        (f"{TEXT}and my own words", "merged"),
        (f"<pasted>\r\n{TEXT}</pasted> and my own words", "merged"),
        (f"{TEXT}{TEXT}", "whole"),
        (TEXT.replace("\n", "\r\n"), "whole"),
        (f"abc123 is the one\n{TEXT}", "whole"),
        (TEXT[:-40], "cut"),
        (TEXT.replace("memory\n", "m\n", 1), "cut"),
        (TEXT.partition("\n")[0], "cut"),
        ("what was abc123?", "no"),
        ("why does agentsup say that abc123 is held?", "no"),
        (f"it said:\n{TEXT[:-40]}", "no"),
        ("Restored from disk by agentsup (restore abc124).", "no"),
        ("", "no"),
    ],
)
def test_arrived_is_all_of_the_text_wherever_it_stands(recorded: str, arrival: str) -> None:
    assert inj.arrived(recorded, PRINT) == arrival


@given(st.text(max_size=300), st.text(max_size=30), st.text(max_size=30))
def test_what_stands_before_a_text_does_not_matter_and_what_stands_behind_does(
    text: str, before: str, after: str
) -> None:
    ours = f"agentsup restore abc123\n{text}"
    assume("<" not in after)  # the end of a mark that the agent has put around it
    alone = not squeezed(sanitise(after))
    arrival = inj.arrived(f"{before}\n{ours}\n{after}", inj.print_of("abc123", ours))
    assert arrival == ("whole" if alone else "merged")


@given(st.text(max_size=300), st.integers(0, 400))
def test_a_text_that_lost_a_visible_character_has_not_arrived(text: str, place: int) -> None:
    ours = f"agentsup restore abc123\n{text}"
    lost = ours[: place % len(ours)] + ours[place % len(ours) + 1 :]
    if squeezed(sanitise(ours)) not in squeezed(sanitise(lost)):
        assert inj.arrived(lost, inj.print_of("abc123", ours)) != "whole"


@given(st.text(max_size=400), st.text(max_size=400))
def test_shown_text_is_never_taken_for_another(ours: str, other: str) -> None:
    if squeezed(ours) != squeezed(other):
        assert not inj.shows(inj.Composer("text", other), inj.one_paste(ours))


def test_a_placeholder_stands_for_what_was_pasted_and_its_lead_for_itself() -> None:
    typing = inj.Typing(b"", lead="agentsup: follow this ", pasted="a\nb\nc")
    assert inj.shows(inj.Composer("text", "", 5, lead="agentsup: follow this"), typing)
    assert inj.shows(inj.Composer("text", "", None, pasted_lines=2, lead="agentsup: follow this"), typing)
    assert inj.shows(inj.Composer("text", "agentsup: follow this a b c"), typing)
    for other in (
        inj.Composer("text", "", 5), inj.Composer("text", "", 4, lead="agentsup: follow this"),
        inj.Composer("text", "", None, pasted_lines=3, lead="agentsup: follow this"),
        inj.Composer("text", "agentsup: follow this"), inj.Composer("empty"),
    ):  # fmt: skip
        assert not inj.shows(other, typing)
    assert not inj.shows(inj.Composer("text", "", 0), inj.Typing(b"", lead="typed"))


def test_of_a_lead_that_scrolled_the_tail_is_enough() -> None:
    lead = "I run this under agentsup, which sends the text below for me. Do what it asks.\n"
    typing = inj.Typing(b"", lead=lead, pasted="a\nb\nc")
    tail = "sends the text below\nfor me. Do what it asks.\n"
    assert inj.shows(inj.Composer("text", "", None, scrolled=True, pasted_lines=2, lead=tail), typing)
    for other in (
        inj.Composer("text", "", None, scrolled=False, pasted_lines=2, lead=tail),
        inj.Composer("text", "", None, scrolled=True, pasted_lines=2, lead="Do what it asks.\n"),
        inj.Composer("text", "", None, scrolled=True, pasted_lines=2, lead=f"mine: {tail}"),
        inj.Composer("text", "", None, scrolled=True, pasted_lines=2, lead=""),
    ):
        assert not inj.shows(other, typing)


def test_a_tail_is_measured_in_cells_because_a_wide_character_has_two() -> None:
    typing = inj.one_paste("恢复记忆" * 100)
    shown = inj.Composer("text", "恢复记忆" * 13, scrolled=True)
    assert inj.shows(shown, typing)
    assert not inj.shows(replace(shown, text="恢复记忆" * 12), typing)
