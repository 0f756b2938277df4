"""The breaker: compactions that follow each other with too little new work between them.

agentsup must never be the cause of the next compaction. What it restores fills the context a little; where that is
enough for the agent to compact again, nothing more is sent until a person says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from agentsup.core import events as ev

MOST_OF_LIMIT = 40
"""Percent of what the agent compacts at that is enough work in any case: a person may let it compact long before its
window is full, and then a share of the window may be more than ever comes together."""


@dataclass(frozen=True)
class Breaker:
    """Counts compactions in a row that had too little new work before them."""

    most: int = 3
    """Compactions in a row with which it opens."""
    percent: int = 20
    """Percent of the window that is enough new work since the last compaction or restore."""
    in_a_row: int = 0
    baseline: int = 0
    """Tokens in use right after the last compaction or restore; 0 at a conversation's beginning."""
    is_baseline_due: bool = False
    """The next figure is the baseline."""
    used: int | None = None
    window: int | None = None
    limit: int | None = None
    """Tokens in use at which the agent compacts by itself; None where nobody knows."""
    burnt: int = 0
    """Tokens that these compactions have read, and thrown away."""
    started: float = 0.0
    """When the agent's process was started: what its log tells of before was another session's."""
    since: float = 0.0
    """From when on compactions count: that, or when a person let it go on in this conversation."""

    def enough(self, before: int) -> float:
        """Return the tokens of new work before a compaction of `before` tokens that make it no part of a storm.

        Where nobody knows the window, what the agent compacted at stands for it.
        """
        share = (self.window or before) * self.percent / 100
        return share if self.limit is None else min(share, self.limit * MOST_OF_LIMIT / 100)

    @property
    def is_open(self) -> bool:
        """Say whether nothing more is to be sent."""
        return self.in_a_row >= self.most


def after(breaker: Breaker, event: ev.Event, *, same_conversation: bool = True) -> Breaker:
    """Return the breaker after `event`."""
    match event:
        case ev.AgentStarted():
            return _afresh(breaker, event.time)
        case ev.ConversationIdentified() if not same_conversation:
            return _afresh(breaker, breaker.started)
        case ev.BreakerReset():
            reset = replace(breaker, in_a_row=0, burnt=0, since=event.time)
            return replace(reset, baseline=breaker.used or breaker.baseline, is_baseline_due=True)
        case ev.WindowReported():
            return replace(breaker, window=event.window)
        case ev.CompactionLimitKnown():
            return replace(breaker, limit=event.tokens)
        case ev.TokensReported():
            return _read(breaker, event)
        case ev.Compacted():
            return _compacted(breaker, event)
        case ev.InjectionChanged(state="confirmed") if event.occasion.restores:
            return _restored(breaker)
        case _:
            return breaker


def _afresh(breaker: Breaker, started: float) -> Breaker:
    return Breaker(breaker.most, breaker.percent, limit=breaker.limit, started=started, since=started)


def _read(breaker: Breaker, event: ev.TokensReported) -> Breaker:
    window = event.window or breaker.window
    if event.used is None or event.source != "exact":
        return breaker if window == breaker.window else replace(breaker, window=window)
    if breaker.is_baseline_due:
        return replace(breaker, used=event.used, window=window, baseline=event.used, is_baseline_due=False)
    return replace(breaker, used=event.used, window=window)


def _restored(breaker: Breaker) -> Breaker:
    """Count the work from here on, unless there was enough before: one restored late takes none of it away."""
    worked = breaker.used is not None and breaker.used - breaker.baseline >= breaker.enough(breaker.used)
    return breaker if worked and not breaker.is_baseline_due else replace(breaker, is_baseline_due=True)


def _compacted(breaker: Breaker, event: ev.Compacted) -> Breaker:
    """Count a compaction of the agent's own.

    One that a person asked for neither counts nor ends a row, nor one before which nobody knows how much there was.
    """
    before = event.before if event.before is not None else breaker.used
    after = event.after if event.after is not None else 0
    counted = replace(breaker, baseline=after, is_baseline_due=True, used=event.after)
    if event.trigger == "manual" or event.time <= breaker.since or before is None:
        return counted
    work = before - breaker.baseline
    if breaker.is_baseline_due and breaker.baseline == 0:
        work = 0  # no request since the last one: nothing but what a compaction and a restore left
    if work >= breaker.enough(before) and breaker.is_open:
        return counted  # until a person says so
    if work >= breaker.enough(before):
        return replace(counted, in_a_row=0, burnt=0)
    return replace(counted, in_a_row=breaker.in_a_row + 1, burnt=breaker.burnt + before)
