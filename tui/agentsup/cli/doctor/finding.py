"""What a check found: a plain value, put into words only when it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from agentsup.core.catalogue import Catalogue
from agentsup.core.problems import Problem

Level = Literal["ok", "warning", "problem", "unknown"]
"""It works; it works in part; it stops something from working; it can't be told."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `key` names a line what is, and where something can be done a line what."""

    check: str
    """Group and name with a dot between them: stable, for programs."""
    level: Level
    key: str
    values: Mapping[str, str] = field(default_factory=dict)
    terms: Mapping[str, str] = field(default_factory=dict)
    """Values that are words of ours and not names: by value, where in the catalogue they stand."""

    @property
    def group(self) -> str:
        """What the check belongs to."""
        return self.check.partition(".")[0]

    @property
    def name(self) -> str:
        """What it looks at in its group."""
        return self.check.partition(".")[2]

    def what(self, catalogue: Catalogue) -> str:
        """Return what was found."""
        return self._text("what", catalogue)

    def todo(self, catalogue: Catalogue) -> str:
        """Return what to do; empty where there is nothing to be done."""
        return self._text("todo", catalogue) if catalogue.has(f"{self.key}.todo") else ""

    def _text(self, part: str, catalogue: Catalogue) -> str:
        terms = {name: catalogue.text(f"{place}.{self.values[name]}") for name, place in self.terms.items()}
        return catalogue.text(f"{self.key}.{part}", **{**self.values, **terms})


def of_problem(check: str, level: Level, problem: Problem) -> Finding:
    """Return the finding that says what a problem says."""
    return Finding(check, level, problem.key, problem.values)
