"""A witness: what nobody announced does not count, whoever wrote it and however well."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.trust.model import Entry, Verdict
from agentsup.core.trust.witness import Judgement, judged


def entry(number: int, verdict: Verdict = "allow", key: str = "") -> Entry:
    return Entry(number, 0.0, "scripts" if verdict != "doubt" else "seen", key, "sha", verdict, "x")


def chain(*entries: Entry) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    return entries, tuple(f"m{each.number}" for each in entries)


def test_a_record_without_entries_is_known_as_such() -> None:
    assert judged((), (), "", set()) == Judgement("")


def test_what_was_announced_counts() -> None:
    assert judged(*chain(entry(1), entry(2)), "m1", {"m2"}) == Judgement("m2")


def test_what_was_not_announced_is_doubted_from_the_first_such_entry_on() -> None:
    assert judged(*chain(entry(1), entry(2), entry(3)), "m1", {"m3"}) == Judgement("m1", 1, forged=("m2",))


def test_the_first_entry_of_all_can_be_doubted() -> None:
    assert judged(*chain(entry(1)), "", set()) == Judgement("", 0, forged=("m1",))


def test_a_taking_back_that_nobody_announced_is_doubted_as_well() -> None:
    assert judged(*chain(entry(1), entry(2, "deny")), "m1", set()) == Judgement("m1", 1, forged=("m2",))


def test_a_doubt_settles_what_stands_before_it_and_does_not_hide_it() -> None:
    assert judged(*chain(entry(1), entry(2), entry(3, "doubt", "1")), "m1", set()) == Judgement("m3", forged=("m2",))


def test_a_doubt_of_less_settles_only_that() -> None:
    record = chain(entry(1), entry(2), entry(3), entry(4, "doubt", "2"))
    assert judged(*record, "m1", set()) == Judgement("m1", 1, forged=("m2", "m3"))


def test_a_doubt_settles_nothing_that_comes_after_it() -> None:
    record = chain(entry(1), entry(2, "doubt", "1"), entry(3))
    assert judged(*record, "m1", set()) == Judgement("m2", 2, forged=("m3",))


def test_a_record_that_lost_what_was_known_is_doubted_as_a_whole() -> None:
    assert judged(*chain(entry(1)), "m2", set()) == Judgement("m2", 0, lost=True, forged=("m1",))
    assert judged(*chain(entry(1), entry(2)), "gone", {"m2"}) == Judgement("gone", 0, lost=True, forged=("m1",))
    assert judged((), (), "m2", set()) == Judgement("m2", 0, lost=True)


def test_a_record_that_a_person_has_begun_anew_counts() -> None:
    assert judged(*chain(entry(1), entry(2)), "gone", {"m1", "m2"}) == Judgement("m2", lost=True)


def test_a_doubt_of_everything_settles_a_record_that_was_lost_and_hides_nothing() -> None:
    assert judged(*chain(entry(1), entry(2, "doubt", "0")), "gone", set()) == Judgement("m2", lost=True)
    assert judged(*chain(entry(1), entry(2, "doubt", "1")), "gone", set()).doubt == 0


def test_a_doubt_of_what_was_known_or_announced_is_forged() -> None:
    record = chain(entry(1), entry(2), entry(3, "doubt", "0"))
    assert judged(*record, "m2", set()) == Judgement("m3", forged=("m3",))
    assert judged(*record, "m1", {"m2"}) == Judgement("m3", forged=("m3",))
    denied = chain(entry(1), entry(2, "deny"), entry(3, "doubt", "1"))
    assert judged(*denied, "m2", set()) == Judgement("m3", forged=("m3",))


def test_a_doubt_of_our_own_or_of_another_host_with_a_reason_is_not_forged() -> None:
    record = chain(entry(1), entry(2), entry(3), entry(4, "doubt", "1"))
    assert judged(*record, "m1", {"m3", "m4"}) == Judgement("m4", forged=("m2",))
    again = chain(entry(1), entry(2), entry(3, "doubt", "1"), entry(4, "doubt", "1"))
    assert judged(*again, "m3", set()) == Judgement("m4")


@given(
    st.lists(st.tuples(st.sampled_from(["allow", "deny", "doubt"]), st.booleans(), st.integers(0, 12)), max_size=12),
    st.integers(0, 12),
)
def test_no_entry_counts_that_was_neither_announced_nor_doubted(
    rows: list[tuple[Verdict, bool, int]], known: int
) -> None:
    entries = [entry(n, verdict, str(key)) for n, (verdict, _, key) in enumerate(rows, 1)]
    macs = [f"m{n}" for n in range(1, len(rows) + 1)]
    announced = {mac for mac, (_, told, _) in zip(macs, rows, strict=True) if told}
    known = min(known, len(rows))
    judgement = judged(entries, macs, f"m{known}" if known else "", announced)
    at = macs.index(judgement.head) + 1 if judgement.head else 0
    for each in entries[known:at]:
        doubted = any(
            later.verdict == "doubt" and later.number > each.number > int(later.key) for later in entries[known:]
        )
        assert each.verdict == "doubt" or f"m{each.number}" in announced or doubted
    assert (judgement.doubt is None) == (at == len(entries))
