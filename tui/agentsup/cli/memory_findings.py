"""What is wrong with a project's memory, by what it is about: as the `check` commands and doctor tell it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from agentsup.cli.memory_view import View
from agentsup.core.checks.all import KINDS, Kind, Known, check_kind
from agentsup.core.checks.finding import Finding
from agentsup.core.memory.model import Document, Memory, Repository, Work
from agentsup.core.redaction import redacted
from agentsup.locale import wording
from agentsup.tokens import count

if TYPE_CHECKING:
    from agentsup.core.checks.engram import Author


def engram_findings(view: View) -> tuple[Finding, ...]:
    """Return what is wrong with the engram; what is an error depends on who wrote it."""
    return findings(view, "engram")


def state_findings(view: View, work: Work) -> tuple[Finding, ...]:
    """Return what is wrong with TASK, STATE and CONTRACT, alone and together."""
    return findings(view, "state", work)


def decision_findings(view: View) -> tuple[Finding, ...]:
    """Return what is wrong with the decisions and the open questions."""
    return findings(view, "decisions")


def identity_findings(view: View) -> tuple[Finding, ...]:
    """Return what is wrong with the identity."""
    return findings(view, "identity")


def findings_by_kind(view: View, work: Work) -> Mapping[str, tuple[Finding, ...]]:
    """Return every finding, by what it is about."""
    return {kind: findings(view, kind, work) for kind in KINDS}


def findings(view: View, kind: Kind, work: Work | None = None) -> tuple[Finding, ...]:
    """Return what is wrong with one kind of memory."""
    by: Author = author_of(view.root, view.memory.engram) if kind == "engram" else "person"
    known = Known(wording, tokens, _repository(view, kind), work or Work(), by)
    return check_kind(kind, view.memory, known)


def _repository(view: View, kind: Kind) -> Repository:
    """Return what git and the work tree say of the names in a kind of memory, where anything is asked of them."""
    if kind == "engram":
        return view.repository(Memory(engram=view.memory.engram))
    if kind == "state":
        # The engram's names are not asked for: nothing here is about them.
        return view.repository(replace(view.memory, engram=Document("")))
    return Repository()


def author_of(root: Path, engram: Document) -> Author:
    """Return who wrote an engram: a person unless the newest version that was recorded is an agent's and just this."""
    from agentsup.store.engram_history import history, standing

    try:
        newest = standing(history(root))
    except OSError:
        return "person"
    # A history has texts without secrets.
    is_newest = newest is not None and newest.text.strip() == redacted(engram.text or "").strip()
    return "agent" if newest is not None and is_newest and newest.author in ("agent", "automatic") else "person"


def tokens(text: str) -> int:
    """Return the tokens of a text, guessed where they can't be counted."""
    return count(text).tokens
