"""How full the context is: the numbers, and what each percentage means."""

from __future__ import annotations

from dataclasses import dataclass

from agentsup.core.events import UsageSource

CODEX_BASELINE = 12_000
"""Tokens Codex takes off both sides before it computes its own percentage (prompts, tools, room to compact)."""


@dataclass(frozen=True)
class Context:
    """Tokens in use, the window they share, and how the figures are known."""

    used: int | None = None
    window: int | None = None
    source: UsageSource = "unknown"
    share: float | None = None
    """A share of the window that the agent shows without figures."""
    compacts_at: int | None = None
    """Tokens in use at which the agent compacts by itself; None where that is not known."""
    at_least: bool = False
    """`used` is a lower bound: more is in use, and nobody says how much."""

    @property
    def window_wrong(self) -> bool:
        """More is in use than the window is said to hold: one of the two figures must be wrong."""
        return self.used is not None and self.window is not None and self.used > self.window

    @property
    def fraction(self) -> float | None:
        """Share of the window in use, 0.0 to 1.0; None where unknown or where the window must be wrong."""
        if self.window_wrong:
            return None
        if self.used is None or not self.window:
            return self.share
        return self.used / self.window

    @property
    def until_compaction(self) -> int | None:
        """Tokens left until the agent compacts by itself, 0 where it is due; None where unknown."""
        if self.used is None or self.compacts_at is None or self.source == "stale":
            return None
        return max(0, self.compacts_at - self.used)


def codex_percent_left(context: Context) -> int | None:
    """Return the "% context left" that Codex itself shows for the same figures."""
    if context.used is None or not context.window:
        return None
    room = context.window - CODEX_BASELINE
    if room <= 0:
        return 0
    left = max(0, room - max(0, context.used - CODEX_BASELINE))
    return round(100 * left / room)
