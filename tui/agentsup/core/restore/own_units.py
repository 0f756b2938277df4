"""The project's own restore units: they replace built-in ones of their name, switch them off, or stand beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentsup.core.memory.lines import lines
from agentsup.core.memory.model import InitUnit, Memory
from agentsup.core.restore.frame import Frame
from agentsup.core.restore.parts import Part, Piece, from_end
from agentsup.core.restore.sources import complaints, is_of_acceptance, unreadable
from agentsup.core.text import on_one_line
from agentsup.core.trust.claims import without_claims
from agentsup.core.trust.model import Trust, UnitOutput
from agentsup.core.trust.names import named

RESERVED = ("90-engram", "95-recite")
"""No file replaces these."""

_DETAIL_MOST = 120


def with_own(parts: Sequence[Part], memory: Memory, frame: Frame) -> tuple[Part, ...]:
    """Return the units with those of the project, in numeric, then name order; the engram stays the last one."""
    named = {part.name: part for part in parts}
    for unit in memory.units:
        if unit.name in RESERVED or not unit.name[:1].isdigit():
            continue  # one without a number, as a README, is no unit
        replaced = named.get(unit.name)
        own = _own(unit, memory.trust, frame, like=replaced)
        # What was approved can't be switched off by a file.
        law = tuple(piece for piece in replaced.pieces if piece.ours) if replaced else ()
        named[unit.name] = replace(own, pieces=(*law, *own.pieces))
    facts = sorted((part for part in named.values() if part.kind != "engram"), key=lambda part: order(part.name))
    return (*facts, *(part for part in named.values() if part.kind == "engram"))


def order(name: str) -> tuple[int, str]:
    """Return where a unit called NN-name stands."""
    number = name.partition("-")[0]
    return (int(number) if number.isascii() and number.isdigit() else 10_000, name)


def _own(unit: InitUnit, trust: Trust, frame: Frame, like: Part | None) -> Part:
    """Return a file of init.d as a unit: an empty one is a unit without pieces, and that is how it switches off."""
    document = unit.document
    kind = like.kind if like is not None else "own"
    part = Part(unit.name, kind, document.path, ())
    if document.text is not None:
        notes = complaints(document, frame) if is_of_acceptance(document) else ()
        return replace(part, pieces=(*_noted(*notes), *_lines(document.text)))
    if not unit.executable:
        return replace(part, pieces=_noted(unreadable(document, frame)))
    path = named(document.path)
    if not trust.may_run:
        return replace(part, pieces=_noted(frame.not_run.format(path=path)))
    # Of two files of one name the last one is the unit, and both were run in that order.
    output = next((output for output in reversed(trust.outputs) if output.name == unit.name), None)
    if output is None:
        return replace(part, pieces=_noted(frame.not_run_yet.format(path=path)))
    notes = (_problem(output, path, frame),) if output.problem else ()
    return replace(part, pieces=(*_noted(*notes), *_lines(output.text)))


def _problem(output: UnitOutput, path: str, frame: Frame) -> str:
    problems = dict(frame.unit_problems)
    problem = problems.get(output.problem, problems.get("unit.failed", output.problem))
    detail = on_one_line(output.detail)[:_DETAIL_MOST]
    return frame.unit_problem.format(path=path, problem=problem, detail=f": {detail}" if detail else "")


def _noted(*notes: str) -> tuple[Piece, ...]:
    return tuple(Piece(without_claims(note), kept=True, ours=True) for note in notes)


def _lines(text: str) -> tuple[Piece, ...]:
    rows = (line.text.rstrip() for line in lines(text))
    return from_end([row for row in rows if row])
