"""The outer terminal's colours: asked for once, handed on to the program, and no key lost meanwhile."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import pairwise

import pexpect
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.cli.outer_colours import OuterColours, answers
from tests.end_to_end.place import Place

ANSWER = b"\x1b]10;rgb:1111/2222/3333\x1b\\\x1b]11;rgb:ff/f0/e0\x07\x1b[?62;22c"


@given(st.lists(st.integers(0, len(ANSWER) + 6), max_size=6), st.integers(0, 2))
def test_answers_are_told_from_keys_however_they_are_cut(cuts: list[int], place: int) -> None:
    second, last = ANSWER.index(b"\x1b]11"), ANSWER.index(b"\x1b[?")
    at = (0, second, last)[place]
    stream = ANSWER[:at] + b"ls" + ANSWER[at:]
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    pieces: Iterator[bytes] = iter([stream[a:b] for a, b in pairwise(edges)])
    found = answers(lambda _: next(pieces, b""))
    assert found == OuterColours((17, 34, 51), (255, 240, 224), b"ls")


def test_a_terminal_that_says_nothing_is_no_error() -> None:
    assert answers(lambda _: b"") == OuterColours()


LIGHT = (
    (b"\x1b]10;?", b"\x1b]10;rgb:2020/2020/2020\x1b\\"),
    (b"\x1b]11;?", b"\x1b]11;rgb:fafa/f0f0/e6e6\x1b\\"),
    (b"\x1b[c", b"\x1b[?62;22c"),
)


class LightOuter:
    """A light terminal: a pty whose other side answers the colour queries as xterm does."""

    def __init__(self, place: Place, script: str) -> None:
        self._seen = b""
        argv = [sys.executable, "-m", "agentsup", "--layout", "agent", "--", "sh", "-c", script]
        self._child: pexpect.spawn[bytes] = pexpect.spawn(
            argv[0], argv[1:], env=place.env, cwd=str(place.work), dimensions=(24, 80)
        )

    def __enter__(self) -> LightOuter:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.close(force=True)

    def wait_for(self, text: str) -> None:
        """Answer what is asked until the text shows."""
        deadline = time.monotonic() + 15.0
        while text.encode() not in self._seen:
            assert time.monotonic() < deadline, self._seen
            try:
                data = self._child.read_nonblocking(65536, 0.05)
            except pexpect.TIMEOUT:
                continue
            self._seen += data
            for query, answer in (
                (b"\x1b]10;?", b"\x1b]10;rgb:2020/2020/2020\x1b\\"),
                (b"\x1b]11;?", b"\x1b]11;rgb:fafa/f0f0/e6e6\x1b\\"),
                (b"\x1b[c", b"\x1b[?62;22c"),
            ):
                self._child.send(answer * data.count(query))


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    made = Place(tmp_path_factory.mktemp("colours"))
    yield made
    made.close()


def test_keys_typed_before_there_is_an_interface_arrive(place: Place) -> None:
    terminal = place.open("--layout", "agent", "--", "sh", "-c", "read line; echo got $line; cat")
    terminal.type("early")
    terminal.key("Enter")
    terminal.wait_for("got early")


def test_the_program_is_told_the_background_that_the_outer_terminal_has(place: Place) -> None:
    asked = (
        "stty raw -echo; printf '\\033]11;?\\033\\\\'; dd bs=1 count=24 2>/dev/null | tr '\\033' 'E'; stty sane; cat"
    )
    with LightOuter(place, asked) as outer:
        outer.wait_for("E]11;rgb:fafa/f0f0/e6e6")
