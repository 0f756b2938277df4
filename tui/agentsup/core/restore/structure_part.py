"""The project's structure, two levels deep: a line a folder, so that deep ones can fall first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentsup.core.restore.parts import Part, Piece
from agentsup.core.trust.names import named

_WIDTH = 110
"""Characters of a line of names."""

_MORE = re.compile(r" \(\+[0-9,]+\)")
"""How many a folder has beyond those that are listed."""


def structure_part(paths: Sequence[str]) -> Part:
    """Return the unit of a sorted listing: folders end with a slash, what is in them stands behind them."""
    pieces: list[Piece] = []
    files: list[str] = []
    inside: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = (_shown(each) for each in path.partition("/"))
        if not name and path.endswith("/"):
            inside.setdefault(f"{folder}/", [])
        elif name:
            inside.setdefault(f"{folder}/", []).append(name)
        else:
            files.append(folder)
    rank = 0
    for folder, names in inside.items():
        rank += 1
        pieces.append(Piece(folder, rank))
        pieces += [Piece(f"  {row}", 100_000 + rank * 1000 + i) for i, row in enumerate(_rows(names))]
    pieces += [Piece(row, rank + 1 + i) for i, row in enumerate(_rows(files))]
    return Part("10-structure", "structure", "", tuple(pieces))


def _shown(name: str) -> str:
    return name if _MORE.fullmatch(name) else named(name)


def _rows(names: Sequence[str]) -> list[str]:
    rows: list[str] = []
    for name in names:
        if rows and len(rows[-1]) + 1 + len(name) <= _WIDTH:
            rows[-1] += f" {name}"
        else:
            rows.append(name)
    return rows
