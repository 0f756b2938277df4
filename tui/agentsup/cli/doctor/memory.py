"""What the project remembers: how much is wrong with it, and which command shows that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentsup.cli import finding_lines
from agentsup.cli.doctor.finding import Finding, Level
from agentsup.cli.memory_view import View
from agentsup.core.catalogue import Catalogue
from agentsup.core.checks import finding as checks
from agentsup.core.memory.model import Memory, Work
from agentsup.store.project_memory import read_project
from agentsup.store.project_root import project_root
from agentsup.store.trust_reading import with_trust

COMMANDS = {
    "engram": "agentsup engram check", "state": "agentsup state check", "decisions": "agentsup decisions check",
    "identity": "agentsup identity check",
}  # fmt: skip
"""By what is checked: the command that shows every finding. The others have none: their first finding is told."""


@dataclass(frozen=True)
class First(Finding):
    """A finding that tells how many there are, and quotes the first of them."""

    found: checks.Finding | None = None

    def what(self, catalogue: Catalogue) -> str:
        """Return how many there are, and the first."""
        assert self.found is not None
        place = f"{self.found.file}:{self.found.spot.line}:{self.found.spot.column}"
        message = finding_lines.message(self.found, catalogue)
        return catalogue.text(f"{self.key}.what", **{**self.values, "place": place, "message": message})

    def todo(self, catalogue: Catalogue) -> str:
        """Return what mends the first."""
        assert self.found is not None
        return finding_lines.told(self.found, "fix", catalogue)


def look(project: Path) -> Iterator[Finding]:
    """Check the memory of the project that a folder belongs to."""
    root = project_root(project)
    memory = with_trust(root, read_project(root))
    if not _has_any(memory):
        yield Finding("memory.files", "ok", "doctor.memory-none", {"path": str(root)})
        return
    from agentsup.cli.memory_findings import findings_by_kind

    for kind, findings in findings_by_kind(View(root, memory), Work()).items():
        yield judged(kind, findings)


def judged(kind: str, findings: Sequence[checks.Finding]) -> Finding:
    """Judge what was found in one kind of file; notes are no matter."""
    counted = [finding for finding in findings if finding.severity != "note"]
    errors = sum(finding.severity == "error" for finding in counted)
    level: Level = "problem" if errors else "warning" if counted else "ok"
    values = {"errors": str(errors), "warnings": str(len(counted) - errors)}
    check = f"memory.{kind}"
    if not counted:
        return Finding(check, level, "doctor.memory-checked")
    if kind in COMMANDS:
        return Finding(check, level, "doctor.memory-findings", {**values, "command": COMMANDS[kind]})
    first = min(counted, key=lambda finding: finding.severity != "error")
    return First(check, level, "doctor.memory-first", values, found=first)


def _has_any(memory: Memory) -> bool:
    documents = (
        memory.engram, memory.state, memory.task, memory.contract, memory.decisions, memory.identity, memory.handoff,
        memory.questions, memory.conventions, memory.operations,
    )  # fmt: skip
    return bool(memory.units) or any(document.text is not None or document.problem for document in documents)
