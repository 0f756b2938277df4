"""The parts of the loop are apart from each other."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from agentsup.core import events as ev
from agentsup.host.memory_loop import MemoryLoop


class _Part:
    def __init__(self, *, fails: bool) -> None:
        self.fails, self.told = fails, list[ev.Event]()

    def happened(self, event: ev.Event) -> None:
        self.told.append(event)
        if self.fails:
            raise OSError("disk full")


def test_a_part_that_fails_is_told_once_and_the_others_go_on() -> None:
    notices: list[ev.Event] = []
    supervisor: Any = SimpleNamespace(happened=notices.append)
    loop = MemoryLoop(supervisor)
    bad, good = _Part(fails=True), _Part(fails=False)
    loop.followers += [bad, good]
    for second in (1.0, 2.0):
        loop.happened(ev.BreakerReset(second))
    assert len(bad.told) == len(good.told) == 2
    (notice,) = notices
    assert isinstance(notice, ev.NoticeRaised)
    assert (notice.key, dict(notice.values)) == (
        "loop.part-failed", {"part": "_Part", "reason": "OSError: disk full"}
    )  # fmt: skip
