"""Whatever a program prints, however it arrives and the window changes: every client comes to the host's screen."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from agentsup.terminal import open_engine
from agentsup.terminal.engine import MINIMUM_COLUMNS, MINIMUM_ROWS
from tests.compare.host_bench import HostBench, Reader
from tests.terminal.shown import Shown
from tests.terminal.streams import cuts, pieces_of, streams

START = (30, 8)
READ = "read"
"""A step: the slow client takes what has come."""

Step = bytes | tuple[int, int] | str
sizes = st.tuples(st.integers(1, 60), st.integers(1, 20))
wild = st.binary(max_size=200) | st.lists(st.sampled_from([b"\x1b[", b"\x1b]", b"\x1bP", b"m", b"H", b"99", b";"])).map(
    b"".join
)


async def follow(bench: HostBench, steps: list[Step], places: list[int]) -> tuple[Reader, Reader]:
    """Carry out the steps, with one client that takes every frame and one that takes what it is told to."""
    quick, slow = bench.open(), bench.open()
    await bench.until(lambda: len(bench.clients.interfaces) == 2, "both are attached")
    for step in steps:
        match step:
            case bytes():
                for piece in pieces_of(step, places):
                    await bench.write(piece)
                    quick.read()
            case str():
                slow.read()
            case (columns, rows):
                bench.screen.resize(columns, rows)
        quick.read()
    return quick, slow


async def all_come_to_the_screen(bench: HostBench, *readers: Reader) -> None:
    """Those that followed, and one that comes now."""
    for reader in (*readers, bench.open()):

        def same(reader: Reader = reader) -> bool:
            reader.read()
            return reader.state == bench.state

        await bench.until(same, f"the same screen\n{reader.state}\n{bench.state}")


def steps_of(written: st.SearchStrategy[bytes]) -> st.SearchStrategy[list[Step]]:
    """Return lists of steps, most of them output."""
    return st.lists(st.one_of(written, written, written, sizes, st.just(READ)), max_size=12)


@given(steps_of(streams), cuts)
@settings(max_examples=60, deadline=None)
def test_changed_rows_make_the_hosts_screen(steps: list[Step], places: list[int]) -> None:
    async def run() -> None:
        reference = Shown(open_engine(*START))
        for step in steps:
            if isinstance(step, bytes):
                reference.feed(step)
            elif isinstance(step, tuple):
                # As the host does: of sizes below the least, the least.
                reference.engine.resize(max(step[0], MINIMUM_COLUMNS), max(step[1], MINIMUM_ROWS))
                reference.update()
        async with HostBench(*START) as bench:
            readers = await follow(bench, steps, places)
            await all_come_to_the_screen(bench, *readers)
            rows = bench.screen.settle().rows
            assert rows == tuple(reference.rows[number] for number in range(len(rows)))

    asyncio.run(run())


@given(steps_of(wild), cuts)
@settings(max_examples=60, deadline=None)
def test_any_bytes_and_sizes_keep_the_rows_whole(steps: list[Step], places: list[int]) -> None:
    async def run() -> None:
        async with HostBench(*START) as bench:
            readers = await follow(bench, steps, places)
            await all_come_to_the_screen(bench, *readers)

    asyncio.run(run())


def test_a_client_that_does_not_read_skips_frames_and_catches_up() -> None:
    async def run() -> None:
        async with HostBench(80, 24) as bench:
            steps: list[Step] = [f"\x1b[{n % 24 + 1};1H\x1b[3{n % 8}m{n} 你好\x1b[K".encode() for n in range(300)]
            quick, slow = await follow(bench, steps, [])
            await all_come_to_the_screen(bench, quick, slow)
            assert 0 < slow.frames < quick.frames / 2

    asyncio.run(run())
