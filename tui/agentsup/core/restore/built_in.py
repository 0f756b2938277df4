"""The built-in restore units, in the order in which an agent comes to understand a project."""

from __future__ import annotations

from agentsup.core.memory.blocks import blocks
from agentsup.core.memory.decisions import Decision, read_decisions
from agentsup.core.memory.identity import read_identity
from agentsup.core.memory.model import Document, Memory, Repository, Work
from agentsup.core.memory.operations import Operation, read_operations
from agentsup.core.memory.questions import read_questions
from agentsup.core.restore.engram_part import engram_part
from agentsup.core.restore.frame import Frame
from agentsup.core.restore.parts import Kind, Part, Piece, from_end, from_start, kept
from agentsup.core.restore.sources import complaints
from agentsup.core.restore.state_part import state_part
from agentsup.core.restore.structure_part import structure_part
from agentsup.core.text import on_one_line

MOST_DECISIONS = 20
MOST_STALE = 5
_REASONS = 1_000_000
"""Rank of why something was rejected: the first of decisions to fall, the newest of them last."""
MOST_OPERATIONS = 20
MOST_CONVENTIONS = 50


def built_in(memory: Memory, frame: Frame, work: Work, repository: Repository) -> tuple[Part, ...]:
    """Return the units that come with agentsup; those with nothing to say have no pieces."""
    return (
        _prose("00-handoff", "handoff", memory.handoff, frame),
        _identity(memory.identity, frame),
        structure_part(memory.structure),
        _prose("20-conventions", "conventions", memory.conventions, frame, most=MOST_CONVENTIONS),
        state_part(memory, frame, work, repository),
        _decisions(memory.decisions, frame),
        _questions(memory.questions, frame),
        _operations(memory.operations, frame),
        engram_part(memory, frame, work),
    )


def _prose(name: str, kind: Kind, document: Document, frame: Frame, most: int = 10_000) -> Part:
    said = [block.text for block in blocks(document.text or "") if block.kind != "comment"]
    texts = [row.rstrip() for text in said for row in text.split("\n") if row.strip()]
    pieces = from_end(texts[:most])
    if len(texts) > most:
        pieces = (*pieces, Piece(frame.cut.format(count=len(texts) - most, path=on_one_line(document.path)), most + 1))
    return Part(name, kind, document.path, (*kept(complaints(document, frame)), *pieces))


def _identity(document: Document, frame: Frame) -> Part:
    identity = read_identity(document.text or "")
    texts = [f"{entry.key}: {entry.value}" for entry in identity.entries]
    return Part("05-identity", "identity", document.path, kept((*complaints(document, frame), *texts)))


def _decisions(document: Document, frame: Frame) -> Part:
    """Return what was decided: HARD ones and titles of rejected alternatives always, of the others the newest."""
    found = read_decisions(document.text or "")
    hard, rejected, stale, others = _sorted(found.decisions)
    newest = others[-MOST_DECISIONS:]
    older = len(others) - len(newest)
    # What falls last of what never should: rules before rejections, newer ones before older ones.
    pieces = [Piece(text, rank, kept=True) for rank, text in enumerate(complaints(document, frame))]
    pieces += [Piece(_decided(each), 100 - i, kept=True) for i, each in enumerate(hard[-100:])]
    for i, each in enumerate(rejected):
        pieces.append(Piece(f"[✗] {each.title}", 10_000_000 - i, kept=True))
        if each.reason:
            pieces.append(Piece(f"  {on_one_line(each.reason)}", _REASONS - i))
    pieces += [Piece(_decided(each), len(newest) - i) for i, each in enumerate(newest)]
    if older:
        pieces.append(Piece(frame.cut.format(count=older, path=on_one_line(document.path)), MOST_DECISIONS + 1))
    pieces += [Piece(_decided(each), MOST_DECISIONS + 2 + MOST_STALE - i) for i, each in enumerate(stale[-MOST_STALE:])]
    pieces += [
        Piece(frame.cut.format(count=len(archive.ids), path=on_one_line(archive.file)), MOST_DECISIONS + 20)
        for archive in found.archives
    ]
    return Part("40-decisions", "decisions", document.path, tuple(pieces))


def _sorted(
    decisions: tuple[Decision, ...],
) -> tuple[list[Decision], list[Decision], list[Decision], list[Decision]]:
    hard: list[Decision] = []
    rejected: list[Decision] = []
    stale: list[Decision] = []
    others: list[Decision] = []
    for decision in decisions:
        if decision.status == "rejected":
            rejected.append(decision)
        elif decision.trust == "STALE":
            stale.append(decision)
        elif decision.trust == "HARD":
            hard.append(decision)
        else:
            others.append(decision)
    return hard, rejected, stale, others


def _decided(decision: Decision) -> str:
    """Return a decision on one line: how far it can be trusted first, its source last."""
    parts = [f"[{decision.trust}] {decision.title}"]
    if decision.reason:
        parts.append(f": {on_one_line(decision.reason)}")
    if decision.replaced_by:
        parts.append(f" → {decision.replaced_by}")
    if decision.source:
        parts.append(f" ({decision.source})")
    return "".join(parts)


def _questions(document: Document, frame: Frame) -> Part:
    found = read_questions(document.text or "")
    texts = [f"- [ ] {each.text} [{each.confidence or 'TENTATIVE'}]" for each in found.open]
    return Part("50-open-questions", "questions", document.path, (*kept(complaints(document, frame)), *from_end(texts)))


def _operations(document: Document, frame: Frame) -> Part:
    found = read_operations(document.text or "").operations
    texts = [_operated(operation) for operation in found[-MOST_OPERATIONS:]]
    notes = kept(complaints(document, frame))
    return Part("60-recent-operations", "operations", document.path, (*notes, *from_start(texts)))


def _operated(operation: Operation) -> str:
    words = (operation.id, operation.type, operation.target)
    return on_one_line(f"{' '.join(word for word in words if word)}: {operation.summary}")
