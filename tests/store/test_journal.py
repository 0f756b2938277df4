"""The journal: one line a round, whoever writes at the same time, and whatever became of the file."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentsup.core.problems import Problem
from agentsup.core.rounds import Judged, Place, Round
from agentsup.store import journal
from agentsup.store.engram_history import project_path

ENDED = Round(
    0, 1_700_000_000.5, 9_000, 12_000, 200_000, "auto", "0123456789ab", ("op-1",), "engram", 480, "", None,
    Place("/日志/a.jsonl", 17), Place("/日志/a.jsonl", 930), "c1", "t1",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def turn(number: int, **changes: object) -> Round:
    return Round(0, 10.0 * number, turn=f"t{number}", conversation="c1", **changes)  # type: ignore[arg-type]


def file(root: Path) -> Path:
    return project_path(root) / journal.NAME


def filled(root: Path, count: int) -> list[Round]:
    return [added for number in range(count) if (added := journal.add(root, turn(number)))]


def test_a_line_has_these_keys_and_no_others(root: Path) -> None:
    journal.add(root, ENDED)
    (line,) = file(root).read_text().splitlines()
    assert json.loads(line) == {
        "round": 1, "time": 1_700_000_000.5, "context_before": 9_000, "context_after": 12_000, "window": 200_000,
        "trigger": "auto", "engram": "0123456789ab", "retrieved": ["op-1"], "strategy": "engram",
        "injected_tokens": 480, "recite": "", "next_action_correct": None,
        "input_ref": {"log": "/日志/a.jsonl", "offset": 17}, "output_ref": {"log": "/日志/a.jsonl", "offset": 930},
        "conversation": "c1", "turn": "t1",
    }  # fmt: skip
    assert stat.S_IMODE(file(root).stat().st_mode) == 0o600
    assert stat.S_IMODE(file(root).parent.stat().st_mode) == 0o700
    assert list(root.iterdir()) == []


def test_rounds_are_numbered_and_read_back(root: Path) -> None:
    assert journal.rounds(root) == ()
    assert not project_path(root).exists(), "reading makes no folder"
    added = filled(root, 3)
    assert [each.round for each in added] == [1, 2, 3]
    assert list(journal.rounds(root)) == added


def test_only_the_end_of_a_long_one_is_read(root: Path) -> None:
    filled(root, 50)
    sizes = [len(line) for line in file(root).read_bytes().splitlines(keepends=True)]
    for most in (0, sizes[-1] - 1, sizes[-1], sizes[-1] + 1, sum(sizes[-3:]), sum(sizes) - 2, sum(sizes), 1 << 20):
        fitting = sum(sum(sizes[-count:]) <= most for count in range(1, 51))
        assert [each.round for each in journal.rounds(root, most=most)] == list(range(51 - fitting, 51)), most


def test_a_torn_line_is_cut_away_by_the_next_and_passed_over_until_then(root: Path) -> None:
    filled(root, 2)
    whole = file(root).read_bytes()
    lines = whole.splitlines(keepends=True)
    for torn in range(1, len(lines[1])):
        file(root).write_bytes(whole[: len(lines[0]) + torn])
        is_whole = torn == len(lines[1]) - 1
        assert [each.round for each in journal.rounds(root)] == ([1, 2] if is_whole else [1])
        added = journal.add(root, turn(7))
        assert added is not None
        assert added.round == (3 if is_whole else 2), "a line of which only the end is missing is whole"
        *before, last = file(root).read_bytes().splitlines(keepends=True)
        assert before == (lines if is_whole else lines[:1])
        assert json.loads(last)["round"] == added.round
        assert last.endswith(b"}\n")
    file(root).write_bytes(lines[0][:30])
    assert journal.add(root, turn(8)) is not None
    assert len(file(root).read_bytes().splitlines()) == 1


def test_every_round_stands_there_once_however_many_write(root: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: journal.add(root, turn(number)), range(60)))
    found = journal.rounds(root)
    assert [each.round for each in found] == list(range(1, 61))
    assert sorted(int(each.turn[1:]) for each in found) == list(range(60))


@pytest.mark.parametrize(
    ("again", "is_new"),
    [
        ({}, False),
        ({"conversation": "a branch, with a time of its own", "time": 99.0}, False),
        ({"time": 99.0, "input_ref": None}, True),
        ({"time": 99.0}, False),
        ({"turn": "t2"}, True),
    ],
    ids=["the same", "copied", "a name that is used again", "the same line", "another"],
)
def test_what_stands_there_is_not_added_again(root: Path, again: dict[str, object], is_new: bool) -> None:
    first = journal.add(root, ENDED)
    assert first is not None
    values = {name: getattr(ENDED, name) for name in ENDED.__dataclass_fields__} | again
    added = journal.add(root, Round(**values), known=[first])
    assert (added is not None) == is_new


def test_marks(root: Path) -> None:
    filled(root, 3)
    assert journal.mark(root, None, right=True) == turn_marked(root, 3)
    journal.mark(root, 1, right=False)
    assert [each.next_action_correct for each in journal.rounds(root)] == [False, None, True]
    journal.mark(root, 1, right=None)
    assert [each.next_action_correct for each in journal.rounds(root)] == [None, None, True]
    added = journal.add(root, turn(9))
    assert added is not None
    assert added.round == 4


def turn_marked(root: Path, number: int) -> Round:
    return next(each for each in journal.rounds(root) if each.round == number)


def test_there_is_nothing_to_mark(root: Path) -> None:
    with pytest.raises(Problem, match=r"journal\.none"):
        journal.mark(root, None, right=True)
    assert not project_path(root).exists()
    filled(root, 1)
    with pytest.raises(Problem, match=r"journal\.no-round"):
        journal.mark(root, 2, right=True)


def test_a_mark_changes_its_line_and_nothing_else(root: Path) -> None:
    filled(root, 2)
    first, second = file(root).read_bytes().splitlines()
    newer = json.loads(second) | {"of a newer version": [1]}
    damaged = b'{"round": "\xff'
    file(root).write_bytes(b"\n".join((first, json.dumps(newer).encode(), damaged, b"")))
    journal.mark(root, None, right=True)
    lines = file(root).read_bytes().split(b"\n")
    assert (lines[0], lines[2], lines[3]) == (first, damaged, b"")
    assert json.loads(lines[1]) == newer | {"next_action_correct": True}


def test_a_verdict_that_comes_later_is_written_into_its_round(root: Path) -> None:
    journal.add(root, turn(1, strategy="both"))
    journal.add(root, turn(2, strategy="none"))
    journal.add(root, replace(turn(1, strategy="engram"), conversation="another, with a turn of the same name"))
    for name, verdict in (("t1", "wrong"), ("t1", "right"), ("t2", "unclear"), ("none", "right")):
        journal.judge(root, Judged("c1", name, verdict))  # type: ignore[arg-type]
    seen = [(each.recite, each.strategy) for each in journal.rounds(root)]
    assert seen == [("right", "both+recite"), ("unclear", "none"), ("", "engram")]


def test_a_verdict_on_a_line_without_a_strategy_is_written_into_it(root: Path) -> None:
    journal.add(root, turn(1))
    line = json.loads(file(root).read_bytes())
    del line["strategy"]
    file(root).write_text(json.dumps(line) + "\n")
    journal.judge(root, Judged("c1", "t1", "right"))
    assert [each.recite for each in journal.rounds(root)] == ["right"]


def test_marks_and_new_rounds_at_once_lose_nothing(root: Path) -> None:
    filled(root, 10)

    def work(number: int) -> None:
        if number % 2:
            journal.add(root, turn(100 + number))
        else:
            journal.mark(root, number // 2 + 1, right=True)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(20)))
    found = journal.rounds(root)
    assert [each.round for each in found] == list(range(1, 21))
    assert [each.next_action_correct for each in found] == [True] * 10 + [None] * 10


@pytest.mark.parametrize("what", ["link", "fifo", "folder"])
def test_what_is_no_file_is_refused(root: Path, tmp_path: Path, what: str) -> None:
    filled(root, 1)
    path = file(root)
    path.unlink()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("")
    match what:
        case "link":
            path.symlink_to(elsewhere)
        case "fifo":
            os.mkfifo(path)
        case _:
            path.mkdir()
    calls: list[Callable[[], object]] = [
        lambda: journal.rounds(root),
        lambda: journal.add(root, ENDED),
        lambda: journal.judge(root, Judged("c", "t", "right")),
        lambda: journal.mark(root, 1, right=True),
    ]
    for call in calls:
        with pytest.raises(OSError, match=r"."):
            call()
    assert elsewhere.read_text() == ""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.binary(max_size=400), st.integers(0, 500))
def test_no_content_makes_reading_or_adding_fail(root: Path, damage: bytes, at: int) -> None:
    if not file(root).exists():
        filled(root, 2)
    data = file(root).read_bytes()[:2_000]
    file(root).write_bytes(data[: at % len(data)] + damage + data[at % len(data) :])
    journal.rounds(root)
    added = journal.add(root, turn(3))
    assert added is not None
    assert journal.rounds(root)[-1] == added
