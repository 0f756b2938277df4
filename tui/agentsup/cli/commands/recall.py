"""`agentsup recall ID [--json]`: read back an operation with its detail, or a decision, by id; archives included.

The JSON object, of an operation:

    kind        "operation"
    id, type, target, summary, log_path, timestamp    as the index has them; timestamp null without one
    others      object of further keys of its line
    detail      its whole detail as text, null where there is none
    file        where it stands, relative to the project

of a decision: kind "decision", and what `agentsup decisions --json` gives of one.

Exit 0: here it is; 1: nothing has this id.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from agentsup.cli import memory_view
from agentsup.cli.commands.decisions import decision_as_json, trust_of
from agentsup.cli.plain_text import harmless, one_line
from agentsup.cli.printing import print_json, printing
from agentsup.core.catalogue import Catalogue
from agentsup.core.memory.decisions import Decision, Decisions, find, read_decisions
from agentsup.core.memory.model import Document
from agentsup.core.memory.operations import read_operations
from agentsup.core.problems import Problem
from agentsup.core.redaction import without_secrets_in
from agentsup.core.trust.model import Rule
from agentsup.locale import load
from agentsup.store import placements
from agentsup.store.archives import decision_archives, index_archives
from agentsup.store.documents import DECISIONS_MOST, read_document
from agentsup.store.evidence import Recalled, recall
from agentsup.store.task_choice import tasks
from agentsup.store.trust_record import approvals

NEAREST = 3
"""Ids that are named where there is none of the id that was asked for."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("id", metavar="ID")
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Print what has the id; returns the exit code."""
    root = memory_view.current_root()
    wanted = arguments.id.strip()
    try:
        operation = recall(root, wanted)
    except OSError as error:
        raise Problem("recall.unreadable", reason=error.strerror or error, path=error.filename or "") from error
    decision = None if operation is not None else _decision(root, wanted)
    if operation is None and decision is None:
        raise _unknown(root, wanted)
    catalogue = load(arguments.language)
    with printing(exact=arguments.json):
        if operation is not None:
            _print_operation(operation, arguments.json, catalogue)
        elif decision is not None:
            _print_decision(decision, approvals(root).rules, arguments.json, catalogue)
    return 0


def _decision(root: Path, wanted: str) -> tuple[Decision, Document, bool] | None:
    """Return the decision of an id with its file, and whether that is an archive; None where there is none."""
    for document, decisions, archived in _homes(root):
        if wanted and (found := find(decisions, wanted)) is not None:
            return found, document, archived
    return None


def _homes(root: Path) -> Iterator[tuple[Document, Decisions, bool]]:
    """Yield the files of decisions, the current one first, then the archives, the newest first."""
    current = placements.find(root, "decisions", tasks(root).folder).path
    for path in (current, *reversed(decision_archives(root))):
        document = without_secrets_in(read_document(root, path, DECISIONS_MOST))
        yield document, read_decisions(document.text or ""), path != current


def _unknown(root: Path, wanted: str) -> Problem:
    known: list[str] = []
    for path in (*placements.PLACES["operations"], *index_archives(root)):
        known += [operation.id for operation in read_operations(read_document(root, path).text or "").operations]
    for _, decisions, _ in _homes(root):
        known += [decision.id for decision in decisions.decisions]
    nearest = get_close_matches(wanted, dict.fromkeys(filter(None, known)), NEAREST, 0.4)
    if not nearest:
        return Problem("recall.unknown", id=one_line(wanted))
    return Problem("recall.unknown-near", id=one_line(wanted), nearest=", ".join(map(one_line, nearest)))


def _print_operation(found: Recalled, as_json: bool, catalogue: Catalogue) -> None:
    operation = found.operation
    if as_json:
        print_json({
            "kind": "operation", "id": operation.id, "type": operation.type, "target": operation.target,
            "summary": operation.summary, "log_path": operation.log_path, "timestamp": operation.timestamp,
            "others": dict(operation.others), "detail": found.detail, "file": found.path,
        })  # fmt: skip
        return
    when = "" if operation.timestamp is None else str(operation.timestamp)
    rows = [(name, getattr(operation, name)) for name in ("id", "type", "target", "summary")]
    _print_rows([*rows, ("timestamp", when), ("file", found.path)], catalogue)
    if found.detail is not None:
        print()
        print(harmless(found.detail).rstrip("\n"))


def _print_decision(
    found: tuple[Decision, Document, bool], rules: Sequence[Rule], as_json: bool, catalogue: Catalogue
) -> None:
    decision, home, archived = found
    if as_json:
        print_json({"kind": "decision", **decision_as_json(decision, home, rules, archived=archived)})
        return
    trust = trust_of(decision, rules)
    status = catalogue.text(f"decisions.statuses.{decision.status}")
    rows = [
        ("id", decision.id), ("title", decision.title), ("reason", decision.reason), ("trust", f"[{trust}]"),
        ("status", status), ("replaced_by", decision.replaced_by), ("source", decision.source),
        ("date", decision.date), ("files", ", ".join(decision.files)), ("file", f"{home.path}:{decision.spot.line}"),
    ]  # fmt: skip
    _print_rows(rows, catalogue)


def _print_rows(rows: Sequence[tuple[str, str]], catalogue: Catalogue) -> None:
    """Print what there is to say of it, a line each."""
    from rich.cells import cell_len

    told = [(catalogue.text(f"recall.{name}"), one_line(value)) for name, value in rows if value]
    width = max(cell_len(label) for label, _ in told)
    for label, value in told:
        print(f"{label}{' ' * (width - cell_len(label))}  {value}")
