"""Judge everything that a project remembers, by what it is about: the one list of what is checked.

Each check is imported where it is made: a command looks at one kind of file, and has to be quick.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from agentsup.core.checks.finding import Finding, ordered
from agentsup.core.memory.model import Memory, Repository, Work
from agentsup.core.redaction import without_secrets
from agentsup.core.restore.cutting import Count

if TYPE_CHECKING:
    from agentsup.core.checks.engram import Author
    from agentsup.core.checks.wording import Wordings

Kind = Literal["engram", "state", "decisions", "identity", "others"]
"""What a finding is about; `others` are the files that no command is about, and memory as a whole."""

KINDS: tuple[Kind, ...] = get_args(Kind)

_FILES: Mapping[Kind, tuple[str, ...]] = {
    "engram": ("engram",),
    "state": ("state", "task", "contract"),
    "decisions": ("decisions", "questions"),
    "identity": ("identity",),
}


@dataclass(frozen=True)
class Known:
    """What memory is judged by."""

    wordings: Callable[[], Wordings]
    """Read only where words are judged."""
    count: Count
    repository: Repository = Repository()
    work: Work = Work()
    by: Author = "person"
    """Who wrote the engram."""


def check_memory(
    memory: Memory, wordings: Wordings, repository: Repository, work: Work, *, count: Count, by: Author = "person"
) -> tuple[Finding, ...]:  # fmt: skip
    """Return every finding, by file and place; `by` is who wrote the engram."""
    known = Known(lambda: wordings, count, repository, work, by)
    return ordered([finding for kind in KINDS for finding in check_kind(kind, memory, known)])


def check_kind(kind: Kind, memory: Memory, known: Known) -> tuple[Finding, ...]:
    """Return what is wrong with one kind of memory, and with its files whatever is in them."""
    # Findings quote what they are about, a line of a key as well: only those that are about secrets see any.
    clean = without_secrets(memory)
    match kind:
        case "engram":
            found = _engram(memory, known)
        case "state":
            found = _state(clean, known)
        case "decisions":
            found = _decisions(clean)
        case "identity":
            found = _identity(clean, known)
        case "others":
            found = _others(clean)
    return ordered([*found, *_of_files(kind, memory)])


def _engram(memory: Memory, known: Known) -> list[Finding]:
    from agentsup.core.checks.engram import check_engram

    return [*check_engram(memory.engram, known.wordings(), known.repository, by=known.by)]


def _state(memory: Memory, known: Known) -> list[Finding]:
    from agentsup.core.checks.sizes import check_core
    from agentsup.core.checks.state import check_state
    from agentsup.core.checks.task import check_task

    words = known.wordings()
    return [
        *check_state(memory, words, known.repository, known.work), *check_task(memory, words, known.repository),
        *check_core(memory, known.count),
    ]  # fmt: skip


def _decisions(memory: Memory) -> list[Finding]:
    from agentsup.core.checks.decisions import check_decisions
    from agentsup.core.checks.questions import check_questions
    from agentsup.core.checks.trust import check_rules

    return [*check_decisions(memory.decisions), *check_rules(memory), *check_questions(memory.questions)]


def _identity(memory: Memory, known: Known) -> list[Finding]:
    from agentsup.core.checks.identity import MOST_TOKENS, check_identity

    # A token is a byte at least: what is short enough in bytes need not be counted, which takes half a second.
    is_short = len((memory.identity.text or "").encode("utf-8", "replace")) <= MOST_TOKENS
    return [*check_identity(memory.identity, count=None if is_short else known.count)]


def _others(memory: Memory) -> list[Finding]:
    from agentsup.core.checks.files import check_units
    from agentsup.core.checks.operations import check_operations
    from agentsup.core.checks.sizes import check_conventions
    from agentsup.core.checks.trust import check_record

    return [
        *check_operations(memory.operations), *check_conventions(memory.conventions), *check_units(memory),
        *check_record(memory),
    ]  # fmt: skip


def _of_files(kind: Kind, memory: Memory) -> list[Finding]:
    """Return what is wrong with the files of a kind whatever is in them, and with those that hold the same."""
    from agentsup.core.checks.files import check_files
    from agentsup.core.checks.trust import check_trust

    used_by: dict[str, Kind] = {}
    for each, names in _FILES.items():
        used_by |= {getattr(memory, name).path: each for name in names}
    used_by |= {left: used_by[used] for used, left in memory.doubles if used in used_by}
    return [
        finding for finding in (*check_files(memory), *check_trust(memory))
        if used_by.get(finding.file, "others") == kind
    ]  # fmt: skip
