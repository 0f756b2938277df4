"""How a text of ours is typed into an agent's composer, and what the composer then shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PASTE_START, PASTE_END = b"\x1b[200~", b"\x1b[201~"


@dataclass(frozen=True)
class Composer:
    """The agent's input box as its screen shows it."""

    kind: Literal["empty", "text", "unknown"] = "unknown"
    text: str = ""
    pasted: int | None = None
    """Characters of a paste that is shown as a placeholder only; None where the text itself is shown."""
    scrolled: bool = False
    """More text stands above what is shown."""
    pasted_lines: int | None = None
    """As `pasted`, where the placeholder tells the paste's line breaks instead."""
    lead: str = ""
    """What stands before the placeholder; empty where nothing does."""


@dataclass(frozen=True)
class Typing:
    """A text as it is typed, without the carriage return that submits it.

    The composer shows `lead` as it is; of `pasted` it shows all, or a placeholder that states its size.
    """

    data: bytes
    lead: str = ""
    pasted: str = ""

    @property
    def whole(self) -> str:
        """What the composer holds afterwards."""
        return self.lead + self.pasted

    @property
    def pastes(self) -> bool:
        """Say whether a bracketed paste is a part of it."""
        return PASTE_START in self.data


def one_paste(text: str) -> Typing:
    """Return the typing of an agent that takes a text as one bracketed paste."""
    return Typing(PASTE_START + text.encode() + PASTE_END, pasted=text)
