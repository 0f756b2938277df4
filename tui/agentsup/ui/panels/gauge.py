"""How full the context is, what the agent is doing, and where an injection stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum, auto
from typing import NamedTuple

from textual.content import Content

from agentsup.core.catalogue import Catalogue
from agentsup.core.continuity import Recital
from agentsup.core.session import Session
from agentsup.core.shown_injection import goes_by_itself, shown_injection
from agentsup.ui.panels import Panel
from agentsup.ui.panels.gauge_bar import bar_line
from agentsup.ui.panels.gauge_lines import (
    DOT,
    agents_own_lines,
    counts_lines,
    flowing,
    injection_line,
    log_line,
    phase_with_source,
    recital_line,
    spent_line,
    tokens_lines,
    wrapped,
)
from agentsup.ui.panels.sparkline import sparkline

LEAST_CURVE, MOST_CURVE = 2, 8
_ROWS_FOR_AIR = 12
_ROWS_FOR_WHOLE = 8
"""Rows with which an injection has its name and id also where that takes several lines."""


class Rank(IntEnum):
    """The gauge's lines in the order of their weight: a panel that gets lower loses the last ones first."""

    BAR = auto()
    URGENT = auto()
    INJECTION = auto()
    TOKENS = auto()
    INJECTION_REST = auto()
    RECITAL = auto()
    PHASE = auto()
    """Behind what only the gauge says: the line at the bottom has it, too."""
    NO_INJECTION = auto()
    LOG = auto()
    DISTANCE = auto()
    COUNTS = auto()
    FAILED = auto()
    CURVE = auto()
    SPENT = auto()
    AGENTS_OWN = auto()
    LAST = auto()
    REASON = auto()
    AIR_BELOW = auto()
    AIR_ABOVE = auto()


class Part(NamedTuple):
    """Lines that are shown together or not at all."""

    rank: Rank
    lines: Sequence[Content]


def gauge(session: Session, catalogue: Catalogue, width: int, height: int) -> Content:
    """Return the gauge. Only an injection may need more rows than there are: its reason is never cut."""
    parts = gauge_parts(session, catalogue, width, height)
    shown = _fitting((part for part in parts if part.rank < Rank.CURVE), height)
    free = height - _rows(part for part in parts if part.rank in shown)
    curve = max(0, min(LEAST_CURVE, free)) if len(session.usage) > 1 else 0
    shown |= _fitting((part for part in parts if part.rank > Rank.CURVE), free - curve)
    lines = [line for part in parts if part.rank in shown for line in part.lines]
    if curve:
        lines += sparkline(session, width, min(MOST_CURVE, height - len(lines)))
    return Content("\n").join(line.truncate(width, ellipsis=True) for line in lines)


def gauge_parts(session: Session, catalogue: Catalogue, width: int, height: int) -> list[Part]:
    """Return all there is to say, from top to bottom."""
    tokens, *distance = tokens_lines(session, catalogue, width)
    counts, *more = counts_lines(session, catalogue, width)
    log = log_line(session.log, catalogue, width)
    own, reason = agents_own_lines(session, catalogue, width)
    air = [Content("")] if height >= _ROWS_FOR_AIR else []
    parts = [
        Part(Rank.BAR, [bar_line(session.context, catalogue, width)]),
        Part(Rank.TOKENS, [tokens]),
        Part(Rank.DISTANCE, distance),
        Part(Rank.AIR_ABOVE, air),
        Part(Rank.PHASE, [phase_with_source(session, catalogue, width)]),
        Part(Rank.COUNTS, [counts]),
        Part(Rank.FAILED if session.failed_compactions else Rank.LAST, more),
        Part(Rank.LOG, _some(log)),
        *_injection_parts(session, catalogue, width, height),
        Part(Rank.SPENT, _some(spent_line(session, catalogue, width))),
        Part(Rank.AGENTS_OWN, own),
        Part(Rank.REASON, reason),
        Part(Rank.AIR_BELOW, air if len(session.usage) > 1 else []),
    ]
    return [part for part in parts if part.lines]


def _injection_parts(session: Session, catalogue: Catalogue, width: int, height: int) -> list[Part]:
    """Return where the injection stands, in a low panel without its name where that takes fewer lines."""
    shown, line = shown_injection(session), injection_line(session, catalogue)
    recital = _some(recital_line(_standing_recital(session), catalogue))
    if shown is None:
        return [Part(Rank.NO_INJECTION, [line]), Part(Rank.RECITAL, recital)]
    if line.cell_length > width and height < _ROWS_FOR_WHOLE:
        line = injection_line(session, catalogue, brief=True)
    lines = [line] if line.cell_length <= width else wrapped(line, width)
    if shown.state in ("held", "failed") and not goes_by_itself(shown):
        return [Part(Rank.URGENT, lines), Part(Rank.RECITAL, recital)]
    if shown.state == "confirmed" and recital and height < _ROWS_FOR_WHOLE:
        in_few_words = _some(recital_line(_standing_recital(session), catalogue, brief=True))
        both = [injection_line(session, catalogue, brief=True), *in_few_words]
        # A dot between them is a cell too wide for the narrowest gauge.
        lines = min((flowing(both, width, between) for between in (DOT, Content(" "))), key=len)
        return [Part(Rank.INJECTION, lines[:1]), Part(Rank.RECITAL, lines[1:])]
    return [
        Part(Rank.INJECTION, lines[:1]), Part(Rank.INJECTION_REST, lines[1:]), Part(Rank.RECITAL, recital),
    ]  # fmt: skip


def _standing_recital(session: Session) -> Recital | None:
    """Return the last read-back while it is that of the text shown, or asks to be judged."""
    shown, recital = shown_injection(session), session.loop.recital
    if recital is None or shown is None or shown.id == recital.id or recital.verdict != "right":
        return recital
    return None


def _fitting(parts: Iterable[Part], height: int) -> set[Rank]:
    """Return the parts that fit, the weightiest first; an injection that has begun is shown to its end."""
    shown: set[Rank] = set()
    for part in sorted(parts, key=lambda part: part.rank):
        begun = part.rank is Rank.URGENT or (part.rank is Rank.INJECTION_REST and Rank.INJECTION in shown)
        if begun or len(part.lines) <= height:
            shown.add(part.rank)
            height -= len(part.lines)
    return shown


def _rows(parts: Iterable[Part]) -> int:
    return sum(len(part.lines) for part in parts)


def _some(line: Content | None) -> list[Content]:
    return [] if line is None else [line]


class GaugePanel(Panel):
    """The gauge."""

    TITLE_KEY = "gauge.title"

    def draw(self, session: Session, catalogue: Catalogue, width: int, height: int) -> Content:
        """Return the gauge."""
        return gauge(session, catalogue, width, height)
