"""The reader of status reports (OSC 7501)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.terminal.osc_tap import MAXIMUM_PAYLOAD
from agentsup.terminal.status_tap import StatusTap
from tests.terminal.streams import cuts, pieces_of

IDLE = b"\x1b]7501;state=idle:app=codex\x1b\\"


def fields(*pieces: bytes) -> list[dict[str, str]]:
    """Return the fields of all reports found in a stream that arrives in these pieces."""
    tap = StatusTap()
    return [dict(report.fields) for piece in pieces for report in tap.feed(piece)]


@pytest.mark.parametrize(
    ("stream", "found"),
    [
        (IDLE, [{"state": "idle", "app": "codex"}]),
        (b"\x1b]7501;state=done\x07", [{"state": "done"}]),
        (b"a\x1b[1m" + IDLE + b"b" + IDLE, [{"state": "idle", "app": "codex"}] * 2),
        (b"\x1b]7501;state=blocked:app=codex:kind=permission\x07",
         [{"state": "blocked", "app": "codex", "kind": "permission"}]),
        (b"\x1b]7501;text=a=b\x07", [{"text": "a=b"}]),
        ("\x1b]7501;text=好\u3000\x07".encode(), [{"text": "好\u3000"}]),
        (b"\x1b]7501;a=\xff\x07", [{"a": "\ufffd"}]),
        (b"\x1b]7501;?\x07", []),
        (b"\x1b]7501;\x07", []),
        (b"\x1b]7501;=x:y\x07", []),
        (b"\x1b]7501;a=1\x0d:b=2\x07", [{"b": "2"}]),
        (b"\x1b]75010;state=idle\x07", []),
        (b"\x1b\x1b]7501;a=1\x07", [{"a": "1"}]),
        (b"\x1b]7501;a=1\x18", []),
        (b"\x1b]7501;a=1\x1a", []),
        (b"\x1b]7501;a=1\x1b[m\x07", []),
        (b"\x1b]7501;a=1\x1b]7501;a=2\x07", [{"a": "2"}]),
        (b"\x1b]7501;a=1", []),
    ],
)  # fmt: skip
def test_reports_are_found_in_one_piece_and_byte_by_byte(stream: bytes, found: list[dict[str, str]]) -> None:
    assert fields(stream) == found
    assert fields(*(bytes([byte]) for byte in stream)) == found


@pytest.mark.parametrize("cut", range(1, len(IDLE)))
def test_a_report_is_found_wherever_it_is_cut(cut: int) -> None:
    assert fields(b"x" + IDLE[:cut], IDLE[cut:] + b"y") == [{"state": "idle", "app": "codex"}]


@pytest.mark.parametrize("step", [1, 1000, 10_000])
def test_a_report_may_be_as_long_as_the_limit_and_no_longer(step: int) -> None:
    for length, found in ((MAXIMUM_PAYLOAD, 1), (MAXIMUM_PAYLOAD + 1, 0)):
        stream = b"\x1b]7501;" + b"a=".ljust(length, b"x") + b"\x1b\\" + IDLE
        pieces = [stream[at : at + step] for at in range(0, len(stream), step)]
        assert len(fields(*pieces)) == found + 1


def test_a_report_that_never_ends_takes_no_memory() -> None:
    tap = StatusTap()
    tap.feed(b"\x1b]7501;a=")
    for _ in range(1000):
        assert tap.feed(b"x" * 1000) == []
        assert len(tap._tap._held) <= MAXIMUM_PAYLOAD + 10
    assert tap.feed(b"\x07" + IDLE) != []


pieces = st.sampled_from(
    [
        *(
            b"\x1b",
            b"]",
            b"7501",
            b";",
            b"a=1",
            b":",
            b"\x07",
            b"\x1b\\",
            b"\x18",
            b"\x1b]7501;",
            b"\x1b]75",
            IDLE,
        ),
        *(b"x", b"x" * (MAXIMUM_PAYLOAD - 1)),
    ]
)


@given(st.lists(pieces, max_size=30).map(b"".join), cuts)
def test_any_split_gives_the_same_reports(stream: bytes, places: list[int]) -> None:
    assert fields(*pieces_of(stream, places)) == fields(stream)
