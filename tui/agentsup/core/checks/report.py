"""Collect the findings of one file, not more than a person reads."""

from __future__ import annotations

from agentsup.core.checks.finding import Finding, Severity, ordered
from agentsup.core.memory.model import Document, Spot
from agentsup.core.redaction import redacted

MOST = 100
"""Findings told of one file; the rest is counted."""

TOP = Spot()
"""Of what is about a whole file."""

_GRAVITY: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}


class Report:
    """The findings of one file, as a check goes through it."""

    def __init__(self, document: Document) -> None:
        self._file = document.path
        self._findings: list[Finding] = []

    def add(
        self, severity: Severity, code: str, spot: Spot = TOP, *, length: int = 0, **values: object
    ) -> None:  # fmt: skip
        """Add a finding; `values` are what its sentences name."""
        texts = tuple((name, str(value)) for name, value in values.items())
        self._findings.append(Finding(self._file, spot, severity, code, texts, length))

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found, by place; of more than 100 the gravest, and a finding that counts the others."""
        if len(self._findings) <= MOST:
            return ordered(self._findings)
        gravest = sorted(self._findings, key=lambda found: _GRAVITY[found.severity])
        more = Finding(self._file, Spot(), "note", "file.more", (("count", str(len(gravest) - MOST)),))
        return ordered([*gravest[:MOST], more])


def place(spot: Spot, offset: int) -> Spot:
    """Return the place some characters after another on its line."""
    return Spot(spot.line, spot.column + offset)


def shortened(text: str, most: int = 60) -> str:
    """Return a text on one line and short enough to be quoted in a sentence."""
    # Before it is cut: half of a key would pass for a word.
    text = redacted(text)
    one = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * most]).split())
    return one if len(one) <= most else f"{one[: most - 1]}…"
