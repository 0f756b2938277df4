"""Judge what of memory holds: rules that nobody approved, approved ones that changed, files that came from others."""

from __future__ import annotations

from agentsup.core.checks.finding import Finding, ordered
from agentsup.core.checks.report import Report, shortened
from agentsup.core.memory.decision_reading import read_decisions
from agentsup.core.memory.model import Memory, Spot
from agentsup.core.trust.accepted import NEVER_ACCEPTED, NOT_ACCEPTED, never_accepted, not_accepted
from agentsup.core.trust.rules import judged

_FOLDER = ".agent"
"""What a record that is void is about: all of memory."""


def check_rules(memory: Memory) -> tuple[Finding, ...]:
    """Return the HARD decisions that nobody approved, and the approved ones that the file says otherwise."""
    document = memory.decisions
    report = Report(document)
    for each in judged(read_decisions(document.text or "").decisions, memory.trust.rules):
        decision = each.decision
        title = shortened(decision.title)
        if each.standing == "void":
            report.add("warning", "decision.void-hard", decision.tag_spot, title=title)
        elif each.standing == "changed":
            report.add("warning", "decision.rule-changed", decision.spot, title=title)
        elif each.standing == "lost":
            report.add("warning", "decision.rule-lost", title=title)
    return report.findings()


def check_trust(memory: Memory) -> tuple[Finding, ...]:
    """Return the guarded files that are not as they were accepted, and those that came from others."""
    found = [Finding(path, Spot(), "warning", NOT_ACCEPTED) for path in not_accepted(memory)]
    if not memory.trust.problem:  # else that says it of all
        found += [Finding(path, Spot(), "warning", NEVER_ACCEPTED) for path in never_accepted(memory)]
    for path, origin in memory.trust.foreign:
        named = ", ".join(shortened(part) for part in (origin.commit, origin.author) if part.strip())
        found.append(Finding(path, Spot(), "note", "file.foreign", (("origin", named or "?"),)))
    return ordered(found)


def check_record(memory: Memory) -> tuple[Finding, ...]:
    """Return a finding where what people approved here can't be told any more."""
    problem = memory.trust.problem
    if not problem:
        return ()
    known = problem if problem in ("trust.tampered", "trust.unreadable") else "trust.unreadable"
    return (Finding(_FOLDER, Spot(), "error", known),)
