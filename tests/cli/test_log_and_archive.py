"""`agentsup log` and `agentsup archive`: evidence is appended, listed, and moved away when it is old."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agentsup.core.memory.operations import read_operations
from tests.cli.writing import WritingPlace, two_lines

INDEX = ".agent/log/index.jsonl"
ADD = ("log", "add", "--type", "test", "--target", "parse.py", "--summary", "12 tests pass")


def lines(count: int) -> str:
    return "".join(
        json.dumps({"id": f"op-{i:03}", "type": "edit", "target": f"f{i}.py", "summary": f"changed f{i}"}) + "\n"
        for i in range(1, count + 1)
    )


@pytest.mark.parametrize("index", [INDEX, "state/index.jsonl"])
def test_an_operation_gets_the_next_id_and_is_appended(place: WritingPlace, index: str) -> None:
    place.put(index, lines(3))
    done = place.run(*ADD)
    assert (done.code, done.out, done.err) == (0, "op-004\n", "")
    assert place.read(index).startswith(lines(3))
    newest = read_operations(place.read(index)).operations[-1]
    assert (newest.id, newest.type, newest.target, newest.summary) == ("op-004", "test", "parse.py", "12 tests pass")
    assert newest.timestamp
    assert place.files() == {index}


def test_an_index_is_made_where_there_is_none(place: WritingPlace) -> None:
    done = place.run(*ADD)
    assert INDEX in done.err
    assert place.run(*ADD, "--json").json == {"id": "op-002", "path": INDEX, "created": False}
    assert place.files() == {INDEX}


def test_the_detail_comes_back_by_id(place: WritingPlace, tmp_path: Path) -> None:
    from agentsup.store.evidence import recall

    (tmp_path / "log.txt").write_text("line one\r\nline two \x1b[31mred\n")
    from_file = place.run(*ADD, "--detail", str(tmp_path / "log.txt")).out.strip()
    from_input = place.run(*ADD, "--detail", "-", given="一行\n").out.strip()
    found = [recall(place.root, id) for id in (from_file, from_input)]
    assert [each.detail for each in found if each] == ["line one\nline two [31mred\n", "一行\n"]


def test_the_newest_are_listed(place: WritingPlace) -> None:
    place.put(INDEX, lines(30) + "no JSON\n")
    done = place.run("log", "list")
    assert [line.split()[0] for line in done.out.splitlines()] == [f"op-{i:03}" for i in range(11, 31)]
    assert "1 lines could not be read" in done.err
    found = place.run("log", "list", "--last", "2", "--json").json
    assert [each["id"] for each in found["operations"]] == ["op-029", "op-030"]
    assert found["operations"][0] == {
        "id": "op-029", "type": "edit", "target": "f29.py", "summary": "changed f29", "log_path": "", "timestamp": None
    }  # fmt: skip
    assert (found["path"], found["unreadable"]) == (INDEX, 1)


def test_what_is_listed_can_do_nothing_to_the_terminal(place: WritingPlace) -> None:
    place.put(INDEX, json.dumps({"id": "op-1", "type": "t", "target": "a\u202eb", "summary": "x\x1b[2J\ny"}) + "\n")
    assert place.run("log", "list").out == "op-1  t  ab  x[2J y\n"


def test_without_operations(place: WritingPlace) -> None:
    done = place.run("log", "list")
    assert (done.code, done.out) == (0, "")
    assert "log add" in done.err
    assert place.run("log", "list", "--json").json == {"path": INDEX, "operations": [], "unreadable": 0}
    assert place.files() == set()


def test_wrong_usage(place: WritingPlace) -> None:
    done = place.run("log")
    assert done.code == 2
    assert "usage: agentsup log" in done.err
    assert place.run("log", "add", "--type", "x").code == 2
    for changed in (("--type", "two words"), ("--type", " "), ("--summary", ""), ("--target", "\n"),
                    ("--detail", "missing.txt")):  # fmt: skip
        done = place.run(*ADD, *changed)
        assert done.code == 2, changed
        two_lines(done, "")
    assert place.run("log", "list", "--last", "0").code == 2
    assert place.files() == set()


@pytest.mark.skipif(os.getuid() == 0, reason="for root every folder is writable")
def test_an_index_that_can_not_be_written(place: WritingPlace) -> None:
    path = place.put(INDEX, lines(1))
    path.chmod(0o400)
    done = place.run(*ADD)
    assert done.code == 1
    two_lines(done, "not written")
    assert place.read(INDEX) == lines(1)


def test_a_full_disk_leaves_the_index_as_it_was(place: WritingPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(28, "No space left on device")

    place.put(INDEX, lines(1))
    monkeypatch.setattr("agentsup.store.atomic._write_all", refuse)
    done = place.run(*ADD)
    assert done.code == 1
    two_lines(done, "No space left on device")
    assert place.read(INDEX) == lines(1)


def test_many_at_once_lose_nothing_and_share_no_id(place: WritingPlace) -> None:
    place.run_at_once(["log", "add", "--type", "t", "--target", f"f{i}", "--summary", "s"] for i in range(8))
    found = read_operations(place.read(INDEX)).operations
    assert {each.target for each in found} == {f"f{i}" for i in range(8)}
    assert {each.id for each in found} == {f"op-{i:03}" for i in range(1, 9)}


def test_archiving_moves_what_is_old_and_nothing_more_when_done_again(place: WritingPlace) -> None:
    place.put(INDEX, lines(130))
    text = "".join(f"## Decision {i}\n\n- reason: r{i}\n- confidence: [SOFT] agent\n\n" for i in range(21))
    place.put(".agent/DECISIONS.md", "# Decisions\n\n" + text)
    assert place.run("archive", "--json").json == {"operations": 30, "decisions": 10}
    assert place.read(INDEX) == "".join(lines(130).splitlines(keepends=True)[30:])
    archived = [path for path in place.files() if "log/archive" in path]
    assert len(archived) == 2
    assert all(f'"op-{i:03}"' in "".join(place.read(path) for path in archived) for i in range(1, 31))
    before = {path: place.read(path) for path in place.files()}
    again = place.run("archive")
    assert again.code == 0
    assert "Nothing is old enough" in again.err
    assert {path: place.read(path) for path in place.files()} == before


def test_archiving_says_what_it_has_moved(place: WritingPlace) -> None:
    place.put(INDEX, lines(101))
    assert "1 operations, 0 decisions" in place.run("archive").err
    assert place.run("log", "list", "--last", "1").out.startswith("op-101")


def test_there_may_be_nothing_to_archive(place: WritingPlace) -> None:
    assert place.run("archive", "--json").json == {"operations": 0, "decisions": 0}
    assert place.files() == set()


def test_an_archive_that_can_not_be_written(place: WritingPlace) -> None:
    place.put(INDEX, lines(101))
    place.put(".agent/log/archive", "in the way")
    done = place.run("archive")
    assert done.code == 1
    two_lines(done, "not written")
    assert place.read(INDEX) == lines(101)
