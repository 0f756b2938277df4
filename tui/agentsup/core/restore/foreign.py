"""Units that hold memory of others: fenced, so that it is read as data."""

from __future__ import annotations

from dataclasses import replace

from agentsup.core.memory.model import Memory
from agentsup.core.restore.frame import Frame
from agentsup.core.restore.parts import CUTTING_ORDER, Part
from agentsup.core.trust.fence import fence, inside
from agentsup.core.trust.model import Origin


def is_foreign(memory: Memory, path: str) -> bool:
    """Tell whether a file came from others, and nobody has approved it here."""
    return any(foreign == path for foreign, _ in memory.trust.foreign)


def weighed(part: Part, memory: Memory) -> Part:
    """Return a unit as it is to be cut: what agentsup says itself stands before what is foreign."""
    if _origin(part, memory) is None:
        return part
    # What is foreign never takes the room of what a person has approved.
    can_fall = part.kind in CUTTING_ORDER
    ours = [piece for piece in part.pieces if piece.ours]
    theirs = [replace(each, kept=False) if can_fall and each.kept else each for each in part.pieces if not each.ours]
    return replace(part, pieces=(*ours, *theirs))


def fenced(part: Part, memory: Memory, frame: Frame) -> Part:
    """Return a weighed unit with the marks around what is foreign in it."""
    found = _origin(part, memory)
    theirs = [piece for piece in part.pieces if not piece.ours]
    if found is None or not theirs:
        return part
    path, origin = found
    marks = fence([piece.text for piece in theirs], path, origin, sentence=frame.fence)
    pieces = tuple(piece if piece.ours else replace(piece, text=inside(piece.text)) for piece in part.pieces)
    return replace(part, pieces=pieces, fence=marks)


def _origin(part: Part, memory: Memory) -> tuple[str, Origin] | None:
    """Return the first foreign file of a unit; state, task and contract stand in one."""
    foreign = dict(memory.trust.foreign)
    if memory.trust.may_run:  # what was approved to run is nobody else's any more
        foreign = {path: origin for path, origin in foreign.items() if path not in _programs(memory)}
    together = (memory.state.path, memory.task.path, memory.contract.path) if part.kind == "state" else ()
    return next(((path, foreign[path]) for path in (part.source, *together) if path in foreign), None)


def _programs(memory: Memory) -> frozenset[str]:
    return frozenset(unit.document.path for unit in memory.units if unit.executable)
