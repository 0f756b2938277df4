"""The short restore text: what an agent can't do without, where longer ones stand in its conversation already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentsup.core.memory.labels import SECTION_LABELS
from agentsup.core.restore.frame import Frame
from agentsup.core.restore.parts import Part, Piece


def shortest(parts: Sequence[Part], frame: Frame) -> tuple[Part, ...]:
    """Return the engram, with its taboos, and of the state the one next step; the rest is in a file."""
    short: list[Part] = []
    for part in parts:
        if part.kind == "engram":
            short.append(part)
        elif part.kind == "state" and (step := _next_step(part, frame)) is not None:
            short.append(replace(part, pieces=(step,), unlisted=0, unlisted_tokens=0, unlisted_kept=False))
    return tuple(short)


def _next_step(part: Part, frame: Frame) -> Piece | None:
    """Return the first thing to do; where nothing is next, what is in progress."""
    labels = SECTION_LABELS[frame.language]
    for beginning in (f"{labels['next']} 1: ", f"{labels['in_progress']}: "):
        for piece in part.pieces:
            # Lines of others stand behind a prefix.
            if beginning in piece.text[: len(beginning) + _PREFIX_MOST]:
                return piece
    return None


_PREFIX_MOST = 8
