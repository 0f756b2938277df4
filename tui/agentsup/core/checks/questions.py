"""Judge open questions: each with a tag that says how sure its premise is."""

from __future__ import annotations

from agentsup.core.checks.finding import Finding
from agentsup.core.checks.report import Report, shortened
from agentsup.core.memory.model import Document
from agentsup.core.memory.questions import read_questions


def check_questions(document: Document) -> tuple[Finding, ...]:
    """Return what is wrong with a file of questions; answered ones are left alone."""
    if document.text is None:
        return ()
    report = Report(document)
    for question in read_questions(document.text).open:
        if question.confidence is None:
            report.add("note", "question.untagged", question.spot, length=len(question.text),
                       text=shortened(question.text))  # fmt: skip
    return report.findings()
