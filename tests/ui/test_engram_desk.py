"""What the editor reads and writes: the file, the history, the example; nobody's text is lost."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from agentsup.core.engram_reasons import REPLACED, UNSAVED
from agentsup.core.problems import Problem
from agentsup.locale import LANGUAGES, load
from agentsup.store import atomic, engram_history, examples
from agentsup.store.engram_history import history, record
from agentsup.store.examples import read_example
from agentsup.ui.engram_desk import ENGRAM, MOST, ChangedMeanwhile, Desk
from agentsup.ui.engram_view import failure
from tests.core.checks.secret_examples import example

AGENTS = "[Task] Make rounding exact\n[Progress] config work\n[Pending] fix the rest\n[Taboo] none\n"
GOOD = """\
[Task] Make invoice rounding exact in billing/rounding.py
[Progress] Wrote round_cents() in billing/rounding.py
[Pending] Ledger.close() in billing/ledger.py
[Taboo] Never change billing/tax.py, because its figures are audited
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project whose engram an agent has written."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    root = tmp_path / "shop"
    (root / ".agent").mkdir(parents=True)
    for name in ("rounding", "ledger", "tax"):
        (root / "billing").mkdir(exist_ok=True)
        (root / "billing" / f"{name}.py").write_text("")
    (root / ENGRAM).write_text(AGENTS)
    record(root, AGENTS, "agent", "its last message")
    return root


def desk(root: Path) -> Desk:
    """Return the desk of a project."""
    return Desk(str(root))


def test_a_correction_is_saved_recorded_and_taught(root: Path) -> None:
    before = desk(root).open()
    assert (before.text, before.author, before.corrects) == (AGENTS, "agent", AGENTS)
    saved = desk(root).save(GOOD, before, reason="by hand", teach=True)
    assert (root / ENGRAM).read_text() == GOOD
    assert saved.sha == hashlib.sha256(GOOD.encode()).hexdigest()
    assert (saved.is_recorded, saved.taught) == (True, "yes")
    newest = history(root)[-1]
    assert (newest.author, newest.reason, newest.text) == ("person", "by hand", GOOD)
    kept = read_example(root)
    assert kept is not None
    assert (kept.good, kept.bad) == (GOOD.strip(), AGENTS.strip())
    again = desk(root).save(f"{GOOD}[Files] billing/tax.py\n", saved.opened, teach=True)
    assert again.taught == "yes"  # the second save of one edit corrects the same agent's version


def test_an_example_that_others_write_too_does_not_undo_the_saving(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def written_by_others(*_: object) -> None:
        raise atomic.Conflict(root / "example.json", b"", None)

    monkeypatch.setattr(examples, "save_example", written_by_others)
    saved = desk(root).save(GOOD, desk(root).open(), teach=True)
    assert (saved.opened.text, saved.taught) == (GOOD, "failed")


def test_what_has_faults_of_its_own_teaches_nobody(root: Path) -> None:
    before = desk(root).open()
    assert desk(root).save(AGENTS.replace("none", "nothing"), before, teach=True).taught == "faulty"
    assert read_example(root) is None


@pytest.mark.parametrize("text", [AGENTS, f"{AGENTS}\n"])
def test_what_says_the_same_is_no_correction(root: Path, text: str) -> None:
    assert desk(root).save(text, desk(root).open(), teach=True).taught == ""


def test_nothing_is_taught_unasked_or_against_a_person(root: Path) -> None:
    assert desk(root).save(GOOD, desk(root).open()).taught == ""
    persons = desk(root).open()
    assert (persons.author, persons.corrects) == ("person", "")
    assert desk(root).save(GOOD.replace("Wrote", "Tested"), persons, teach=True).taught == ""
    assert read_example(root) is None


def test_a_file_that_others_changed_is_left_alone(root: Path) -> None:
    before = desk(root).open()
    (root / ENGRAM).write_text("[Task] other\n")
    with pytest.raises(ChangedMeanwhile) as changed:
        desk(root).save(GOOD, before)
    assert (root / ENGRAM).read_text() == "[Task] other\n"
    theirs = changed.value.theirs
    assert (theirs.text, theirs.author) == ("[Task] other\n", None)
    desk(root).take_over(theirs)
    desk(root).save(GOOD, theirs)
    assert [(version.author, version.reason) for version in history(root)[-2:]] == [
        ("found", REPLACED), ("person", ""),
    ]  # fmt: skip
    assert (root / ENGRAM).read_text() == GOOD


def test_a_change_in_the_last_moment_is_one_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = desk(root).open()
    write = engram_history.write_engram_file

    def written(*arguments: object) -> object:
        (root / ENGRAM).write_text("[Task] other\n")
        return write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(engram_history, "write_engram_file", written)
    with pytest.raises(ChangedMeanwhile):
        desk(root).save(GOOD, before)
    assert (root / ENGRAM).read_text() == "[Task] other\n"
    assert not list(engram_history.project_folder(root).glob("*conflict*"))


def test_a_project_without_an_engram_gets_one(root: Path) -> None:
    (root / ENGRAM).unlink()
    (root / ENGRAM).parent.rmdir()
    before = desk(root).open()
    assert before.text is None
    desk(root).save(GOOD, before)
    assert (root / ENGRAM).read_text() == GOOD


@pytest.mark.parametrize(
    ("data", "key"),
    [(b"[Task] \xff\n", "editor.not-text"), (b"x" * (MOST + 1), "editor.too-large"),
     ("\ufeff[Task] a".encode("utf-16-le"), "editor.not-utf8")],
)  # fmt: skip
def test_what_can_not_be_edited_is_told(root: Path, data: bytes, key: str) -> None:
    (root / ENGRAM).write_bytes(data)
    with pytest.raises(Problem) as problem:
        desk(root).open()
    assert problem.value.key == key
    assert (root / ENGRAM).read_bytes() == data


def test_a_link_is_not_followed(root: Path) -> None:
    (root / ENGRAM).unlink()
    (root / "secret").write_text("x")
    (root / ENGRAM).symlink_to(root / "secret")
    with pytest.raises(atomic.UnsafeFile):
        desk(root).open()
    assert (root / "secret").read_text() == "x"


@pytest.mark.parametrize("text", ["", "no tag here\n"])
def test_what_is_no_engram_is_not_saved(root: Path, text: str) -> None:
    with pytest.raises(Problem) as problem:
        desk(root).save(text, desk(root).open())
    assert problem.value.key == "editor.no-block"
    assert (root / ENGRAM).read_text() == AGENTS


def test_what_nobody_could_read_again_is_not_saved(root: Path) -> None:
    before = desk(root).open()
    assert desk(root).save(f"[Task] {'x' * (MOST - 8)}\n", before).opened.text
    with pytest.raises(Problem) as problem:
        desk(root).save(f"[Task] {'余' * (MOST // 3)}\n", desk(root).open())
    assert problem.value.key == "editor.too-long"
    assert (root / ENGRAM).stat().st_size == MOST


@pytest.mark.parametrize(
    ("number", "key"),
    [(errno.EACCES, "editor.read-only"), (errno.EROFS, "editor.read-only"), (errno.ENOSPC, "editor.disk-full")],
)
def test_what_keeps_a_text_from_being_written_is_told(
    root: Path, monkeypatch: pytest.MonkeyPatch, number: int, key: str
) -> None:
    def fails(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(engram_history, "write_engram_file", fails)
    with pytest.raises(Problem) as problem:
        desk(root).save(GOOD, desk(root).open())
    assert (problem.value.key, problem.value.values["reason"]) == (key, os.strerror(number))
    for language in LANGUAGES:
        said = failure(problem.value, load(language)).plain
        assert ENGRAM in said
        assert "agentsup doctor" not in said


def test_a_history_that_can_not_be_written_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(engram_history, "record", full)
    saved = desk(root).save(GOOD, desk(root).open())
    assert not saved.is_recorded
    assert (root / ENGRAM).read_text() == GOOD


def test_an_unsaved_text_stays_in_the_history_and_is_told_until_its_person_saves(root: Path) -> None:
    assert not desk(root).has_unsaved()
    secret = example("github")
    desk(root).keep_unsaved(f"[Task] half {secret.text}\n")
    assert desk(root).has_unsaved()
    first = desk(root).versions()[0]
    assert (first.author, first.reason) == ("person", UNSAVED)
    assert first.text.startswith("[Task] half ")
    assert not secret.is_seen_in(first.text)
    newer = AGENTS.replace("none", "never")
    engram_history.write_engram_file(root, newer, desk(root).open().token, "agent")
    assert desk(root).has_unsaved()
    desk(root).save(GOOD, desk(root).open())
    assert not desk(root).has_unsaved()
    assert [version.text for version in desk(root).versions()] == [GOOD, newer, first.text, AGENTS]


def test_what_was_not_saved_is_never_taken_for_what_the_file_says(root: Path) -> None:
    before = desk(root).open()
    desk(root).keep_unsaved(GOOD)
    assert desk(root).open() == before
    desk(root).save(GOOD, before)
    assert [version.reason for version in desk(root).versions()] == ["", UNSAVED, "its last message"]


def test_findings_know_the_project_and_who_wrote(root: Path) -> None:
    text = f"{AGENTS}[Files] billing/gone.py\n"
    found = {finding.code: finding.severity for finding in desk(root).check(text, is_agents=True)}
    assert found["engram.file-missing"] == "warning"
    assert found["engram.vague"] == "error"
    assert {each.code: each.severity for each in desk(root).check(text, is_agents=False)}["engram.vague"] == "warning"
    assert atomic.read(root / ENGRAM, beneath=root).data == AGENTS.encode()
