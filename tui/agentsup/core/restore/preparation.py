"""What is asked for and what comes back where restore texts are composed by another process."""

from __future__ import annotations

from dataclasses import dataclass

from agentsup.core.memory.model import Work
from agentsup.core.restore.composition import RestoreText
from agentsup.core.restore.frame import Budget, Occasion

OCCASIONS: tuple[Occasion, ...] = ("compaction", "start", "cold-start", "asked")

MEMORY_NOTICES = frozenset({
    "memory.double", "memory.broken", "memory.squeezed", "memory.no-task", "template.unusable", "memory.not-composed",
})  # fmt: skip
"""What is said about memory on disk, for as long as it is so."""

Said = tuple[str, tuple[tuple[str, str], ...]]
"""A notice: its catalogue key with its values."""


@dataclass(frozen=True)
class Wanted:
    """What is to be composed, and for whom."""

    root: str
    language: str
    budget: Budget = Budget()
    window: int | None = None
    work: Work = Work()
    occasions: tuple[Occasion, ...] = OCCASIONS


@dataclass(frozen=True)
class Prepared:
    """Restore texts, and what there is to say about the memory that they were made of."""

    texts: tuple[RestoreText, ...]
    notices: tuple[Said, ...] = ()
    """Catalogue keys with their values."""

    def of(self, occasion: Occasion) -> RestoreText | None:
        """Return the text of an occasion."""
        return next((text for text in self.texts if text.occasion == occasion), None)
