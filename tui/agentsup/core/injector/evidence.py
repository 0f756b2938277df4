"""What proves that a text is in the composer, or has reached the model: compared, never believed."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Literal

from agentsup.core.injector.typing import Composer, Typing
from agentsup.core.text import columns, sanitise, squeezed

LEAST_TAIL = 100
"""Cells (blanks apart) of our text's tail that must show where the composer has scrolled."""

LEAST_LEAD = 30
"""The same of the words before a paste: a small window shows two rows of them."""

Arrival = Literal["whole", "merged", "cut", "no"]
"""All of it and nothing behind it, with more behind it, only parts of it, nothing of it."""

_MARKS = re.compile(r"(?:</[^<>]{1,80}>)*")
"""What an agent puts behind a paste that it wraps."""

_RUN = 8
"""Characters in a row that a person's words and ours do not share by chance; where they do, a moment is lost."""

_FIRST = 3
"""Characters of our text's beginning that are enough where a person's words may follow them."""


@dataclass(frozen=True)
class Print:
    """What a text of ours is known by in a log, blanks apart: enough to compare, and nothing of it."""

    id: str
    at: int = 0
    """Where the id stands in the text."""
    size: int = 0
    sha: str = ""
    """SHA-256 of the text in UTF-8."""


def print_of(id: str, text: str) -> Print:
    """Return the print of a text that names its id in the first line."""
    whole = squeezed(sanitise(text))
    return Print(id, max(0, whole.find(id)), len(whole), _sha(whole))


def arrived(recorded: str, ours: Print) -> Arrival:
    """Say whether what the agent's log holds is our text: all of it, only parts of it, or nothing.

    What stands before it does not matter: agents put words of their own before a hook's output.
    """
    if ours.id not in recorded:
        return "no"
    there = squeezed(sanitise(recorded))
    best: Arrival = "no"
    for found in re.finditer(re.escape(ours.id), there):
        begin = found.start() - ours.at
        end = begin + ours.size
        if begin >= 0 and _sha(there[begin:end]) == ours.sha:
            if _MARKS.fullmatch(there, end):
                return "whole"
            best = "merged"
    if best == "no" and (not ours.size or there.find(ours.id) == ours.at):
        # A header of ours where a text begins; anybody may write of one.
        header = rf"\s*.{{0,40}}?agentsup.{{0,80}}?(?<![a-z0-9]){re.escape(ours.id)}(?![a-z0-9])"
        best = "cut" if re.match(header, recorded) else "no"
    return best


def shows(composer: Composer, typing: Typing) -> bool:
    """Say whether the composer holds exactly what was typed, as far as its screen can tell.

    A placeholder states its length; shown text must be all of ours, or the tail of it where it scrolled.
    """
    if composer.kind != "text":
        return False
    if composer.pasted is not None or composer.pasted_lines is not None:
        if not typing.pasted or not _shows_lead(composer, squeezed(typing.lead)):
            return False
        if composer.pasted is not None:
            return composer.pasted == len(typing.pasted)
        return composer.pasted_lines == typing.pasted.count("\n")
    seen, ours = squeezed(composer.text), squeezed(typing.whole)
    return seen == ours or (composer.scrolled and columns(seen) >= LEAST_TAIL and ours.endswith(seen))


def _shows_lead(composer: Composer, ours: str) -> bool:
    """Say whether what stands before a placeholder is ours, or the tail of it where the composer has scrolled."""
    seen = squeezed(composer.lead)
    return seen == ours or (composer.scrolled and columns(seen) >= LEAST_LEAD and ours.endswith(seen))


def may_stand(composer: Composer, typing: Typing) -> bool:
    """Say whether a composer may hold any of a text of ours; where it can't be seen, it may."""
    if composer.kind != "text":
        return composer.kind != "empty"
    if composer.pasted is not None or composer.pasted_lines is not None:
        return True
    seen, ours = squeezed(composer.text), squeezed(typing.whole)
    if seen.startswith(ours[:_FIRST]):
        return True
    return any(seen[at : at + _RUN] in ours for at in range(max(1, len(seen) - _RUN + 1)))


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
