"""What is compared of a text: neither blanks, nor what shows nothing, nor how an accent is put on its letter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.text import squeezed


def test_what_screens_and_agents_change_makes_no_difference() -> None:
    assert squeezed("cafe\u0301 \u200enoir\n\t\u2028x") == squeezed("caf\u00e9noir x") == "caf\u00e9noirx"
    assert squeezed("caf\u00e9") != squeezed("cafe")


@given(st.text())
def test_what_is_squeezed_stays_so(text: str) -> None:
    assert squeezed(squeezed(text)) == squeezed(text)
