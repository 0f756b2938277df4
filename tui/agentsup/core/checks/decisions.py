"""Judge decisions: how far can each be trusted, why was it taken, and what stands in place of one that is stale."""

from __future__ import annotations

import re

from agentsup.core.checks.finding import Finding
from agentsup.core.checks.report import Report, shortened
from agentsup.core.memory.decision import Decision
from agentsup.core.memory.decision_lines import lines
from agentsup.core.memory.decision_reading import read_decisions
from agentsup.core.memory.decision_words import title
from agentsup.core.memory.model import Document, Spot

_CLAUSE = re.compile(r"\S(?:\s+[-–—]{1,2}\s+|——|:\s+|：)(?=(?:\S+\s+){2}\S|.?[\u3400-\u9fff]{4})")
"""A clause behind a dash or a colon: in a list item, that is where the reason stands."""

_TAGGED_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,4}[.)、．])[ \t]*[*_`]*[\[［【]", re.MULTILINE)
"""A list item that may begin with a tag."""

MOST_ACTIVE = 20
"""The newest that are restored; older ones are to be archived."""


def check_decisions(document: Document) -> tuple[Finding, ...]:
    """Return what is wrong with a file of decisions."""
    if document.text is None:
        return ()
    report = Report(document)
    decisions = read_decisions(document.text).decisions
    for decision in decisions:
        _decision(report, decision)
    active = sum(each.status == "active" and each.trust != "STALE" for each in decisions)
    if active > MOST_ACTIVE:
        report.add("note", "decision.many", count=active, most=MOST_ACTIVE)
    return report.findings()


def _decision(report: Report, decision: Decision) -> None:
    name, length = shortened(decision.title), len(decision.title)
    if decision.unknown_tag:
        report.add("warning", "decision.unknown-tag", decision.spot, length=length, title=name,
                   tag=shortened(decision.unknown_tag, 20))  # fmt: skip
    elif decision.confidence is None and decision.status == "active":
        report.add("note", "decision.untagged", decision.spot, length=length, title=name)
    is_item = decision.written is not None and decision.written.form == "bullet"
    if not decision.reason and not (is_item and _CLAUSE.search(decision.title)):
        report.add("warning", "decision.no-reason", decision.spot, length=length, title=name)
    if decision.trust == "STALE" and not decision.replaced_by:
        report.add("warning", "decision.stale-without-pointer", decision.spot, length=length, title=name)
    if decision.written is not None and not is_item and _TAGGED_ITEM.search(decision.written.text):
        _tags_inside(report, decision.written.text, decision.spot.line)


def _tags_inside(report: Report, text: str, first: int) -> None:
    """Tell of list items below a heading that begin with a tag: as part of its text nobody is told of them."""
    rows = lines(text)
    for index, (kind, found) in enumerate(zip(rows.kinds, rows.founds, strict=True)):
        if kind == "bullet" and _TAGGED_ITEM.match(rows.texts[index]):
            said = title(found[2])
            if said.confidence or said.status in ("rejected", "stale"):
                spot = Spot(first + index, len(rows.texts[index]) - len(found[2]) + 1)
                report.add("warning", "decision.tag-inside", spot, length=len(found[2]), title=shortened(said.text))
