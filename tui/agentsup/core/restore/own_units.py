"""The project's own restore units: they replace built-in ones of their name, switch them off, or stand beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentsup.core.memory.lines import lines
from agentsup.core.memory.model import InitUnit, Memory
from agentsup.core.restore.frame import Frame
from agentsup.core.restore.parts import Part, Piece, from_end
from agentsup.core.restore.sources import unreadable
from agentsup.core.text import on_one_line

RESERVED = ("90-engram", "95-recite")
"""No file replaces these."""


def with_own(parts: Sequence[Part], memory: Memory, frame: Frame) -> tuple[Part, ...]:
    """Return the units with those of the project, in numeric, then name order; the engram stays the last one."""
    named = {part.name: part for part in parts}
    for unit in memory.units:
        if unit.name in RESERVED or not unit.name[:1].isdigit():
            continue  # one without a number, as a README, is no unit
        named[unit.name] = _own(unit, frame, like=named.get(unit.name))
    facts = sorted((part for part in named.values() if part.kind != "engram"), key=lambda part: order(part.name))
    return (*facts, *(part for part in named.values() if part.kind == "engram"))


def order(name: str) -> tuple[int, str]:
    """Return where a unit called NN-name stands."""
    number = name.partition("-")[0]
    return (int(number) if number.isascii() and number.isdigit() else 10_000, name)


def _own(unit: InitUnit, frame: Frame, like: Part | None) -> Part:
    """Return a file of init.d as a unit: an empty one is a unit without pieces, and that is how it switches off."""
    document = unit.document
    kind = like.kind if like is not None else "own"
    part = Part(unit.name, kind, document.path, ())
    if document.text is not None:
        texts = [line.text.rstrip() for line in lines(document.text)]
        return replace(part, pieces=from_end([text for text in texts if text]))
    if unit.executable:
        return replace(part, pieces=(Piece(frame.not_run.format(path=on_one_line(document.path)), kept=True),))
    return replace(part, pieces=(Piece(unreadable(document, frame), kept=True),))
