"""What is asked for and what comes back where restore texts are composed by another process."""

from __future__ import annotations

from dataclasses import dataclass

from agentsup.core.memory.model import Work
from agentsup.core.restore.composition import RestoreText
from agentsup.core.restore.frame import Budget, RestoreForm
from agentsup.core.trust.model import Trust

OCCASIONS: tuple[RestoreForm, ...] = ("compaction", "again", "start", "cold-start", "asked", "asked-again")

MEMORY_NOTICES = frozenset({
    "memory.double", "memory.broken", "memory.squeezed", "memory.no-task", "template.unusable", "memory.not-composed",
    "trust.tampered", "trust.unreadable", "trust.first-use", "trust.scripts", "trust.changed", "trust.new",
    "trust.void-hard", "trust.foreign", "trust.unit-failed",
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
    occasions: tuple[RestoreForm, ...] = OCCASIONS
    witnessed: tuple[str, ...] | None = None
    """What the asking host knows of the trust record: entries after these do not count. None: it knows nothing."""
    outputs_sha: str | None = None
    """SHA-256 of what the units printed that the asking host had run: other outputs do not count. None: no host."""


@dataclass(frozen=True)
class Prepared:
    """Restore texts, and what there is to say about the memory that they were made of."""

    texts: tuple[RestoreText, ...]
    notices: tuple[Said, ...] = ()
    """Catalogue keys with their values."""
    trust: Trust = Trust()
    """What of the memory is approved."""

    def of(self, occasion: RestoreForm) -> RestoreText | None:
        """Return the text of an occasion."""
        return next((text for text in self.texts if text.occasion == occasion), None)
