"""What is law: what a person has approved, to the letter, and nothing that a file says of itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.memory.decisions import Decision, read_decisions
from agentsup.core.trust.model import Rule
from agentsup.core.trust.rules import Standing, is_claim, judged, rule_digest, rule_of

KEEP = "## Keep the store\n- reason: customers read it\n- confidence: [HARD] user\n"
SPARE = "## Use tabs\n- reason: habit\n- confidence: [SOFT] agent\n"
REDIS = "## Use Redis\n- reason: one more server\n- confidence: [HARD] user\n- status: rejected\n"

_TEXTS = st.text(max_size=20)


def decisions(text: str) -> tuple[Decision, ...]:
    return read_decisions(text).decisions


def rules(text: str) -> tuple[Rule, ...]:
    return tuple(rule_of(decision) for decision in decisions(text) if is_claim(decision))


def standings(text: str, approved: str) -> list[tuple[str, Standing]]:
    return [(each.decision.title, each.standing) for each in judged(decisions(text), rules(approved))]


def test_what_was_approved_is_law_and_another_claim_is_void() -> None:
    found = judged(decisions(KEEP + SPARE + REDIS), rules(KEEP))
    assert [(each.decision.title, each.decision.trust, each.standing, each.is_law) for each in found] == [
        ("Keep the store", "HARD", "approved", True),
        ("Use tabs", "SOFT", "free", False),
        ("Use Redis", "TENTATIVE", "void", False),
    ]


def test_without_an_approval_nothing_is_law() -> None:
    assert not any(each.is_law or each.decision.trust == "HARD" for each in judged(decisions(KEEP + REDIS), ()))


@pytest.mark.parametrize(
    ("file", "standing"),
    [
        (KEEP, "approved"),
        (KEEP.replace("[HARD]", "【强制】"), "approved"),
        (KEEP.replace("customers", "nobody"), "changed"),
        (KEEP.replace("Keep the store", "keep  THE store"), "changed"),
        (KEEP.replace("[HARD]", "[SOFT]"), "changed"),
        (KEEP.replace("[HARD]", "[STALE]"), "changed"),
        (KEEP + "- status: stale\n- by: whatever\n", "changed"),
        (KEEP + "- status: rejected\n", "changed"),
        (KEEP.replace("- confidence: [HARD] user\n", ""), "changed"),
        (SPARE, "lost"),
        ("", "lost"),
    ],
)
def test_an_approved_rule_is_law_whatever_the_file_says(file: str, standing: Standing) -> None:
    found = [each for each in judged(decisions(file), rules(KEEP)) if each.is_law]
    assert [
        (each.decision.title, each.decision.reason, each.decision.trust, each.decision.status) for each in found
    ] == [("Keep the store", "customers read it", "HARD", "active")]
    assert found[0].standing == standing


def test_of_a_rule_under_its_id_with_other_words_only_what_was_approved_is_restored() -> None:
    renamed = "## Drop the store\n- id: d-keep\n- confidence: [HARD] user\n"
    held = replace(rules(KEEP)[0], id="d-keep")
    assert [(each.decision.title, each.standing) for each in judged(decisions(renamed), (held,))] == [
        ("Keep the store", "changed")
    ]


def test_a_copy_of_an_approved_rule_s_name_takes_nothing_from_it() -> None:
    forged = KEEP.replace("customers read it", "nobody reads it")
    assert standings(KEEP + forged, KEEP) == [("Keep the store", "approved"), ("Keep the store", "void")]
    assert standings(forged + KEEP, KEEP) == [("Keep the store", "void"), ("Keep the store", "approved")]


def test_a_rejected_alternative_counts_the_same() -> None:
    assert standings(REDIS, REDIS) == [("Use Redis", "approved")]
    active = REDIS.replace("- status: rejected\n", "")
    assert [(each.decision.status, each.standing) for each in judged(decisions(active), rules(REDIS))] == [
        ("rejected", "changed")
    ]
    assert standings("", REDIS) == [("Use Redis", "lost")]
    assert not rules("## Use Redis\n- status: stale\n- confidence: [HARD] user\n")


def test_a_secret_is_no_part_of_what_is_approved() -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    shown = Decision("Never print the token", f"it is {token}")
    hidden = Decision("Never print the token", "it is [secret removed: GitHub token]")
    assert rule_digest(shown) == rule_digest(hidden)


@given(_TEXTS, _TEXTS, st.booleans(), _TEXTS, _TEXTS, st.booleans())
def test_two_rules_have_one_digest_only_if_they_say_the_same(
    title: str, reason: str, rejects: bool, other_title: str, other_reason: str, other_rejects: bool
) -> None:
    def digest(title: str, reason: str, rejects: bool) -> str:
        return rule_digest(Decision(title, reason, "HARD", status="rejected" if rejects else "active"))

    same = (title, reason, rejects) == (other_title, other_reason, other_rejects)
    assert (digest(title, reason, rejects) == digest(other_title, other_reason, other_rejects)) == same
    assert digest(title + reason, "", rejects) != digest(title, reason, rejects) or not reason


def test_two_rules_of_one_title_are_both_law_though_the_file_has_only_one() -> None:
    other = KEEP.replace("customers read it", "the law wants it")
    assert standings(KEEP, KEEP + other) == [("Keep the store", "approved"), ("Keep the store", "lost")]


@given(
    st.lists(
        st.sampled_from(
            [
                KEEP,
                SPARE,
                REDIS,
                KEEP.replace("HARD", "SOFT"),
                SPARE.replace("SOFT", "HARD"),
                KEEP.replace("customers", "nobody"),
                REDIS.replace("- status: rejected\n", ""),
            ]
        ),
        max_size=6,
    ),
    st.sampled_from([KEEP, REDIS, KEEP + REDIS, KEEP + KEEP.replace("customers", "nobody")]),
)
def test_every_approved_rule_is_restored_and_nothing_else_is_law(file: list[str], approved: str) -> None:
    held = rules(approved)
    found = judged(decisions("".join(file)), held)
    assert {rule.digest for rule in held} == {each.rule.digest for each in found if each.rule}
    for each in found:
        if each.is_law:
            assert rule_digest(each.decision) in {rule.digest for rule in held}
        else:
            assert each.decision.trust != "HARD"
