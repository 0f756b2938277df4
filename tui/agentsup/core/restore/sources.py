"""Lines about the files themselves: what could not be read, or not wholly."""

from __future__ import annotations

from agentsup.core.memory.model import Document
from agentsup.core.restore.frame import Frame
from agentsup.core.text import on_one_line
from agentsup.core.trust.accepted import NOT_ACCEPTED


def unreadable(document: Document, frame: Frame) -> str:
    """Return the line that stands for a file that can't be read."""
    spot = document.spot
    return frame.unreadable.format(path=on_one_line(document.path), line=spot.line, column=spot.column)


def complaints(document: Document, frame: Frame) -> tuple[str, ...]:
    """Return what is to be said about a file beside its text: nothing about one that was read or is not there."""
    if not document.problem:
        return ()
    if document.problem == NOT_ACCEPTED:
        return (frame.not_accepted.format(path=on_one_line(document.path)),)
    if document.text is None:
        return (unreadable(document, frame),)
    return (frame.parts_left_out.format(path=on_one_line(document.path)),)
