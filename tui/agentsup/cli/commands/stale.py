"""`agentsup stale ID --by TEXT|ID [--json]`: a decision no longer holds; what replaced it is said.

ID is a decision's id, or a beginning of it that no other has; --by the id of another decision, or words. The
decision stays in its file, marked. A HARD one is what the person said: an agent may not overturn it. One that a
person has approved is overturned by a person who confirms it in the terminal, whatever the file's tag says by now;
that is recorded before the file is changed.

The JSON object: id, title, by, path (the file, relative to the project), changed (false where it was stale already).

Exit 0: it is stale; 1: there is none of this id, it could not be written, or not confirmed; 2: wrong usage; 3:
refused.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from agentsup.cli.author import Author, author
from agentsup.cli.memory_changes import change_file, given_item, label_language, read_file, told
from agentsup.cli.memory_view import current_root
from agentsup.cli.option_help import option_help
from agentsup.cli.plain_text import one_line
from agentsup.cli.printing import print_json, printing
from agentsup.cli.rule_record import end_law, meant_by
from agentsup.core.memory.decisions import Decision, find, made_stale, read_decisions, write_decisions
from agentsup.core.memory.model import Language
from agentsup.core.problems import Problem, RefusedProblem, UsageProblem
from agentsup.locale import load
from agentsup.store import placements
from agentsup.store.decoding import decode
from agentsup.store.documents import DECISIONS_MOST
from agentsup.store.task_choice import tasks


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    said = option_help(parser, "stale")
    parser.add_argument("id", metavar="ID", help=said("id"))
    parser.add_argument("--by", metavar="TEXT|ID", required=True, help=said("by"))
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Mark it; returns the exit code."""
    root = current_root()
    place = placements.find(root, "decisions", tasks(root).folder)
    if not place.exists:
        raise Problem("decision.none", id=one_line(arguments.id), path=place.path)
    overturning = _Overturning(arguments, author(), place.path)
    if not _ended_law(root, overturning, place.path, arguments.language):
        print(load(arguments.language).text("level.unchanged"), file=sys.stderr)
        return 1
    change_file(root, place.path, overturning.change, most=DECISIONS_MOST)
    found = overturning.found
    by = overturning.by if overturning.changed else found.replaced_by
    catalogue = load(arguments.language)
    with printing(exact=arguments.json):
        if arguments.json:
            print_json({
                "id": found.id, "title": found.title, "by": by, "path": place.path,
                "changed": overturning.changed,
            })  # fmt: skip
            return 0
    key = "stale.done" if overturning.changed else "stale.already"
    print(catalogue.text(key, title=one_line(found.title), by=one_line(by)), file=sys.stderr)
    return 0


def _ended_law(root: Path, overturning: _Overturning, path: str, language: str) -> bool:
    """Let a person end what they have approved, and record it; False for a no, True where nothing is approved."""
    with told(path):
        overturning.change(decode(read_file(root, path).data or b""))
    rules = meant_by(root, overturning.found)
    if not rules:
        return True
    if overturning.who.kind == "agent":
        raise RefusedProblem("stale.hard", title=one_line(overturning.found.title))
    return end_law(root, rules, "stale", language=language)


class _Overturning:
    """Makes a decision of a file's text stale; `change` may run several times, what it says holds for the last."""

    def __init__(self, arguments: argparse.Namespace, who: Author, path: str) -> None:
        self._id, self.who, self._path = arguments.id.strip(), who, path
        self._language: Language = label_language(arguments.language)
        self.by = given_item(arguments.by)
        if not self.by or not self._id:
            raise UsageProblem("stale.empty")
        self.found = Decision("")
        self.changed = True

    def change(self, text: str) -> str:
        """Return a file's text with the decision overturned; raises Problem."""
        decisions = read_decisions(text, self._language)
        found = find(decisions, self._id)
        if found is None:
            raise Problem("decision.none", id=one_line(self._id), path=self._path)
        self.found = found
        if found.confidence == "HARD" and found.status != "stale" and self.who.kind == "agent":
            raise RefusedProblem("stale.hard", title=one_line(found.title))
        if self.by == found.id:
            raise UsageProblem("stale.by-itself")
        self.changed = found.status != "stale" or not found.replaced_by
        return write_decisions(made_stale(decisions, found.id, self.by)) if self.changed else text
