"""What a text of ours is sent for: there is one for each occasion, also over the hosts of a session.

Written `kind:conversation:name`, or `kind:name` where it is of no conversation; records on disk hold it like that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

COMPACTION, START = "compaction", "start"
PERSONAL, RECITAL, ENGRAM, CORRECTION = "inject", "recital", "engram", "correction"

COLD = "cold"
"""Nothing is sent for it: a fresh agent's first prompt brings its memory, as an argument."""

VERDICT = "verdict"
"""Nothing is sent for it: that what was read back after the text of this name was judged."""

BREAKER = "breaker"
"""Nothing is sent for it: that a person has let restores go on after a storm of compactions."""

RESTORES = (COMPACTION, START)
"""Kinds of what is restored by itself: they go before everything else."""

_OF_NO_CONVERSATION = (PERSONAL, VERDICT)

_RESET = f"{BREAKER}:reset"
"""How an earlier version wrote that; it counts for every conversation."""

_AHEAD = "hook-"
"""Begins the name of a compaction as long as its record was not read."""

_AGAIN = "/"
"""Stands between what a text is sent for and the id of the one before, which the agent has taken back."""


@dataclass(frozen=True)
class Occasion:
    """One thing that a text is sent for."""

    kind: str
    conversation: str = ""
    """The one that it is meant for; empty where it does not say."""
    name: str = ""
    """Tells it from others of its kind: of a compaction the agent's own name for it."""

    @property
    def written(self) -> str:
        """The form in which it is stored and told."""
        if self.kind in _OF_NO_CONVERSATION:
            return f"{self.kind}:{self.name}"
        return ":".join((self.kind, self.conversation, self.name) if self.name else (self.kind, self.conversation))

    @property
    def restores(self) -> bool:
        """Say whether it brings memory back though nobody has asked for it."""
        return self.kind in RESTORES

    @property
    def cause(self) -> str:
        """What it is sent for: of a compaction the agent's own name for it, however often its restore is sent."""
        return self.name.partition(_AGAIN)[0]

    @property
    def is_again(self) -> bool:
        """Say whether it is in place of one that the agent has taken back."""
        return _AGAIN in self.name

    def again(self, id: str) -> Occasion:
        """Return what a text is sent for in place of the one of this id, which the agent has taken back."""
        return replace(self, name=f"{self.cause}{_AGAIN}{id}")

    @property
    def is_ahead(self) -> bool:
        """Say whether it is of a compaction that has no name yet: a hook was run before its record was read."""
        return self.kind == COMPACTION and self.name.startswith(_AHEAD)

    def is_of(self, conversation: str) -> bool:
        """Say whether its text may be sent in this conversation: a person's own in any."""
        return self.kind == PERSONAL or (self.kind not in _OF_NO_CONVERSATION and self.conversation == conversation)


def as_written(written: str) -> Occasion:
    """Return the occasion that is written so."""
    kind, _, rest = written.partition(":")
    if kind in _OF_NO_CONVERSATION or written == _RESET:
        return Occasion(kind, name=rest)
    conversation, _, name = rest.partition(":")
    return Occasion(kind, conversation, name)


def ahead(conversation: str, id: str) -> Occasion:
    """Return what a restore of this id is for whose compaction has no name yet."""
    return Occasion(COMPACTION, conversation, f"{_AHEAD}{id}")
