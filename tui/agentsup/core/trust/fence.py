"""Stand foreign memory apart: every line of it begins with a mark, and above and below stands that it is only data.

The marks carry a digest of what is between them: equal memory gives equal bytes, and a text can't name its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from agentsup.core.trust.model import Origin
from agentsup.core.trust.names import named

PREFIX = "> "
"""What every line of foreign memory begins with; no line of agentsup's own does."""

OPENING, CLOSING = "<<<", ">>>"

_DIGITS = 12


@dataclass(frozen=True)
class Fence:
    """The lines above and below of what is data."""

    opening: str
    closing: str


def fence(lines: Sequence[str], path: str, origin: Origin, *, sentence: str) -> Fence:
    """Return the marks around these lines; `sentence` says what they are and has {origin}."""
    said = ", ".join(part for part in (named(path), named(origin.commit, _DIGITS), _address(origin.author)) if part)
    framed = "\n".join([said, *lines]).encode("utf-8", "replace")
    mark = hashlib.sha256(framed).hexdigest()[:_DIGITS]
    return Fence(f"{OPENING} {mark} {sentence.replace('{origin}', said)}", f"{CLOSING} {mark}")


def inside(text: str) -> str:
    """Return a text of which every line says that it is foreign."""
    return "\n".join(PREFIX + line for line in text.split("\n"))


def walled(lines: Sequence[str], marks: Fence | None) -> list[str]:
    """Return a unit's lines with the marks around those that are foreign; these stand together."""
    foreign = [place for place, line in enumerate(lines) if line.startswith(PREFIX)]
    if marks is None or not foreign:
        return list(lines)
    first, last = foreign[0], foreign[-1] + 1
    return [*lines[:first], marks.opening, *lines[first:last], marks.closing, *lines[last:]]


def _address(author: str) -> str:
    """Return the address of an author; what they call themselves may be anything."""
    before, _, address = author.removesuffix(">").rpartition("<")
    return named(address) if before else ""
