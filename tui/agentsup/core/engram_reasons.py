"""Why a version of an engram is there: kept as a name of ours, and said in the language of whoever reads it.

A person's own reason is kept as they have said it.
"""

from __future__ import annotations

import re

from agentsup.core.catalogue import Catalogue

_OURS = "engram.because."

SEEN = f"{_OURS}seen"
"""It was found in the file: nobody has said who wrote it, it is only concluded."""

TURN_END, JOINED = f"{_OURS}turn-end", f"{_OURS}joined"
"""The agent has ended a turn with it; and then items of it were joined."""

STAYS, REFUSED = f"{_OURS}stays", f"{_OURS}refused"
"""Not written: one stands that the agent did not know, or it has errors."""

UNSAVED = f"{_OURS}unsaved"
"""Not written: a person had no chance to save it, or has kept the other one of two."""

MADE = f"{_OURS}made"
"""Made from the log, where there was none at a compaction."""

REPLACED = f"{_OURS}replaced"
"""It was found in the file when a person's edit took its place."""

_RESTORED = f"{_OURS}restored"

_BEFORE = {
    "the file was changed": SEEN,
    "at the end of a turn": TURN_END,
    "at the end of a turn; items joined, there were too many": JOINED,
    "not written: a person's version stands that the agent did not know": STAYS,
    "not written: it has errors": REFUSED,
    "the agent compacted, and there was none": MADE,
    "replaced by an edit": REPLACED,
}
"""As histories say it that are older than the names."""

_RESTORED_BEFORE = re.compile(r"restored ([0-9a-f]{12})")


def restored(sha: str) -> str:
    """Return the reason of a version that is an earlier one once more."""
    return f"{_RESTORED} {sha[:12]}"


def is_seen(reason: str) -> bool:
    """Say whether a version was only found in the file."""
    return _named(reason) in (SEEN, REPLACED)


def is_unwritten(reason: str) -> bool:
    """Say whether a version has never been in the file."""
    return _named(reason) in (STAYS, REFUSED, UNSAVED)


def reason_words(reason: str, catalogue: Catalogue) -> str:
    """Return what a reason says."""
    key, _, version = _named(reason).partition(" ")
    return catalogue.text(key, version=version) if key.startswith(_OURS) and catalogue.has(key) else reason


def words_beside(author: str, reason: str, catalogue: Catalogue) -> str:
    """Return what a reason says beside its author: nothing where both say that it was found."""
    return "" if author == "found" and _named(reason) == SEEN else reason_words(reason, catalogue)


def _named(reason: str) -> str:
    found = _RESTORED_BEFORE.fullmatch(reason)
    return restored(found[1]) if found else _BEFORE.get(reason, reason)
