"""What a person types behind a text of ours that was given up: an Enter waits, nothing is lost or reordered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.injector import PASTE_END, PASTE_START, Typing
from agentsup.host.typist import Typist
from tests.host.test_writer import Bench

OURS = PASTE_START + b"ours" + PASTE_END


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    made.close()


def given_up(bench: Bench, *keys: bytes) -> Typist:
    """Type a text, have a person type meanwhile, and give the text up."""
    typist = Typist(bench.writer)
    assert typist.type(Typing(OURS))
    for each in keys:
        bench.writer.write("human", each)
    typist.stop(keep_enter=True)
    return typist


@pytest.mark.parametrize(
    "enter",
    [b"\r", b"\n", b"\t", b"\x1b[13u", b"\x1b[13;5u", b"\x1b[57414u", b"\x1b[27;5;13~", b"\x1bOM", b"\x1b[13;1:1u"],
)
async def test_keys_pass_up_to_an_enter_that_waits_with_what_follows_it(bench: Bench, enter: bytes) -> None:
    typist = given_up(bench, b"ab", b"c" + enter + b"d")
    bench.writer.write("human", b"e")
    assert await bench.read(len(OURS) + 3) == OURS + b"abc"
    assert typist.keeps_keys
    bench.writer.write("reply", b"!")
    assert await bench.read(1) == b"!"
    typist.let_keys_go()
    bench.writer.write("human", b"f")
    assert await bench.read(len(enter) + 3) == enter + b"def"
    assert not typist.keeps_keys


async def test_keys_without_an_enter_are_not_kept_and_one_that_comes_later_is(bench: Bench) -> None:
    typist = given_up(bench, b"\x1b[A\x03")
    assert await bench.read(len(OURS) + 4) == OURS + b"\x1b[A\x03"
    assert not typist.keeps_keys
    bench.writer.write("human", b"x\r")
    assert typist.keeps_keys
    assert await bench.read(1) == b"x"


async def test_a_paste_waits_and_keys_behind_it_too(bench: Bench) -> None:
    typist = given_up(bench)
    assert bench.writer.hold("paste")
    bench.writer.write("paste", b"<a\rb")
    bench.writer.write("human", b"k")
    assert await bench.read(len(OURS)) == OURS
    typist.let_keys_go()
    bench.writer.write("paste", b">")
    bench.writer.release("paste")
    assert await bench.read(6) == b"<a\rb>k"


async def test_nothing_of_ours_is_typed_meanwhile(bench: Bench) -> None:
    typist = given_up(bench, b"\r")
    assert not typist.type(Typing(b"more"))
    typist.let_keys_go()
    assert typist.type(Typing(b"more"))


async def test_where_nothing_of_ours_is_in_the_pty_no_key_is_kept(bench: Bench) -> None:
    before = b"-" * (1 << 20)
    bench.writer.write("human", before)
    typist = given_up(bench, b"a\rb")
    assert not typist.keeps_keys
    assert await bench.read(len(before) + 3) == before + b"a\rb"


async def test_another_program_gets_none_of_what_was_kept(bench: Bench) -> None:
    typist = given_up(bench, b"a\rb")
    bench.writer.attach(bench.master)
    assert not typist.keeps_keys
    bench.writer.write("human", b"\r")
    assert await bench.read(len(OURS) + 2) == OURS + b"a\r"


KEYS = st.lists(
    st.tuples(st.sampled_from(["human", "paste", "go", "give up"]), st.sampled_from([b"a", b"\r", b"b\rc"]))
)


@given(KEYS)
def test_nothing_of_the_persons_is_lost_or_reordered(steps: list[tuple[str, bytes]]) -> None:
    async def run() -> None:
        bench = Bench()
        typist, typed, count = Typist(bench.writer), b"", 0
        for action, data in steps:
            if action == "give up":
                count += typist.type(Typing(b"#"))
                typist.stop(keep_enter=True)
            elif action == "go":
                typist.let_keys_go()
            else:
                if action == "paste":
                    bench.writer.hold("paste")
                bench.writer.write("paste" if action == "paste" else "human", data)
                if action == "paste":
                    bench.writer.release("paste")
                typed += data
        typist.let_keys_go()
        received = await bench.read(len(typed) + count) if typed or count else b""
        bench.close()
        assert received.replace(b"#", b"") == typed

    asyncio.run(run())
