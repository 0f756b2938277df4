"""The counting process: there while it is needed, never in the way, and nobody notices when it dies."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import psutil

from agentsup.host.token_counter import CRASHES, TokenCounter
from agentsup.tokens import Count

DEADLINE = 20.0

FAKE = """
import os, struct, sys, time
read = lambda: sys.stdin.buffer.read(*struct.unpack(">I", sys.stdin.buffer.read(4)))
"""
"""A counting process without a vocabulary: what follows says what it does."""

LENGTHS = f"{FAKE}\nwhile True: os.write(1, struct.pack('>I?', len(read()), True))"
DIES = f"{FAKE}\nread(); os._exit(3)"
HALF = f"{FAKE}\nn = len(read()); os.write(1, b'\\0\\0\\0'); read(); os.write(1, bytes([n, 1])); time.sleep(100)"
DEAF = "import time; time.sleep(1000)"


class Answers:
    """What a counter has answered."""

    def __init__(self) -> None:
        self.counts: list[tuple[Count, int]] = []
        self._news = asyncio.Event()

    def take(self, count: Count, tag: int) -> None:
        self.counts.append((count, tag))
        self._news.set()

    async def wait(self, number: int) -> list[tuple[Count, int]]:
        async with asyncio.timeout(DEADLINE):
            while len(self.counts) < number:
                self._news.clear()
                await self._news.wait()
        return self.counts


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until this holds."""
    async with asyncio.timeout(DEADLINE):
        while not condition():
            await asyncio.sleep(0.005)


@asynccontextmanager
async def counter(code: str | None = None, **options: float) -> AsyncIterator[tuple[TokenCounter, Answers]]:
    answers = Answers()
    command = {} if code is None else {"command": (sys.executable, "-I", "-S", "-c", code)}
    made = TokenCounter(answers.take, **command, **options)  # type: ignore[arg-type]
    seen: set[int] = set()
    real = made._start

    def start() -> bool:
        begun = real()
        seen.add(made.pid)
        return begun

    made._start = start  # type: ignore[method-assign]
    yield made, answers
    made.close()
    await until(lambda: not any(psutil.pid_exists(pid) for pid in seen - {0}))


async def test_texts_are_counted_in_order_in_another_process() -> None:
    async with counter() as (made, answers):
        assert made.pid == 0
        for tag, text in enumerate(("hello world", "", "你好，世界", "\ud800")):
            assert made.count(text, tag)
        assert await answers.wait(4) == [
            (Count(2, True), 0), (Count(0, True), 1), (Count(3, True), 2), (Count(1, True), 3),
        ]  # fmt: skip
        assert psutil.Process(made.pid).cmdline()[1:] == ["-P", "-m", "agentsup.tokens"]


async def test_a_text_larger_than_the_pipe_arrives_whole() -> None:
    async with counter(LENGTHS) as (made, answers):
        assert made.count("x" * 200_000)
        assert await answers.wait(1) == [(Count(200_000, True), 0)]


async def test_more_than_a_seconds_texts_are_dropped() -> None:
    async with counter(LENGTHS, rate=1000) as (made, answers):
        assert [made.count("x" * 400) for _ in range(4)] == [True, True, False, False]
        assert not made.count("x" * 1001)
        assert len(await answers.wait(2)) == 2


async def test_a_process_that_reads_nothing_holds_up_nobody() -> None:
    async with counter(DEAF, rate=1 << 18) as (made, _):
        begun = time.monotonic()
        taken = [made.count("x" * 10_000) for _ in range(50)]
        assert time.monotonic() - begun < 1
        assert 20 <= sum(taken) <= 27


async def test_an_answer_may_come_in_pieces() -> None:
    async with counter(HALF) as (made, answers):
        made.count("x" * 7)
        made.count("second")
        assert await answers.wait(1) == [(Count(7, True), 0)]


async def test_it_ends_when_it_was_not_needed_for_a_while_and_comes_back() -> None:
    async with counter(LENGTHS, idle=1.0) as (made, answers):  # a process has to begin and answer in it
        made.count("one")
        first = made.pid  # now: it may have ended again as soon as it has answered
        assert first
        await answers.wait(1)
        await until(lambda: made.pid == 0 and not psutil.pid_exists(first))
        made.count("three")
        assert (await answers.wait(2))[1] == (Count(5, True), 0)


async def test_a_crash_is_nobodys_trouble_and_what_crashes_again_and_again_is_left_alone() -> None:
    async with counter(DIES) as (made, answers):
        for _ in range(CRASHES + 1):
            assert made.count("text")
            await until(lambda: made.pid == 0)
        assert not made.count("text")
        assert made.pid == 0
        assert answers.counts == []


async def test_after_a_crash_the_next_text_is_counted() -> None:
    async with counter(LENGTHS) as (made, answers):
        made.count("one", 1)
        await answers.wait(1)
        os.kill(made.pid, signal.SIGKILL)
        await until(lambda: made.pid == 0)
        made.count("three", 2)
        assert (await answers.wait(2))[1] == (Count(5, True), 2)


async def test_a_program_that_can_not_be_started_is_no_error() -> None:
    made = TokenCounter(lambda *_: None, command=("/nonexistent/program",))
    assert not made.count("text")
    made.close()


async def test_answers_after_its_end_are_nobodys() -> None:
    async with counter(LENGTHS) as (made, answers):
        made.count("one")
        made.close()
        made.count("three", 1)
        assert await answers.wait(1) == [(Count(5, True), 1)]


def test_the_process_ends_with_whoever_asked_it() -> None:
    code = (
        "import asyncio, os\nfrom agentsup.host.token_counter import TokenCounter\n"
        "async def main():\n made = TokenCounter(lambda count, tag: (print(made.pid, flush=True), os._exit(0)))\n"
        " made.count('x')\n await asyncio.sleep(60)\nasyncio.run(main())"
    )
    pid = int(subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout)
    deadline = time.monotonic() + DEADLINE
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
