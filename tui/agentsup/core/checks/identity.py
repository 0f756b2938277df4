"""Judge identity.md: one `key: value` a line, each key once, and all of it short."""

from __future__ import annotations

import re

from agentsup.core.checks.finding import Finding
from agentsup.core.checks.report import Report, place, shortened
from agentsup.core.memory.identity import Entry, read_identity
from agentsup.core.memory.lines import keyed, lines
from agentsup.core.memory.model import Document, Spot
from agentsup.core.restore.cutting import Count

MOST_TOKENS = 200

_NO_ENTRY = re.compile(r"\s*(?:$|#|<!--|-->|---+\s*$|===+\s*$|```|>)")
"""Blank lines, headings, comments, rules: they need not be entries."""


def check_identity(document: Document, *, count: Count | None = None) -> tuple[Finding, ...]:
    """Return what is wrong with an identity; how many tokens it has is judged only where they can be counted."""
    if document.text is None:
        return ()
    report = Report(document)
    identity = read_identity(document.text)
    for other in identity.others:
        if not _NO_ENTRY.match(other.text):
            report.add("warning", "identity.not-key-value", other.spot, length=len(other.text.strip()),
                       text=shortened(other.text))  # fmt: skip
    first: dict[str, Entry] = {}
    rows = {line.number: line.text for line in lines(document.text)}
    for entry in identity.entries:
        key = " ".join(entry.key.replace("_", " ").replace("-", " ").casefold().split())
        if key in first:
            report.add("warning", "identity.double-key", _of_value(entry, rows), length=len(entry.value),
                       key=shortened(entry.key), line=first[key].spot.line)  # fmt: skip
        first.setdefault(key, entry)
    tokens = count(document.text) if count else 0
    if tokens > MOST_TOKENS:
        report.add("warning", "identity.too-long", tokens=tokens, most=MOST_TOKENS)
    return report.findings()


def _of_value(entry: Entry, rows: dict[int, str]) -> Spot:
    """Return where the value of an entry begins."""
    row = rows.get(entry.spot.line, "")
    found = keyed(row)
    if found and found.rest:
        return Spot(entry.spot.line, found.column)
    at = row.find(entry.value) if entry.value else -1
    return Spot(entry.spot.line, at + 1) if at >= 0 else place(entry.spot, 0)
