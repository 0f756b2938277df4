"""Run the repetitions with their full counts and write their table."""

from __future__ import annotations

import platform
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from tests.real_agents.npm import CLAUDE, CODEX, installed
from tests.soak import (
    approval_races,
    canaries,
    compactions,
    cycles,
    host_kills,
    hostile_files,
    interface_kills,
    interleavings,
    launches,
    logs,
    memory_writes,
    script_swaps,
    step_kills,
    terminal_floods,
    terminal_kills,
)
from tests.soak.tally import Tally

RESULTS = Path(__file__).parent / "RESULTS.md"
SEED = 20261130


def _interface_kills(folder: Path) -> Tally:
    return interface_kills.run(10, SEED, folder, installed(CODEX))


def _approval_races(folder: Path) -> Tally:
    return approval_races.run(200, SEED, folder, installed(CODEX))


def _host_kills(folder: Path) -> Tally:
    return host_kills.run(100, SEED, folder)


def _terminal_kills(folder: Path) -> Tally:
    return terminal_kills.run(200, SEED, folder)


def _cycles(folder: Path) -> Tally:
    return cycles.run(1000, folder)


def _unterminated(folder: Path) -> Tally:
    return terminal_floods.run_unterminated(10, folder)


def _random_bytes(folder: Path) -> Tally:
    return terminal_floods.run_random(20, SEED, folder)


def _log_bytewise(folder: Path) -> Tally:
    return logs.run_bytewise(100_000, SEED, folder)


def _log_long(folder: Path) -> Tally:
    return logs.run_long(100, folder)


def _log_sparse(folder: Path) -> Tally:
    return logs.run_sparse(20, folder)


def _memory_kills(folder: Path) -> Tally:
    return memory_writes.run_kills(200, SEED, folder)


def _memory_updates(folder: Path) -> Tally:
    return memory_writes.run_updates(3, 1000, folder)


def _memory_foreign(folder: Path) -> Tally:
    return memory_writes.run_foreign(5000, folder)


def _canaries(folder: Path) -> Tally:
    return canaries.run(50, folder)


def _script_swaps(folder: Path) -> Tally:
    return script_swaps.run(10_000, SEED, folder)


def _hostile_files(folder: Path) -> Tally:
    return hostile_files.run(10_000, folder)


def _launches(folder: Path) -> Tally:
    return launches.run(50, SEED, folder, installed(CODEX), installed(CLAUDE))


def _compactions(folder: Path) -> Tally:
    return compactions.run(100, SEED, folder, installed(CODEX), installed(CLAUDE))


def _step_kills(folder: Path) -> Tally:
    return step_kills.run(50, folder)


def _interleavings(folder: Path) -> Tally:
    return interleavings.run(500, SEED, folder)


SOAKS: Mapping[str, Callable[[Path], Tally]] = {
    "interface-kills": _interface_kills,
    "approval-races": _approval_races,
    "launches": _launches,
    "compactions": _compactions,
    "step-kills": _step_kills,
    "interleavings": _interleavings,
    "host-kills": _host_kills,
    "terminal-kills": _terminal_kills,
    "cycles": _cycles,
    "unterminated": _unterminated,
    "random-bytes": _random_bytes,
    "markup": terminal_floods.run_markup,
    "log-bytewise": _log_bytewise,
    "log-long": _log_long,
    "log-sparse": _log_sparse,
    "memory-kills": _memory_kills,
    "memory-updates": _memory_updates,
    "memory-foreign": _memory_foreign,
    "memory-hindered": memory_writes.run_hindered,
    "hostile-files": _hostile_files,
    "script-swaps": _script_swaps,
    "canaries": _canaries,
}


def main() -> int:
    """Run the named ones, or all; rows of those that did not run are kept."""
    names = sys.argv[1:] or list(SOAKS)
    kept = _rows()
    whole = True
    for name in names:
        with tempfile.TemporaryDirectory(prefix="soak-", dir="/tmp") as folder:
            tally = SOAKS[name](Path(folder))
        whole &= tally.whole
        kept[name] = tally.row()
        print(kept[name], flush=True)
        _write(kept)
    return 0 if whole else 1


def _rows() -> dict[str, str]:
    if not RESULTS.exists():
        return {}
    lines = RESULTS.read_text().splitlines()
    return {line.split("`")[1]: line.partition("` ")[2] for line in lines if line.startswith("| `")}


def _write(rows: Mapping[str, str]) -> None:
    head = (
        "# Results of the full counts\n\n"
        f"Last run {datetime.now(UTC):%Y-%m-%d}, {platform.system()} {platform.machine()}, two cores,"
        f" Python {platform.python_version()}. Made by `python -m tests.soak.run`.\n\n"
        "| soak | what | count | held | measured |\n|---|---|---|---|---|\n"
    )
    RESULTS.write_text(head + "".join(f"| `{name}` {row}\n" for name, row in rows.items()))


if __name__ == "__main__":
    sys.exit(main())
