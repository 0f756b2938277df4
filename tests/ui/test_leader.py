"""The leader is found in every form a terminal may send it."""

from __future__ import annotations

import pytest

from agentsup.ui.leader import BadLeader, Leader


@pytest.mark.parametrize(
    ("name", "byte", "code"),
    [
        ("ctrl+\\", b"\x1c", 92),
        ("ctrl+g", b"\x07", 103),
        ("Ctrl+]", b"\x1d", 93),
        ("ctrl+space", b"\x00", 32),
    ],
)
def test_forms(name: str, byte: bytes, code: int) -> None:
    leader = Leader(name)
    assert leader.find(b"ab" + byte + b"c") == 2
    assert leader.match(b"\x1b[%d;5u" % code) == "press"
    assert leader.match(b"\x1b[%d;69u" % code) == "press"  # caps lock is on
    assert leader.match(b"\x1b[%d;5:1u" % code) == "press"
    assert leader.match(b"\x1b[%d;5:3u" % code) == "release"
    assert leader.match(b"\x1b[27;5;%d~" % code) == "press"
    assert leader.match(b"\x1b[%d;7u" % code) is None
    assert leader.match(b"\x1b[A") is None


@pytest.mark.parametrize("name", ["", "x", "ctrl+", "ctrl+m", "ctrl+i", "alt+x", "ctrl+f1"])
def test_bad_leaders(name: str) -> None:
    with pytest.raises(BadLeader):
        Leader(name)
