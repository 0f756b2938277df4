"""Judge TASK.md: does it say what is wanted and when it is done, and was anything changed that it does not allow."""

from __future__ import annotations

from dataclasses import replace

from agentsup.core.checks.files import documents
from agentsup.core.checks.finding import Finding
from agentsup.core.checks.report import Report, shortened
from agentsup.core.checks.wording import Wordings, is_one_step
from agentsup.core.memory.model import Memory, Repository
from agentsup.core.memory.task import TaskFile, is_allowed, read_task
from agentsup.core.trust.untouched import UNTOUCHED

MOST_PATHS = 20
"""Forbidden changes told one by one; the rest is counted."""

MOST_CRITERIA = 500

_OWN, _ABOVE = ".agent/", "../"


def check_task(memory: Memory, wordings: Wordings, repository: Repository) -> tuple[Finding, ...]:
    """Return what is wrong with TASK.md, and the changed paths that it forbids."""
    if memory.task.text is None or memory.task.sha in UNTOUCHED:
        return ()
    report = Report(memory.task)
    task = read_task(memory.task.text)
    if not task.goal:
        report.add("warning", "task.no-goal")
    if not task.acceptance:
        report.add("warning", "task.no-acceptance")
    for step in task.acceptance[:MOST_CRITERIA]:
        if not is_one_step(step.text, wordings):
            report.add("warning", "task.acceptance-not-atomic", step.spot, length=len(step.text),
                       text=shortened(step.text))  # fmt: skip
    changed = forbidden_paths(task, memory, repository.changed)
    for path in changed[:MOST_PATHS]:
        report.add("error", "task.path-forbidden", path=shortened(path, 120))
    if len(changed) > MOST_PATHS:
        report.add("error", "task.more-paths-forbidden", count=len(changed) - MOST_PATHS)
    return report.findings()


def forbidden_paths(task: TaskFile, memory: Memory, changed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the changed paths that a task does not allow.

    Memory is written all the time, wherever the task is, and what is outside of the project is none of its work:
    only a task that forbids it by name does not allow that.
    """
    only_forbidding = replace(task, allowed=())
    own = frozenset(document.path for document in documents(memory))
    return tuple(
        path
        for path in changed
        if is_allowed(only_forbidding if path in own or path.startswith((_OWN, _ABOVE)) else task, path) is False
    )
