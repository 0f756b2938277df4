"""The limit on clipboard writes: everything else passes untouched, however the stream is cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.terminal import clipboard_limit
from agentsup.terminal.clipboard_limit import ClipboardLimit

PIECES = st.sampled_from(
    [
        b"text",
        b"\x1b]52;c;",
        b"\x1b",
        b"]",
        b"52;",
        b"A" * 30,
        b"\x07",
        b"\x1b\\",
        b"\x1b]0;t\x07",
        b"\x18",
        b"\xff",
        b"\r\n",
    ]
)


def through(stream: bytes, cuts: list[int]) -> bytes:
    limit = ClipboardLimit()
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    return b"".join(limit.take(stream[a:b]) for a, b in pairwise(edges))


@given(st.lists(PIECES, max_size=20).map(b"".join), st.lists(st.integers(0, 400), max_size=8))
def test_below_the_limit_any_stream_comes_out_as_it_went_in(stream: bytes, cuts: list[int]) -> None:
    assert through(stream, cuts) == stream


@given(st.lists(PIECES, max_size=20).map(b"".join), st.lists(st.integers(0, 400), max_size=8))
def test_any_cut_of_a_stream_is_limited_alike(stream: bytes, cuts: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clipboard_limit, "LIMIT", 10)
        assert through(stream, cuts) == through(stream, [])


def test_one_without_an_end_is_cut_and_what_follows_its_end_is_not() -> None:
    stream = b"before\x1b]52;c;" + b"A" * (3 << 20) + b"\x07after"
    out = through(stream, list(range(0, len(stream), 65_536)))
    assert out == b"before\x1b]52;c;" + b"A" * (clipboard_limit.LIMIT - 2) + b"\x07after"
