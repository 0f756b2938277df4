"""Hypothesis strategies for what a program may print."""

from __future__ import annotations

from hypothesis import strategies as st

_TEXTS = [
    "a",
    "hello world ",
    "你好",
    "😀",
    "👩\u200d👩\u200d👧",
    "e\u0301",
    "❤\ufe0f",
    "🇫🇷",
    "\r\n",
    "\n",
    "\t",
    "\b",
]
_FINALS = "ABCDEFGHIJKLMPSTXZ@`abcdefghilmnpqrstuwx"
_MODES = [1, 6, 7, 9, 25, 47, 69, 1000, 1002, 1003, 1004, 1006, 1049, 2004, 2026, 2027]
_OSC = [
    "0;title 你",
    "2;",
    "8;;http://x/1",
    "8;id=a;http://x/2",
    "8;;",
    "9;note",
    "10;?",
    "52;c;aGk=",
    "52;c;?",
    "7501;state=idle:app=codex",
    "7501;state=working",
    "7501;?",
    "7501",
]

_numbers = st.lists(st.sampled_from([0, 1, 2, 3, 5, 10, 24, 80, 65535]), max_size=4)


@st.composite
def _csi(draw: st.DrawFn) -> str:
    prefix = draw(st.sampled_from(["", "", "", "?", ">", "="]))
    between = draw(st.sampled_from(["", "", "", " ", "$"]))
    return f"\x1b[{prefix}{';'.join(map(str, draw(_numbers)))}{between}{draw(st.sampled_from(_FINALS))}"


@st.composite
def _sgr(draw: st.DrawFn) -> str:
    return "\x1b[" + draw(st.sampled_from(["", "1", "3;4", "31", "48;5;200", "38;2;1;2;3", "4:3", "7", "44"])) + "m"


@st.composite
def _mode(draw: st.DrawFn) -> str:
    return f"\x1b[?{draw(st.sampled_from(_MODES))}{draw(st.sampled_from('hl'))}"


_osc = st.builds("\x1b]{}{}".format, st.sampled_from(_OSC), st.sampled_from(["\x07", "\x1b\\", "\x1b\\", "\x18", ""]))
_piece = st.one_of(
    st.sampled_from(_TEXTS),
    st.sampled_from(_TEXTS),
    _csi(),
    _sgr(),
    _mode(),
    _osc,
    st.sampled_from(["\x1b7", "\x1b8", "\x1bM", "\x1bD", "\x1bc", "\x1b#8", "\x1b(0", "\x1b(B", "\x07", "\x1b"]),
).map(str.encode) | st.binary(max_size=8)

streams = st.lists(_piece, max_size=40).map(b"".join)
"""What one or more programs could print, sense and nonsense mixed."""


def pieces_of(stream: bytes, cuts: list[int]) -> list[bytes]:
    """Cut `stream` at the given places (of any size, taken modulo its length)."""
    places = sorted(cut % (len(stream) + 1) for cut in cuts)
    return [stream[a:b] for a, b in zip([0, *places], [*places, len(stream)], strict=True)]


cuts = st.lists(st.integers(min_value=0, max_value=10_000), max_size=12)
