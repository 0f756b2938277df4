"""Findings in memory files: a line each for people, records for programs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from agentsup.cli.plain_text import one_line
from agentsup.core.catalogue import Catalogue
from agentsup.core.checks.finding import Finding
from agentsup.locale import load

INDENT = "    "


def show(findings: Iterable[Finding], catalogue: Catalogue, out: TextIO) -> None:
    """Write `file:line:col severity code message`, and below it, indented, what mends it."""
    for finding in findings:
        place = f"{one_line(finding.file)}:{finding.spot.line}:{finding.spot.column}"
        out.write(f"{place} {finding.severity} {finding.code} {one_line(message(finding, catalogue))}\n")
        if fix := one_line(told(finding, "fix", catalogue)):
            out.write(f"{INDENT}{fix}\n")


def message(finding: Finding, catalogue: Catalogue) -> str:
    """Return what was found, in words."""
    return told(finding, "message", catalogue)


def told(finding: Finding, part: str, catalogue: Catalogue) -> str:
    """Return the `message` or the `fix` of a finding; empty where the catalogue has none."""
    key = f"check.{finding.code}.{part}"
    return catalogue.text(key, **dict(finding.values)) if catalogue.has(key) else ""


def as_json(findings: Iterable[Finding]) -> list[dict[str, object]]:
    """Return the documented records: file, line, column, length, severity, code, message, fix (English), values."""
    english = load("en")
    return [
        {
            "file": finding.file, "line": finding.spot.line, "column": finding.spot.column, "length": finding.length,
            "severity": finding.severity, "code": finding.code, "message": told(finding, "message", english),
            "fix": told(finding, "fix", english), "values": dict(finding.values),
        }
        for finding in findings
    ]  # fmt: skip
