"""The engram as people and agents write it, and as it is written back."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsup.core.memory.engram import Engram, EngramItem, Other, read_engram, write_engram
from agentsup.core.memory.model import Spot

ENGRAM = "[Task] Make add() safe.\n[Progress] Wrote calc.py.\n[Pending] test_calc.py\n[Taboo] README.md: the owner's\n"


def test_an_engram_is_read_in_both_languages_and_loose_forms() -> None:
    assert read_engram(ENGRAM).items[0] == EngramItem("task", "Make add() safe.")
    text = "\ufeff【任务】：修好加法\r\n- [进度] 写了 calc.py\n* ［未决］测试\n• [禁忌]: README.md\n[Nonsense] x\nprose"
    found = read_engram(text)
    assert [(item.tag, item.text) for item in found.items] == [
        ("task", "修好加法"), ("progress", "写了 calc.py"), ("pending", "测试"), ("taboo", "README.md"),
    ]  # fmt: skip
    assert [(item.spot.line, item.spot.column) for item in found.items] == [(1, 6), (2, 8), (3, 7), (4, 9)]
    assert [(other.before, other.text, other.label) for other in found.others] == [
        (4, "[Nonsense] x", "Nonsense"), (4, "prose", ""),
    ]  # fmt: skip
    assert found.language == "zh"


@pytest.mark.parametrize("written", [ENGRAM, ENGRAM.replace("[Task]", "- 【TASK】："), ENGRAM.replace("\n", "\r\n")])
def test_what_is_written_is_canonical_and_in_its_own_language(written: str) -> None:
    assert write_engram(read_engram(written)) == ENGRAM
    assert write_engram(read_engram("【任务】甲\n[taboo] b")) == "[任务] 甲\n[禁忌] b\n"


def test_what_is_no_item_stays_where_it_stood() -> None:
    text = "# Engram\n<!-- by hand -->\n[Task] a\nnote\n[Taboo] b\nend\n"
    assert write_engram(read_engram(text)) == text


def test_a_language_that_nothing_tells_is_the_configured_one() -> None:
    assert read_engram("prose", "zh") == Engram((), (Other(0, "prose", Spot(1, 1)),), "zh")


_LINES = st.one_of(
    st.text(max_size=30),
    st.builds(
        "{}{}{}{}{}".format, st.sampled_from(["", "- ", "*", " • "]), st.sampled_from(["[", "【", "［"]),
        st.sampled_from(["Task", "任务", "TABOO", "x", " Pending "]), st.sampled_from(["]", "】：", "］:", "] "]),
        st.text(max_size=30),
    ),
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(_LINES, max_size=12).map("\n".join)))
@settings(max_examples=500, deadline=None)
def test_what_is_written_reads_the_same(text: str) -> None:
    found = read_engram(text)
    written = write_engram(found)
    again = read_engram(written, found.language)
    assert again == found
    assert write_engram(again) == written


@pytest.mark.parametrize(
    "line", ["[" + " " * 200_000, "[Task]" + " " * 200_000 + "x", "- [a] " * 40_000, "【" * 200_000]
)
def test_no_line_makes_reading_slow(line: str) -> None:
    begun = time.process_time()
    read_engram(line)
    assert time.process_time() - begun < 1.0  # a pattern that takes the square of it needs minutes
