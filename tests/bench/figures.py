"""The rows of the table: what was measured for each subject, and whether it is good enough."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from tests.bench.subjects import SUBJECTS, Name


@dataclass(frozen=True)
class Figure:
    """One row: a value in words for each subject, the comparison with tmux, and the target, if there is one."""

    what: str
    values: Mapping[Name, str]
    """By the subject's name."""
    compared: str = ""
    target: str = ""
    met: bool | None = None

    def row(self) -> str:
        """Return the row as Markdown."""
        verdict = "" if self.met is None else "yes" if self.met else "**no**"
        values = [self.values.get(name, "") for name in SUBJECTS]
        return f"| {' | '.join([self.what, *values, self.compared, self.target, verdict])} |"


HEAD = (
    "| what | agentsup, panels open | agentsup, `--layout agent` | tmux | compared | target | met |\n"
    "|---|---|---|---|---|---|---|\n"
)


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the value below which so many percent lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def spread(values: Sequence[float], unit: str, digits: int = 2) -> str:
    """Return the median, with the least and the greatest."""
    return f"{median(values):.{digits}f} {unit} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def cpu_seconds(pids: Sequence[int]) -> float:
    """Return the CPU time that all threads of these processes have used, to the nanosecond."""
    total = 0
    for pid in pids:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
                total += int(file.read().split()[0])
    return total / 1e9


def memory(pid: int) -> float:
    """Return a process's memory in MB: resident, and what of it the system has swapped out meanwhile."""
    with open(f"/proc/{pid}/status") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith(("VmRSS", "VmSwap"))) / 1e3


def own_memory(pid: int) -> float:
    """Return the part of a process's memory that no file stands behind, in MB: what it has allocated."""
    with open(f"/proc/{pid}/status") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith(("RssAnon", "VmSwap"))) / 1e3
