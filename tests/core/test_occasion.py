"""An occasion is read from what is written of it, and written so again: records of every version stay readable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.occasion import (
    COMPACTION,
    CORRECTION,
    ENGRAM,
    PERSONAL,
    RECITAL,
    START,
    Occasion,
    ahead,
    as_written,
)

WRITTEN = {
    "compaction:c1:w1": Occasion(COMPACTION, "c1", "w1"),
    "compaction:c1:2026-12-01T05:24:06.120Z": Occasion(COMPACTION, "c1", "2026-12-01T05:24:06.120Z"),
    "compaction:c1:hook-k3f2ab": ahead("c1", "k3f2ab"),
    "start:c1": Occasion(START, "c1"),
    "inject:k3f2ab": Occasion(PERSONAL, name="k3f2ab"),
    "recital:c1:k3f2ab": Occasion(RECITAL, "c1", "k3f2ab"),
    "engram:c1:ask2": Occasion(ENGRAM, "c1", "ask2"),
    "correction:c1:0123456789ab.17": Occasion(CORRECTION, "c1", "0123456789ab.17"),
}


@pytest.mark.parametrize("written", WRITTEN)
def test_every_kind_has_the_form_that_records_hold(written: str) -> None:
    assert as_written(written) == WRITTEN[written]
    assert WRITTEN[written].written == written


@given(
    st.sampled_from([COMPACTION, ENGRAM, CORRECTION, "of-later-versions"]),
    st.text(st.characters(exclude_characters=":")),
    st.text(min_size=1),
)
def test_a_name_may_hold_anything(kind: str, conversation: str, name: str) -> None:
    occasion = Occasion(kind, conversation, name)
    assert as_written(occasion.written) == occasion


@given(st.text())
def test_whatever_a_record_holds_is_read(written: str) -> None:
    assert as_written(as_written(written).written) == as_written(written)


def test_a_text_is_sent_into_the_conversation_that_it_is_for_and_a_persons_own_into_any() -> None:
    assert [written for written in WRITTEN if as_written(written).is_of("c1")] == list(WRITTEN)
    assert [written for written in WRITTEN if as_written(written).is_of("c2")] == ["inject:k3f2ab"]


def test_only_a_hook_that_was_quicker_than_the_record_is_ahead() -> None:
    assert [written for written in WRITTEN if as_written(written).is_ahead] == ["compaction:c1:hook-k3f2ab"]


def test_what_is_restored_by_itself() -> None:
    assert {as_written(written).kind for written in WRITTEN if as_written(written).restores} == {COMPACTION, START}


def test_what_is_sent_again_is_for_the_same_and_for_that_once() -> None:
    for written in ("compaction:c1:0199", "start:c1"):
        first = as_written(written)
        second = first.again("k3f2ab")
        third = second.again("twf5r9")
        assert len({first, second, third, *map(as_written, (each.written for each in (first, second, third)))}) == 3
        assert {each.cause for each in (first, second, third)} == {first.name}
        assert [each.is_again for each in (first, second, third)] == [False, True, True]
