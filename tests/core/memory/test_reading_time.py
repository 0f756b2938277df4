"""Whatever somebody else has committed, memory is read in time in proportion to its length."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from agentsup.core.memory.blocks import blocks
from agentsup.core.memory.decisions import read_decisions, write_decisions
from agentsup.core.memory.merge_conflict import conflict_line
from agentsup.core.memory.quoted import quoted
from agentsup.core.memory.state_forms import read_state

Work = Callable[[str], object]

READERS: dict[str, Work] = {
    "decisions": read_decisions,
    "writing": lambda text: write_decisions(read_decisions(text)),
    "state": lambda text: read_state("markdown", text),
    "conflict": conflict_line,
}
TEXTS = {
    "fences": ("```\n", ""),
    "opening fences": ("```x\n", ""),
    "headings in fences": ("# a\n```\n", ""),
    "one title": ("## a\n", ""),
    "one id": ("## a\n- id: b\n", ""),
    "list items": ("- a\n", ""),
    "comments": ("<!--\n", ""),
    "ends of comments": ("-->\n", ""),
    "conflicts": ("<<<<<<< a\n=======\n>>>>>>> b\n", ""),
    "beginnings of conflicts": ("<<<<<<< a\n", "x>>>>>>>\n"),
    "middles of conflicts": ("<<<<<<< a\n=======\n", "x>>>>>>>\n"),
}


@contextmanager
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def seconds(work: Work, text: str) -> float:
    """Return the processor's time for it, the least of several."""
    taken = []
    with no_collector():
        for _ in range(2):
            began = time.process_time()
            work(text)
            taken.append(time.process_time() - began)
    return min(taken)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", TEXTS)
def test_twice_the_text_takes_no_more_than_twice_the_time(reader: str, name: str) -> None:
    each, end = TEXTS[name]
    work, count = READERS[reader], 1500
    ratios = []
    for _ in range(4):  # what else the machine does can make one of them wrong
        short, long = seconds(work, each * count + end), seconds(work, each * count * 2 + end)
        ratios.append(long / max(short, 1e-3))
        if ratios[-1] < 3:
            return
    pytest.fail(f"{ratios}")


@pytest.mark.parametrize("work", [blocks, lambda text: quoted(text.split("\n"))])
def test_the_order_of_fences_that_nothing_closes_makes_no_difference(work: Work) -> None:
    growing = [f"{'`' * length}x\n" for length in range(3, 300)]
    opening = ["```x\n"] * 3000
    assert seconds(work, "".join([*reversed(growing), *opening])) < 5 * seconds(work, "".join([*growing, *opening]))
