"""What looks like a secret in the units themselves: names of files, and what a JSON form had as escapes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentsup.core.redaction import redacted_all
from agentsup.core.restore.parts import Part


def without_secrets_of(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the units without secrets; most are the same objects."""
    return tuple(map(_hidden, parts))


def _hidden(part: Part) -> Part:
    opening = part.fence.opening if part.fence else ""
    before = (part.name, part.source, opening, *(piece.text for piece in part.pieces))
    after = redacted_all(before)
    if after == before:
        return part
    name, source, opening, *texts = after
    pieces = tuple(
        piece if piece.text == text else replace(piece, text=_lines(text))
        for piece, text in zip(part.pieces, texts, strict=True)
    )
    fence = part.fence and replace(part.fence, opening=opening)
    return replace(part, name=name, source=source, pieces=pieces, fence=fence)


def _lines(text: str) -> str:
    """Return a text without the blank lines that stand for those of a key."""
    return "\n".join(line for line in text.split("\n") if line)
