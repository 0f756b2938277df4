"""What a check found in a memory file: a plain value, put into words only when it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentsup.core.memory.model import Spot

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Finding:
    """One finding. The catalogue has `check.CODE.message` and `check.CODE.fix`, one line each."""

    file: str
    """Path relative to the project's root."""
    spot: Spot
    severity: Severity
    code: str
    """What was found, for programs: file kind, a dot and a name, as `engram.missing-tag`."""
    values: tuple[tuple[str, str], ...] = ()
    """What the sentences name."""
    length: int = 0
    """Characters from `spot` on that it is about; 0 where it is about the line or the file."""


def ordered(findings: list[Finding]) -> tuple[Finding, ...]:
    """Return findings by file and place."""
    return tuple(sorted(findings, key=lambda f: (f.file, f.spot.line, f.spot.column, f.code, f.values)))
