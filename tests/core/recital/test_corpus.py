"""How well read-backs are judged: the open halves as they were tuned on, the held-out one as it was judged once.

The held-out half was written when the rules were fixed, and then judged once: 106 of 120 verdicts were a person's, and
two right read-backs were called wrong. (The rules before these, which knew no denials: 94, and six.) Of the 14, five
were right read-backs that stayed unclear, two those called wrong, five refused steps called right or unclear, one
another task and one a broken taboo that were not seen. Afterwards one cause of an alarm was mended (不上 in 不上传),
and nothing else was changed.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from agentsup.core.checks.word_lists import has_han
from agentsup.core.memory.model import Document, Memory
from agentsup.core.recital import Judged, compare, expected
from agentsup.locale import recital_words

FOLDER = Path(__file__).parents[2] / "data" / "recitals"

LEAST = {
    "open-en": (60, 59), "open-zh": (60, 60), "first-en": (60, 56), "first-zh": (59, 59), "second-en": (60, 58),
    "second-zh": (60, 60), "third-en": (58, 57), "third-zh": (55, 55), "fourth-en": (55, 55), "fourth-zh": (55, 55),
    "held-out-en": (53, 53), "held-out-zh": (53, 53),
}  # fmt: skip
"""Of 60 cases: right verdicts, and those whose missing parts are right too. The held-out ones are a fact."""

ALARMS = {"held-out-zh": 1}
"""Right read-backs that are called wrong at most: none where it is not said."""


def cases(name: str) -> list[tuple[Memory, dict[str, Any]]]:
    tables = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    found = []
    for project in tables["project"]:
        engram, state = project["engram"], project["state"]
        memory = Memory(engram=Document(".agent/engram.md", engram), state=Document(".agent/STATE.md", state))
        found += [(memory, case) for case in project["case"]]
    return found


def judged(memory: Memory, said: str) -> Judged:
    return compare(expected(memory), said, recital_words())


@pytest.mark.parametrize("name", LEAST)
def test_read_backs_are_judged_as_a_person_would(name: str) -> None:
    verdicts = whole = 0
    wrong: list[str] = []
    for memory, case in cases(name):
        found = judged(memory, case["said"])
        missing = sorted(key.rpartition(".")[2] for key in found.missing)
        verdicts += found.verdict == case["verdict"]
        whole += (found.verdict, missing) == (case["verdict"], sorted(case.get("missing", [])))
        if found.verdict != case["verdict"]:
            wrong.append(f"{found.verdict} {missing}: {case['said']}")
    least, least_whole = LEAST[name]
    assert verdicts >= least, "\n".join(wrong)
    assert whole >= least_whole
    assert len(cases(name)) == 60


@pytest.mark.parametrize("name", LEAST)
def test_right_read_backs_are_not_called_wrong(name: str) -> None:
    alarms = [case["said"] for memory, case in cases(name) if case["verdict"] == "right"
              and judged(memory, case["said"]).verdict == "wrong"]  # fmt: skip
    assert len(alarms) <= ALARMS.get(name, 0), "\n".join(alarms)


BESIDE = {
    False: (
        "I won't touch anything else.", "I will not start before you confirm.",
        "I'm not going to commit anything without asking.",
    ),
    True: ("其他文件不会动。", "在你确认之前不会动手。", "先不提交。"),
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in LEAST if not name.startswith("held-out")])
def test_what_is_denied_beside_it_makes_no_right_read_back_a_wrong_one(name: str) -> None:
    for memory, case in cases(name):
        if case["verdict"] == "right":
            for beside in BESIDE[has_han(case["said"])]:
                for said in (f"{case['said']} {beside}", f"{beside} {case['said']}"):
                    assert judged(memory, said).verdict != "wrong", said
