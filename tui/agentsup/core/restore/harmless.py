"""Nothing that is written in memory looks like what agentsup itself writes around it."""

from __future__ import annotations

import re
from dataclasses import replace

from agentsup.core.restore.frame import Frame
from agentsup.core.restore.parts import Part
from agentsup.core.text import sanitise
from agentsup.core.trust.claims import read_as, says_hard, without_claims
from agentsup.core.trust.look_alikes import folded

MARK = "| "
"""Stands before a line that looks like one of agentsup's own."""

_RULES = re.compile(r"^[^\S\n]*(?:[-━]{2,}\s*\d+\s*-|━{4,}|\({3,}|\){3,})", re.MULTILINE)
"""A unit's heading, the engram's anchors, the marks of a fence."""

_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What `sanitise` changes, and other ends of lines."""

_LINE_ENDS = {0x2028: " ", 0x2029: " "}
_LEAST, _MOST = 6, 40
"""Characters by which a sentence is told apart from anybody's."""


class Harmless:
    """Looks at lines with the sentences of one language in mind."""

    def __init__(self, frame: Frame) -> None:
        headers = (
            frame.header, frame.start_header, frame.cold_header, frame.asked_header, frame.sent_header,
            frame.again_header, frame.sent_again_header, frame.engram,
        )  # fmt: skip
        beginnings = {re.escape(_squeezed(folded(header.partition("{")[0]))[:_MOST]) for header in headers}
        trailer = ".{1,20}".join(re.escape(_squeezed(folded(part))) for part in frame.trailer.split("{id}"))
        patterns = sorted(text for text in {*beginnings, trailer} if len(text) >= _LEAST)
        self._sentences = re.compile("|".join(patterns) or "(?!)")

    def text(self, text: str) -> str:
        """Return a text without claims and without lines that pass for our own; most are returned as they are."""
        if self._is_harmless(text):
            return text
        plain = sanitise(text).translate(_LINE_ENDS)
        return "\n".join(self._line(without_claims(line)) for line in plain.split("\n"))

    def part(self, part: Part) -> Part:
        """Return a unit of harmless lines; those that agentsup wrote are so already."""
        # Mostly there is nothing: then one look at all of them is enough.
        if self._is_harmless("\n".join(piece.text for piece in part.pieces if not piece.ours)):
            return part
        pieces = tuple(piece if piece.ours else replace(piece, text=self.text(piece.text)) for piece in part.pieces)
        return replace(part, pieces=pieces)

    def _is_harmless(self, text: str) -> bool:
        if _UNFIT.search(text):
            return False
        plain = folded(text)
        # An entity is read as what it stands for where it makes a claim, and never as a line of ours.
        return not says_hard(read_as(text) if "&" in text else plain) and not self._reads_ours(plain)

    def _line(self, line: str) -> str:
        return MARK + line if self._is_ours(line) else line

    def _is_ours(self, text: str) -> bool:
        return self._reads_ours(folded(text))

    def _reads_ours(self, plain: str) -> bool:
        return bool(_RULES.search(plain) or self._sentences.search(_squeezed(plain)))


def _squeezed(plain: str) -> str:
    # No other blanks are left in a folded text.
    return plain.replace(" ", "").replace("\n", "").replace("\t", "").casefold()
