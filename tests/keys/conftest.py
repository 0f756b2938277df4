"""The same recorder twice: alone in a terminal, and under agentsup in another of the same kind."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.end_to_end.place import Place
from tests.keys.outer import OuterTerminal
from tests.keys.recording import Recording
from tests.keys.table import RESET


class Seat(NamedTuple):
    """A terminal and what the program on it reads."""

    terminal: OuterTerminal
    recording: Recording

    def set_modes(self, sequences: bytes, mark: str) -> None:
        """Let the program set its modes, and wait until the outer terminal has heard of it."""
        self.recording.write(RESET + sequences + b"\x1b[H\x1b[2J" + mark.encode())
        self.terminal.wait_for(mark)


class Both(NamedTuple):
    """The two seats."""

    bare: Seat
    supervised: Seat


@contextmanager
def seated(
    folder: Path, layout: str = "agent", size: tuple[int, int] = (80, 24), *, bare: bool = True
) -> Iterator[list[Seat]]:
    """Start the recorder under agentsup, and alone where `bare`; the one alone comes first."""
    place = Place(folder)
    seats: list[Seat] = []
    try:
        for supervised in (False, True) if bare else (True,):
            recording = Recording(place.runtime / f"recorder{supervised:d}")
            argv = recording.argv
            if supervised:
                argv = [sys.executable, "-m", "agentsup", "--layout", layout, "--language", "en", "--", *argv]
            terminal = OuterTerminal(argv, env=place.env, cwd=place.work, size=size)
            seats.append(Seat(terminal, recording))
            recording.wait_for_start()
        yield seats
    finally:
        for seat in seats:
            seat.terminal.close()
            seat.recording.close()
        place.close()


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """Return the two seats, the same for all tests of a file: starting takes longer than typing."""
    with seated(tmp_path_factory.mktemp("keys")) as seats:
        yield Both(*seats)


Start = Callable[..., list[Seat]]
