"""The engram as it is restored: as it was written, last of the facts, or one made from the log where there is none."""

from __future__ import annotations

from agentsup.core.memory.engram import Engram, EngramItem, write_engram
from agentsup.core.memory.labels import TAGS, Tag
from agentsup.core.memory.lines import lines, tagged
from agentsup.core.memory.model import Memory, Work
from agentsup.core.memory.state import UNKNOWN
from agentsup.core.restore.frame import Frame
from agentsup.core.restore.parts import Part, Piece
from agentsup.core.restore.sources import complaints
from agentsup.core.text import on_one_line, sanitise
from agentsup.core.trust.names import named

NAME = "90-engram"

_REQUEST_MOST = 400
"""Characters of the person's request that an automatic engram repeats."""

_FILES_MOST = 12

_RANKS: dict[Tag | None, int] = {"task": 0, "taboo": 1, "pending": 2, "progress": 3, "files": 4, None: 5}
"""Which lines of an engram that is far too long fall last: taboos are never cut before the others."""


def engram_part(memory: Memory, frame: Frame, work: Work) -> Part:
    """Return the engram's unit."""
    document = memory.engram
    text = sanitise((document.text or "").removeprefix("\ufeff")).strip("\n \t")
    if text:
        notes = [*complaints(document, frame), *_age(work, frame)]
        return Part(NAME, "engram", document.path, (*_noted(notes), *_written(text)))
    notes = list(complaints(document, frame))
    automatic = automatic_engram(work, frame)
    if automatic is None:
        return Part(NAME, "engram", document.path, _noted(notes))
    written = write_engram(automatic).rstrip("\n")
    return Part(NAME, "engram", document.path, (*_noted([*notes, frame.automatic]), *_written(written)))


def automatic_engram(work: Work, frame: Frame) -> Engram | None:
    """Return an engram of what the log says; None where it says nothing."""
    if not work.last_request.strip():
        return None
    request = on_one_line(work.last_request)
    if len(request) > _REQUEST_MOST:
        request = f"{request[:_REQUEST_MOST]}…"
    items = [EngramItem("task", request), EngramItem("progress", UNKNOWN)]
    if work.edited:
        items.append(EngramItem("files", ", ".join(map(named, work.edited[-_FILES_MOST:]))))
    items += [EngramItem("pending", UNKNOWN), EngramItem("taboo", UNKNOWN)]
    return Engram(tuple(items), language=frame.language)


def _age(work: Work, frame: Frame) -> list[str]:
    """Return how old the engram is where files were edited since."""
    if not work.edited_since_engram:
        return []
    shown = work.edited_since_engram[-_FILES_MOST:]
    more = len(work.edited_since_engram) - len(shown)
    files = ", ".join(map(named, shown)) + (f" (+{more})" if more else "")
    return [frame.aged.format(rounds=work.rounds_since_engram, files=files)]


def _noted(notes: list[str]) -> tuple[Piece, ...]:
    return tuple(Piece(f"({note})", len(_RANKS), kept=True) for note in notes)


def _written(text: str) -> tuple[Piece, ...]:
    """Return the lines byte for byte; blank ones within stand as they are."""
    return tuple(Piece(line.text, _rank(line.text), kept=True) for line in lines(text))


def _rank(line: str) -> int:
    found = tagged(line)
    return _RANKS[TAGS.get(found.label.lower()) if found else None]
