"""Judge an engram: is it one, is it short enough, and does every line say what a line of its tag has to say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from agentsup.core.checks.characters import first_control, first_invisible, word_count
from agentsup.core.checks.finding import Finding, Severity
from agentsup.core.checks.names import Name, path_in, symbol_in
from agentsup.core.checks.report import Report, place, shortened
from agentsup.core.checks.secrets import secrets
from agentsup.core.checks.word_lists import first_in, phrase_in, spoken
from agentsup.core.checks.wording import Fault, LineKind, Wordings, faults, is_path, read_line
from agentsup.core.memory.engram import (
    MOST_CHARACTERS,
    MOST_ITEMS,
    MOST_WORDS,
    REQUIRED,
    Engram,
    EngramItem,
    Other,
    read_engram,
)
from agentsup.core.memory.labels import NOTHING, TAG_LABELS, Tag
from agentsup.core.memory.lines import lines
from agentsup.core.memory.model import Document, Repository, Spot
from agentsup.core.redaction import redacted
from agentsup.core.trust.claims import claims_hard

Author = Literal["agent", "person"]

MOST_JUDGED = 50
"""Items whose words are judged: of more than 8, that alone is an error."""

_KINDS: Mapping[Tag, LineKind] = {"task": "task", "progress": "progress", "pending": "pending", "taboo": "taboo"}
_CODES: Mapping[Fault, str] = {
    "vague": "engram.vague",
    "no-verb": "engram.no-verb",
    "no-place": "engram.pending-without-place",
    "no-reason": "engram.taboo-without-reason",
}
_UNKNOWN = frozenset({"unknown", "未知", "不详"})
"""What an engram says that agentsup made from the log."""

_PERSONS = ("#", "<!--")
"""Headings and comments: persons may put them into their files."""


def check_engram(
    document: Document, wordings: Wordings, repository: Repository, *, by: Author = "person"
) -> tuple[Finding, ...]:
    """Return what is wrong with an engram; what is an error in an agent's wording is a warning in a person's."""
    if document.text is None:
        return ()
    report = Report(document)
    engram = read_engram(redacted(document.text))
    _characters(report, document.text)
    for number, line in lines(document.text):
        if claims_hard(line):
            report.add("warning", "engram.claims-hard", Spot(number, len(line) - len(line.lstrip()) + 1))
    if not engram.items:
        report.add("error", "engram.no-block")
        return report.findings()
    wording_severity: Severity = "error" if by == "agent" else "warning"
    _form(report, engram)
    _untagged(report, engram, by)
    for item in engram.items[:MOST_JUDGED]:
        if item.text and item.text.strip(" .。").lower() not in NOTHING | _UNKNOWN:
            _wording(report, item, wordings, wording_severity)
            _names(report, item, wordings, repository)
    return report.findings()


def _characters(report: Report, text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        report.add("error", "engram.too-long", characters=len(text), most=MOST_CHARACTERS)
    if control := first_control(text) or first_invisible(text):
        report.add("error", "engram.control", control[0], length=1, character=control[1])
    for secret in secrets(text):
        report.add("error", "engram.secret", secret.spot, length=secret.length, kind=secret.kind)


def _form(report: Report, engram: Engram) -> None:
    labels = TAG_LABELS[engram.language]
    for tag in REQUIRED:
        if not any(item.tag == tag for item in engram.items):
            report.add("error", "engram.missing-tag", tag=labels[tag])
    for item in engram.items:
        if not item.text:
            report.add("error", "engram.empty-tag", item.spot, tag=labels[item.tag])
    for other in engram.others:
        if _has_unknown_tag(other):
            report.add("error", "engram.unknown-tag", other.spot, length=len(other.label) + 2, tag=other.label)
    if len(engram.items) > MOST_ITEMS:
        report.add("error", "engram.too-many-items", items=len(engram.items), most=MOST_ITEMS)
    words = sum(word_count(item.text) for item in engram.items)
    if words > MOST_WORDS:
        report.add("error", "engram.too-many-words", words=words, most=MOST_WORDS)


def _untagged(report: Report, engram: Engram, by: Author) -> None:
    """Report lines of no item: nobody judges what they say, and they are restored with the others."""
    for other in engram.others[:MOST_JUDGED]:
        if _has_unknown_tag(other) or (by == "person" and other.text.lstrip().startswith(_PERSONS)):
            continue
        severity: Severity = "error" if by == "agent" else "warning"
        text = other.text.strip()
        report.add(severity, "engram.untagged", other.spot, length=len(text), text=shortened(text))


def _has_unknown_tag(other: Other) -> bool:
    return len(other.label) > 1 and not other.text.partition("]")[2].startswith(("(", "["))


def _wording(report: Report, item: EngramItem, wordings: Wordings, severity: Severity) -> None:
    """Report the gravest fault of an item: the others are mended with it."""
    if item.tag not in _KINDS:
        return
    found = faults(_KINDS[item.tag], item.text, wordings)
    if found:
        of_form: Severity = severity if found[0] in ("vague", "no-verb") else "warning"
        report.add(of_form, _CODES[found[0]], item.spot, length=len(item.text), text=shortened(item.text))


def _names(report: Report, item: EngramItem, wordings: Wordings, repository: Repository) -> None:
    """Report files that are not there, and symbols without a path that several files define."""
    line = read_line(item.text, wordings)
    paths = [name for name in line.names if is_path(name, wordings)]
    if item.tag == "files" or not _may_be_absent(item.text, wordings):
        for name in paths:
            path = path_in(name.text)
            # A name without a folder may stand for a file anywhere; under [Files] it is a path.
            relative = path and not path.startswith(("/", "~"))
            if relative and ("/" in path or item.tag == "files") and repository.exists.get(path) is False:
                report.add("warning", "engram.file-missing", place(item.spot, name.start), length=len(path), path=path)
    if paths:
        return
    told: set[str] = set()
    for name in line.names:
        symbol = _symbol(name)
        files = repository.definitions.get(symbol, ())
        if len(files) > 1 and symbol not in told:
            told.add(symbol)
            report.add(
                "warning", "engram.ambiguous-symbol", place(item.spot, name.start), length=name.end - name.start,
                symbol=symbol, files=", ".join(files[:3]), count=len(files),
            )  # fmt: skip


def _symbol(name: Name) -> str:
    return symbol_in(name.text, in_backticks=name.kind == "code") if name.kind in ("code", "symbol") else ""


def _may_be_absent(text: str, wordings: Wordings) -> bool:
    """Tell whether a line is about files that are made, moved or deleted: such a one may name what is not there."""
    return bool(phrase_in(spoken(text), wordings["en"].places.absent) or first_in(text, wordings["zh"].places.absent))
