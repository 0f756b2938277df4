"""What a repetition showed: how often each thing that must always hold did hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Tally:
    """One row of the table."""

    name: str
    count: int
    held: Mapping[str, int]
    note: str = ""

    @property
    def whole(self) -> bool:
        """Whether everything held every time."""
        return all(number == self.count for number in self.held.values())

    def row(self) -> str:
        """Return the row as Markdown."""
        held = ", ".join(f"{what} {number}/{self.count}" for what, number in self.held.items())
        return f"| {self.name} | {self.count} | {held} | {self.note} |"
