"""What the parts of a host that have something to say to the agent know of the injections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from agentsup.core.occasion import Occasion
from agentsup.core.restore.frame import RestoreForm


class TextQueue(Protocol):
    """Takes texts for the agent, one for each occasion."""

    def send(self, occasion: Occasion, compose: Callable[[str], str]) -> str | None:
        """Queue a text that is composed with its id; return the id, None where it is not taken."""

    def restore(self, occasion: Occasion, of: RestoreForm) -> str | None:
        """Queue a restore text; return its id, None where there is nothing to restore, or it is not taken."""

    def is_served(self, occasion: Occasion) -> bool:
        """Say whether something was sent or queued for this occasion once, also by a host before this one."""

    def withdraw(self, occasion: Occasion, reason: str) -> None:
        """Drop one that was not sent yet; `reason` is a catalogue key."""

    def engram_accepted(self) -> None:
        """Let go what waits for a person to accept or correct the engram."""
