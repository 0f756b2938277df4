"""What is written aside: one thing after the other, whatever becomes of those before."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentsup.core.problems import Problem
from agentsup.host.aside import Aside
from agentsup.store.atomic import Conflict


def _raising(error: Exception) -> Callable[[], None]:
    def write() -> None:
        raise error

    return write


async def test_one_that_fails_is_no_fault_of_those_after_it() -> None:
    told: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: told.append(context))
    aside, done = Aside(), threading.Event()
    fault = KeyError("strategy")
    for error in (OSError("full"), Problem("x"), Conflict(Path("x"), b"ours", None), fault):
        aside.do(_raising(error))
    aside.do(done.set)
    assert await asyncio.to_thread(done.wait, 10)
    async with asyncio.timeout(10):
        while not told:
            await asyncio.sleep(0.005)
    assert [each["exception"] for each in told] == [fault], "what may happen is nobody's fault"


def test_a_fault_after_the_loops_end_is_told_nobody() -> None:
    async def make() -> Aside:
        return Aside()

    aside, done = asyncio.run(make()), threading.Event()
    aside.do(_raising(KeyError("x")))
    aside.do(done.set)
    assert done.wait(10)
