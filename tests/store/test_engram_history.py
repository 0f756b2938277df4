"""Every version of an engram is kept in the user's folder, whoever wrote it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentsup.core.engram_intake import Knowledge
from agentsup.core.engram_reasons import REFUSED, REPLACED, SEEN, STAYS, restored
from agentsup.store import atomic
from agentsup.store.atomic import Conflict, read, token_of
from agentsup.store.engram_history import (
    Author,
    confirm,
    history,
    keep_unwritten,
    last_sent,
    project_folder,
    record,
    record_found,
    restore,
    save_sent,
    standing,
    write_engram_file,
)
from tests.core.checks.secret_examples import NAMES, example


def test_versions_are_kept_with_who_when_and_why(root: Path, home: Mapping[str, str]) -> None:
    assert history(root, home) == ()
    one = record(root, "[Task] 一\n", "agent", "turn end", environment=home)
    two = record(root, "[Task] two\n", "person", "edited", environment=home)
    assert history(root, home) == (one, two)
    assert (one.author, one.reason, one.text) == ("agent", "turn end", "[Task] 一\n")
    assert 0 <= two.time - one.time < 60
    assert one.sha != two.sha


def test_the_same_text_twice_in_a_row_is_one_version(root: Path, home: Mapping[str, str]) -> None:
    one = record(root, "a", "agent", environment=home)
    assert record(root, "a", "person", environment=home) == one
    record(root, "b", "agent", environment=home)
    record(root, "a", "agent", environment=home)
    assert [version.text for version in history(root, home)] == ["a", "b", "a"]


def test_who_knows_whose_it_is_adds_what_was_only_found(root: Path, home: Mapping[str, str]) -> None:
    record(root, "a", "found", environment=home)
    record(root, "a", "found", environment=home)
    record(root, "a", "person", environment=home)
    record(root, "a", "found", environment=home)
    assert [version.author for version in history(root, home)] == ["found", "person"]


E = "[Task] Make a() faster.\n[Taboo] c.py: shared\n"
STASHED = Knowledge(moved=101.0)


def test_what_the_file_has_had_before_is_told_as_that(root: Path, home: Mapping[str, str]) -> None:
    one = record(root, E, "agent", environment=home)
    record(root, "two", "agent", environment=home)
    again = record_found(root, E, 100.0, Knowledge(), home)
    assert (again.author, again.reason) == ("found", restored(one.sha))
    assert record_found(root, E, 100.0, STASHED, home).author == "agent"  # the log tells of it only now
    assert [version.author for version in history(root, home)] == ["agent", "agent", "found", "agent"]


@pytest.mark.parametrize("who", ["person", "found"])
def test_a_git_command_of_the_agents_brings_no_other_text_back_as_its_own(
    root: Path, home: Mapping[str, str], who: Author
) -> None:
    record(root, E, who, environment=home)
    record(root, "two", "agent", environment=home)
    assert record_found(root, E, 100.0, STASHED, home).author == "found"
    assert record_found(root, "three", 100.0, STASHED, home).author == "found"


@pytest.mark.parametrize("who", ["person", "found"])
def test_nor_one_of_its_own_over_a_text_of_somebody_elses(root: Path, home: Mapping[str, str], who: Author) -> None:
    record(root, E, "agent", environment=home)
    record(root, "two", who, environment=home)
    assert record_found(root, E, 100.0, STASHED, home).author == "found"


@pytest.mark.parametrize("reason", ["the file was changed", SEEN, REPLACED])
def test_what_older_histories_conclude_to_be_a_persons_was_only_found(
    root: Path, home: Mapping[str, str], reason: str
) -> None:
    record(root, "a", "person", reason, environment=home)
    record(root, "b", "person", "by hand", environment=home)
    assert [version.author for version in history(root, home)] == ["found", "person"]


def test_a_torn_last_line_is_repaired(root: Path, home: Mapping[str, str]) -> None:
    record(root, "a", "agent", environment=home)
    path = project_folder(root, home) / "engram-history.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:40])
    assert record(root, "a", "agent", environment=home).text == "a"
    record(root, "b", "agent", environment=home)
    assert [version.text for version in history(root, home)] == ["a", "b"]


def test_nothing_of_it_is_in_the_project_and_all_is_private(root: Path, home: Mapping[str, str]) -> None:
    record(root, "a", "agent", environment=home)
    save_sent(root, "restored", environment=home)
    assert list(root.iterdir()) == []
    for path in [project_folder(root, home), *project_folder(root, home).rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_a_project_is_its_real_folder(root: Path, home: Mapping[str, str]) -> None:
    (root.parent / "link").symlink_to(root)
    assert project_folder(root.parent / "link", home) == project_folder(root, home)
    assert project_folder(root.parent, home) != project_folder(root, home)


def test_an_earlier_version_comes_back(root: Path, home: Mapping[str, str]) -> None:
    one = write_engram_file(root, "one", token_of(None), "agent", environment=home)
    write_engram_file(root, "two", read(root / ".agent/engram.md").token, "agent", environment=home)
    again = restore(root, one.sha[:10], environment=home)
    assert (root / ".agent/engram.md").read_text() == "one"
    assert (again.author, again.reason) == ("person", restored(one.sha))
    assert [version.text for version in history(root, home)] == ["one", "two", "one"]
    for number in range(17):  # two of them begin with the same digit
        record(root, f"text {number}", "agent", environment=home)
    digits = [version.sha[0] for version in history(root, home)[3:]]
    several = next(digit for digit in digits if digits.count(digit) > 1)
    for name in ("f" * 64, "", several):
        with pytest.raises(KeyError):
            restore(root, name, environment=home)


def test_of_two_who_write_at_once_both_texts_are_kept(root: Path, home: Mapping[str, str]) -> None:
    token = read(root / ".agent/engram.md").token
    write_engram_file(root, "theirs", token, "agent", environment=home)
    for number in (1, 2):
        with pytest.raises(Conflict) as raised:
            write_engram_file(root, f"ours {number}", token, "person", environment=home)
        kept = raised.value.kept
        assert kept == project_folder(root, home) / f"engram.md.conflict-{number}.md"
        assert kept.read_text() == f"ours {number}"
        assert (raised.value.ours, raised.value.theirs) == (f"ours {number}".encode(), b"theirs")
    assert (root / ".agent/engram.md").read_text() == "theirs"
    assert [version.text for version in history(root, home)] == ["theirs"]


def test_a_conflict_stays_one_where_the_other_text_cannot_be_saved(root: Path) -> None:
    (root.parent / "file").touch()
    (root / ".agent").mkdir()
    atomic.replace(root / ".agent/engram.md", b"theirs", token_of(None))
    with pytest.raises(Conflict) as raised:
        write_engram_file(
            root, "ours", token_of(None), "person", environment={"XDG_DATA_HOME": str(root.parent / "file")}
        )
    assert raised.value.kept is None


def test_reading_makes_nothing(root: Path, home: Mapping[str, str]) -> None:
    assert (history(root, home), last_sent(root, home)) == ((), None)
    assert not Path(home["XDG_DATA_HOME"]).exists()


def test_the_text_sent_last_is_remembered(root: Path, home: Mapping[str, str]) -> None:
    assert last_sent(root, home) is None
    save_sent(root, "first", environment=home)
    save_sent(root, "第二", environment=home)
    assert last_sent(root, home) == "第二"


def test_no_version_has_a_secret(root: Path, home: Mapping[str, str]) -> None:
    for name in NAMES:
        secret = example(name)
        version = record(root, f"[Task] with {secret.text}\n", "agent", f"because {secret.text}", environment=home)
        assert not secret.is_seen_in(version.text + version.reason)
        assert version.sha == hashlib.sha256(version.text.encode()).hexdigest()
        assert record(root, f"[Task] with {secret.text}\n", "person", environment=home) == version
        written = restore(root, version.sha, environment=home)
        assert (root / ".agent/engram.md").read_text() == version.text == written.text
    assert not any(example(name).is_seen_in(everything(root, home)) for name in NAMES)


def test_neither_has_what_was_kept_or_sent(root: Path, home: Mapping[str, str]) -> None:
    (root / ".agent").mkdir()
    (root / ".agent/engram.md").write_text("meanwhile")
    for name in NAMES:
        secret = example(name)
        with pytest.raises(Conflict):
            write_engram_file(root, f"[Task] with {secret.text}\n", token_of(None), "person", environment=home)
        save_sent(root, f"Restored: {secret.text}", home)
        assert not secret.is_seen_in(last_sent(root, home) or "")
        assert "[secret removed: " in (last_sent(root, home) or "")
    assert not any(example(name).is_seen_in(everything(root, home)) for name in NAMES)


def everything(root: Path, home: Mapping[str, str]) -> str:
    """Return all that was written into the person's folder for a project."""
    return "\n".join(path.read_text() for path in project_folder(root, home).rglob("*") if path.is_file())


def test_a_version_that_is_not_written_takes_the_place_of_none(root: Path, home: Mapping[str, str]) -> None:
    keep_unwritten(root, "said", "agent", REFUSED, home)
    assert [version.text for version in history(root, home)] == ["said"]
    assert standing(history(root, home)) is None
    mine = record(root, "mine", "person", "edited", home)
    for text in ("other", "other", "another", "other", "mine"):
        keep_unwritten(root, text, "agent", STAYS, home)
    versions = history(root, home)
    assert [(version.author, version.text) for version in versions] == [
        ("agent", "said"), ("person", "mine"), ("agent", "other"), ("agent", "another"),
    ]  # fmt: skip
    assert standing(versions) == mine
    assert record(root, "mine", "agent", environment=home) == mine
    assert record_found(root, "mine", mine.time, Knowledge(), home) == mine
    assert history(root, home) == versions


def test_an_engram_that_is_said_again_is_as_new_as_that(root: Path) -> None:
    (root / ".agent").mkdir()
    path = root / ".agent" / "engram.md"
    path.write_text("a")
    os.utime(path, (100.0, 100.0))
    confirm(root, 200.0)
    confirm(root, 150.0)
    assert path.stat().st_mtime == 200.0
    path.unlink()
    with pytest.raises(FileNotFoundError):
        confirm(root, 300.0)
    (root / "other").write_text("a")
    os.utime(root / "other", (100.0, 100.0))
    path.symlink_to(root / "other")
    confirm(root, 4e9)
    assert (root / "other").stat().st_mtime == 100.0
