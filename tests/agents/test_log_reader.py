"""A log is read the same way whatever blocks it comes in, and no bytes whatever stop the reader."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.agents.adapter import LogDecoder
from agentsup.agents.codex_log import CodexLog
from agentsup.agents.log_reader import LogReader
from agentsup.agents.registry import KNOWN
from agentsup.core import events as ev
from agentsup.core.line_cutter import Line, LineCutter

LOGS = Path(__file__).parent.parent / "data" / "codex" / "logs"
LINE, HEAD = 20, 8


def in_blocks(data: bytes, cuts: list[int]) -> list[bytes]:
    ends = sorted({cut % (len(data) + 1) for cut in cuts} | {0, len(data)})
    return [data[start:end] for start, end in itertools.pairwise(ends)]


def expected(data: bytes) -> tuple[list[Line], bytes]:
    """The rules, written the short way: with all of it in memory."""
    *ends, rest = re.sub(rb"\0+", b"\n", data).split(b"\n")
    lines: list[Line] = []
    for number, whole in enumerate([*ends, rest]):
        is_long = len(whole) > LINE
        line = whole[:HEAD] if is_long else whole.removesuffix(b"\r")
        line = line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line
        lines.append((line, is_long))
    last, is_long = lines.pop()
    told = [line for line in lines if line[1] or line[0].strip()]
    return told, last if last.strip() and not is_long else b""


PIECES = st.sampled_from([b"\n", b"\r\n", b"\0", b"\0\0\0", b"\xef\xbb\xbf", b" ", b"a", b"bcdef", b"g" * 15, b"\xff"])


@given(st.lists(PIECES, max_size=30).map(b"".join), st.lists(st.integers(0, 1000), max_size=8))
def test_lines_are_the_same_in_blocks_of_any_size(data: bytes, cuts: list[int]) -> None:
    cutter = LineCutter(LINE, HEAD)
    lines = [line for block in in_blocks(data, cuts) for line in cutter.cut(block)]
    assert (lines, cutter.rest()) == expected(data)


def test_line_ends() -> None:
    cutter = LineCutter()
    assert cutter.cut(b"\xef\xbb\xbfa\r\nb\0\0c\n\r\n \n\xef\xbb\xbfd\r") == [
        (b"a", False), (b"b", False), (b"c", False),
    ]  # fmt: skip
    assert cutter.cut(b"\n") == [(b"\xef\xbb\xbfd", False)]


def test_a_long_line_is_not_held() -> None:
    cutter = LineCutter(1000, 10)
    held = 0
    for _ in range(100):
        assert cutter.cut(b"x" * 700) == []
        held = max(held, len(cutter._held))
    assert held <= 1000
    assert cutter.cut(b"\nnext\n") == [(b"x" * 10, True), (b"next", False)]


def test_what_can_not_be_read_is_counted_and_the_rest_is_told() -> None:
    lines = (LOGS / "plain.jsonl").read_bytes().splitlines(keepends=True)
    whole = list(LogReader(CodexLog()).events(b"".join(lines)))
    reader = LogReader(CodexLog())
    damaged = b"\xef\xbb\xbf" + b"not JSON\n".join(lines) + b'{"timestamp":"20'
    assert [*reader.events(damaged), *reader.last_events()] == whole
    assert (reader.unreadable, reader.skipped) == (len(lines) - 1, 0)


def test_a_last_line_without_an_end_is_told_where_it_is_whole() -> None:
    data = (LOGS / "plain.jsonl").read_bytes().rstrip()
    reader = LogReader(CodexLog())
    assert not isinstance([*reader.events(data)][-1], ev.TurnEnded)
    assert isinstance(reader.last_events()[-1], ev.TurnEnded)


def test_a_compaction_is_told_by_the_head_of_its_line() -> None:
    start = b'{"timestamp":"2026-11-29T22:03:08.053Z","ordinal":34,"type":"compacted","payload":{"message":"'
    reader = LogReader(CodexLog(), LineCutter(1000, 200))
    (compacted,) = [*reader.events(start + b"x" * 2000 + b'"}}\n'), *reader.last_events()]
    assert isinstance(compacted, ev.Compacted)
    assert (reader.skipped, reader.unreadable) == (1, 0)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def spoilt(line: bytes, where: int, value: object) -> bytes:
    """Return the record with one of its values, however deep, replaced."""
    record = json.loads(line)
    places: list[tuple[object, object]] = []
    waiting = [record]
    while waiting:
        place = waiting.pop()
        for key, inner in list(place.items() if isinstance(place, dict) else enumerate(place)):
            places.append((place, key))
            if isinstance(inner, dict | list):
                waiting.append(inner)
    place, key = places[where % len(places)]
    place[key] = value  # type: ignore[index]
    return json.dumps(record, separators=(",", ":")).encode()


RECORDS = [
    line for path in sorted(LOGS.parent.parent.glob("*/logs/*.jsonl")) for line in path.read_bytes().splitlines()
]


@pytest.mark.parametrize("decoder", [known().decoder for known in KNOWN], ids=lambda made: made.__self__.name)
@given(st.lists(st.binary(max_size=80) | st.builds(spoilt, st.sampled_from(RECORDS), st.integers(0, 500), VALUES)))
def test_no_bytes_stop_the_reader(decoder: type[LogDecoder], lines: list[bytes]) -> None:
    reader = LogReader(decoder(), LineCutter(4000, 300))
    for event in (*reader.events(b"\n".join(lines)), *reader.last_events()):
        assert isinstance(event, ev.Event)
