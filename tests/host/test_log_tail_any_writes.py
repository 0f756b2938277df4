"""The tail under any writes: what is told depends on what was written, never on how it was cut into pieces."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentsup.core.line_cutter import LineCutter
from agentsup.host.folder_watch import Callback, FolderWatch
from agentsup.host.log_tail import KNOWN_SIZE, Limits, LogTail

LIMITS = Limits(piece=16, line=40, head=8, whole=150, part=60)
BOM = b"\xef\xbb\xbf"

Told = tuple[str, bytes]
Step = tuple[str, bytes]

DATA = st.lists(
    st.one_of(
        st.sampled_from([b"\n", b"\r\n", b"\0", b"\0\0\0", BOM, b" ", b"\n\n", b'{"a":1}\n', b"\xff", b"\xc3"]),
        st.binary(max_size=12),
        st.integers(30, 130).map(lambda size: b"x" * size),
    ),
    max_size=12,
).map(b"".join)


def expected(data: bytes, limits: Limits = LIMITS, *, from_middle: bool = False) -> list[Told]:
    """Return what the tail has to tell of these bytes, all there at once."""
    lines = re.split(rb"[\n\0]", data)[:-1]
    told: list[Told] = []
    for number, line in enumerate(lines):
        if number == 0 and from_middle:
            continue
        mark = BOM if number == 0 else b""
        if len(line) > limits.line:
            told.append(("long", line[: limits.head].removeprefix(mark)))
        elif (text := line.removeprefix(mark)).strip():
            told.append(("line", text.removesuffix(b"\r")))
    return told


@given(DATA, st.lists(st.integers(0, 300)), st.booleans())
def test_any_cut_into_pieces_gives_the_same_lines(data: bytes, cuts: list[int], from_middle: bool) -> None:
    cutter = LineCutter(LIMITS.line, LIMITS.head, from_middle=from_middle, at=1_000)
    told: list[Told] = []
    starts: list[int] = []
    places = sorted({0, *(min(cut, len(data)) for cut in cuts), len(data)})
    for start, end in pairwise(places):
        told += (("long" if is_long else "line", line) for line, is_long in cutter.cut(data[start:end]))
        starts += (start - 1_000 for start in cutter.starts)
        assert cutter.held <= LIMITS.line
    assert told == expected(data, from_middle=from_middle)
    for (_, line), start in zip(told, starts, strict=True):
        mark = BOM if start == 0 else b""
        assert data[start:].removeprefix(mark).startswith(line)
        assert data[:start][-1:] in (b"", b"\n", b"\0")


class HandWatch(FolderWatch):
    """A folder watch that notices what the test wants it to."""

    def __init__(self) -> None:
        self._told: list[Callback] = []

    def add(self, folder: Path, callback: Callback) -> bool:
        """Take the callback."""
        self._told = [callback]
        return True

    def watches(self, folder: Path) -> bool:
        """Say yes."""
        return True

    def remove(self, folder: Path, callback: Callback) -> None:
        """Do nothing."""

    def notice(self) -> None:
        """Say that something has changed."""
        for callback in self._told:
            callback()


@dataclass
class File:
    """One file, whatever its path."""

    content: bytes = b""


class Model:
    """What a tail has to tell, by whole contents instead of offsets."""

    def __init__(self) -> None:
        self.told: list[Told] = []
        self.there: File | None = None
        self.open: File | None = None
        self._read = b""
        self._start = 0
        self._before: list[Told] = []

    def look(self) -> None:
        """Read the open file to its end, then the one that has taken its place."""
        if self.open is not None:
            self._look_at(self.open, is_fresh=False)
        if self.there is not None and self.there is not self.open:
            self.open = self.there
            self._look_at(self.open, is_fresh=True)

    def _look_at(self, file: File, *, is_fresh: bool) -> None:
        content, size = file.content, len(self._read)
        known = slice(max(0, size - KNOWN_SIZE), size)
        if is_fresh or content[known] != self._read[known]:
            self._before = self.told
            self._start = len(content) - LIMITS.part - 1 if len(content) > LIMITS.whole else 0
            self._read, size = b"", 0
        # Bytes that were changed far before the offset are not seen: the log of an agent does not do that.
        self._read += content[size:]
        self.told = self._before + expected(self._read[self._start :], from_middle=self._start > 0)


class Both:
    """A real file with a tail, and their model."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "log"
        self.model = Model()
        self.told: list[Told] = []
        self._watch = HandWatch()
        self.tail = LogTail(
            self.path, self._watch, lambda line: self.told.append(("line", line)),
            on_long_line=lambda head: self.told.append(("long", head)), limits=LIMITS,
        )  # fmt: skip

    async def do(self, step: Step) -> None:
        """Take one step."""
        what, data = step
        file = self.model.there
        match what:
            case "look":
                await self._look()
            case "remove" if file is not None:
                self.path.unlink()
                self.model.there = None
            case "replace":
                fresh = self.path.with_name("fresh")
                fresh.write_bytes(data)
                os.replace(fresh, self.path)
                self.model.there = File(data)
            case "cut" if file is not None:
                file.content = file.content[: len(file.content) * len(data) // 100]
                os.truncate(self.path, len(file.content))
            case "write":
                with self.path.open("ab") as opened:
                    opened.write(data)
                file = self.model.there = file or File()
                file.content += data
            case _:
                pass

    async def _look(self) -> None:
        self._watch.notice()
        for _ in range(self._turns()):
            await asyncio.sleep(0)
        self.model.look()

    def _turns(self) -> int:
        """Turns of the loop that suffice to read all there is, and to open another file."""
        left = sum(len(file.content) for file in (self.model.there, self.model.open) if file is not None)
        return left // LIMITS.piece + 10


STEPS = st.lists(
    st.tuples(st.sampled_from(["write", "write", "look", "look", "cut", "replace", "remove"]), DATA), max_size=20
)


@settings(deadline=None, max_examples=300)
@given(STEPS)
@example([("write", b"one\n"), ("look", b""), ("look", b""), ("cut", b""), ("write", b"2\n")])
def test_any_writes_cuts_and_replacements_give_the_lines_of_their_contents(steps: list[Step]) -> None:
    async def run(folder: Path) -> None:
        both = Both(folder)
        for step in [*steps, ("look", b"")]:
            await both.do(step)
            assert both.told == both.model.told
        assert both.tail.reading.trouble == ""
        both.tail.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))
