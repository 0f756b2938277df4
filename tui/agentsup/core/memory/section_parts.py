"""The parts of a file of known sections: put together while it is read, and completed before it is written."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentsup.core.memory.model import Spot
from agentsup.core.memory.sections import Kept, Part

BLANK = Kept("")


@dataclass
class OpenPart:
    """A part that is being read; `level` is that of its heading."""

    name: str
    spot: Spot
    level: int = 0
    spaced: bool = False
    kept: list[Kept] = field(default_factory=list)


def completed_parts(parts: tuple[Part, ...], present: frozenset[str], order: tuple[str, ...]) -> tuple[Part, ...]:
    """Return the parts with one more for each section of `present` that has none, where it belongs."""
    completed = list(parts)
    for rank, name in enumerate(order):
        if name not in present or any(part.name == name for part in completed):
            continue
        earlier = [at for at, part in enumerate(completed) if part.name in order[:rank]]
        known = [at for at, part in enumerate(completed) if part.name]
        place = earlier[-1] + 1 if earlier else known[0] if known else len(completed)
        completed.insert(place, Part(name, spaced=completed[known[0]].spaced if known else False))
    return tuple(completed)


def merged(parts: list[OpenPart]) -> tuple[Part, ...]:
    """Return the parts, each section once, what lies between them in one piece."""
    found: list[OpenPart] = []
    sections: dict[str, OpenPart] = {}
    for part in parts:
        if not part.name:
            part.kept = _trimmed(part.kept)
        if part.name in sections:
            sections[part.name].kept += part.kept
        elif part.name:
            sections[part.name] = part
            found.append(part)
        elif part.kept and found and not found[-1].name:
            found[-1].kept += [BLANK, *part.kept]
        elif part.kept:
            found.append(part)
    return tuple(Part(part.name, tuple(part.kept), part.spaced, part.spot) for part in found)


def _trimmed(kept: list[Kept]) -> list[Kept]:
    """Return what is kept without blank lines around it."""
    start, end = 0, len(kept)
    while start < end and not kept[start].text.strip():
        start += 1
    while end > start and not kept[end - 1].text.strip():
        end -= 1
    return kept[start:end]
