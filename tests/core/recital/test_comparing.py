"""What the comparison does at its edges, and with anything that there may be."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.memory.model import Document, Memory
from agentsup.core.recital import MISSING_NEXT, MISSING_TASK, TABOO, Expected, Judged, compare, expected
from agentsup.core.recital.comparing import MOST
from agentsup.core.recital.expected import ALTOGETHER
from agentsup.core.recital.words import stem, tokens
from agentsup.locale import recital_words

WORDS = recital_words()

ENGRAM = """\
[Task] Make invoice rounding exact: round once, at the end
[Progress] Replaced round() in billing/rounding.py
[Pending] billing/ledger.py: Ledger.close still sums rounded lines
[Pending] docs: the changelog
[Taboo] Don't touch billing/tax.py: its figures are audited
[Taboo] Never rename OrderState, because clients match on it
"""
STATE = "## Scope\n- billing/ only\n## Completed\n- quantize (3f2a91c)\n## Next\n1. run the whole suite\n2. tag 2.0\n"
SENTENCES = (
    "Make invoice rounding exact", "run the whole suite", "write a migration for old rows", "split report/stock.sql",
    "冻结后再扣减", "在 debit 里拒绝负数金额", "把去重移到截断之前",
)  # fmt: skip


def memory(engram: str | None = ENGRAM, state: str | None = STATE) -> Memory:
    return Memory(engram=Document(".agent/engram.md", engram), state=Document(".agent/STATE.md", state))


def judged(said: str, known: Memory | None = None, request: str = "") -> Judged:
    return compare(expected(known or memory(), request), said, WORDS)


def test_what_is_expected() -> None:
    known = expected(memory())
    assert known.task == ("Make invoice rounding exact: round once, at the end",)
    assert known.next == ("run the whole suite", "billing/ledger.py: Ledger.close still sums rounded lines")
    assert known.others == ("quantize (3f2a91c)", "tag 2.0", "Replaced round() in billing/rounding.py")
    assert expected(memory(state=None)).next == (known.next[1], "docs: the changelog")
    assert expected(memory(None, None), "make it fast").task == ("make it fast",)
    assert expected(memory("[Pending] unknown\n[Taboo] none", "{")) == Expected()
    assert "ghp_" not in str(expected(memory(f"[Task] push with ghp_{'a1B2' * 9}")))


@pytest.mark.parametrize("said", ["", "…", "anything"])
def test_where_memory_says_nothing_nothing_is_judged(said: str) -> None:
    assert judged(said, memory(None, None)) == Judged("unclear")


@pytest.mark.parametrize("said", ["", " \n", "OK.", "好的。", "12345", "?" * 9_000])
def test_who_says_nothing_has_forgotten(said: str) -> None:
    assert judged(said) == Judged("wrong", (MISSING_TASK, MISSING_NEXT))


def test_a_heading_belongs_to_what_stands_below_it() -> None:
    said = "## Task\nExact invoice rounding, once at the end\n## Next\n- run the whole suite\n"
    assert judged(said) == Judged("right")


@pytest.mark.parametrize(
    ("clause", "breaks"),
    [
        ("and change billing/tax.py", True),
        ("and I leave billing/tax.py alone", False),
        ("but I don't touch billing/tax.py", False),
        ("after a look at billing/tax.py", False),
        ("and rename OrderState", True),
        ("，不改 billing/tax.py", False),
        ("，改不了就动 billing/tax.py", True),
    ],
)
def test_what_is_forbidden_is_told_from_what_is_left_alone(clause: str, breaks: bool) -> None:
    found = judged(f"Exact invoice rounding. Next I run the whole suite {clause}.")
    assert found == (Judged("wrong", (TABOO,)) if breaks else Judged("right"))


@pytest.mark.parametrize(
    "taboos",
    [
        "[Taboo] billing/tax.py: its figures are audited", "Taboo: billing/tax.py is audited", "禁忌：billing/tax.py",
        "**Taboos**\n- billing/tax.py\n- OrderState: clients match on rename", "- Constraints: billing/tax.py",
    ],
)  # fmt: skip
def test_taboos_may_be_read_back(taboos: str) -> None:
    said = f"Exact invoice rounding.\nNext I run the whole suite.\n{taboos}"
    assert judged(said) == Judged("right")
    assert judged(f"{said}\nThen I change billing/tax.py.") == Judged("wrong", (TABOO,))


@pytest.mark.parametrize(
    "forms",
    [
        "migrate migrates migrating migrated migration migrations",
        "parse parser parsers parsing parsed",
        "retry retries",
        "stop stops stopping stopped",
        "accessible accessibility",
        "compare comparing comparison",
    ],
)
def test_forms_of_a_word_are_one(forms: str) -> None:
    assert len({WORDS.meanings.get(stem(form), stem(form)) for form in forms.split()}) == 1


def test_both_languages_meet_in_names_and_meanings() -> None:
    assert tokens("修复 Ledger.close", WORDS).keys() == tokens("fix ledger close", WORDS).keys() != set()


@given(st.sampled_from(SENTENCES), st.sampled_from(SENTENCES))
def test_what_is_read_back_word_for_word_is_right(task: str, following: str) -> None:
    known = memory(f"[Task] {task}\n", f"## Next\n1. {following}\n")
    assert judged(f"Task: {task}. Next: {following}.", known) == Judged("right")
    assert judged(f"当前任务：{task}。下一步：{following}。", known) == Judged("right")


@given(st.text(max_size=400), st.text(max_size=200), st.text(max_size=200), st.text(max_size=100))
def test_anything_is_judged(said: str, engram: str, state: str, request: str) -> None:
    found = judged(said, memory(f"{ENGRAM}{engram}", f"{STATE}{state}"), request)
    assert (found.verdict == "wrong") == bool(found.missing)


@pytest.mark.parametrize("length", [40, 600])
def test_long_memories_take_no_time(length: int) -> None:
    items = [" ".join(f"w{number}x{word}" for word in range(length // 6)) for number in range(40)]
    engram = "".join(f"[{tag}] {item}\n" for tag in ("Task", "Progress", "Pending", "Taboo") for item in items)
    state = "".join(f"## {name}\n- " + "\n- ".join(items) + "\n" for name in ("Completed", "In progress", "Next"))
    found = expected(memory(engram, state))
    assert sum(map(len, (*found.task, *found.next, *found.taboos, *found.others))) <= ALTOGETHER
    begun = time.process_time()
    compare(found, "word " * MOST, WORDS)
    assert time.process_time() - begun < 1.0


@pytest.mark.parametrize("piece", ["next ", "下一步", "a.", "不", "Ledger.close ", "\n", "A" * 50 + " ", "，"])
def test_long_read_backs_take_no_time(piece: str) -> None:
    taboos = "".join(f"[Taboo] don't {number} use lodash in src/{number}.js\n" for number in range(30))
    known = memory(ENGRAM + taboos, STATE + "".join(f"{n}. step {n} of it\n" for n in range(100)))
    judged("warm", known)
    begun = time.process_time()  # others run beside it
    judged(piece * (2 * MOST // len(piece)), known)
    assert time.process_time() - begun < 0.5
