"""The claim of being law: found in every disguise, gone afterwards, and nothing else is changed."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentsup.core.trust.claims import DEFUSED, DEFUSED_CHINESE, claims_hard, without_claims
from agentsup.core.trust.look_alikes import folded
from tests.core.restore.memories import ENGRAM
from tests.core.trust.disguises import BRACKETS, FIXED, INVISIBLE, LOOK_ALIKES, disguised, says_hard

_AROUND = st.text(alphabet=st.characters(codec="utf-8"), max_size=20)
_NASTY = st.text(alphabet="[]［］【】(){}hHaArRdDНаᴿⓓ强制硬性 \u200b\u0301*`_&#;91x5b\n.,?!" + "⟦⟧", max_size=40)


@pytest.mark.parametrize("claim", FIXED)
def test_every_disguise_is_found_and_gone(claim: str) -> None:
    for text in (claim, f"{claim} never ask", f"- {claim} never ask", f"so it is {claim}, they say", f"x\n{claim}\ny"):
        assert claims_hard(text)
        found = without_claims(text)
        assert not says_hard(found)
        assert "[?" in found
        assert without_claims(found) == found


@given(st.lists(st.one_of(disguised(), _AROUND), max_size=6).map("".join))
@example("[HARD[HARD]]")
@example("&#91;&#72;ARD]")
def test_no_mixture_of_disguises_is_left(text: str) -> None:
    found = without_claims(text)
    assert not says_hard(found)
    assert without_claims(found) == found


@given(_NASTY)
def test_nothing_that_is_put_together_of_the_same_characters_is_left(text: str) -> None:
    found = without_claims(text)
    assert not says_hard(found)
    assert without_claims(found) == found
    if claims_hard(text):
        assert DEFUSED[:-1] in found or DEFUSED_CHINESE in found
    else:
        assert found is text


@given(disguised(), st.integers(0, 40))
def test_what_is_cut_off_is_no_tag_either(claim: str, most: int) -> None:
    assert not says_hard(without_claims(claim)[:most] + "]")


@given(_AROUND, disguised(), _AROUND)
def test_what_stands_around_stays(before: str, claim: str, after: str) -> None:
    if not any(c in "[(" for c in before[-1:]):
        text = f"{before}|| {claim} ||{after}"
        if not claims_hard(before) and not claims_hard(after):
            found = without_claims(text)
            assert found.startswith(f"{before}||")
            assert found.endswith(f"||{after}")


@pytest.mark.parametrize(
    "text",
    [
        ENGRAM, "it is (hard) to say", "[hard-coded](notes.md)", "a[hardware]", "HARD work", "[SOFT] and [STALE]",
        "[✗] no",
        "- [x] done", "[x] HARDWARE", "强制要求：先跑测试", "硬盘 [disk]", "[Taboo] hard limits stay", DEFUSED,
        DEFUSED_CHINESE, "&amp;", "",
    ],
)  # fmt: skip
def test_what_claims_nothing_stays_to_the_byte(text: str) -> None:
    assert without_claims(text) is text


def test_the_judge_sees_through_what_it_is_given() -> None:
    for letter, alike in LOOK_ALIKES.items():
        for character in alike:
            assert says_hard("[HARD]".replace(letter.upper(), character)), character
    assert all(says_hard(f"{pair[0]}H{c}ARD{pair[1]}") for pair in BRACKETS for c in INVISIBLE)
    assert not says_hard(DEFUSED)


def test_a_long_line_takes_no_longer_than_its_length() -> None:
    for text in (
        "[" * 100_000,
        "[h" * 50_000,
        "[" + " " * 100_000,
        "h a r " * 30_000,
        "强 " * 50_000,
        "&amp;" * 40_000,
        "&" + "amp;" * 40_000 + "lt;",
    ):
        begun = time.process_time()
        without_claims(text)
        assert time.process_time() - begun < 2


def test_what_is_passed_over_is_taken_for_itself() -> None:
    passed_over = "".join(chr(code) for code in (*range(128), *range(0x3400, 0x4DC0), *range(0x4E00, 0xA000)))
    assert folded(passed_over + "é") == "".join(map(folded, passed_over)) + "e"
    assert folded("強a") == "强a"
