"""The streams to drain: made anew for every run, from fixed seeds, or looped recordings of real agents."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import NamedTuple

from tests.bench.subjects import COLUMNS, ROWS

DATA = Path(__file__).parents[1] / "data"
RECORDINGS = {
    "codex": ("terminal/codex_plain", "terminal/codex_approval", "terminal/codex_auto_compact",
              "bench/codex_tools_interrupt"),
    "claude": ("bench/claude_05_inject_midturn", "bench/claude_02_tools_compact_clear"),
}  # fmt: skip
_PIECE = 1 << 20
_WORDS = ("error", "request", "handled", "in", "tests/host/test_ring.py", "connection", "closed", "by", "peer")
_HAN = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定"
)


class Stream(NamedTuple):
    """A file to be written so many times."""

    name: str
    path: Path
    times: int

    @property
    def megabytes(self) -> float:
        """What is written in all."""
        return self.path.stat().st_size * self.times / 1e6


def make(folder: Path, *, share: float) -> list[Stream]:
    """Make all streams in a folder; `share` of the full amounts."""
    pieces = {"coloured log": (_log, 50), "full-screen redraw": (_redraw, 20), "CJK": (_han, 20)}
    streams = []
    for name, (source, megabytes) in pieces.items():
        streams.append(_stored(folder, name, source(random.Random(name)), megabytes * share))
    for agent, names in RECORDINGS.items():
        streams.append(_stored(folder, f"{agent} recordings", b"".join(map(_recorded, names)), 20 * share))
    return streams


def _stored(folder: Path, name: str, piece: bytes, megabytes: float) -> Stream:
    path = folder / name.replace(" ", "-")
    path.write_bytes(piece)
    return Stream(name, path, max(1, round(megabytes * 1e6 / len(piece) + 0.49)))


def _log(chance: random.Random) -> bytes:
    lines: list[str] = []
    length = 0
    while length < _PIECE:
        level, colour = chance.choice((("INFO", 32), ("WARN", 33), ("ERROR", 31)))
        words = " ".join(chance.choices(_WORDS, k=chance.randint(3, 14)))
        lines.append(
            f"\x1b[2m2026-11-30T{chance.randrange(24):02}:{chance.randrange(60):02}\x1b[0m \x1b[1;{colour}m{level:5}"
            f"\x1b[0m \x1b[38;5;{chance.randrange(16, 232)}mmod{chance.randrange(90)}\x1b[39m {words}\r\n"
        )
        length += len(lines[-1])
    return "".join(lines).encode()


def _redraw(chance: random.Random) -> bytes:
    parts: list[str] = []
    length = 0
    while length < _PIECE:
        parts.append("\x1b[H")
        for row in range(1, ROWS + 1):
            row_text = "".join(chance.choices("abcdefghij  klmnop", k=COLUMNS // 4))
            cells = "".join(
                f"\x1b[38;2;{chance.randrange(256)};90;{chance.randrange(256)}m{row_text}" for _ in range(4)
            )
            parts.append(f"\x1b[{row};1H{cells}\x1b[0m")
            length += len(parts[-1])
    return "".join(parts).encode()


def _han(chance: random.Random) -> bytes:
    lines: list[bytes] = []
    length = 0
    while length < _PIECE:
        text = "".join(chance.choices(_HAN, k=chance.randint(8, 50)))
        lines.append(f"\x1b[3{chance.randrange(1, 7)}m{text}\x1b[0m，{text[:4]}。\r\n".encode())
        length += len(lines[-1])
    return b"".join(lines)


def _recorded(name: str) -> bytes:
    with gzip.open(DATA / f"{name}.cast.gz", "rt", encoding="utf-8") as file:
        next(file)
        events = [json.loads(line) for line in file]
    return "".join(event[2] for event in events if event[1] == "o").encode() + b"\x1bc"
