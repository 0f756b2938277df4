"""What was decided: approved rules and titles of rejected alternatives always, of the others the newest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from agentsup.core.memory.decisions import Decision, Decisions, read_decisions
from agentsup.core.memory.labels import SOURCE_WORDS
from agentsup.core.memory.model import Memory
from agentsup.core.restore.foreign import is_foreign
from agentsup.core.restore.frame import Frame
from agentsup.core.restore.parts import Part, Piece
from agentsup.core.restore.sources import complaints
from agentsup.core.text import on_one_line
from agentsup.core.trust.claims import without_claims
from agentsup.core.trust.names import named
from agentsup.core.trust.rules import Judged, judged

MOST_DECISIONS = 20
MOST_STALE = 5
_RULES_MOST = 100
_REASONS = 1_000_000
"""Rank of why something was rejected: the first of decisions to fall, the newest of them last."""


class _Sorted(NamedTuple):
    rules: list[Judged]
    rejected: list[Judged]
    stale: list[Judged]
    others: list[Judged]


def decisions_part(memory: Memory, frame: Frame) -> Part:
    """Return the unit of decisions; a line that begins with [HARD] is there only where a person has approved it."""
    document = memory.decisions
    found = read_once(document.text or "")
    all_judged = judged(found.decisions, memory.trust.rules)
    if is_foreign(memory, document.path):
        all_judged = tuple(
            each if each.is_law else each._replace(decision=_doubted(each.decision)) for each in all_judged
        )
    rules, rejected, stale, others = _by_kind(all_judged)
    newest = others[-MOST_DECISIONS:]
    older = len(others) - len(newest)
    path = named(document.path)
    line = _Lines(frame, path)
    # What falls last of what never should: rules before rejections, newer ones before older ones.
    pieces = [Piece(text, rank, kept=True) for rank, text in enumerate(complaints(document, frame))]
    pieces += [line.decided(each, 100 - i, kept=True) for i, each in enumerate(rules[-_RULES_MOST:])]
    for i, each in enumerate(rejected):
        pieces += line.rejected(each, i)
    pieces += [line.decided(each, len(newest) - i) for i, each in enumerate(newest)]
    if older:
        pieces.append(Piece(frame.cut.format(count=older, path=path), MOST_DECISIONS + 1))
    pieces += [line.decided(each, MOST_DECISIONS + 2 + MOST_STALE - i) for i, each in enumerate(stale[-MOST_STALE:])]
    pieces += [
        Piece(frame.cut.format(count=len(archive.ids), path=named(archive.file)), MOST_DECISIONS + 20)
        for archive in found.archives
    ]
    return Part("40-decisions", "decisions", document.path, tuple(pieces))


@lru_cache(maxsize=1)
def read_once(text: str) -> Decisions:
    """Return the decisions of a file: of thousands, reading is most of the work, and notices are about them, too."""
    return read_decisions(text)


def _by_kind(all_judged: Sequence[Judged]) -> _Sorted:
    kinds = _Sorted([], [], [], [])
    for each in all_judged:
        if each.decision.status == "rejected":
            kinds.rejected.append(each)
        elif each.decision.trust == "STALE":
            kinds.stale.append(each)
        elif each.is_law:
            kinds.rules.append(each)
        else:
            kinds.others.append(each)
    return kinds


def _doubted(decision: Decision) -> Decision:
    """Return a decision of somebody else: nothing of it is sure."""
    return replace(decision, confidence="TENTATIVE") if decision.trust == "SOFT" else decision


class _Lines:
    """Puts decisions on lines."""

    def __init__(self, frame: Frame, path: str) -> None:
        self._frame, self._path = frame, path

    def decided(self, each: Judged, rank: int, *, kept: bool = False) -> Piece:
        """Return a decision on one line: how far it can be trusted first, its source last."""
        decision = each.decision
        parts = [decision.title]
        if decision.reason:
            parts.append(f": {decision.reason}")
        if decision.replaced_by and not each.is_law:
            parts.append(f" → {decision.replaced_by}")
        # What stands in an approved line has been approved; its source has not.
        if decision.source and (not each.is_law or decision.source.casefold() in SOURCE_WORDS):
            parts.append(f" ({decision.source})")
        text = f"[{decision.trust}] {_said(''.join(parts))}{self._mark(each)}"
        return Piece(text, rank, kept=kept, ours=each.is_law)

    def rejected(self, each: Judged, place: int) -> list[Piece]:
        """Return the title of a rejected alternative, which is never cut, and why it was rejected."""
        decision = each.decision
        title = f"[✗] {_said(decision.title)}{self._mark(each)}"
        pieces = [Piece(title, 10_000_000 - place, kept=True, ours=each.is_law)]
        if decision.reason:
            pieces.append(Piece(f"  {_said(decision.reason)}", _REASONS - place, ours=each.is_law))
        return pieces

    def _mark(self, each: Judged) -> str:
        match each.standing:
            case "void":
                return f" {self._frame.void_hard}"
            case "changed" | "lost":
                return f" {self._frame.rule_kept.format(path=self._path)}"
            case "free" | "approved":
                return ""


def _said(text: str) -> str:
    return without_claims(on_one_line(text))
