"""modifyOtherKeys is followed, however the stream is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.screen import Modes
from agentsup.terminal import open_engine
from agentsup.terminal.modify_keys_tap import ModifyKeysTap

PARTS = [
    b"\x1b[>4;1m", b"\x1b[>4;2m", b"\x1b[>4;0m", b"\x1b[>4m", b"\x1b[>4n", b"\x1b[>m", b"\x1bc", b"\x1b[>1;2m",
    b"\x1b[>4;2u", b"\x1b[>7u", b"text", b"\x1b", b"\x1b[", b"\x1b[>4;", b"\x1b[31m", b"\x1b[>4;9m",
]  # fmt: skip


@pytest.mark.parametrize(
    ("output", "level"),
    [
        (b"\x1b[>4;1m", 1),
        (b"\x1b[>4;2m", 2),
        (b"\x1b[>4;2m\x1b[>4;0m", 0),
        (b"\x1b[>4;2m\x1b[>4m", 0),
        (b"\x1b[>4;2m\x1b[>4n", 0),
        (b"\x1b[>4;2m\x1b[>m", 0),
        (b"\x1b[>4;2m text \x1bc", 0),
        (b"\x1b[>4;2m\x1b[>1;0m\x1b[>5u\x1b[>7u", 2),
        (b"\x1b[>4;2m\x1b[>4;1mtext", 1),
        (b"\x1b[>1;2m", 0),
    ],
)
def test_levels(output: bytes, level: int) -> None:
    tap = ModifyKeysTap()
    tap.feed(output)
    assert tap.level == level


@given(st.lists(st.sampled_from(PARTS), max_size=8).map(b"".join), st.integers(1, 5))
def test_cuts_change_nothing(output: bytes, step: int) -> None:
    whole, cut = ModifyKeysTap(), ModifyKeysTap()
    whole.feed(output)
    for at in range(0, len(output), step):
        cut.feed(output[at : at + step])
    assert cut.level == whole.level


@pytest.mark.parametrize(
    ("sequence", "modes"),
    [
        ("\x1b=", Modes(application_keypad=True)),
        ("\x1b=\x1b>", Modes()),
        ("\x1b[?66h", Modes(application_keypad=True)),
        ("\x1b[?67h", Modes(backarrow=True)),
        ("\x1b[>4;1m", Modes(modify_other_keys=1)),
        ("\x1b[?1006;1016h", Modes(mouse_sgr=True, mouse_extension=1016)),
        ("\x1b[?1015h", Modes(mouse_extension=1015)),
        ("\x1b[?1005h\x1b[?1005l", Modes()),
        ("\x1b=\x1b[?67;1016h\x1b[>4;2m\x1bc", Modes()),
    ],
)
def test_the_engine_reports_what_changes_the_keys(sequence: str, modes: Modes) -> None:
    engine = open_engine(80, 24)
    engine.feed(sequence.encode())
    assert engine.modes() == modes
