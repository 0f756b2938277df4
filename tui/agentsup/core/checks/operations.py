"""Judge the evidence log's index: every line an operation, every operation found by one id."""

from __future__ import annotations

from agentsup.core.checks.finding import Finding
from agentsup.core.checks.report import Report, shortened
from agentsup.core.memory.model import Document
from agentsup.core.memory.operations import Operation, read_operations

MOST_OPERATIONS = 100


def check_operations(document: Document) -> tuple[Finding, ...]:
    """Return what is wrong with an index of operations. Of a long file only the end is there: it has no places."""
    if document.text is None:
        return ()
    report = Report(document)
    read = read_operations(document.text, from_middle=document.problem == "memory.too-long")
    for spot, reason in read.bad:
        report.add("error", "operations.unparsable", spot, reason=shortened(reason, 120))
    first: dict[str, Operation] = {}
    for operation in read.operations:
        if missing := _missing(operation):
            report.add("warning", "operations.missing-field", operation.spot, fields=", ".join(missing),
                       id=shortened(operation.id) or "?")  # fmt: skip
        if operation.id and operation.id in first:
            report.add("warning", "operations.double-id", operation.spot, id=shortened(operation.id),
                       line=first[operation.id].spot.line)  # fmt: skip
        first.setdefault(operation.id, operation)
    if len(read.operations) > MOST_OPERATIONS:
        report.add("note", "operations.many", count=len(read.operations), most=MOST_OPERATIONS)
    return report.findings()


def _missing(operation: Operation) -> list[str]:
    """Return the fields that an operation has not; one without a log of its own is whole."""
    fields = {
        "id": operation.id, "type": operation.type, "target": operation.target, "summary": operation.summary,
        "timestamp": operation.timestamp,
    }  # fmt: skip
    return [name for name, value in fields.items() if value is None or value == ""]
