"""The journal as a person reads and marks it."""

from __future__ import annotations

import os

import pytest

from agentsup.cli.plain_text import in_rows
from agentsup.core.rounds import Place, Round
from agentsup.store import journal
from agentsup.store.engram_history import project_path
from tests.cli.writing import WritingPlace

ROUNDS = (
    Round(0, 1_700_000_000.0, 9_000, 12_300, 200_000, turn="t1"),
    Round(0, 1_700_000_060.0, None, None, strategy="both+recite", trigger="auto", injected_tokens=1_240, recite="wrong",
          retrieved=("op-1",), input_ref=Place("/log\x1b[31m", 7), turn="t2\x1b[2J"),
)  # fmt: skip


@pytest.fixture
def kept(place: WritingPlace) -> WritingPlace:
    for each in ROUNDS:
        journal.add(place.root, each)
    return place


def test_rounds_for_people(kept: WritingPlace) -> None:
    done = kept.run("journal")
    assert (done.code, done.err) == (0, "")
    first, second = done.out.splitlines()
    assert first.split("  ")[-2:] == ["9k → 12.3k", "no memory"]
    assert second.endswith("? → ?  engram, look-ups  compacted (auto)  1.2k tokens sent  read back: wrong")
    assert kept.run("journal", "1").out.splitlines() == [second]
    chinese = kept.run("journal", language="zh-CN").out
    assert "印记、查阅  " in chinese
    assert "压缩（自动）" in chinese


def test_what_was_read_back_in_an_earlier_round_is_not_told_as_if_it_had_been_in_this(kept: WritingPlace) -> None:
    journal.add(kept.root, Round(0, 1_700_000_120.0, 1_000, 2_000, strategy="engram+recite", turn="t3"))
    assert kept.run("journal", "1").out.endswith("1k → 2k  engram, read back earlier\n")
    assert "印记、早先复述过" in kept.run("journal", "1", language="zh-CN").out


def test_rounds_in_a_narrow_window_break_between_their_fields() -> None:
    assert in_rows(["   1", "12 → 14", "engram", "compacted (auto)"], 24, 6) == [
        "   1  12 → 14  engram",
        "      compacted (auto)",
    ]
    assert in_rows(["   1", "印记、查阅", "已压缩"], 20, 6) == ["   1  印记、查阅", "      已压缩"]
    assert in_rows(["much too long", "a"], 4, 2) == ["much too long", "  a"]


def test_rounds_for_programs(kept: WritingPlace) -> None:
    found = kept.run("journal", "--json").json["rounds"]
    assert [each["round"] for each in found] == [1, 2]
    assert list(found[0]) == [
        "round", "time", "context_before", "context_after", "window", "trigger", "engram", "retrieved", "strategy",
        "injected_tokens", "recite", "next_action_correct", "input_ref", "output_ref", "conversation", "turn",
    ]  # fmt: skip
    assert found[1]["input_ref"] == {"log": "/log\x1b[31m", "offset": 7}
    assert "\x1b" not in kept.run("journal", "--json").out + kept.run("journal").out


def test_marks(kept: WritingPlace) -> None:
    done = kept.run("journal", "mark", "right")
    assert (done.code, done.out) == (0, "Round 2: right.\n")
    assert kept.run("journal", "mark", "wrong", "1", "--json").json["next_action_correct"] is False
    assert [each.next_action_correct for each in journal.rounds(kept.root)] == [False, True]
    assert kept.run("journal", "1").out.rstrip().endswith("next action: right")
    assert kept.run("journal", "mark", "none", "1", language="zh-CN").out == "第 1 轮：未评判。\n"
    assert [each.next_action_correct for each in journal.rounds(kept.root)] == [None, True]


def test_an_agent_reads_and_does_not_mark(kept: WritingPlace) -> None:
    kept.as_agent()
    assert kept.run("journal", "--json").code == 0
    done = kept.run("journal", "mark", "right")
    assert done.code == 3
    assert "only a person" in done.problem[0]
    assert [each.next_action_correct for each in journal.rounds(kept.root)] == [None, None]


def test_without_a_journal_nothing_is_written(place: WritingPlace) -> None:
    before = place.everything()
    done = place.run("journal")
    assert (done.code, done.out) == (0, "")
    assert "empty" in done.err
    assert place.run("journal", "--json").json == {"rounds": []}
    assert place.run("journal", "mark", "right").code == 1
    assert place.everything() == before


def test_a_round_that_is_not_there(kept: WritingPlace) -> None:
    done = kept.run("journal", "mark", "right", "3")
    assert done.code == 1
    assert "no round 3" in done.problem[0]


@pytest.mark.parametrize(
    "words", ["0", "x", "-1", "²", "9" * 5_000, "mark", "mark good", "mark right x", "mark right 1 2", "1 2", "right"],
    ids=lambda words: words[:20],
)  # fmt: skip
def test_other_words(kept: WritingPlace, words: str) -> None:
    assert kept.run("journal", *words.split()).code == 2


def test_one_that_can_not_be_read(kept: WritingPlace) -> None:
    path = project_path(kept.root) / journal.NAME
    path.unlink()
    os.mkfifo(path)
    done = kept.run("journal")
    assert done.code == 1
    assert "is no regular file" in done.problem[0]
    assert kept.run("journal", "mark", "right").code == 1
