"""What the parts of a host that talk to the agent are given in place of the injections."""

from __future__ import annotations

from collections.abc import Callable

from agentsup.core.occasion import Occasion
from agentsup.core.restore.frame import RestoreForm


class FakeQueue:
    """Takes one text for each occasion, and keeps what it was given by the occasion as it is written."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.restored: dict[str, RestoreForm] = {}
        self.withdrawn: list[tuple[str, str]] = []
        self.accepted = 0
        self.refuses = False

    def send(self, occasion: Occasion, compose: Callable[[str], str]) -> str | None:
        if self.refuses or occasion.written in self.texts:
            return None
        id = f"kkkkk{len(self.texts) + 2}"
        self.texts[occasion.written] = compose(id)
        return id

    def restore(self, occasion: Occasion, of: RestoreForm) -> str | None:
        if self.refuses or occasion.written in self.restored:
            return None
        self.restored[occasion.written] = of
        return "abc234"

    def withdraw(self, occasion: Occasion, reason: str) -> None:
        self.withdrawn.append((occasion.written, reason))

    def is_served(self, occasion: Occasion) -> bool:
        return occasion.written in self.restored

    def engram_accepted(self) -> None:
        self.accepted += 1

    def kinds(self) -> list[str]:
        """Return what kinds of texts it was given."""
        return [occasion.partition(":")[0] for occasion in self.texts]
