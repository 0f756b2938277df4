"""What the reading commands have in common: which project is meant, what it remembers, how they are called."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from agentsup.cli import finding_lines
from agentsup.cli.main import report
from agentsup.cli.printing import print_json, printing
from agentsup.core.checks.finding import Finding
from agentsup.core.memory.model import Document, Memory, Repository
from agentsup.core.memory.problems import Unparsable
from agentsup.core.problems import Problem, UsageProblem
from agentsup.core.redaction import without_secrets
from agentsup.locale import load
from agentsup.store.git import repository
from agentsup.store.project_memory import read_project
from agentsup.store.project_root import project_root
from agentsup.store.trust_reading import with_trust


@dataclass(frozen=True)
class View:
    """The project that the current folder belongs to, and what it remembers."""

    root: Path
    memory: Memory

    @property
    def shown(self) -> Memory:
        """What may be printed of it: without secrets."""
        return without_secrets(self.memory)

    def repository(self, memory: Memory | None = None) -> Repository:
        """Ask git and the work tree about what memory names; `memory` is a part of it."""
        from agentsup.core.checks.references import hashes, paths, symbols

        part = self.memory if memory is None else memory
        return repository(self.root, hashes(part), paths(part), symbols(part))


def view() -> View:
    """Return the current project's memory; raises UsageProblem where the current folder is gone."""
    root = current_root()
    return View(root, with_trust(root, read_project(root)))


def current_root() -> Path:
    """Return the project of the current folder, by the rule of `store.project_root`; raises UsageProblem.

    That is the folder itself where it has memory, else the nearest one above that has `.agent` or is a repository's
    root, else the folder itself.
    """
    try:
        return project_root(Path(os.getcwd()))
    except OSError as error:
        raise UsageProblem("doctor.no-folder", reason=error.strerror) from error


def declare_actions(parser: argparse.ArgumentParser, *names: str) -> dict[str, argparse.ArgumentParser]:
    """Add sub-commands, of which `show` is the default; all have --json, before or behind their name."""
    parser.set_defaults(action="show")
    parser.add_argument("--json", action="store_true")
    actions = parser.add_subparsers(metavar="|".join(names))
    catalogue = load(parser.get_default("language") or "auto")
    declared = {}
    for name in names:
        told = catalogue.text(f"cli.action.{name}")
        declared[name] = actions.add_parser(name, help=told, description=told)
        declared[name].add_argument("--json", action="store_true", default=argparse.SUPPRESS)
        declared[name].set_defaults(action=name)
    return declared


def print_findings(findings: tuple[Finding, ...], arguments: argparse.Namespace, document: Document) -> int:
    """Print what a check of a file found; returns the exit code: 1 where there are errors."""
    catalogue = load(arguments.language)
    with printing(exact=arguments.json):
        if arguments.json:
            print_json({"findings": finding_lines.as_json(findings)})
        else:
            finding_lines.show(findings, catalogue, sys.stdout)
    if document.text is None and not document.problem:
        report(Problem("view.missing", path=document.path), arguments.language)
    elif not findings and not arguments.json:
        print(catalogue.text("view.nothing-found"), file=sys.stderr)
    return 1 if any(finding.severity == "error" for finding in findings) else 0


def told(document: Document, language: str) -> int:
    """Say on stderr what keeps a file from being shown, or from being shown whole; returns the exit code.

    A file that is not there is told, and no error.
    """
    if document.problem:
        values = {"path": document.path, "line": document.spot.line, "column": document.spot.column}
        problem = load(language).text(document.problem)
        report(Problem("view.in-parts" if document.text else "view.unreadable", problem=problem, **values), language)
        return 0 if document.text else 1
    if document.text is None:
        report(Problem("view.missing", path=document.path), language)
    return 0


def unparsable(document: Document, error: Unparsable) -> Problem:
    """Return the problem of a file that is not what it has to be."""
    spot = error.spot
    return Problem("view.unparsable", path=document.path, line=spot.line, column=spot.column, reason=error.reason)
