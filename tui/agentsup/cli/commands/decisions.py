"""`agentsup decisions [show|check] [--all] [--json]`: what was decided, what was rejected, how far each is trusted.

    show     a row a decision: id, how far it is trusted, status, title with its reason, source; --all also with
             those in the archive
    check    what is wrong with the decisions and the open questions: file:line:col severity code message

The JSON objects:

    show     file, exists, problem (key of what is wrong with the file, else ""), language (en, zh)
             decisions: list of id, title, reason, confidence (HARD, SOFT, TENTATIVE, STALE; null: untagged or
             unknown), trust (the same, as it counts: HARD is what a person has approved, whatever the file says;
             untagged is TENTATIVE, overturned STALE), void (whether it calls itself HARD and nobody approved that),
             status (active, rejected, stale),
             source, date, replaced_by, files, file, line, column, archived
             archives: list of file, ids: what the file says that it has given to archives
    check    findings: list of file, line, column, length, severity (error, warning, note), code, message, fix
             (both in English), values

Exit 0: done; 1: check found errors, or the file can't be read.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from agentsup.cli import memory_view
from agentsup.cli.memory_changes import label_language
from agentsup.cli.plain_text import one_line
from agentsup.cli.printing import print_json, printing
from agentsup.core.catalogue import Catalogue
from agentsup.core.memory.decisions import Confidence, Decision, read_decisions
from agentsup.core.memory.model import Document
from agentsup.core.redaction import without_secrets_in
from agentsup.core.trust.model import Rule
from agentsup.core.trust.rules import rule_digest
from agentsup.locale import load
from agentsup.store.archives import decision_archives
from agentsup.store.documents import DECISIONS_MOST, read_document

COLUMNS = ("id", "trust", "status", "title", "source")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    show, _ = memory_view.declare_actions(parser, "show", "check").values()
    help = load(parser.get_default("language") or "auto").text("cli.decisions-all")
    parser.add_argument("--all", action="store_true", help=help)
    show.add_argument("--all", action="store_true", default=argparse.SUPPRESS, help=help)


def run(arguments: argparse.Namespace) -> int:
    """Do what is asked; returns the exit code."""
    view = memory_view.view()
    if arguments.action == "check":
        return _check(arguments, view)
    archives = decision_archives(view.root) if arguments.all else ()
    of_archives = (without_secrets_in(read_document(view.root, path, DECISIONS_MOST)) for path in archives)
    documents = [view.shown.decisions, *of_archives]
    language = label_language(arguments.language)
    found = [
        (document, decision)
        for document in documents
        for decision in read_decisions(document.text or "", language).decisions
    ]
    with printing(exact=arguments.json):
        if arguments.json:
            print_json(as_json(documents[0], found, view.memory.trust.rules))
        elif found:
            _print([decision for _, decision in found], view.memory.trust.rules, load(arguments.language))
    code = memory_view.told(view.memory.decisions, arguments.language)
    return max([code, *(memory_view.told(each, arguments.language) for each in documents[1:] if each.problem)])


def as_json(document: Document, found: Sequence[tuple[Document, Decision]], rules: Sequence[Rule]) -> dict[str, object]:
    """Return the documented object of `show`."""
    read = read_decisions(document.text or "")
    return {
        "file": document.path,
        "exists": document.text is not None or bool(document.problem),
        "problem": document.problem,
        "language": read.language,
        "decisions": [
            decision_as_json(decision, home, rules, archived=home is not document) for home, decision in found
        ],
        "archives": [{"file": archive.file, "ids": list(archive.ids)} for archive in read.archives],
    }


def trust_of(decision: Decision, rules: Sequence[Rule]) -> Confidence:
    """Return how far a decision is to be followed: what a person has approved is HARD, and nothing else is."""
    if any(rule.digest == rule_digest(decision) for rule in rules):
        return "HARD"
    return "TENTATIVE" if decision.trust == "HARD" else decision.trust


def is_void(decision: Decision, rules: Sequence[Rule]) -> bool:
    """Say whether a decision calls itself HARD, and nobody has approved that."""
    return decision.trust == "HARD" and trust_of(decision, rules) != "HARD"


def decision_as_json(decision: Decision, home: Document, rules: Sequence[Rule], *, archived: bool) -> dict[str, object]:
    """Return one decision as the documented object."""
    return {
        "id": decision.id, "title": decision.title, "reason": decision.reason, "confidence": decision.confidence,
        "trust": trust_of(decision, rules), "void": is_void(decision, rules), "status": decision.status,
        "source": decision.source, "date": decision.date, "replaced_by": decision.replaced_by,
        "files": list(decision.files), "file": home.path,
        "line": decision.spot.line, "column": decision.spot.column, "archived": archived,
    }  # fmt: skip


def _print(decisions: Sequence[Decision], rules: Sequence[Rule], catalogue: Catalogue) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in COLUMNS:
        is_short = name in ("id", "trust", "status")
        table.add_column(catalogue.text(f"decisions.{name}"), overflow="fold", no_wrap=is_short)
    for each in decisions:
        status = catalogue.text(f"decisions.statuses.{each.status}")
        title = one_line(each.title) + (f" → {one_line(each.replaced_by)}" if each.replaced_by else "")
        if is_void(each, rules):
            title += f" ({catalogue.text('decisions.void')})"
        cells = (each.id, f"[{trust_of(each, rules)}]", status, title, one_line(each.source))
        table.add_row(*(Text(cell) for cell in cells))
    Console(highlight=False).print(table)


def _check(arguments: argparse.Namespace, view: memory_view.View) -> int:
    from agentsup.cli.memory_findings import decision_findings

    return memory_view.print_findings(decision_findings(view), arguments, view.memory.decisions)
