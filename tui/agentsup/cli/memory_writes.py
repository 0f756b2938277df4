"""`agentsup engram set` and `agentsup identity set`: the writing half of commands that mostly read.

    agentsup engram set [FILE|-] [--reason R] [--json]
    agentsup identity set KEY VALUE [--json]

An engram is checked first. One of an agent's with errors is refused, with what has to be mended; a person's is
written, with what was found told. It replaces the one that was there when the command began; where another one came
between, that stays, the new one is kept beside, and it is said where. Of a person's the sessions that run in the
project are told, as by the editor: their agents get it as a correction. The JSON objects:

    engram set      path, written, sha (of the version; empty where none was recorded), author (person, agent),
                    created (whether there was none before), told (whether an agent is told, at its next idle
                    moment), findings (as in `agentsup engram check --json`)
    identity set    path, key, value, created, findings (as in `agentsup identity check --json`)

Exit 0: written; 1: refused for errors, or it could not be written; 2: wrong usage.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path

from agentsup.cli import finding_lines
from agentsup.cli.author import Author, author
from agentsup.cli.main import report
from agentsup.cli.memory_changes import change_file, given_item, given_text, read_file, refuse_secrets, told
from agentsup.cli.memory_view import current_root
from agentsup.cli.printing import print_json, printing
from agentsup.core.checks import references
from agentsup.core.checks.engram import check_engram
from agentsup.core.checks.finding import Finding
from agentsup.core.checks.identity import check_identity
from agentsup.core.memory.identity import read_identity, with_entry, write_identity
from agentsup.core.memory.model import Document, Memory
from agentsup.core.memory.own_lines import with_own_lines
from agentsup.core.problems import Problem, UsageProblem
from agentsup.locale import load, wording
from agentsup.store import atomic
from agentsup.store.engram_history import write_engram_file
from agentsup.store.git import repository
from agentsup.store.placements import DEFAULTS, find

ENGRAM = DEFAULTS["engram"]

_NEVER = ("engram.no-block",)
"""What is no engram at all is not written for a person either: an empty pipe must not wipe out the one there is."""


def set_engram(arguments: argparse.Namespace) -> int:
    """Write the engram from `arguments.file` (`-`: standard input); returns the exit code."""
    root, who = current_root(), author()
    before = read_file(root, ENGRAM)
    text = given_text(arguments.file).strip("\n") + "\n"
    findings = _engram_findings(root, text, who)
    refused = any(
        finding.severity == "error" and (who.kind == "agent" or finding.code in _NEVER) for finding in findings
    )
    sha = "" if refused else _write_engram(root, text, before, who, given_item(arguments.reason))
    answers = [] if refused or who.kind == "agent" else _tell(root, text)
    is_told = any(answers)
    catalogue = load(arguments.language)
    with printing(exact=arguments.json):
        if arguments.json:
            print_json({
                "path": ENGRAM, "written": not refused, "sha": sha, "author": who.kind,
                "created": before.data is None and not refused, "told": is_told,
                "findings": finding_lines.as_json(findings),
            })  # fmt: skip
            return int(refused)
    finding_lines.show(findings, catalogue, sys.stderr)
    if refused:
        raise Problem("engram.refused")
    print(catalogue.text("write.created" if before.data is None else "write.written", path=ENGRAM), file=sys.stderr)
    if is_told or None in answers:
        print(catalogue.text("editor.told.yes" if is_told else "editor.told.lost"), file=sys.stderr)
    if not sha:
        report(Problem("engram.not-recorded"), arguments.language)
    return 0


def _engram_findings(root: Path, text: str, who: Author) -> tuple[Finding, ...]:
    memory = Memory(engram=Document(ENGRAM, text))
    facts = repository(root, references.hashes(memory), references.paths(memory), references.symbols(memory))
    return check_engram(memory.engram, wording(), facts, by=who.kind)


def _write_engram(root: Path, text: str, before: atomic.Content, who: Author, reason: str) -> str:
    """Write it and return its version's hash; empty where it is written and could not be recorded."""
    with told(ENGRAM):
        try:
            return write_engram_file(root, text, before.token, who.kind, reason).sha
        except (OSError, UsageProblem):
            # An agent in a sandbox may write into the project and not into the person's data folder.
            if atomic.read(root / ENGRAM, beneath=root).data == text.encode():
                return ""
            raise


def _tell(root: Path, text: str) -> list[bool | None]:
    """Tell the running sessions what a person has saved; return of each whether its agent is told, None: silence."""
    from agentsup.cli import running_session
    from agentsup.protocol.messages import EngramSaved, Outcome

    answers = running_session.tell(root, EngramSaved(hashlib.sha256(text.encode()).hexdigest()))
    # An answer without an id: it knows it, waits for a restore that will hold it, or is an agent that nobody can tell.
    return [isinstance(each, Outcome) and each.done and "id" in dict(each.values) if each else None for each in answers]


def set_identity(arguments: argparse.Namespace) -> int:
    """Write one `key: value` of identity.md, in place of the one there is; returns the exit code."""
    root = current_root()
    key, value = given_item(arguments.key).rstrip(":："), given_item(arguments.value)
    if not key or not value:
        raise UsageProblem("identity.empty")
    refuse_secrets(f"{key}: {value}")
    place = find(root, "identity").path

    def change(text: str) -> str:
        try:
            before = read_identity(text)
            after = write_identity(with_entry(before, key, value))
        except ValueError as error:
            raise UsageProblem("identity.bad-key", key=key) from error
        return with_own_lines(text, write_identity(before), after, read_identity)

    changed = change_file(root, place, change)
    entries = read_identity(changed.text).entries
    lines = {entry.spot.line for entry in entries if entry.key.casefold() == key.casefold()}
    found = check_identity(Document(place, changed.text))
    findings = tuple(finding for finding in found if finding.spot.line in lines)
    catalogue = load(arguments.language)
    with printing(exact=arguments.json):
        if arguments.json:
            print_json({
                "path": place, "key": key, "value": value, "created": changed.created,
                "findings": finding_lines.as_json(findings),
            })  # fmt: skip
            return 0
    finding_lines.show(findings, catalogue, sys.stderr)
    key_of_words = "write.created" if changed.created else "write.written"
    print(catalogue.text(key_of_words, path=place), file=sys.stderr)
    return 0
