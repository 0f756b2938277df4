"""Measure and write the table: `python -m tests.bench.run [NAME …] [--quick]`."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from tests.bench import hook_latency, latency, load, log_latency, restore_latency, start, throughput
from tests.bench.figures import HEAD, Figure
from tests.bench.subjects import TMUX, Place

RESULTS = Path(__file__).with_name("RESULTS.md")

Measure = Callable[..., Iterator[Figure]]
MEASURES: Mapping[str, Measure] = {
    "throughput": throughput.throughput,
    "stopped": throughput.stopped_client,
    "latency": latency.quiet_latency,
    "busy-latency": latency.busy_latency,
    "log-latency": log_latency.log_latency,
    "restore-latency": restore_latency.restore_latency,
    "hooks": hook_latency.hooks,
    "idle": load.idle,
    "flood": load.flood,
    "memory": load.full_scrollback,
    "start": start.start,
    "attach": start.attach,
}


def main() -> int:
    """Run the measures named, or all; the others' rows are kept. Returns 1 if a target is missed."""
    words = sys.argv[1:]
    quick = "--quick" in words
    names = [word for word in words if word != "--quick"] or list(MEASURES)
    if unknown := set(names) - set(MEASURES):
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(MEASURES)}", file=sys.stderr)
        return 2
    rows = _kept()
    missed = False
    print(HEAD, end="")
    for name in names:
        place = Place()
        found: list[str] = []
        try:
            for figure in MEASURES[name](place, quick=quick):
                print(figure.row(), flush=True)
                found.append(figure.row())
                missed |= figure.met is False
        finally:
            place.remove()
        rows[name] = found
        if not quick:
            _write(rows)
    return 1 if missed else 0


def _kept() -> dict[str, list[str]]:
    kept: dict[str, list[str]] = {name: [] for name in MEASURES}
    name = ""
    for line in RESULTS.read_text().splitlines() if RESULTS.exists() else ():
        if line.startswith("## "):
            name = line.removeprefix("## ").split(",")[0]
        elif name in kept and line.startswith("| ") and not HEAD.startswith(line):
            kept[name].append(line)
    return kept


def _write(rows: Mapping[str, list[str]]) -> None:
    version = subprocess.run([TMUX, "-V"], capture_output=True, text=True, check=True).stdout.strip()
    head = (
        "# Against tmux\n\n"
        f"Last run {datetime.now(UTC):%Y-%m-%d}: {platform.system()} {platform.machine()}, Python"
        f" {platform.python_version()}, {version} (`-f /dev/null`, no status line, 10,000 lines). Made by"
        " `python -m tests.bench.run`. The program's terminal is 120x40 everywhere; the subjects take turns,"
        " figures are medians with least and greatest in brackets, ratios are medians of pairs.\n"
    )
    parts = [f"\n## {name}\n\n{HEAD}" + "".join(f"{row}\n" for row in found) for name, found in rows.items() if found]
    RESULTS.write_text(head + "".join(parts))


if __name__ == "__main__":
    sys.exit(main())
