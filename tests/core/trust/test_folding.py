"""The last word on each thing counts, and what a host doubts counts for nothing."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.trust.folding import counted, fold, rule_text, witnessed_only
from agentsup.core.trust.model import Accepted, Approvals, Entry, Rule, Subject, Verdict

RULE = Rule("d1", "Keep the parser", 'it is "ours"\nand works', rejected=True, id="keep-the-parser")
TEXTS = {"t1": "first", "t2": "second", "r1": rule_text(RULE)}


def entries(*rows: tuple[Subject, str, str, Verdict, str] | tuple[Subject, str, str, Verdict, str, str]) -> list[Entry]:
    """Return entries of subject, key, sha, verdict, text and, where it is not a person, who."""
    return [
        Entry(number, 0.0, row[0], row[1], row[2], row[3], row[5] if len(row) == 6 else "terminal", row[4])
        for number, row in enumerate(rows, 1)
    ]


def test_nothing_approves_nothing() -> None:
    assert fold([], TEXTS.get) == Approvals()


def test_the_last_word_on_the_scripts_counts() -> None:
    allowed = entries(("scripts", "", "m1", "allow", ""), ("scripts", "", "m2", "allow", ""))
    assert fold(allowed, TEXTS.get).scripts == "m2"
    denied = entries(("scripts", "", "m1", "allow", ""), ("scripts", "", "m1", "deny", ""))
    assert fold(denied, TEXTS.get).scripts == ""


def test_rules_stand_in_the_order_of_their_approval_and_fall_one_by_one() -> None:
    other = Rule("d0", "Other")
    texts = {**TEXTS, "r0": rule_text(other)}
    rows: list[tuple[Subject, str, str, Verdict, str]] = [
        ("rule", "d1", "d1", "allow", "r1"), ("rule", "d0", "d0", "allow", "r0"),
    ]  # fmt: skip
    assert fold(entries(*rows), texts.get).rules == (RULE, other)
    assert fold(entries(*rows, ("rule", "d1", "d1", "deny", "")), texts.get).rules == (other,)


def test_what_needs_a_text_and_has_none_is_not_approved() -> None:
    lost = entries(
        ("rule", "d1", "d1", "allow", "gone"), ("rule", "d2", "d2", "allow", ""), ("rule", "d3", "d3", "allow", "t1"),
        ("content", "a", "s1", "allow", "gone"), ("content", "b", "s2", "allow", ""),
    )  # fmt: skip
    assert fold(lost, TEXTS.get) == Approvals(answered=True, begun=True)


def test_a_file_is_held_to_what_was_accepted_last() -> None:
    rows = entries(
        ("content", "b", "s1", "allow", "t1"), ("content", "a", "s2", "allow", "t2"),
        ("content", "b", "s2", "allow", "t2"),
        ("content", "c", "missing", "allow", ""), ("content", "a", "s2", "deny", ""),
    )  # fmt: skip
    assert fold(rows, TEXTS.get).contents == (Accepted("b", "s2", "second"), Accepted("c", "missing", None))


def test_only_a_person_answers() -> None:
    found = entries(("content", "a", "missing", "allow", "", "found"), ("history", "", "c1", "allow", "", "found"))
    accepted = (Accepted("a", "missing", None),)
    assert fold(found, TEXTS.get) == Approvals(contents=accepted, commit="c1", begun=True)
    seen = [*found, Entry(3, 0.0, "seen", "", "c2", "allow", "interface"), Entry(4, 0.0, "seen", "", "", "allow", "x")]
    held = fold(seen, TEXTS.get)
    assert (held.answered, held.seen, held.commit) == (True, "c2", "c1")


def test_a_doubted_approval_is_void_and_nothing_older_comes_back() -> None:
    rows = entries(
        ("scripts", "", "m1", "allow", ""), ("rule", "d1", "d1", "allow", "r1"), ("content", "a", "s1", "allow", "t1"),
        ("scripts", "", "m2", "allow", ""), ("content", "a", "s2", "allow", "t2"),
        ("seen", "3", "", "doubt", "", "host"),
        ("history", "", "c1", "allow", ""),
    )  # fmt: skip
    held = fold(rows, TEXTS.get)
    assert (held.scripts, held.contents) == ("", ())
    assert (held.rules, held.commit) == ((RULE,), "c1")
    approved = [*rows, Entry(8, 0.0, "scripts", "", "m1", "allow", "interface")]
    assert fold(approved, TEXTS.get).scripts == "m1"


def test_a_denial_is_never_doubted_away_and_a_doubt_neither() -> None:
    denied: list[tuple[Subject, str, str, Verdict, str]] = [
        ("scripts", "", "m1", "allow", ""), ("rule", "d1", "d1", "allow", "r1"), ("scripts", "", "m1", "deny", ""),
        ("rule", "d1", "d1", "deny", ""),
    ]  # fmt: skip
    forged = entries(*denied, ("seen", "2", "", "doubt", ""))
    assert fold(forged, TEXTS.get) == replace(fold(entries(*denied), TEXTS.get), answered=True)
    assert fold(forged, TEXTS.get).rules == ()
    rows = entries(
        ("scripts", "", "m1", "allow", ""), ("scripts", "", "forged", "allow", ""), ("seen", "1", "", "doubt", ""),
        ("seen", "2", "", "doubt", ""),
    )  # fmt: skip
    assert fold(rows, TEXTS.get).scripts == ""
    assert [(entry.number, entry.verdict) for entry in counted(rows)] == [(1, "allow"), (2, "deny")]


def test_what_was_seen_is_forgotten_with_a_doubt() -> None:
    rows = entries(("seen", "", "c1", "allow", ""), ("seen", "", "c2", "allow", ""), ("seen", "1", "", "doubt", ""))
    assert fold(rows, TEXTS.get).seen == ""
    assert fold(rows[:2], TEXTS.get).seen == "c2"


def test_of_a_record_with_gaps_only_what_is_doubted_is() -> None:
    rows = entries(
        ("scripts", "", "m1", "allow", ""), ("seen", "", "", "allow", ""), ("scripts", "", "m2", "allow", "")
    )
    assert fold([rows[0], rows[2]], TEXTS.get).scripts == "m2"


def test_a_doubt_without_a_number_doubts_everything_before_it() -> None:
    rows = entries(("scripts", "", "m1", "allow", ""), ("seen", "two", "", "doubt", ""), ("seen", "", "", "allow", ""))
    assert fold(rows, TEXTS.get) == Approvals(answered=True, begun=True)


def test_a_host_alone_has_not_answered() -> None:
    assert fold(entries(("seen", "0", "", "doubt", "", "host")), TEXTS.get) == Approvals(begun=True)
    forged = entries(("scripts", "", "m1", "allow", ""), ("seen", "0", "", "doubt", "", "host"))
    assert fold(forged, TEXTS.get) == Approvals(begun=True)


def test_a_witness_stands_for_what_it_found_and_what_was_announced() -> None:
    rows = entries(*[("scripts", "", f"m{number}", "allow", "") for number in range(1, 6)])
    macs = ["a", "b", "c", "d", "e"]

    def numbers(*witnessed: str) -> list[int] | None:
        found = witnessed_only(rows, macs, witnessed)
        return None if found is None else [entry.number for entry in found]

    assert numbers("b") == [1, 2]
    assert numbers("b", "d") == [1, 2, 4]
    assert numbers(*macs) == [1, 2, 3, 4, 5]
    assert numbers("x") is None
    assert numbers() is None
    assert witnessed_only([], [], ()) == ()
    assert witnessed_only([], [], ("a",)) is None


KEYS = st.sampled_from(["", "a", "b", "1", "3", "x"])
ROWS = st.tuples(
    st.sampled_from(get_args(Subject)),
    KEYS,
    KEYS,
    st.sampled_from(get_args(Verdict)),
    st.sampled_from(["", "t1", "r1"]),
)


@given(st.lists(ROWS, max_size=12))
def test_no_sequence_approves_more_than_was_allowed(rows: list[tuple[Subject, str, str, Verdict, str]]) -> None:
    made = entries(*rows)
    held = fold(made, TEXTS.get)
    allowed = {(entry.subject, entry.key, entry.sha) for entry in made if entry.verdict == "allow"}
    assert not held.scripts or any(subject == "scripts" and sha == held.scripts for subject, _, sha in allowed)
    assert not held.commit or any(subject == "history" and sha == held.commit for subject, _, sha in allowed)
    assert {("rule", rule.digest) for rule in held.rules} <= {(subject, key) for subject, key, _ in allowed}
    assert {("content", each.path, each.sha) for each in held.contents} <= allowed
    assert held.problem == ""


@given(st.lists(ROWS, max_size=12))
def test_a_denial_of_everything_and_a_doubt_of_everything_leave_nothing(
    rows: list[tuple[Subject, str, str, Verdict, str]],
) -> None:
    made = entries(*rows)
    denials = [(entry.subject, entry.key, entry.sha, "deny", "") for entry in made if entry.verdict == "allow"]
    denied = fold(entries(*rows, *denials), TEXTS.get)  # type: ignore[arg-type]
    assert (denied.scripts, denied.rules, denied.contents, denied.commit) == ("", (), (), "")
    assert fold(entries(*rows, ("seen", "0", "", "doubt", "", "host")), TEXTS.get) == Approvals(begun=True)


@given(st.lists(ROWS, max_size=12), st.integers(0, 12))
def test_a_doubt_more_never_approves_more(rows: list[tuple[Subject, str, str, Verdict, str]], after: int) -> None:
    before, doubted = (
        fold(entries(*rows), TEXTS.get),
        fold(entries(*rows, ("seen", str(after), "", "doubt", "")), TEXTS.get),
    )
    assert doubted.scripts in ("", before.scripts)
    assert doubted.commit in ("", before.commit)
    assert doubted.seen in ("", before.seen)
    assert set(doubted.rules) <= set(before.rules)
    assert set(doubted.contents) <= set(before.contents)


@given(st.builds(Rule, st.just("d"), st.text(min_size=1), st.text(), st.booleans(), st.text()))
def test_a_rule_comes_back_as_it_was(rule: Rule) -> None:
    text = rule_text(rule)
    sha = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    assert fold(entries(("rule", "d", "d", "allow", sha)), {sha: text}.get).rules == (rule,)
