"""Stand foreign memory apart: every line of it begins with a mark, and above and below stands that it is only data.

The marks carry a digest of what is between them: equal memory gives equal bytes, and a text can't name its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from agentsup.core.text import on_one_line
from agentsup.core.trust.claims import without_claims
from agentsup.core.trust.model import Origin

PREFIX = "> "
"""What every line of foreign memory begins with; no line of agentsup's own does."""

OPENING, CLOSING = "<<<", ">>>"

_DIGITS = 12
_AUTHOR_MOST, _PATH_MOST = 40, 100
_NOT_NAMED = re.compile(r"[^\w .@+-]+")
"""What no name and no address needs: a name must not go on as a sentence of ours."""


@dataclass(frozen=True)
class Fence:
    """The lines above and below of what is data."""

    opening: str
    closing: str


def fence(lines: Sequence[str], path: str, origin: Origin, *, sentence: str) -> Fence:
    """Return the marks around these lines; `sentence` says what they are and has {origin}."""
    commit, author = _named(origin.commit, _DIGITS), _named(origin.author, _AUTHOR_MOST)
    named = ", ".join(part for part in (without_claims(on_one_line(path))[:_PATH_MOST], commit, author) if part)
    framed = "\n".join([named, *lines]).encode("utf-8", "replace")
    mark = hashlib.sha256(framed).hexdigest()[:_DIGITS]
    return Fence(f"{OPENING} {mark} {sentence.replace('{origin}', named)}", f"{CLOSING} {mark}")


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


def _named(text: str, most: int) -> str:
    return " ".join(_NOT_NAMED.sub(" ", on_one_line(text)).split())[:most]
