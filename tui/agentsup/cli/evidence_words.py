"""What proves that something was done: a commit or a command, as it stands behind an item."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from agentsup.cli.memory_changes import given_item
from agentsup.core.memory.model import Repository
from agentsup.core.problems import UsageProblem
from agentsup.store.git import repository

_COMMIT = re.compile(r"(?:commit[ :]+)?([0-9a-f]{7,40})", re.IGNORECASE)
_HEAD = re.compile(r"(?:commit[ :]+)?HEAD", re.IGNORECASE)
_HEAD_LENGTH = 10

OURS = re.compile(r"commit [0-9a-f]{7,40}|`[^`]+`")
"""What `words` are."""


@dataclass(frozen=True)
class Evidence:
    """One piece of evidence. `words` are empty where there is none."""

    words: str = ""
    """`commit 8bd1a50`, or a command in backticks."""
    unknown: bool = False
    """Whether it is a commit that git does not know; False where git can't be asked."""
    facts: Repository = Repository()


def evidence(root: Path, given: str) -> Evidence:
    """Return what was given as evidence: a commit's hash, `HEAD`, or else a command. Git is asked, as the arbiter.

    Raises UsageProblem where it can't be written down: a command with backticks, or HEAD without a commit.
    """
    given = given_item(given)
    if not given:
        return Evidence()
    if _HEAD.fullmatch(given):
        facts = repository(root)
        if facts.head is None:
            raise UsageProblem("evidence.no-head")
        given = facts.head[:_HEAD_LENGTH]
    if match := _COMMIT.fullmatch(given):
        commit = match[1].lower()
        facts = repository(root, [commit])
        return Evidence(f"commit {commit}", facts.known.get(commit) is False, facts)
    command = given[1:-1].strip() if given[0] == given[-1] == "`" and len(given) > 1 else given
    if "`" in command or not command:
        raise UsageProblem("evidence.backticks")
    return Evidence(f"`{command}`", facts=repository(root))
