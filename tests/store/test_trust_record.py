"""A record of approvals that was changed by anybody but its writer is void; what is left to a witness is said here."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentsup.core.problems import Problem, RefusedProblem
from agentsup.core.trust.folding import rule_text
from agentsup.core.trust.model import Accepted, Approvals, Rule
from agentsup.store import trust_chain, trust_key, trust_looking
from agentsup.store.engram_history import project_folder
from agentsup.store.folders import data_path
from agentsup.store.locks import locked
from agentsup.store.trust_record import (
    NewEntry,
    Record,
    add,
    add_doubt,
    approvals,
    folder,
    project_key,
    read_record,
    read_records,
)

RULE = Rule("d1", "Keep the parser", "ours")
ALLOW = NewEntry("scripts", "", "m1", "allow", "terminal /dev/pts/3", "[]")
MORE = (
    NewEntry("rule", RULE.digest, RULE.digest, "allow", "interface", rule_text(RULE)),
    NewEntry("content", ".agent/TASK.md", "s1", "allow", "interface", "# Task\n"),
    NewEntry("history", "", "c1", "allow", "interface"),
)
HELD = Approvals(
    scripts="m1",
    rules=(RULE,),
    contents=(Accepted(".agent/TASK.md", "s1", "# Task\n"),),
    commit="c1",
    answered=True,
    begun=True,
)
DENY = NewEntry("scripts", "", "m1", "deny", "interface")


class Place:
    """A data folder and two projects."""

    def __init__(self, base: Path) -> None:
        self.environment = {"XDG_DATA_HOME": str(base / "data")}
        self.root, self.other = base / "project", base / "other"
        self.root.mkdir()
        self.other.mkdir()
        self.folder = folder(self.environment)
        self.name = project_key(self.root)
        self.record = self.folder / f"{self.name}.jsonl"
        self.heads = self.folder / "heads.json"
        self.key = self.folder / "key"

    def add(self, *new: NewEntry, root: Path | None = None) -> Record:
        return add(root or self.root, new, environment=self.environment)

    def read(self) -> Record:
        return read_record(self.root, self.environment)

    def approvals(self, witnessed: tuple[str, ...] | None = None) -> Approvals:
        return approvals(self.root, witnessed=witnessed, environment=self.environment)

    def texts(self) -> list[Path]:
        return sorted((self.folder / self.name).iterdir())

    def filled(self) -> Place:
        """Return it with two groups of entries here and one in the other project."""
        self.add(ALLOW)
        self.add(NewEntry("scripts", "", "m0", "allow", "interface"), root=self.other)
        self.add(*MORE)
        return self


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_what_was_added_is_read_again_and_holds(place: Place) -> None:
    assert place.approvals() == Approvals()
    assert place.read() == Record()
    assert not data_path(place.environment).exists(), "reading makes nothing"
    place.filled()
    record = place.read()
    assert [entry.number for entry in record.entries] == [1, 2, 3, 4]
    assert record.head == record.macs[-1]
    assert place.approvals() == HELD
    assert set(read_records(place.folder)) == {place.name, project_key(place.other)}
    assert read_records(place.folder)[place.name] == record


def test_adding_nothing_writes_nothing(place: Place) -> None:
    assert place.add() == Record()
    assert not place.folder.exists()


def test_a_project_is_its_real_path(place: Place, tmp_path: Path) -> None:
    place.filled()
    (tmp_path / "link").symlink_to(place.root)
    assert approvals(tmp_path / "link", environment=place.environment) == HELD


def test_everything_is_the_persons_alone_whatever_the_umask(place: Place) -> None:
    before = os.umask(0)
    try:
        place.filled()
    finally:
        os.umask(before)
    modes = {path.stat().st_mode & 0o777 for path in place.folder.rglob("*") if path.is_file()}
    assert modes == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (place.folder, place.folder / place.name)} == {0o700}


def test_secrets_are_not_stored(place: Place) -> None:
    secret = "ghp_" + "A1b2C3d4E5f6" * 3
    place.add(replace(MORE[1], text=f"token {secret}\n"))
    assert all(secret.encode() not in path.read_bytes() for path in place.folder.rglob("*") if path.is_file())
    assert "secret removed" in (place.approvals().contents[0].text or "")


def test_announced_before_it_is_written_and_not_written_after_a_no(place: Place) -> None:
    told: list[tuple[tuple[str, ...], bool]] = []

    def announce(macs: tuple[str, ...]) -> bool:
        told.append((macs, place.record.exists()))
        return len(told) == 1

    first = add(place.root, [ALLOW], announce=announce, environment=place.environment)
    assert told == [(first.macs, False)]
    with pytest.raises(RefusedProblem) as refused:
        add(place.root, MORE, announce=announce, environment=place.environment)
    assert refused.value.key == "guard.agent"
    assert place.read() == first


# What somebody changes: each gets a place with records, and leaves one in which nothing may count.


def _edit(path: Path, change: Callable[[bytes], bytes]) -> None:
    data = path.read_bytes()
    changed = change(data)
    assert changed != data
    path.write_bytes(changed)


def _lines(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[Place], None]:
    return lambda place: _edit(place.record, lambda data: b"".join(change(data.splitlines(keepends=True))))


def _forged(key: bytes, place: Place) -> bytes:
    """Return a well-formed line that follows from the last one."""
    entry = replace(place.read().entries[0], number=5, sha="forged")
    (line,) = trust_chain.sealed(key, place.name, [entry], previous=place.read().head, counter=9)
    return trust_chain.encode_lines([line])


def _foreign_line(place: Place) -> None:
    other = (place.folder / f"{project_key(place.other)}.jsonl").read_bytes()
    place.record.write_bytes(other)


def _wrong_mac(place: Place) -> None:
    place.record.write_bytes(place.record.read_bytes() + _forged(b"x" * 32, place))


def _other_place(make: Callable[[Path], object], name: str) -> Callable[[Place], None]:
    def change(place: Place) -> None:
        path: Path = getattr(place, name)
        path.rename(path.with_name(f"{path.name}-away"))
        make(path)

    return change


def _link(path: Path) -> None:
    path.symlink_to(f"{path.name}-away")


def _swapped_texts(place: Place) -> None:
    one, other, *_ = place.texts()
    one.rename(one.with_name("x"))
    other.rename(one)
    one.with_name("x").rename(other)


def _older_heads(place: Place) -> None:
    before = place.heads.read_bytes()
    place.add(ALLOW)
    place.add(ALLOW)
    place.heads.write_bytes(before)


def _older_record(place: Place) -> None:
    before = place.record.read_bytes()
    place.add(DENY)
    place.record.write_bytes(before)


def _older_record_without_heads(place: Place) -> None:
    _lines(lambda lines: lines[:1])(place)
    place.heads.unlink()


def _all_of_the_project_removed(place: Place) -> None:
    place.record.unlink()
    shutil.rmtree(place.folder / place.name)


def _record_and_heads_removed(place: Place) -> None:
    place.record.unlink()
    place.heads.unlink()


TAMPERINGS: Mapping[str, Callable[[Place], object]] = {
    "another verdict": _lines(lambda lines: [lines[0].replace(b"allow", b"deny "), *lines[1:]]),
    "another digest": _lines(lambda lines: [lines[0].replace(b'"m1"', b'"m2"'), *lines[1:]]),
    "a blank more": _lines(lambda lines: [lines[0].replace(b":1,", b": 1,"), *lines[1:]]),
    "an unknown field": _lines(lambda lines: [lines[0].replace(b"{", b'{"x":1,', 1), *lines[1:]]),
    "a line gone at the end": _lines(lambda lines: lines[:-1]),
    "a line gone in between": _lines(lambda lines: [lines[0], *lines[2:]]),
    "a line gone at the beginning": _lines(lambda lines: lines[1:]),
    "lines in another order": _lines(lambda lines: [lines[0], lines[2], lines[1], lines[3]]),
    "a line twice": _lines(lambda lines: [*lines, lines[-1]]),
    "the last line torn": _lines(lambda lines: [*lines[:-1], lines[-1][:-1]]),
    "a torn line more": _lines(lambda lines: [*lines, lines[-1][:20]]),
    "an empty line more": _lines(lambda lines: [*lines, b"\n"]),
    "an empty file": _lines(lambda lines: []),
    "no JSON": _lines(lambda lines: [b"\xff\n", *lines]),
    "nested deeply": _lines(lambda lines: [b"[" * 100_000 + b"\n", *lines]),
    "another project's lines": _foreign_line,
    "a line with a wrong MAC": _wrong_mac,
    "an older record": _older_record,
    "older heads": _older_heads,
    "an older record without heads": _older_record_without_heads,
    "no record": lambda place: place.record.unlink(),
    "no heads": lambda place: place.heads.unlink(),
    "no key": lambda place: place.key.unlink(),
    "nothing of the project": _all_of_the_project_removed,
    "record and heads gone": _record_and_heads_removed,
    "another key": lambda place: _edit(place.key, lambda data: bytes([data[0] ^ 1]) + data[1:]),
    "a short key": lambda place: _edit(place.key, lambda data: data[:-1]),
    "a long key": lambda place: _edit(place.key, lambda data: data + b"\n"),
    "garbled heads": lambda place: _edit(place.heads, lambda data: data[:-5]),
    "another counter in the heads": lambda place: _edit(
        place.heads, lambda data: data.replace(b'{"counter":', b'{"counter":1', 1)
    ),
    "a text gone": lambda place: place.texts()[0].unlink(),
    "a text changed": lambda place: _edit(place.texts()[0], lambda data: data + b" "),
    "texts swapped": _swapped_texts,
    "a link for the record": _other_place(_link, "record"),
    "a link for the heads": _other_place(_link, "heads"),
    "a link for the key": _other_place(_link, "key"),
    "a link for the folder": _other_place(_link, "folder"),
    "a FIFO for the record": _other_place(os.mkfifo, "record"),
    "a FIFO for the heads": _other_place(os.mkfifo, "heads"),
    "a FIFO for the key": _other_place(os.mkfifo, "key"),
    "a folder for the record": _other_place(Path.mkdir, "record"),
    "a folder for the key": _other_place(Path.mkdir, "key"),
    "a file for the folder": _other_place(Path.touch, "folder"),
}


UNUSABLE = {
    "a link for the key", "a FIFO for the key", "a folder for the key", "a short key", "a long key",
    "a link for the folder", "a file for the folder",
}  # fmt: skip
"""After these nothing can be written either, until a person looks at it."""


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_record_that_was_tampered_with_approves_nothing(place: Place, name: str) -> None:
    assert place.filled().approvals() == HELD
    TAMPERINGS[name](place)
    held = place.approvals()
    assert held.problem in ("trust.tampered", "trust.unreadable")
    assert held == Approvals(problem=held.problem)


@pytest.mark.parametrize("name", TAMPERINGS)
def test_the_next_approval_begins_anew_or_says_why_it_can_not(place: Place, name: str) -> None:
    TAMPERINGS[name](place.filled())
    is_void = bool(place.read().problem)
    if name in UNUSABLE:
        with pytest.raises(Problem) as problem:
            place.add(DENY)
        assert problem.value.key in ("trust.key-unsafe", "folder.foreign", "folder.unusable")
        assert place.approvals() == Approvals(problem="trust.unreadable")
        return
    place.add(DENY, replace(ALLOW, sha="m7"))
    held = place.approvals()
    if is_void:
        assert held == Approvals(scripts="m7", answered=True, begun=True)
        assert [entry.number for entry in place.read().entries] == [1, 2]
    else:  # only a text was lost, which a sound record still names
        assert [entry.number for entry in place.read().entries] == [1, 2, 3, 4, 5, 6]


def test_what_was_tampered_with_is_kept_aside(place: Place) -> None:
    for number in (1, 2):
        place.filled() if number == 1 else place.add(ALLOW)
        _edit(place.record, lambda data: data + b"x")
        tampered = place.record.read_bytes()
        place.add(ALLOW)
        assert place.record.with_name(f"{place.record.name}.tampered-{number}").read_bytes() == tampered
    assert read_record(place.other, place.environment).problem == "", "the others' records are sound"


def test_an_edited_byte_anywhere_is_noticed(place: Place) -> None:
    place.filled()
    for path in (place.record, place.heads, place.key, *place.texts()):
        data = path.read_bytes()
        for at in range(0, len(data), 1 if len(data) < 100 else 7):
            for flipped in (data[at] ^ 1, data[at] ^ 0x20):
                path.write_bytes(data[:at] + bytes([flipped]) + data[at + 1 :])
                assert place.approvals() == Approvals(problem="trust.tampered"), (path.name, at)
        path.write_bytes(data)
    assert place.approvals() == HELD


# What only a witness notices.


def test_an_older_copy_of_record_and_heads_together_is_noticed_by_a_witness_only(place: Place) -> None:
    place.filled()
    record, heads = place.record.read_bytes(), place.heads.read_bytes()
    head = place.add(DENY).head
    assert place.approvals().scripts == ""
    place.record.write_bytes(record)
    place.heads.write_bytes(heads)
    assert place.approvals() == HELD
    assert place.approvals(witnessed=(head,)) == Approvals(problem="trust.tampered")


def test_older_heads_are_noticed_where_another_record_is_newer(place: Place) -> None:
    place.filled()
    record, heads = place.record.read_bytes(), place.heads.read_bytes()
    place.add(DENY)
    place.add(DENY, root=place.other)
    place.record.write_bytes(record)
    place.heads.write_bytes(heads)
    assert place.approvals() == HELD
    assert read_record(place.other, place.environment).problem == "trust.tampered"


def test_a_line_written_with_the_right_key_counts_without_a_witness_only(place: Place) -> None:
    known = place.filled().read().head
    forged = replace(ALLOW, sha="forged")
    place.add(forged)  # whoever has the key can do what we do
    assert place.approvals().scripts == "forged"
    assert place.approvals(witnessed=(known,)) == HELD
    person = place.add(NewEntry("history", "", "c2", "allow", "interface"))
    assert place.approvals(witnessed=(known, person.head)) == replace(HELD, commit="c2")
    assert place.approvals(witnessed=()) == Approvals(problem="trust.tampered")
    assert place.approvals(witnessed=("0" * 64,)) == Approvals(problem="trust.tampered")


def test_a_doubt_takes_the_forged_line_back_for_everybody(place: Place) -> None:
    place.filled()
    place.add(replace(ALLOW, sha="forged"))
    record = add_doubt(place.folder, place.name, 4)
    assert (record.entries[-1].verdict, record.entries[-1].by) == ("doubt", "host")
    assert place.approvals() == replace(HELD, scripts="")


def test_a_doubt_of_another_record_than_the_one_that_is_there_is_not_written(place: Place) -> None:
    place.filled()
    seen = place.read().head
    assert add_doubt(place.folder, place.name, 0, head="0" * 64) == place.read()
    assert add_doubt(place.folder, place.name, 0, head="") == place.read()
    assert place.approvals() == HELD
    place.add(ALLOW)
    add_doubt(place.folder, place.name, 4, head=seen)
    assert place.approvals() == replace(HELD, scripts="")


def test_a_doubt_begins_a_record_that_is_void_or_gone(place: Place) -> None:
    place.filled()
    assert add_doubt(place.folder, place.name, 0, head="") == place.read(), "it is neither"
    _edit(place.record, lambda data: data + b"x")
    assert [entry.verdict for entry in add_doubt(place.folder, place.name, 0, head="").entries] == ["doubt"]
    shutil.rmtree(place.folder)
    assert [entry.verdict for entry in add_doubt(place.folder, place.name, 0, head="").entries] == ["doubt"]
    assert place.read().problem == ""
    assert place.approvals() == Approvals(begun=True)


def test_a_record_that_was_taken_away_is_void_and_not_new(place: Place) -> None:
    place.filled()
    shutil.rmtree(place.folder)
    assert place.read() == Record(problem="trust.tampered")
    assert place.approvals() == Approvals(problem="trust.tampered")
    assert not place.folder.exists(), "reading makes nothing"
    place.add(ALLOW)
    assert place.approvals() == Approvals(scripts="m1", answered=True, begun=True)
    marker = project_folder(place.root, place.environment) / "trust-begun"
    assert marker.stat().st_mode & 0o777 == 0o600


def test_a_record_of_more_than_a_megabyte_is_void_and_not_even_parsed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = place.filled().record.read_bytes().splitlines(keepends=True)[0]
    place.record.write_bytes(line * (1 + (1 << 20) // len(line)))
    monkeypatch.setattr(trust_looking, "chain", lambda *values: pytest.fail("parsed"))
    monkeypatch.setattr(trust_chain, "chain", lambda *values: pytest.fail("parsed"))
    assert place.read() == Record(problem="trust.tampered")
    monkeypatch.undo()
    monkeypatch.setattr(trust_looking, "chain", lambda key, name, data: () if len(data) < 9999 else pytest.fail("read"))
    assert read_records(place.folder)[place.name] == Record(problem="trust.tampered")


def test_all_records_are_read_alike_one_by_one_and_together(place: Place) -> None:
    looking = trust_looking.Records(place.folder, seconds=60)
    for _ in range(2):
        place.add(ALLOW)
        place.add(DENY, root=place.other)
        found = looking.read(("0" * 32,))
        assert found == {
            "0" * 32: Record(), place.name: place.read(),
            project_key(place.other): read_record(place.other, place.environment),
        }  # fmt: skip
    _edit(place.heads, lambda data: data + b"x")
    assert {record.problem for record in looking.read(()).values()} == {"trust.tampered"}


def test_what_is_the_same_is_not_read_again_and_what_was_changed_in_place_is(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.filled()
    looking = trust_looking.Records(place.folder, seconds=60)
    first = looking.read(())
    parsed: list[str] = []
    real = trust_chain.chain

    def parse(key: bytes, name: str, data: bytes) -> tuple[trust_chain.Line, ...] | None:
        parsed.append(name)
        return real(key, name, data)

    monkeypatch.setattr(trust_looking, "chain", parse)
    assert looking.read(()) == first
    assert parsed == []
    status = place.record.stat()
    data = place.record.read_bytes()
    place.record.write_bytes(data.replace(b"m1", b"m2"))
    os.utime(place.record, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert looking.read(())[place.name] == Record(problem="trust.tampered")
    assert parsed == [place.name]


def test_of_too_many_records_the_wanted_ones_are_read_first(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.filled()
    monkeypatch.setattr(trust_looking, "RECORDS_MOST", 3)
    for number in range(9):
        (place.folder / f"{number:032x}.jsonl").write_text("x\n")
    found = trust_looking.Records(place.folder, seconds=60).read((place.name,))
    assert (len(found), found[place.name]) == (3, place.read())
    monkeypatch.setattr(trust_looking, "TOTAL_MOST", place.record.stat().st_size)
    assert list(trust_looking.Records(place.folder, seconds=60).read((place.name,))) == [place.name]


def test_what_there_is_no_time_for_is_read_the_next_time(place: Place) -> None:
    place.filled()
    looking = trust_looking.Records(place.folder, seconds=0)
    assert list(looking.read((place.name,))) == [place.name]
    assert not looking.complete
    assert len(looking.read((place.name,))) == 2
    assert looking.complete


def test_who_looks_at_all_records_never_waits_for_the_lock(place: Place) -> None:
    _edit(place.filled().record, lambda data: data + b"x")
    with locked(place.folder):
        begun = time.monotonic()
        for _ in range(20):
            assert trust_looking.Records(place.folder, seconds=60).read(())[place.name].problem
        assert time.monotonic() - begun < 4


# Writers that end in between, and several at once.


def test_heads_that_are_one_writing_behind_count_and_are_mended(place: Place) -> None:
    place.add(ALLOW)
    heads = place.heads.read_bytes()
    place.add(*MORE)
    place.heads.write_bytes(heads)  # killed after the record, before the heads
    assert place.approvals() == HELD
    place.add(NewEntry("history", "", "c2", "allow", "interface"))
    assert place.approvals() == replace(HELD, commit="c2")
    place.heads.write_bytes(heads)
    assert place.approvals().problem == "trust.tampered", "two behind: that was no writer"


def test_heads_that_are_behind_count_after_another_projects_writing(place: Place) -> None:
    place.add(ALLOW)
    heads = place.heads.read_bytes()
    place.add(*MORE)
    place.heads.write_bytes(heads)
    place.add(ALLOW, root=place.other)
    assert place.approvals() == HELD


def test_a_writer_that_ended_before_the_first_line_leaves_nothing_wrong(place: Place) -> None:
    place.add(ALLOW, root=place.other)
    heads = place.heads.read_bytes()
    key = trust_key.key(place.environment, make=False)
    assert key is not None
    known = trust_chain.read_heads(key, heads)
    assert known is not None
    registered = {**known.heads, place.name: trust_chain.Head()}
    place.heads.write_bytes(trust_chain.encode_heads(key, known.counter + 1, registered))
    assert place.read() == Record()
    place.filled()
    assert place.approvals() == HELD


ADDING = """
import sys
from pathlib import Path
from agentsup.store.trust_record import NewEntry, add
for number in range(int(sys.argv[2])):
    add(Path(sys.argv[1]), [NewEntry("history", "", f"{sys.argv[3]}-{number}", "allow", "test")] * 2)
    print(number, flush=True)
"""


def _adding(place: Place, count: int, name: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", ADDING, str(place.root), str(count), name]
    return subprocess.Popen(command, env={**os.environ, **place.environment}, stdout=subprocess.PIPE, text=True)


def test_two_writers_at_once_lose_nothing_and_readers_see_nothing_wrong(place: Place) -> None:
    writers = [_adding(place, 50, name) for name in ("one", "two")]
    problems = set()
    while any(writer.poll() is None for writer in writers):
        problems.add(place.read().problem)
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    record = place.read()
    assert problems == {""}
    assert record.problem == ""
    assert sorted(entry.sha for entry in record.entries[::2]) == sorted(
        f"{n}-{i}" for n in ("one", "two") for i in range(50)
    )
    assert [entry.number for entry in record.entries] == list(range(1, 201))


def test_a_writer_killed_at_any_moment_leaves_a_sound_record(place: Place) -> None:
    for count in range(12):
        writer = _adding(place, 10_000, f"writer-{count}")
        assert writer.stdout is not None
        for _ in range(1 + count):
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        record = place.read()
        assert record.problem == ""
        assert len(record.entries) % 2 == 0, "all of a writing or none"
        assert record.entries[-1].sha.startswith(f"writer-{count}-")


# The key.


def test_the_key_is_made_once_and_only_when_asked_for(place: Place) -> None:
    assert trust_key.key(place.environment, make=False) is None
    made = trust_key.key(place.environment, make=True)
    assert made is not None
    assert len(made) == 32
    assert trust_key.key(place.environment, make=True) == made
    assert place.key.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["a link for the key", "a FIFO for the key", "a folder for the key", "a short key"])
def test_something_else_in_the_keys_place_is_said_and_left_alone(place: Place, name: str) -> None:
    TAMPERINGS[name](place.filled())

    def status() -> tuple[int, int, int, int]:
        found = place.key.lstat()
        return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns

    before = status()
    for make in (True, False):
        with pytest.raises(Problem) as problem:
            trust_key.key(place.environment, make=make)
        assert problem.value.key == "trust.key-unsafe"
    assert status() == before


def test_a_mac_depends_on_where_its_parts_end() -> None:
    key = b"k" * 32
    parts = [(b"ab", b"c"), (b"a", b"bc"), (b"abc",), (b"abc", b""), (b"", b"abc"), ()]
    assert len({trust_key.mac(key, *each) for each in parts}) == len(parts)
    assert trust_key.mac(key, b"a") != trust_key.mac(b"x" * 32, b"a")


# Whatever is done to one file: never more is approved than before.

CHANGES = st.one_of(
    st.tuples(st.just("flip"), st.integers(0, 4000), st.integers(1, 255)),
    st.tuples(st.just("cut"), st.integers(0, 4000), st.integers(1, 4000)),
    st.tuples(st.just("insert"), st.integers(0, 4000), st.integers(0, 255)),
    st.tuples(st.just("line away"), st.integers(0, 9), st.just(0)),
    st.tuples(st.just("line twice"), st.integers(0, 9), st.integers(0, 9)),
    st.tuples(st.just("copy"), st.integers(0, 20), st.just(0)),
    st.tuples(st.just("remove"), st.just(0), st.just(0)),
)


def _changed(data: bytes, change: tuple[str, int, int], others: list[bytes]) -> bytes | None:
    kind, first, second = change
    lines = data.splitlines(keepends=True)
    match kind:
        case "flip":
            at = first % len(data)
            return data[:at] + bytes([data[at] ^ second]) + data[at + 1 :]
        case "cut":
            at = first % len(data)
            return data[:at] + data[at + second :]
        case "insert":
            at = first % (len(data) + 1)
            return data[:at] + bytes([second]) + data[at:]
        case "line away":
            del lines[first % len(lines)]
            return b"".join(lines)
        case "line twice":
            lines.insert(second % (len(lines) + 1), lines[first % len(lines)])
            return b"".join(lines)
        case "copy":
            return others[first % len(others)]
        case _:
            return None


def _approved(held: Approvals) -> set[object]:
    return {("scripts", held.scripts), ("commit", held.commit), *held.rules, *held.contents}


@pytest.fixture(scope="module")
def denied(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return a place with approvals of which some were taken back: a change must not bring them back."""
    place = Place(tmp_path_factory.mktemp("denied")).filled()
    place.add(DENY, replace(MORE[0], verdict="deny", text=None))
    return place


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_change_to_a_file_approves_more(denied: Place, data: st.DataObject) -> None:
    held = denied.approvals()
    assert held.problem == ""
    assert (held.scripts, held.rules, held.commit) == ("", (), "c1")
    paths = sorted(path for path in denied.folder.rglob("*") if path.is_file())
    path = data.draw(st.sampled_from(paths))
    before = path.read_bytes()
    changed = _changed(before, data.draw(CHANGES), [other.read_bytes() for other in paths if other != path])
    try:
        path.write_bytes(changed) if changed is not None else path.unlink()
        assert _approved(denied.approvals()) <= _approved(held) | _approved(Approvals())
    finally:
        path.write_bytes(before)


def test_the_form_on_disk_is_one_json_object_a_line(place: Place) -> None:
    place.filled()
    lines = [json.loads(line) for line in place.record.read_text().splitlines()]
    assert list(lines[0]) == ["number", "time", "subject", "key", "sha", "verdict", "by", "text", "counter", "mac"]
    assert [line["counter"] for line in lines] == [2, 5, 5, 5]
