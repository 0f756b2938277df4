"""How the loop around compactions is to go: the person's settings, as one plain value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ChannelChoice = Literal["auto", "stdin", "hook"]


@dataclass(frozen=True)
class Policy:
    """The settings of one session's loop."""

    channel: ChannelChoice = "auto"
    """auto: by hook where that was accepted and is proven to be loaded, else typed."""
    hooks: bool = False
    """Whether hooks of ours were installed for this launch."""
    breaker_compactions: int = 3
    """Compactions in a row, each with too little new work, after which nothing more is sent."""
    breaker_percent: int = 20
    """Percent of the window that is enough new work."""
    ask_engram: int = 70
    """Percent of the window in use from which the engram is asked for at a turn's end; 0 never."""
    start: bool = True
    """Whether memory is restored at the start of a new session, too."""
    gate: bool = False
    """Whether a restore waits until a person has accepted or corrected the engram."""
    wait_after_recital: bool = False
    """Whether the agent stops after it has read back, instead of going on with what was interrupted."""
