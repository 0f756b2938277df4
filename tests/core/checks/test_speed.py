"""Judging is quick enough for every turn's end, and no text makes it slow."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from agentsup.core.checks.characters import first_control, first_invisible, word_count
from agentsup.core.checks.names import candidates, named
from agentsup.core.checks.secrets import secrets
from agentsup.core.checks.state import check_state
from agentsup.core.checks.wording import LineKind, faults, is_one_step, said_anew
from agentsup.core.memory.model import Repository, Work
from agentsup.locale import wording
from tests.core.checks.examples import ENGRAM, GOOD, STATE, found, state, with_item

SIZE = 100_000
PIECES = [
    "a", "A", "aA", "a_", "_", "a/", "a.", "(", ")", "a(", "[", "<", "`", "`a", '"', '"a', "“", "“a", "处",
    "对给把将", "and ", "release ", "release notes ", "-", "- ", " ", "\t", "*", "1.", "sk-", "sk-ant-", "eyJ",
    "eyJa.", "Bearer ", "Bearer a1", "password=", "password: ", ":", "a:", "a://", "a://x:", "https://", "0", "0a",
    "::", "a::", "->", "a,", "\ufffc", "commit ", "提交", "AB ", "-----BEGIN ", "AKIA", "ghp_", "some ", "一些",
    "的", "了", "\u200b", "⚠\ufe0f", "ing ", "x=", "#", "\\", "é", "because ",
]  # fmt: skip
KINDS: tuple[LineKind, ...] = ("task", "progress", "pending", "taboo", "completed", "next", "note")

JUDGES: dict[str, Callable[[str], object]] = {
    "faults": lambda text: [faults(kind, text, wording()) for kind in KINDS],
    "is_one_step": lambda text: is_one_step(text, wording()),
    "said_anew": lambda text: [said_anew(f"{verb} {text}", wording()) for verb in ("Add", "修复", "给")],
    "named": lambda text: named(text, wording()["en"].code),
    "candidates": candidates,
    "secrets": secrets,
    "first_control": first_control,
    "first_invisible": first_invisible,
    "word_count": word_count,
}


def seconds(act: Callable[[], object]) -> float:
    """Return the processor time that something takes: the machine may do other things meanwhile."""
    before = time.process_time()
    act()
    return time.process_time() - before


@pytest.mark.parametrize("judge", JUDGES)
def test_no_line_makes_it_slow(judge: str) -> None:
    JUDGES[judge]("warm")
    for piece in PIECES:
        for end in ("", "!"):
            # A quarter of it in a sixteenth of the time is enough: only what grew faster than by the square is slow.
            assert taken(judge, piece, end, SIZE // 4) < 1 / 16 or taken(judge, piece, end, SIZE) < 1, (piece, end)


def taken(judge: str, piece: str, end: str, size: int) -> float:
    line = (piece * size)[:size] + end
    return seconds(lambda: JUDGES[judge](line))


def test_a_usual_memory_is_judged_in_milliseconds() -> None:
    memory = state(
        STATE.replace("## In progress", "".join(f"- Wrote part{n}() (commit 8bd1a5{n})\n" for n in range(9)))
    )
    repository = Repository(known={"8bd1a50": True})
    found(memory, repository=repository)
    took = min(seconds(lambda: found(memory, repository=repository, work=Work())) for _ in range(10))
    assert took < 0.02  # about 3 ms here; what matters is that no list has become a loop


def test_a_long_state_does_not_explode() -> None:
    items = "".join(f"- Wrote part {n} of the scanner, slowly and with care\n" for n in range(20_000))
    memory = state(STATE.replace("## In progress", f"{items}## In progress"))
    assert len(check_state(memory, wording(), Repository(), Work())) == 101
    assert seconds(lambda: found(memory)) < 5


def test_a_long_engram_does_not_explode() -> None:
    memory = with_item(ENGRAM * 2000)
    assert seconds(lambda: found(memory)) < 5
    assert len(found(memory)) <= 101


def test_the_lists_are_read_once() -> None:
    assert wording() is wording()
    assert GOOD.engram.text
