"""Operations get ids of their own, can be read back by them, and move into archives without loss."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agentsup.core.memory.decisions import read_decisions
from agentsup.store import atomic
from agentsup.store.archives import OPERATIONS_KEPT, archive_operations, decision_archives, index_archives
from agentsup.store.evidence import (
    Archived,
    Recalled,
    add_operation,
    archive,
    bump_context_version,
    context_version,
    recall,
)
from tests.store.project import write

INDEX = ".agent/log/index.jsonl"


def lines(root: Path, place: str = INDEX) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (root / place).read_text().splitlines()]


def index_of(count: int, first: int = 1) -> str:
    return "".join(f'{{"id": "op-{number:03}", "summary": "did {number}"}}\n' for number in range(first, first + count))


def everywhere(root: Path) -> list[str]:
    """The ids in the archives and the index, in order."""
    return [line["id"] for place in (*index_archives(root), INDEX) for line in lines(root, place)]


def found(root: Path, id: str) -> Recalled:
    recalled = recall(root, id)
    assert recalled is not None
    return recalled


class Killed(BaseException):
    """What a kill between two steps is to the steps."""


def archive_killed_before(root: Path, name: str) -> None:
    """Archive, and end in the moment before a file of that name is replaced."""
    real = atomic.Folder.replace

    def replace(folder: atomic.Folder, file: str, *arguments: Any, **named: Any) -> None:
        if file == name:
            raise Killed
        real(folder, file, *arguments, **named)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(atomic.Folder, "replace", replace)
        with pytest.raises(Killed):
            archive(root)


def test_an_operation_is_added_and_read_back_by_its_id(tmp_path: Path) -> None:
    assert (
        add_operation(tmp_path, "edit", "calc.py", "rounds half up", "diff\n+1", at="2026-01-02T03:04:05Z") == "op-001"
    )
    assert add_operation(tmp_path, "run", "pytest", "12 passed 完成") == "op-002"
    assert lines(tmp_path)[0] == {
        "id": "op-001", "type": "edit", "target": "calc.py", "summary": "rounds half up",
        "log_path": ".agent/log/ops/op-001.json", "timestamp": "2026-01-02T03:04:05Z",
    }  # fmt: skip
    recalled = found(tmp_path, "op-001")
    assert (recalled.operation.target, recalled.detail, recalled.path) == ("calc.py", "diff\n+1", INDEX)
    assert (found(tmp_path, "op-002").operation.summary, found(tmp_path, "op-002").detail) == ("12 passed 完成", None)
    assert recall(tmp_path, "op-003") is None
    write(tmp_path, {".agent/log/op-001.json": "{}"})
    assert recall(tmp_path, "../op-001") is None


def test_writers_at_once_get_ids_of_their_own(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from agentsup.store.evidence import add_operation\n"
        "for n in range(30): add_operation(Path(sys.argv[1]), 'edit', 'x', sys.argv[2], f'detail {sys.argv[2]} {n}')"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(name)]) for name in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert [line["id"] for line in lines(tmp_path)] == [f"op-{number:03}" for number in range(1, 91)]
    for line in lines(tmp_path):
        assert (found(tmp_path, line["id"]).detail or "").startswith(f"detail {line['summary']} ")


def test_an_id_is_never_given_again(tmp_path: Path) -> None:
    write(tmp_path, {".agent/log/ops/op-041.json": "{}"})
    assert add_operation(tmp_path, "run", "x", "y") == "op-042"
    write(tmp_path, {INDEX: "", ".agent/log/archive/index-001.jsonl": index_of(1, 77)})
    (tmp_path / ".agent/log/ops/op-041.json").unlink()
    assert add_operation(tmp_path, "run", "x", "y") == "op-078"


def test_a_torn_last_line_does_not_swallow_the_next_operation(tmp_path: Path) -> None:
    write(tmp_path, {INDEX: index_of(2) + '{"id": "op-0'})
    assert add_operation(tmp_path, "run", "x", "y") == "op-003"
    assert found(tmp_path, "op-003").operation.target == "x"
    assert (tmp_path / INDEX).read_text().startswith(index_of(2) + '{"id": "op-0\n')


def test_an_index_of_another_system_is_used_where_it_is(tmp_path: Path) -> None:
    write(tmp_path, {"state/index.jsonl": index_of(1), "logs/op-001.json": '{"stdout": "long"}'})
    assert found(tmp_path, "op-001").detail == '{"stdout": "long"}'
    assert add_operation(tmp_path, "run", "x", "y", "all of it") == "op-002"
    assert (found(tmp_path, "op-002").detail, found(tmp_path, "op-002").path) == ("all of it", "state/index.jsonl")
    assert (tmp_path / "logs/op-002.json").exists()
    assert not (tmp_path / ".agent").exists()
    write(tmp_path, {"logs/op-009.json": "only a detail"})
    assert (found(tmp_path, "op-009").detail, found(tmp_path, "op-009").path) == ("only a detail", "logs/op-009.json")


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "link", "folder/../../secret", "a\0b", "x" * 5000])
def test_a_detail_outside_the_project_is_not_read(tmp_path: Path, path: str) -> None:
    root = tmp_path / "project"
    write(tmp_path, {"secret": "outside", "project/folder/x": ""})
    (root / "link").symlink_to(tmp_path / "secret")
    write(root, {INDEX: json.dumps({"id": "op-001", "log_path": path}) + "\n"})
    assert found(root, "op-001").detail is None


def test_operations_beyond_the_newest_hundred_move_and_are_still_recalled(tmp_path: Path) -> None:
    write(tmp_path, {INDEX: index_of(130)})
    assert archive(tmp_path) == Archived(operations=30)
    assert archive(tmp_path) == Archived()
    assert len(lines(tmp_path)) == OPERATIONS_KEPT
    assert everywhere(tmp_path) == [f"op-{number:03}" for number in range(1, 131)]
    assert (found(tmp_path, "op-007").operation.summary, found(tmp_path, "op-007").path) == (
        "did 7", ".agent/log/archive/index-001.jsonl",
    )  # fmt: skip
    assert add_operation(tmp_path, "run", "x", "y") == "op-131"
    assert archive(tmp_path) == Archived(operations=1)
    assert len(everywhere(tmp_path)) == len(set(everywhere(tmp_path))) == 131
    assert len(index_archives(tmp_path)) == 1


def test_an_archive_is_never_longer_than_a_thousand_lines(tmp_path: Path) -> None:
    write(tmp_path, {INDEX: index_of(2600)})
    archive(tmp_path)
    assert [len(lines(tmp_path, place)) for place in index_archives(tmp_path)] == [1000, 1000, 500]
    assert everywhere(tmp_path) == [line["id"] for line in map(json.loads, index_of(2600).splitlines())]


def test_an_index_that_is_one_array_becomes_lines(tmp_path: Path) -> None:
    operations = [json.loads(line) for line in index_of(3).splitlines()]
    write(tmp_path, {INDEX: json.dumps(operations, indent=1)})
    assert add_operation(tmp_path, "run", "x", "y") == "op-004"
    assert [line["id"] for line in lines(tmp_path)] == ["op-001", "op-002", "op-003", "op-004"]


def test_lines_that_are_no_operations_stay_to_be_seen(tmp_path: Path) -> None:
    write(tmp_path, {INDEX: "broken\n" + index_of(120) + "[1]\n"})
    assert archive_operations(tmp_path) == 20
    kept = (tmp_path / INDEX).read_text()
    assert kept == "broken\n" + index_of(100, 21) + "[1]\n"


def test_a_kill_between_archive_and_index_neither_loses_nor_doubles(tmp_path: Path) -> None:
    write(tmp_path, {INDEX: index_of(130)})
    archive_killed_before(tmp_path, "index.jsonl")
    assert len(lines(tmp_path)) == 130
    assert len(lines(tmp_path, index_archives(tmp_path)[0])) == 30
    for _ in range(15):
        add_operation(tmp_path, "run", "x", "y")
    assert archive(tmp_path) == Archived(operations=45)
    assert everywhere(tmp_path) == [f"op-{number:03}" for number in range(1, 146)]


def test_a_kill_between_two_archives_neither_loses_nor_doubles(tmp_path: Path) -> None:
    write(tmp_path, {INDEX: index_of(2600)})
    archive_killed_before(tmp_path, "index-002.jsonl")
    assert archive(tmp_path) == Archived(operations=2500)
    assert everywhere(tmp_path) == [line["id"] for line in map(json.loads, index_of(2600).splitlines())]


def test_a_line_that_another_program_adds_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {INDEX: index_of(130)})
    real = atomic.Folder.replace
    added: list[str] = []

    def replace(folder: atomic.Folder, file: str, *arguments: Any, **named: Any) -> None:
        if file == "index.jsonl" and not added:
            added.append(file)
            with open(tmp_path / INDEX, "a") as index:
                index.write(index_of(1, 131))
        real(folder, file, *arguments, **named)

    monkeypatch.setattr(atomic.Folder, "replace", replace)
    assert archive(tmp_path) == Archived(operations=31)
    assert everywhere(tmp_path) == [f"op-{number:03}" for number in range(1, 132)]


def decisions_of(count: int) -> str:
    return "# Decisions\n\n" + "".join(
        f"## Decision {number}\n- reason: because {number}\n- confidence: [SOFT] agent\n- date: 2026-01-{number:02}\n\n"
        for number in range(1, count + 1)
    )


def titles(root: Path, place: str) -> list[str]:
    return [decision.title for decision in read_decisions((root / place).read_text()).decisions]


def test_too_many_decisions_move_and_leave_an_index_line(tmp_path: Path) -> None:
    write(tmp_path, {".agent/DECISIONS.md": decisions_of(25)})
    assert archive(tmp_path) == Archived(decisions=10)
    assert archive(tmp_path) == Archived()
    (place,) = decision_archives(tmp_path)
    assert place == ".agent/log/archive/decisions-001.md"
    assert place in (tmp_path / ".agent/DECISIONS.md").read_text()
    assert titles(tmp_path, place) == [f"Decision {number}" for number in range(1, 11)]
    assert titles(tmp_path, ".agent/DECISIONS.md") == [f"Decision {number}" for number in range(11, 26)]


def test_a_kill_between_archive_and_decisions_neither_loses_nor_doubles(tmp_path: Path) -> None:
    write(tmp_path, {".agent/DECISIONS.md": decisions_of(25)})
    archive_killed_before(tmp_path, "DECISIONS.md")
    assert len(titles(tmp_path, ".agent/DECISIONS.md")) == 25
    assert archive(tmp_path) == Archived(decisions=10)
    both = [*titles(tmp_path, ".agent/log/archive/decisions-001.md"), *titles(tmp_path, ".agent/DECISIONS.md")]
    assert both == [f"Decision {number}" for number in range(1, 26)]
    assert len(decision_archives(tmp_path)) == 1


def test_nothing_to_archive_makes_no_folder(tmp_path: Path) -> None:
    assert archive(tmp_path) == Archived()
    write(tmp_path, {INDEX: index_of(100), ".agent/DECISIONS.md": decisions_of(20)})
    assert archive(tmp_path) == Archived()
    assert not (tmp_path / ".agent/log/archive").exists()


def test_the_context_version_counts_up_where_there_is_a_memory(tmp_path: Path) -> None:
    assert (context_version(tmp_path), bump_context_version(tmp_path)) == (0, None)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / ".agent").mkdir()
    assert [bump_context_version(tmp_path) for _ in range(3)] == [1, 2, 3]
    assert context_version(tmp_path) == 3
    for text, number in (("7", 7), ("\ufeff 8 \r\n", 8), ("many", 0), ("", 0), ("9" * 40, 0), ("-3", 0)):
        write(tmp_path, {".agent/state/context-version": text})
        assert context_version(tmp_path) == number
        assert bump_context_version(tmp_path) == number + 1


def test_many_decisions_are_archived_in_proportion_to_their_number(tmp_path: Path) -> None:
    path = tmp_path / ".agent" / "DECISIONS.md"
    path.parent.mkdir()
    one = "## Use part {}\n- reason: it is there\n- confidence: [SOFT] person\n- date: 2026-01-02\n\n"
    path.write_text("# Decisions\n\n" + "".join(one.format(number) for number in range(12_000)))
    started = time.process_time()
    assert archive(tmp_path).decisions == 11_980
    assert time.process_time() - started < 6


def test_a_file_of_another_encoding_keeps_it_when_decisions_move(tmp_path: Path) -> None:
    path = tmp_path / ".agent" / "DECISIONS.md"
    path.parent.mkdir()
    text = "\ufeff# Decisions\n\n" + "".join(f"## Use part {n}\n- reason: r\n\n" for n in range(25))
    path.write_bytes(text.encode("utf-16-le"))
    assert archive(tmp_path).decisions == 10
    assert path.read_bytes().decode("utf-16").startswith("# Decisions")
