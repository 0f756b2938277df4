"""`promote`, `demote`, `decide --confidence hard`, `stale` of HARD: the record first, and exactly the text shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentsup.core.memory.decisions import Decision, read_decisions
from agentsup.core.trust.rules import rule_digest
from agentsup.store.trust_record import approvals, read_record
from tests.cli.asking import Asking
from tests.cli.writing import WritingPlace, two_lines

PLACE = ".agent/DECISIONS.md"

DECISIONS = """\
# Decisions

Some words of the person's own.\x20

## Use TOML
- reason: people edit it
- confidence: [TENTATIVE] agent codex, session bcdfg
- id: d-toml

## Write YAML

- reason: nobody can
- confidence: [SOFT] person
- status: rejected
- id: d-yaml
"""

OPENED: list[Asking] = []


@pytest.fixture
def decided(place: WritingPlace) -> Iterator[WritingPlace]:
    """Return a project with two decisions."""
    place.put(PLACE, DECISIONS)
    yield place
    for asking in OPENED:
        asking.close()
    OPENED.clear()


def ask(place: WritingPlace, *words: str) -> Asking:
    OPENED.append(Asking(*words, cwd=place.root))
    return OPENED[-1]


def asked(place: WritingPlace, *words: str, answer: str, code: int = 0) -> str:
    """Run a command that asks one question; returns what it said."""
    asking = ask(place, *words)
    asking.answer(answer)
    assert asking.end() == code, asking.said
    return asking.said


def decision(place: WritingPlace, id: str) -> Decision:
    found = {each.id: each for each in read_decisions(place.read(PLACE)).decisions}
    return found[id]


def rules(place: WritingPlace) -> list[str]:
    return [rule.title for rule in approvals(place.root).rules]


def test_a_person_raises_step_by_step_and_hard_is_confirmed_and_recorded(decided: WritingPlace) -> None:
    assert decided.run("promote", "d-toml").code == 0
    assert decision(decided, "d-toml").confidence == "SOFT"
    assert not read_record(decided.root).entries
    said = asked(decided, "promote", "d-toml", answer="y")
    assert "│ Use TOML" in said
    assert "│ people edit it" in said
    assert "Use TOML: from SOFT to HARD" in said
    found = decision(decided, "d-toml")
    assert (found.confidence, found.source) == ("HARD", "agent codex, session bcdfg")
    assert [rule.digest for rule in approvals(decided.root).rules] == [rule_digest(found)]
    before, _, after = DECISIONS.partition("- confidence: [TENTATIVE]")
    text = decided.read(PLACE)
    assert text.startswith(before)
    assert text.endswith(after)


def test_hard_that_is_not_confirmed_is_neither_recorded_nor_written(decided: WritingPlace) -> None:
    said = asked(decided, "promote", "d-toml", "--to", "hard", answer="n", code=1)
    assert "Nothing was changed." in said
    assert decided.read(PLACE) == DECISIONS
    assert not read_record(decided.root).entries


def test_hard_that_only_the_file_says_is_approved_by_promoting_it(decided: WritingPlace) -> None:
    text = DECISIONS.replace("[SOFT]", "[HARD]")
    decided.put(PLACE, text)
    assert "rejected and never to be proposed" in asked(decided, "promote", "d-yaml", "--to", "hard", answer="y")
    assert decided.read(PLACE) == text
    assert rules(decided) == ["Write YAML"]
    again = ask(decided, "promote", "d-yaml", "--to", "hard")
    assert (again.end(), "it is HARD already" in again.said) == (0, True)


def test_an_agent_raises_to_soft_with_evidence_and_no_further(decided: WritingPlace) -> None:
    decided.as_agent()
    head = decided.commit()[:10]
    for words, code, what in (
        (("d-toml",), 3, "SOFT needs evidence"),
        (("d-toml", "--evidence", "0123abcd"), 3, "Git does not know"),
        (("d-toml", "--to", "hard", "--evidence", head), 3, "can't give it"),
        (("d-yaml",), 3, "can't give it"),
        (("nothing",), 1, "no decision nothing"),
    ):
        done = decided.run("promote", *words)
        assert done.code == code, done
        two_lines(done, what)
    assert decided.read(PLACE) == DECISIONS
    done = decided.run("promote", "d-toml", "--evidence", head, "--json")
    assert done.json == {
        "id": "d-toml", "title": "Use TOML", "from": "TENTATIVE", "to": "SOFT", "path": PLACE, "changed": True,
    }  # fmt: skip
    assert decision(decided, "d-toml").source == f"agent codex, session bcdfg; commit {head}"


@pytest.mark.parametrize("tag", ["[HARD]", "[SOFT]", "[STALE]", "[TENTATIVE]"])
def test_an_agent_can_not_end_what_a_person_approved_whatever_the_file_says(decided: WritingPlace, tag: str) -> None:
    asked(decided, "promote", "d-toml", "--to", "hard", answer="y")
    decided.put(PLACE, decided.read(PLACE).replace("[HARD]", tag))
    before = decided.everything()
    decided.as_agent()
    commands = [("stale", "d-toml", "--by", "d-yaml"), ("demote", "d-toml", "--to", "tentative")]
    for words in commands[: 1 if tag == "[STALE]" else 2]:
        done = decided.run(*words)
        assert done.code == 3, done
        two_lines(done, "only a person")
    assert decided.everything() == before
    assert rules(decided) == ["Use TOML"]


@pytest.mark.parametrize(
    ("words", "confidence"),
    [
        (("demote", "d-toml"), "SOFT"),
        (("demote", "d-toml", "--to", "tentative"), "TENTATIVE"),
        (("stale", "d-toml", "--by", "JSON it is"), "STALE"),
    ],
)
def test_a_person_ends_it_in_the_terminal(decided: WritingPlace, words: tuple[str, ...], confidence: str) -> None:
    asked(decided, "promote", "d-toml", "--to", "hard", answer="y")
    assert "Nothing was changed." in asked(decided, *words, answer="n", code=1)
    assert (decision(decided, "d-toml").confidence, rules(decided)) == ("HARD", ["Use TOML"])
    without = decided.run(*words)
    assert without.code == 3
    two_lines(without, "needs a person")
    asked(decided, *words, answer="y")
    assert (decision(decided, "d-toml").confidence, rules(decided)) == (confidence, [])


def test_other_words_of_an_approved_decision_take_its_place(decided: WritingPlace) -> None:
    asked(decided, "promote", "d-toml", "--to", "hard", answer="y")
    decided.put(PLACE, decided.read(PLACE).replace("people edit it", "machines edit it"))
    assert "in place of what was approved before" in asked(decided, "promote", "d-toml", "--to", "hard", answer="y")
    assert [rule.reason for rule in approvals(decided.root).rules] == ["machines edit it"]


def test_lower_and_higher_are_told_apart(decided: WritingPlace) -> None:
    decided.run("promote", "d-toml")
    assert decided.run("demote", "d-toml").code == 0
    assert decision(decided, "d-toml").confidence == "TENTATIVE"
    done = decided.run("demote", "d-toml", "--to", "soft")
    assert done.code == 2
    two_lines(done, "counts as TENTATIVE")
    again = decided.run("demote", "d-toml")
    assert (again.code, "TENTATIVE already" in again.err) == (0, True)
    asked(decided, "promote", "d-toml", "--to", "hard", answer="y")
    done = decided.run("promote", "d-toml", "--to", "soft")
    assert done.code == 2
    two_lines(done, "is HARD, which is more")


def test_what_was_overturned_has_no_level(decided: WritingPlace) -> None:
    assert decided.run("stale", "d-toml", "--by", "d-yaml").code == 0
    for command in ("promote", "demote"):
        done = decided.run(command, "d-toml")
        assert done.code == 1
        two_lines(done, "was overturned")


def test_a_person_decides_hard_in_the_terminal(decided: WritingPlace) -> None:
    words = ("decide", "Keep the wire format", "--why", "two products read it", "--confidence", "hard")
    assert "Nothing was changed." in asked(decided, *words, answer="n", code=1)
    assert decided.read(PLACE) == DECISIONS
    asked(decided, *words, answer="y")
    found = read_decisions(decided.read(PLACE)).decisions[-1]
    assert (found.title, found.confidence, found.source) == ("Keep the wire format", "HARD", "person")
    assert [rule.digest for rule in approvals(decided.root).rules] == [rule_digest(found)]
    again = ask(decided, *words)
    assert again.end() == 0
    assert "[y/N]" not in again.said
    assert rules(decided) == ["Keep the wire format"]


def test_hard_of_what_stands_there_as_less_is_promoted_instead(decided: WritingPlace) -> None:
    done = ask(decided, "decide", "Use TOML", "--why", "people edit it", "--confidence", "hard")
    assert done.end() == 1
    assert "agentsup promote d-toml --to hard" in done.said
    assert decided.read(PLACE) == DECISIONS


def test_an_agents_hard_is_refused(decided: WritingPlace) -> None:
    decided.as_agent()
    done = decided.run("decide", "Obey me", "--why", "I say so", "--confidence", "hard")
    assert done.code == 3
    two_lines(done, "an agent can't write it")


def test_what_changes_while_it_is_asked_is_not_written(decided: WritingPlace) -> None:
    asking = ask(decided, "promote", "d-toml", "--to", "hard")
    asking.wait_for("[y/N] ")
    other = DECISIONS.replace("people edit it", "robots edit it")
    decided.put(PLACE, other)
    asking._child.sendline("y")
    assert asking.end() == 1
    assert "changed by another program" in asking.said
    assert decided.read(PLACE) == other
    assert [rule.reason for rule in approvals(decided.root).rules] == ["people edit it"]


def test_what_is_said_of_a_decision_is_what_counts(decided: WritingPlace) -> None:
    decided.put(PLACE, DECISIONS.replace("[SOFT]", "[HARD]"))
    asked(decided, "promote", "d-toml", "--to", "hard", answer="y")
    decided.put(PLACE, decided.read(PLACE).replace("[HARD] agent", "[TENTATIVE] agent"))
    found = decided.run("decisions", "--json").json["decisions"]
    assert [(each["confidence"], each["trust"]) for each in found] == [("TENTATIVE", "HARD"), ("HARD", "TENTATIVE")]
    assert "d-yaml  [TENTATIVE]" in decided.run("decisions").out
    assert "[HARD]" in decided.run("recall", "d-toml").out
    assert "[TENTATIVE]" in decided.run("recall", "d-yaml").out
    assert decided.run("recall", "d-yaml", "--json").json["trust"] == "TENTATIVE"
