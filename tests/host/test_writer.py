"""The one writer: order is kept, an open paste is never interleaved, nothing blocks."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import tty
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.injector import PASTE_END, PASTE_START, Typing
from agentsup.host.typist import Typist
from agentsup.host.writer import Source, Writer

DEADLINE = 10.0


class Bench:
    """A writer on a raw pty, and what arrives at the program's side."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        os.set_blocking(self.slave, False)
        self.drained = 0
        self.writer = Writer(self.on_drained)
        self.writer.attach(self.master)

    def on_drained(self) -> None:
        self.drained += 1

    async def read(self, size: int) -> bytes:
        data = b""
        ready = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(self.slave, ready.set)
        try:
            async with asyncio.timeout(DEADLINE):
                while len(data) < size:
                    await ready.wait()
                    ready.clear()
                    with contextlib.suppress(BlockingIOError):
                        data += os.read(self.slave, 1 << 16)
        finally:
            loop.remove_reader(self.slave)
        return data

    def close(self) -> None:
        self.writer.detach()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    made.close()


async def test_a_megabyte_arrives_in_order_without_blocking(bench: Bench) -> None:
    data = bytes(range(256)) * 4096
    bench.writer.write("human", data)
    assert bench.writer.backlog > 0
    assert await bench.read(len(data)) == data
    assert bench.writer.backlog == 0


async def test_keys_wait_behind_an_injection_and_replies_do_not(bench: Bench) -> None:
    assert bench.writer.hold("injection")
    bench.writer.write("injection", b"<paste>")
    bench.writer.write("human", b"a")
    bench.writer.write("reply", b"!")
    bench.writer.write("human", b"b")
    assert await bench.read(8) == b"<paste>!"
    bench.writer.write("injection", b"\r")
    bench.writer.release("injection")
    assert await bench.read(3) == b"\rab"


async def test_it_is_told_how_much_of_the_persons_waits(bench: Bench) -> None:
    told: list[int] = []
    bench.writer.on_kept = told.append
    bench.writer.write("human", b"at once")
    assert told == []
    bench.writer.hold("injection")
    bench.writer.write("injection", b"x" * (1 << 20))
    bench.writer.write("human", b"abc")
    bench.writer.hold("paste")
    bench.writer.write("paste", b"de")
    bench.writer.write("reply", b"!")
    assert told == [3, 5]
    bench.writer.release("injection")
    bench.writer.release("paste")
    await bench.read((1 << 20) + 13)
    assert told == [3, 5, 0]


async def test_nothing_enters_a_persons_open_paste(bench: Bench) -> None:
    assert bench.writer.hold("paste")
    bench.writer.write("paste", b"<")
    bench.writer.write("reply", b"!")
    bench.writer.write("human", b"k")
    assert not bench.writer.hold("injection")
    bench.writer.write("paste", b">")
    bench.writer.release("paste")
    assert await bench.read(4) == b"<>!k"


async def test_a_paste_that_comes_during_an_injection_follows_it_whole(bench: Bench) -> None:
    assert bench.writer.hold("injection")
    bench.writer.write("injection", b"<i>")
    assert bench.writer.hold("paste")
    bench.writer.write("paste", b"<")
    bench.writer.write("human", b"k")
    bench.writer.write("paste", b"-")
    bench.writer.write("injection", b"\r")
    bench.writer.release("injection")
    bench.writer.write("human", b"l")
    assert await bench.read(6) == b"<i>\r<-"
    bench.writer.write("paste", b">")
    bench.writer.release("paste")
    assert await bench.read(3) == b">kl"


async def test_what_is_typed_before_there_is_a_pty_waits_for_it(bench: Bench) -> None:
    early = Writer(bench.on_drained)
    early.write("human", b"early")
    early.attach(bench.master)
    assert await bench.read(5) == b"early"
    early.detach()
    early.write("human", b"late")
    early.attach(bench.master)
    early.write("human", b"!")
    assert await bench.read(1) == b"!"
    early.detach()


async def test_a_program_that_is_gone_is_no_error(bench: Bench) -> None:
    os.close(bench.slave)
    bench.writer.write("human", b"x")
    bench.slave = os.open(os.devnull, os.O_RDONLY)


async def test_a_reply_waits_for_the_end_of_a_paste_that_comes_in_pieces(bench: Bench) -> None:
    assert bench.writer.hold("injection")
    bench.writer.write("injection", b"lead" + PASTE_START + b"one ")
    bench.writer.write("reply", b"!")
    bench.writer.write("human", b"k")
    assert await bench.read(14) == b"lead" + PASTE_START + b"one "
    bench.writer.write("injection", b"two" + PASTE_END)
    bench.writer.write("reply", b"?")
    bench.writer.write("injection", b"\r")
    bench.writer.release("injection")
    assert await bench.read(13) == b"two" + PASTE_END + b"!?\rk"


@pytest.mark.parametrize("cut", [0, 3, 7, 4000])
async def test_an_injection_that_is_given_up_closes_its_paste_and_lets_the_keys_go(bench: Bench, cut: int) -> None:
    told: list[bool] = []
    bench.writer.on_paste = told.append
    before = b"-" * (1 << 20)
    if cut == 0:
        bench.writer.write("human", before)  # the pty is full: nothing of ours gets in
    assert bench.writer.hold("injection")
    if cut == 3:
        bench.writer.write("injection", PASTE_START + b"abc")
    else:
        bench.writer.write("injection", PASTE_START + b"x" * (1 << 20) + PASTE_END)
    bench.writer.write("human", b"keys")
    assert bench.writer.has_written("injection") == (cut == 3)
    bench.writer.abort("injection")
    assert bench.writer.held_by is None
    assert bench.writer.has_written("injection") or cut != 0
    if cut == 0:
        assert await bench.read(len(before) + 4) == before + b"keys"
        return
    received = b""
    while not received.endswith(b"keys"):
        received += await bench.read(1)
    assert received.startswith(PASTE_START)
    assert received.endswith(PASTE_END + b"keys")
    assert received.count(PASTE_END) == 1
    assert len(received) < 1 << 19
    assert told == [True, False]


async def test_typing_is_done_when_all_of_it_is_in_the_pty(bench: Bench) -> None:
    typist, size = Typist(bench.writer), 1 << 19
    assert typist.type(Typing(b"x" * size))
    bench.writer.write("human", b"k")
    assert not typist.is_done
    assert await bench.read(size) == b"x" * size
    assert typist.is_done
    typist.submit()
    assert await bench.read(2) == b"\rk"


async def test_nobody_types_into_a_persons_open_paste(bench: Bench) -> None:
    assert bench.writer.hold("paste")
    assert not Typist(bench.writer).type(Typing(b"x"))
    assert bench.writer.backlog == 0


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "hold", "release"]),
        st.sampled_from(["human", "paste", "reply", "injection"]),
    )
)


@given(STEPS)
def test_any_order_of_calls_keeps_each_sources_order(steps: list[tuple[str, Source]]) -> None:
    async def run() -> None:
        bench = Bench()
        sent: dict[str, list[int]] = {"human": [], "paste": [], "reply": [], "injection": []}
        count = 0
        for action, source in steps:
            if action == "write" and count < 250:
                bench.writer.write(source, bytes([count]))
                sent[source].append(count)
                count += 1
            elif action == "hold":
                bench.writer.hold(source)
            elif action == "release":
                bench.writer.release(source)
        for _ in range(len(steps) + 1):
            if (holder := bench.writer.held_by) is not None:
                bench.writer.release(holder)
        received = list(await bench.read(count)) if count else []
        bench.close()
        assert sorted(received) == list(range(count))
        for numbers in sent.values():
            assert [number for number in received if number in numbers] == numbers

    asyncio.run(run())
