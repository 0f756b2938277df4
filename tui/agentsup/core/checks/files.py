"""Judge the files themselves: can they be read, is there one of each, and is there nothing in them that does harm."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agentsup.core.checks.characters import first_control
from agentsup.core.checks.finding import Finding, Severity, ordered
from agentsup.core.checks.report import shortened
from agentsup.core.checks.secrets import secrets
from agentsup.core.memory.merge_conflict import conflict_line
from agentsup.core.memory.model import Document, Memory, Spot
from agentsup.core.restore.own_units import RESERVED

_PROBLEMS: Mapping[str, tuple[Severity, str]] = {
    "memory.unparsable": ("error", "file.unparsable"),
    "memory.unreadable": ("error", "file.unreadable"),
    "memory.not-text": ("error", "file.not-text"),
    "memory.too-long": ("warning", "file.too-long"),
}
_UNIT = re.compile(r"\d{2,}-[^\s/]+")


def documents(memory: Memory) -> tuple[Document, ...]:
    """Return the files of memory, each once: the project's own units stand at the end."""
    found = (
        memory.engram, memory.state, memory.task, memory.contract, memory.decisions, memory.identity, memory.handoff,
        memory.questions, memory.conventions, memory.operations, *(unit.document for unit in memory.units),
    )  # fmt: skip
    return tuple({document.path: document for document in reversed(found)}.values())[::-1]


def check_files(memory: Memory) -> tuple[Finding, ...]:
    """Return what is wrong with files whatever is in them."""
    findings: list[Finding] = []
    for document in documents(memory):
        if document.problem:
            findings.append(_problem(document))
        # Of JSON that place is told already, as what can't be read.
        if not document.path.endswith((".json", ".jsonl")) and (line := conflict_line(document.text or "")):
            findings.append(Finding(document.path, Spot(line, 1), "error", "file.conflict"))
        # An engram's control characters and secrets are errors of its own.
        if (
            document.text is not None
            and document.path != memory.engram.path
            and (found := first_control(document.text))
        ):
            spot, character = found
            findings.append(Finding(document.path, spot, "warning", "file.control", (("character", character),), 1))
        if document.path != memory.engram.path:
            findings += [
                Finding(document.path, secret.spot, "error", "file.secret", (("kind", secret.kind),), secret.length)
                for secret in secrets(document.text or "")
            ]
    for used, left in memory.doubles:
        findings.append(Finding(left, Spot(), "warning", "file.double", (("used", shortened(used, 120)),)))
    findings += [Finding(folder, Spot(), "warning", "task.bad-name") for folder in memory.task_unusable]
    return ordered(findings)


def _problem(document: Document) -> Finding:
    severity, code = _PROBLEMS.get(document.problem, ("error", "file.unreadable"))
    values: tuple[tuple[str, str], ...] = ()
    if code == "file.unparsable":
        spot = document.spot
        values = (("line", str(spot.line)), ("column", str(spot.column)), ("reason", "invalid JSON"))
    elif code == "file.too-long":
        values = (("size", f"{document.size:,}"),)
    return Finding(document.path, document.spot, severity, code, values)


def check_units(memory: Memory) -> tuple[Finding, ...]:
    """Return what is wrong with the project's own restore units."""
    findings: list[Finding] = []
    for unit in memory.units:
        values = (("name", shortened(unit.name)),)
        if unit.name in RESERVED:
            findings.append(Finding(unit.document.path, Spot(), "warning", "unit.reserved", values))
        elif not _UNIT.fullmatch(unit.name):
            findings.append(Finding(unit.document.path, Spot(), "warning", "unit.bad-name", values))
        if unit.executable and not memory.trust.may_run and unit.document.text is None and not unit.document.problem:
            findings.append(Finding(unit.document.path, Spot(), "note", "unit.not-run", values))
    return ordered(findings)
