"""Lines about the files themselves: what could not be read, or not wholly."""

from __future__ import annotations

from agentsup.core.memory.model import Document
from agentsup.core.restore.frame import Frame
from agentsup.core.trust.accepted import NEVER_ACCEPTED, NOT_ACCEPTED
from agentsup.core.trust.names import named


def unreadable(document: Document, frame: Frame) -> str:
    """Return the line that stands for a file that can't be read."""
    spot = document.spot
    return frame.unreadable.format(path=named(document.path), line=spot.line, column=spot.column)


def is_of_acceptance(document: Document) -> bool:
    """Whether what is to be said of a file is what became of its acceptance: agentsup's own word, in no fence."""
    return document.problem in (NOT_ACCEPTED, NEVER_ACCEPTED)


def complaints(document: Document, frame: Frame) -> tuple[str, ...]:
    """Return what is to be said about a file beside its text: nothing about one that was read or is not there."""
    if not document.problem:
        return ()
    if is_of_acceptance(document):
        sentence = frame.not_accepted if document.problem == NOT_ACCEPTED else frame.never_accepted
        return (sentence.format(path=named(document.path)),)
    if document.text is None:
        return (unreadable(document, frame),)
    return (frame.parts_left_out.format(path=named(document.path)),)
