"""What is wrong with a project's memory, by what it is about: as the `check` commands and doctor tell it.

Each check is imported where it is made: a command looks at one kind of file, and has to be quick.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from agentsup.cli.memory_view import View
from agentsup.core.checks.finding import Finding, ordered
from agentsup.core.memory.model import Document, Memory, Work
from agentsup.locale import wording
from agentsup.tokens import count

if TYPE_CHECKING:
    from agentsup.core.checks.engram import Author


def engram_findings(view: View) -> tuple[Finding, ...]:
    """Return what is wrong with the engram; what is an error depends on who wrote it."""
    from agentsup.core.checks.engram import check_engram

    memory = view.memory
    repository = view.repository(Memory(engram=memory.engram))
    found = check_engram(memory.engram, wording(), repository, by=author_of(view.root, memory.engram))
    return ordered([*found, *_of_files(memory, memory.engram)])


def author_of(root: Path, engram: Document) -> Author:
    """Return who wrote an engram: a person unless the newest version that was recorded is an agent's and just this."""
    from agentsup.store.engram_history import history

    try:
        versions = history(root)
    except OSError:
        return "person"
    is_newest = bool(versions) and versions[-1].text.strip() == (engram.text or "").strip()
    return "agent" if is_newest and versions[-1].author != "person" else "person"


def state_findings(view: View, work: Work) -> tuple[Finding, ...]:
    """Return what is wrong with TASK, STATE and CONTRACT, alone and together."""
    from agentsup.core.checks.sizes import check_core
    from agentsup.core.checks.state import check_state
    from agentsup.core.checks.task import check_task

    memory = view.memory
    words = wording()
    # The engram's names are not asked for: nothing here is about them.
    repository = view.repository(replace(memory, engram=Document("")))
    found = [
        *check_state(memory, words, repository, work), *check_task(memory, words, repository),
        *check_core(memory, tokens), *_of_files(memory, memory.state, memory.task, memory.contract),
    ]  # fmt: skip
    return ordered(found)


def decision_findings(view: View) -> tuple[Finding, ...]:
    """Return what is wrong with the decisions and the open questions."""
    from agentsup.core.checks.decisions import check_decisions
    from agentsup.core.checks.questions import check_questions

    memory = view.memory
    found = [
        *check_decisions(memory.decisions), *check_questions(memory.questions),
        *_of_files(memory, memory.decisions, memory.questions),
    ]  # fmt: skip
    return ordered(found)


def identity_findings(view: View) -> tuple[Finding, ...]:
    """Return what is wrong with the identity."""
    from agentsup.core.checks.identity import MOST_TOKENS, check_identity

    document = view.memory.identity
    # A token is a byte at least: what is short enough in bytes need not be counted, which takes half a second.
    is_short = len((document.text or "").encode()) <= MOST_TOKENS
    found = check_identity(document, count=None if is_short else tokens)
    return ordered([*found, *_of_files(view.memory, document)])


def other_findings(view: View) -> tuple[Finding, ...]:
    """Return what is wrong with the files that no command is about: operations, conventions, restore units, handoff."""
    from agentsup.core.checks.files import check_files, check_units
    from agentsup.core.checks.operations import check_operations
    from agentsup.core.checks.sizes import check_conventions

    memory = view.memory
    told = _of_files(
        memory, memory.engram, memory.state, memory.task, memory.contract, memory.decisions, memory.questions,
        memory.identity,
    )  # fmt: skip
    found = [
        *check_operations(memory.operations), *check_conventions(memory.conventions), *check_units(memory),
        *(finding for finding in check_files(memory) if finding not in told),
    ]  # fmt: skip
    return ordered(found)


def findings_by_kind(view: View, work: Work) -> Mapping[str, tuple[Finding, ...]]:
    """Return every finding, by what it is about."""
    return {
        "engram": engram_findings(view),
        "state": state_findings(view, work),
        "decisions": decision_findings(view),
        "identity": identity_findings(view),
        "others": other_findings(view),
    }


def tokens(text: str) -> int:
    """Return the tokens of a text, guessed where they can't be counted."""
    return count(text).tokens


def _of_files(memory: Memory, *documents: Document) -> list[Finding]:
    """Return what is wrong with these files whatever is in them, and those that hold the same as they."""
    from agentsup.core.checks.files import check_files

    paths = {document.path for document in documents}
    paths |= {left for used, left in memory.doubles if used in paths}
    return [finding for finding in check_files(memory) if finding.file in paths]
