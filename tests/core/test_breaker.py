"""The breaker opens after compactions in a row with too little new work before them, and only a person closes it."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core import events as ev
from agentsup.core.breaker import Breaker, after
from agentsup.core.occasion import as_written

WINDOW = 100_000


def used(tokens: int, *, source: ev.UsageSource = "exact") -> ev.TokensReported:
    return ev.TokensReported(1.0, tokens, WINDOW, source)


def compacted(before: int | None, left: int | None = 8_000, *, time: float = 2.0) -> ev.Compacted:
    return ev.Compacted(time, "c", before, left)


def confirmed(occasion: str = "compaction:one:c") -> ev.InjectionChanged:
    return ev.InjectionChanged(3.0, "abc123", as_written(occasion), "confirmed")


def fold(*events: ev.Event, begin: Breaker | None = None) -> Breaker:
    return reduce(after, events, begin or Breaker())


LONG_WORK = (used(90_000), compacted(90_000), used(10_000))
STORM = (used(90_000), compacted(90_000), *(3 * (used(12_000), compacted(12_000))))


def test_it_opens_with_the_third_in_a_row_and_counts_what_they_burnt() -> None:
    assert not fold(*STORM[:-1]).is_open
    breaker = fold(*STORM)
    assert breaker.is_open
    assert (breaker.in_a_row, breaker.burnt) == (3, 36_000)


@pytest.mark.parametrize(("work", "counts"), [(19_999, True), (20_000, False)])
def test_what_a_restore_brought_is_no_work(work: int, counts: bool) -> None:
    before = 13_000 + work
    breaker = fold(*LONG_WORK, confirmed(), used(13_000), used(before), compacted(before))
    assert breaker.in_a_row == counts


def test_enough_work_ends_a_row() -> None:
    assert fold(*STORM[:-2], used(12_000), used(60_000), compacted(60_000)).in_a_row == 0


def test_a_compaction_with_no_request_since_the_last_one_had_no_work() -> None:
    assert fold(used(90_000), compacted(90_000, None), compacted(30_000, None)).in_a_row == 1


def test_where_nobody_knows_it_neither_counts_nor_ends_a_row() -> None:
    row = fold(*STORM[:-2])
    assert fold(ev.Compacted(2.0, "c"), begin=Breaker()).in_a_row == 0
    assert fold(compacted(None, None), compacted(None, None), begin=row).in_a_row == row.in_a_row + 1
    assert fold(used(99_000, source="estimate"), begin=row).used == row.used


def test_a_compaction_that_a_person_asked_for_neither_counts_nor_ends_a_row() -> None:
    by_hand = ev.Compacted(2.0, "c", 12_000, 8_000, "manual")
    assert fold(*(used(12_000), by_hand) * 5).in_a_row == 0
    row = fold(*STORM[:-2])
    assert fold(used(12_000), by_hand, begin=row).in_a_row == row.in_a_row
    assert fold(used(12_000), by_hand, used(12_000), compacted(12_000), begin=row).is_open


LATER = (used(12_000), compacted(12_000, time=9.0)) * 3


def test_a_person_closes_it_until_there_is_another_storm() -> None:
    closed = after(fold(*STORM), ev.BreakerReset(5.0))
    assert not closed.is_open
    assert closed.burnt == 0
    again = fold(*STORM, begin=closed)
    assert not again.is_open  # these were before
    assert fold(*LATER, begin=again).is_open


def test_what_the_log_tells_of_before_the_agent_was_started_does_not_count() -> None:
    for begin in (Breaker(), fold(*STORM), after(fold(*STORM), ev.BreakerReset(5.0))):
        history = fold(ev.AgentStarted(6.0, 1), *STORM, begin=begin)
        assert (history.in_a_row, history.burnt) == (0, 0)
        assert not fold(*LATER[:-1], begin=history).is_open
        assert fold(*LATER, begin=history).is_open


def test_what_a_person_lets_go_on_is_of_one_conversation() -> None:
    closed = fold(ev.AgentStarted(1.0, 1), *STORM, ev.BreakerReset(5.0))
    other = after(closed, ev.ConversationIdentified(6.0, "two", "/log"), same_conversation=False)
    assert fold(*STORM, begin=other).is_open


def test_another_conversation_begins_afresh_with_the_same_limits() -> None:
    breaker = fold(*STORM, begin=Breaker(5, 50))
    fresh = after(breaker, ev.ConversationIdentified(4.0, "two", "/log"), same_conversation=False)
    assert (fresh.most, fresh.percent, fresh.in_a_row) == (5, 50, 0)


@given(st.lists(st.integers(8_000, 28_000).filter(lambda tokens: tokens - 8_000 < 20_000), min_size=3, max_size=9))
def test_any_storm_opens_it(before: list[int]) -> None:
    events = [event for tokens in before for event in (used(tokens), compacted(tokens))]
    assert fold(*LONG_WORK[:2], *events).is_open


@pytest.mark.parametrize(
    ("limit", "work", "counts"),
    [
        (None, 19_999, True),
        (95_000, 19_999, True),
        (95_000, 20_000, False),
        (20_000, 7_999, True),
        (20_000, 8_000, False),
    ],
)
def test_where_the_agent_compacts_early_less_is_enough(limit: int | None, work: int, counts: bool) -> None:
    before = 10_000 + work
    breaker = fold(ev.CompactionLimitKnown(0.5, limit), *LONG_WORK, used(before), compacted(before))
    assert breaker.in_a_row == counts


def test_where_nobody_knows_the_window_what_it_compacted_at_stands_for_it() -> None:
    storm = [event for _ in range(4) for event in (ev.TokensReported(1.0, 150_000, None), compacted(160_000, 150_000))]
    assert fold(*storm).is_open
    healthy = [event for _ in range(4) for event in (ev.TokensReported(1.0, 20_000, None), compacted(160_000, 15_000))]
    assert fold(*healthy).in_a_row == 0


def test_a_restore_that_comes_late_takes_no_work_away() -> None:
    long_turn = (used(10_000), used(75_000), confirmed(), used(80_000), used(90_000), compacted(90_000))
    assert fold(*LONG_WORK, *long_turn).in_a_row == 0
