"""The text that asks for a read-back once more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.recital import Expected
from agentsup.core.recital.correction import ITEM_MOST, SAID_MOST, Sentences, correction
from agentsup.core.text import sanitise, starts_plainly
from agentsup.core.work import is_ours
from agentsup.locale import LANGUAGES, load, restore_frame

KNOWN = Expected(("Make it exact",), ("run the suite", "tag it"), ("Don't touch tax.py", "No Redis"))


def text(language: str, said: str = "I deploy.", known: Expected = KNOWN) -> str:
    named = load(language).text
    sentences = Sentences(*(named(f"recital.{n}", id="{id}") for n in ("header", "said", "memory", "next", "silent")))
    return correction(said, known, sentences, restore_frame(language), id="k3f2qb")


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_shows_both_and_asks_again(language: str) -> None:
    frame, found = restore_frame(language), text(language)
    for part in ("I deploy.", "Make it exact", "run the suite", "Don't touch tax.py", "No Redis", frame.recite):
        assert part in found
    assert "tag it" not in found
    assert found.count("k3f2qb") == 2
    assert found.split("\n")[0].startswith("agentsup")
    assert is_ours(found.partition("\n")[0])


@given(st.text(max_size=900), st.text(max_size=500), st.sampled_from(LANGUAGES))
def test_nothing_in_it_can_be_taken_for_its_frame(said: str, item: str, language: str) -> None:
    found = text(language, said, Expected((item,), (item,), (item,)))
    lines = found.split("\n")
    assert starts_plainly(found)
    assert sanitise(found) == found
    assert lines == text(language, "x", Expected(("x",), ("x",), ("x",))).split("\n") or len(lines) == len(
        text(language, "x", Expected(("x",), ("x",), ("x",))).split("\n")
    )
    assert lines[-1] == restore_frame(language).trailer.replace("{id}", "k3f2qb")


def test_it_stays_short() -> None:
    assert len(text("en", "a" * 9_000, Expected(("b" * 9_000,)))) < SAID_MOST + ITEM_MOST + 700
