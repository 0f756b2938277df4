"""The same in a real terminal, tmux: its own names of keys, its own encoding of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.end_to_end.place import Place
from tests.keys.recording import Recording
from tests.keys.table import RESET
from tests.terminals.tmux import Tmux

NAMED = (
    "Up", "Down", "Left", "Right", "Home", "End", "PPage", "NPage", "IC", "DC", "BSpace", "Enter", "Tab", "Escape",
    "Space", *(f"F{number}" for number in range(1, 13)),
)  # fmt: skip
MODIFIERS = ("", "S-", "M-", "C-", "M-S-", "C-S-", "C-M-", "C-M-S-")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
KEYPAD = (*(f"KP{number}" for number in range(10)), "KP+", "KP-", "KP*", "KP/", "KP.", "KPEnter")
KEYS: tuple[str, ...] = (
    *LETTERS, *LETTERS.upper(), *(f"C-{letter}" for letter in LETTERS), *(f"M-{letter}" for letter in LETTERS),
    *(f"M-{letter}" for letter in LETTERS.upper()), *(f"C-M-{letter}" for letter in LETTERS),
    *"0123456789!\"#$%&'()*+,-./:<=>?@[]^_`{|}~", *(f"M-{character}" for character in "0123456789,./'[]=-<>?{}|!@#"),
    *(f"C-{character}" for character in "012356789,./'=-@]^_?"), "BTab", *KEYPAD,
    *(modifier + key for modifier in MODIFIERS for key in NAMED),
    "é", "ü", "余", "🎉", "M-é", "한",
)  # fmt: skip
"""Without Ctrl+\\ and its other name, Ctrl+4: that is the leader."""

MODES = {
    "normal": b"",
    "application cursor": b"\x1b[?1h",
    "application keypad": b"\x1b=",
    "both": b"\x1b[?1h\x1b=",
    "modifyOtherKeys 1": b"\x1b[>4;1m",
    "modifyOtherKeys 2": b"\x1b[>4;2m",
    "as Claude Code": b"\x1b[?2004h\x1b[?1004h\x1b[>5u\x1b[>4;2m",
    "as Codex": b"\x1b[?2004h\x1b[>7u\x1b[?1004h",
}
MARK = "¶"
"""A key that nothing else in the table sends."""


class Pane(NamedTuple):
    """A terminal and what the program in it reads."""

    terminal: Tmux
    recording: Recording


@pytest.fixture(scope="module")
def panes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Pane, Pane]]:
    place = Place(tmp_path_factory.mktemp("tmux"))
    bare, inner = (Recording(Path(place.runtime) / name) for name in ("bare", "inner"))
    try:
        place.terminals.append(Tmux(bare.argv, env=place.env, cwd=place.work, size=(80, 24)))
        place.open("--layout", "agent", "--language", "en", "--", *inner.argv)
        for recording in (bare, inner):
            recording.wait_for_start()
        yield Pane(place.terminals[0], bare), Pane(place.terminals[1], inner)
    finally:
        place.close()
        for recording in (bare, inner):
            recording.close()


def test_the_table_is_large_enough() -> None:
    assert len(set(KEYS)) == len(KEYS) > 150


@pytest.mark.parametrize("mode", MODES)
def test_the_same_keys_arrive_as_without_us(panes: tuple[Pane, Pane], mode: str) -> None:
    arrived = []
    for terminal, recording in panes:
        # In two steps: within one frame, off and on again is no change that an outer terminal is told of.
        for sequences, words in ((RESET, f"[before {mode}]"), (MODES[mode], f"[{mode}]")):
            recording.write(sequences + f"\x1b[H\x1b[2J{words}".encode())
            terminal.wait_for(words)
        terminal.key(*(word for key in KEYS for word in (key, MARK)))
        arrived.append([recording.take_until(MARK.encode()) for _ in KEYS])
    wrong = [
        f"{key}: bare {bare!r}, supervised {supervised!r}"
        for key, bare, supervised in zip(KEYS, *arrived, strict=True)
        if bare != supervised
    ]
    assert not wrong, f"{len(wrong)} of {len(KEYS)} in mode {mode}:\n" + "\n".join(wrong)
    assert sum(map(len, arrived[0])) > 2 * len(KEYS)


@pytest.mark.parametrize("bracketed", [b"\x1b[?2004h", b""])
def test_a_paste_arrives_as_without_us(panes: tuple[Pane, Pane], bracketed: bytes) -> None:
    arrived = []
    for terminal, recording in panes:
        recording.write(RESET + bracketed + b"\x1b[H\x1b[2J[paste %d]" % len(bracketed))
        terminal.wait_for(f"[paste {len(bracketed)}]")
        terminal.paste("two\nlines, 余额 é\n\ttab", as_typed=True)
        terminal.key(MARK)
        arrived.append(recording.take_until(MARK.encode()))
    assert arrived[0] == arrived[1]
    assert arrived[0].startswith(b"\x1b[200~") == bool(bracketed)
