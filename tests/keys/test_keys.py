"""A table of keys in every mode, typed into a terminal of libghostty: bare and supervised read the same bytes."""

from __future__ import annotations

import pytest

from tests.keys.conftest import Both, Seat
from tests.keys.table import BURSTS, EVENTS, MODES

LEADER = b"\x1c"
LEADER_FORMS = (b"\x1b[92;5", b"\x1b[27;5;92~")
"""The one key that is ours, in all its forms; legacy Ctrl+4 is the same byte."""


def test_the_table_is_large_enough() -> None:
    assert len(set(EVENTS)) == len(EVENTS) > 150


@pytest.mark.parametrize("mode", MODES)
def test_the_same_keys_arrive_as_without_us(both: Both, mode: str) -> None:
    for seat in both:
        seat.set_modes(MODES[mode], f"[{mode}]")
    wrong = []
    sent = [[(key.name, seat.terminal.encode(key)) for key in EVENTS] for seat in both]
    bare, supervised = (_arrived(seat, keys) for seat, keys in zip(both, sent, strict=True))
    for number, (name, encoded) in enumerate(sent[0]):
        if bare[number] != supervised[number]:
            wrong.append(f"{name}: bare {bare[number]!r}, supervised {supervised[number]!r}")
        if not _is_leader(encoded):
            assert bare[number] == encoded, "a bare pty changes nothing"
    assert not wrong, f"{len(wrong)} of {len(EVENTS)} in mode {mode}:\n" + "\n".join(wrong)


@pytest.mark.parametrize("mode", ["normal", "modifyOtherKeys 2", "kitty 7, as Codex", "kitty 31"])
def test_bursts_arrive_as_without_us(both: Both, mode: str) -> None:
    for seat in both:
        seat.set_modes(MODES[mode], f"[burst {mode}]")
    arrived = []
    for seat in both:
        bursts = [b"".join(map(seat.terminal.encode, burst)) for burst in BURSTS]
        arrived.append(_arrived(seat, [("", burst) for burst in bursts]))
    assert arrived[0] == arrived[1]


def test_all_keys_at_once_arrive_in_order(both: Both) -> None:
    for seat in both:
        seat.set_modes(MODES["kitty 7, as Codex"], "[all at once]")
    stream = b"".join(encoded for key in EVENTS if not _is_leader(encoded := both.bare.terminal.encode(key)))
    for seat in both:
        seat.terminal.type(stream + b"\x0eend\x0f")
        assert seat.recording.take_until(b"\x0eend\x0f") == stream


def _arrived(seat: Seat, keys: list[tuple[str, bytes]]) -> list[bytes]:
    """Type the keys with marks between them, and return what came between the marks."""
    for number, (_, encoded) in enumerate(keys):
        seat.terminal.type((b"" if _is_leader(encoded) else encoded) + b"\x0e%d\x0f" % number)
    return [seat.recording.take_until(b"\x0e%d\x0f" % number) for number in range(len(keys))]


def _is_leader(encoded: bytes) -> bool:
    return LEADER in encoded or encoded.startswith(LEADER_FORMS)
