"""The built-in restore units, in the order in which an agent comes to understand a project."""

from __future__ import annotations

from agentsup.core.memory.blocks import blocks
from agentsup.core.memory.identity import read_identity
from agentsup.core.memory.model import Document, Memory, Repository, Work
from agentsup.core.memory.operations import Operation, read_operations
from agentsup.core.memory.questions import read_questions
from agentsup.core.restore.decisions_part import decisions_part
from agentsup.core.restore.engram_part import engram_part
from agentsup.core.restore.foreign import is_foreign
from agentsup.core.restore.frame import Frame
from agentsup.core.restore.parts import Kind, Part, Piece, from_end, from_start, kept
from agentsup.core.restore.sources import complaints, is_of_acceptance
from agentsup.core.restore.state_part import state_part
from agentsup.core.restore.structure_part import structure_part
from agentsup.core.text import on_one_line
from agentsup.core.trust.names import named

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
        decisions_part(memory, frame),
        _questions(memory, frame),
        _operations(memory.operations, frame),
        engram_part(memory, frame, work),
    )


def _prose(name: str, kind: Kind, document: Document, frame: Frame, most: int = 10_000) -> Part:
    said = [block.text for block in blocks(document.text or "") if block.kind != "comment"]
    texts = [row.rstrip() for text in said for row in text.split("\n") if row.strip()]
    pieces = from_end(texts[:most])
    if len(texts) > most:
        pieces = (*pieces, Piece(frame.cut.format(count=len(texts) - most, path=named(document.path)), most + 1))
    notes = kept(complaints(document, frame), ours=is_of_acceptance(document))
    return Part(name, kind, document.path, (*notes, *pieces))


def _identity(document: Document, frame: Frame) -> Part:
    identity = read_identity(document.text or "")
    texts = [f"{entry.key}: {entry.value}" for entry in identity.entries]
    return Part("05-identity", "identity", document.path, kept((*complaints(document, frame), *texts)))


def _questions(memory: Memory, frame: Frame) -> Part:
    document = memory.questions
    found = read_questions(document.text or "")
    # An open question is no law, whatever stands behind it; and of others no premise is sure.
    sure = ("STALE",) if is_foreign(memory, document.path) else ("SOFT", "STALE")
    texts = [
        f"- [ ] {each.text} [{each.confidence if each.confidence in sure else 'TENTATIVE'}]" for each in found.open
    ]
    return Part("50-open-questions", "questions", document.path, (*kept(complaints(document, frame)), *from_end(texts)))


def _operations(document: Document, frame: Frame) -> Part:
    found = read_operations(document.text or "").operations
    texts = [_operated(operation) for operation in found[-MOST_OPERATIONS:]]
    notes = kept(complaints(document, frame))
    return Part("60-recent-operations", "operations", document.path, (*notes, *from_start(texts)))


def _operated(operation: Operation) -> str:
    words = (operation.id, operation.type, operation.target)
    return on_one_line(f"{' '.join(word for word in words if word)}: {operation.summary}")
