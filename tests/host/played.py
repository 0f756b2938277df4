"""A screen for those who only read it, fed by a test: the real engine without a pty."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from agentsup.core.screen import Cursor, Row, Scrollback
from agentsup.terminal import open_engine

RECORDINGS = Path(__file__).parent.parent / "data" / "compare"


class Output(NamedTuple):
    """What a recorded program wrote, and when, in seconds."""

    time: float
    data: bytes


class Recording(NamedTuple):
    """A recording and its size."""

    name: str
    columns: int
    rows: int
    outputs: tuple[Output, ...]


def recording(name: str) -> Recording:
    """Return a recording by its name."""
    with gzip.open(RECORDINGS / f"{name}.cast.gz", "rt", encoding="utf-8") as lines:
        head = json.loads(next(lines))
        events = [json.loads(line) for line in lines]
    outputs = (Output(time, data.encode("utf-8", "surrogateescape")) for time, kind, data in events if kind == "o")
    return Recording(name, head["width"], head["height"], tuple(outputs))


class PlayedScreen:
    """A `ShownScreen` on an engine of its own."""

    def __init__(self, columns: int = 80, rows: int = 24, *, scrollback: int = 10_000) -> None:
        self._engine = open_engine(columns, rows, scrollback=scrollback)
        self.lines: list[Row] = [()] * rows
        self.scrollback = Scrollback()

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return self._engine.columns, self._engine.rows

    @property
    def cursor(self) -> Cursor:
        """The cursor now."""
        return self._engine.cursor()

    def read_lines(self, first: int, count: int) -> tuple[int, list[Row]]:
        """Return lines as `PtyScreen` does."""
        start = max(first, self._engine.scrollback().lost)
        return start, self._engine.lines(start, first + count - start)

    def resize(self, columns: int, rows: int) -> None:
        """Give it another size."""
        self._engine.resize(columns, rows)
        self._collect()

    def feed(self, data: bytes | str) -> None:
        """Take output, and make a frame of it."""
        self._engine.feed(data.encode() if isinstance(data, str) else data)
        self._collect()

    async def play(self, played: Recording, on_frame: Callable[[], None], until: float = 5.0) -> None:
        """Play a recording in its own time, and some seconds more."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        for output in played.outputs:
            await asyncio.sleep(begun + output.time - loop.time())
            self.feed(output.data)
            on_frame()
        await asyncio.sleep(until)

    def close(self) -> None:
        """Free the engine."""
        self._engine.close()

    def _collect(self) -> None:
        full, rows = self._engine.changes()
        self.scrollback = self._engine.scrollback()
        if full or len(self.lines) != self._engine.rows:
            self.lines = [()] * self._engine.rows
        for number, row in rows.items():
            self.lines[number] = row
