"""Judge everything that a project remembers."""

from __future__ import annotations

from agentsup.core.checks.decisions import check_decisions
from agentsup.core.checks.engram import Author, check_engram
from agentsup.core.checks.files import check_files, check_units
from agentsup.core.checks.finding import Finding, ordered
from agentsup.core.checks.identity import check_identity
from agentsup.core.checks.operations import check_operations
from agentsup.core.checks.questions import check_questions
from agentsup.core.checks.sizes import check_conventions, check_core
from agentsup.core.checks.state import check_state
from agentsup.core.checks.task import check_task
from agentsup.core.checks.wording import Wordings
from agentsup.core.memory.model import Memory, Repository, Work
from agentsup.core.restore.cutting import Count


def check_memory(
    memory: Memory, wordings: Wordings, repository: Repository, work: Work, *, count: Count, by: Author = "person"
) -> tuple[Finding, ...]:  # fmt: skip
    """Return every finding, by file and place; `by` is who wrote the engram."""
    found = [
        *check_engram(memory.engram, wordings, repository, by=by),
        *check_state(memory, wordings, repository, work),
        *check_task(memory, wordings, repository),
        *check_core(memory, count),
        *check_decisions(memory.decisions),
        *check_identity(memory.identity, count=count),
        *check_questions(memory.questions),
        *check_operations(memory.operations),
        *check_conventions(memory.conventions),
        *check_files(memory),
        *check_units(memory),
    ]
    return ordered(found)
