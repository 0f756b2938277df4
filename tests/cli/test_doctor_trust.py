"""`agentsup doctor` on trust: one line for each thing that a person may have to answer."""

from __future__ import annotations

import os

import pytest

from agentsup.cli.doctor import trust
from agentsup.core.trust.model import Origin, Rule
from agentsup.store.trust_record import NewEntry, Record, add, add_doubt, folder, project_key, read_record
from agentsup.store.trust_review import Answer, FileChange, Review, record_answer, review
from tests.cli.writing import WritingPlace

SCRIPT = FileChange(".agent/init.d/15-x.sh", "new", True, "", "#!/bin/sh\n")
RULE = Rule("0" * 64, "Never touch the wire format")
STRANGER = Origin("1a2b3c4", "A Stranger <stranger@example.net>")


def keys(shown: Review) -> dict[str, tuple[str, str]]:
    return {found.check: (found.level, found.key) for found in trust.judged(shown)}


def test_nothing_to_answer() -> None:
    assert keys(Review("/work")) == {
        "trust.scripts": ("ok", "doctor.trust-no-scripts"), "trust.files": ("ok", "doctor.trust-files-none"),
        "trust.hard": ("ok", "doctor.trust-hard-none"), "trust.memory": ("ok", "doctor.trust-memory-own"),
    }  # fmt: skip
    assert keys(Review("/work", scripts=(SCRIPT,), may_run=True))["trust.scripts"] == ("ok", "doctor.trust-may-run")


def test_everything_to_answer() -> None:
    shown = Review(
        "/work", scripts=(SCRIPT,), contents=(FileChange("TASK.md", "changed", False, "a", "b"),), rules=(RULE,),
        lost_rules=(RULE,), foreign=((".agent/handoff.md", STRANGER, "x"),),
    )  # fmt: skip
    assert {check: level for check, (level, _) in keys(shown).items()} == dict.fromkeys(
        ("trust.scripts", "trust.files", "trust.hard", "trust.lost", "trust.memory"), "warning"
    )


@pytest.mark.parametrize("problem", ["trust.tampered", "trust.unreadable"])
def test_a_record_that_is_void_is_a_problem(problem: str) -> None:
    assert trust.judged_record(Record(problem=problem)).level == "problem"


def test_a_record_that_ends_in_a_doubt_is_a_warning(place: WritingPlace) -> None:
    add(place.root, [NewEntry("scripts", "", "0" * 64, "allow", "terminal /dev/pts/3")])
    assert trust.judged_record(read_record(place.root)).level == "ok"
    add_doubt(folder(), project_key(place.root), 0)
    found = {each["check"]: each for each in place.run("doctor", "--json").json["findings"]}["trust.record"]
    assert (found["level"], found["key"]) == ("warning", "trust.doubted")
    assert "agentsup allow" in found["todo"]


def test_on_a_real_project(place: WritingPlace) -> None:
    place.put(".agent/init.d/15-x.sh", "#!/bin/sh\n")
    before = place.everything()
    found = {each["check"]: each for each in place.run("doctor", "--json").json["findings"]}
    assert found["trust.key"]["key"] == "doctor.trust-no-key"
    assert found["trust.record"]["key"] == "doctor.trust-no-record"
    assert found["trust.scripts"]["what"].startswith("Would run or instruct the agent")
    assert "agentsup allow" in found["trust.scripts"]["todo"]
    assert place.everything() == before
    record_answer(place.root, review(place.root), Answer(scripts=True), by="terminal /dev/pts/3")
    found = {each["check"]: each for each in place.run("doctor", "--json").json["findings"]}
    assert found["trust.scripts"]["key"] == "doctor.trust-may-run"
    assert found["trust.record"]["key"] == "doctor.trust-record"
    key = next((place.home / ".local/share/agentsup/trust").glob("key"))
    os.chmod(key, 0o644)
    found = {each["check"]: each for each in place.run("doctor", "--json").json["findings"]}
    assert (found["trust.key"]["level"], found["trust.key"]["values"]["mode"]) == ("warning", "0644")
