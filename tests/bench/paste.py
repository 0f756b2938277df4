"""Paste a megabyte into an animated program, and look at the gaps between its frames: `python -m tests.bench.paste`.

Prints, with and without bracketed paste: how long it took, whether it arrived byte for byte, and the longest
gap between two outputs of the interface while it ran, beside the same time without a paste.
"""

from __future__ import annotations

import hashlib
import os
import random
import select
import subprocess
import sys
import time

from tests.bench.animated_reader import END
from tests.bench.outer import Outer
from tests.bench.subjects import AGENTSUP, COLUMNS, Place

SIZE = 1 << 20
ROWS = 40
TARGET = 0.1
"""Seconds: the longest gap allowed."""

_READER = os.path.join(os.path.dirname(__file__), "animated_reader.py")


def main() -> int:
    """Measure both kinds; 1 where a paste was changed or a gap is too long."""
    missed = False
    print("| paste of 1 MB | s | intact | longest gap, ms | p99 gap, ms | longest without paste, ms | met |")
    print("|---|---|---|---|---|---|---|")
    for layout in ("agent", "auto"):
        for bracketed in (True, False):
            missed |= not _measure(layout, bracketed=bracketed)
    return 1 if missed else 0


def _measure(layout: str, *, bracketed: bool) -> bool:
    place = Place()
    report = place.path / "report"
    argv = [*AGENTSUP, "--layout", layout, "--", sys.executable, "-I", _READER, str(report), str(int(bracketed))]
    outer = Outer(argv, env=place.env, cwd=place.path / "home", size=(COLUMNS, ROWS))
    try:
        outer.wait_for(b"frame ")
        outer.run(1.0)
        quiet = _gaps(outer, b"", 1.0)
        text = _text()
        started = time.perf_counter()
        gaps = _gaps(outer, b"\x1b[200~" + text + b"\x1b[201~" + END, 0.0)
        outer.wait_while(lambda: not report.exists() or not report.read_text())
        seconds = time.perf_counter() - started
        wanted = b"\x1b[200~" + text + b"\x1b[201~" if bracketed else text
        intact = report.read_text() == f"{len(wanted)} {hashlib.sha256(wanted).hexdigest()}"
    finally:
        outer.close()
        # The program outlives its window.
        for folder in (place.path / "run" / "agentsup").glob("*/"):
            subprocess.run([*AGENTSUP, "stop", folder.name], env=place.env, check=False, capture_output=True)
        place.remove()
    longest = max(gaps)
    met = intact and longest < TARGET
    nearly = sorted(gaps)[int(len(gaps) * 0.99)]
    print(
        f"| {layout}, {'bracketed' if bracketed else 'not bracketed'} | {seconds:.2f} | {'yes' if intact else 'NO'}"
        f" | {longest * 1e3:.0f} | {nearly * 1e3:.0f} | {max(quiet) * 1e3:.0f} | {'yes' if met else 'NO'} |"
    )
    return met


def _text() -> bytes:
    """Return anything but the end marker, and no line feed, which is Enter where brackets were not asked for."""
    return random.Random(5).randbytes(SIZE).replace(b"\x1b[201~", b"").replace(b"\n", b"\r")


def _gaps(outer: Outer, data: bytes, least: float) -> list[float]:
    """Write data as fast as the terminal takes it, and for so many seconds at least; return the gaps between outputs.

    Goes on until half a second after the last byte was taken: the paste is still on its way through us then.
    """
    gaps: list[float] = []
    last = time.perf_counter()
    end = last + max(least, 0.5)
    os.set_blocking(outer.fd, False)
    while data or time.perf_counter() < end:
        _, writable, _ = select.select([], [outer.fd] if data else [], [], 0)
        if writable:
            try:
                data = data[os.write(outer.fd, data[:4096]) :]
            except BlockingIOError:
                continue
            end = max(end, time.perf_counter() + 0.5)
        if outer.pump(0.0 if writable else 0.002):
            now = time.perf_counter()
            gaps.append(now - last)
            last = now
    os.set_blocking(outer.fd, True)
    gaps.append(time.perf_counter() - last)
    return gaps


if __name__ == "__main__":
    sys.exit(main())
