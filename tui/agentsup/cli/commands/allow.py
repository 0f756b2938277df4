"""`agentsup allow [PATH] [--show] [--json]`: look at what a project brings, and say what of it holds.

Shown are, before anything is asked: what would run at turn ends and instruct the agent, in full or as the difference
from what was approved; task, contract and other files that are restored as a person accepted them, where they have
changed; HARD decisions that nobody has approved, and approved ones that the file has lost; and memory that somebody
else has committed. Each of these is one question, in the terminal, and everything but yes is a no. What is approved
is exactly what was shown: should a byte of it change meanwhile, nothing is approved.

PATH is a folder of the project; without it the current one. --show prints and asks nothing; agents may do that, too.
--json is its object:

    root, problem   the project; key of what is wrong with the record of approvals, else ""
    open            whether there is anything to answer
    first           whether nobody has answered here yet
    may_run         whether exactly what is there may run and instruct
    scripts         list of path, state (new, changed, removed, same), runs, before, after (texts)
    contents        the same: guarded files
    rules           list of id, digest, title, reason, rejected: HARD ones without an approval
    lost_rules      the same: approved, and no longer in the file
    foreign         list of path, commit, author, text: memory that came from others and counts as data

before and after are exact: elsewhere a mark takes the place of what looks like a secret, and here it could hide what
would run.

Exit 0: everything that was open is approved, or nothing was; 1: something is not, or a running session does not
believe it; 2: wrong usage; 3: refused, by an agent or without a terminal.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agentsup.cli import trust_view
from agentsup.cli.memory_view import current_root
from agentsup.cli.option_help import option_help
from agentsup.cli.person import announcer, confirmed, require_believed, require_person
from agentsup.cli.plain_text import one_line
from agentsup.cli.printing import print_json, printing
from agentsup.core.catalogue import Catalogue
from agentsup.core.problems import UsageProblem
from agentsup.locale import load
from agentsup.store.project_root import project_root
from agentsup.store.trust_review import Answer, Review, record_answer, review


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    said = option_help(parser, "allow")
    parser.add_argument("path", metavar="PATH", nargs="?", help=said("path"))
    parser.add_argument("--show", action="store_true", help=said("show"))
    parser.add_argument("--json", action="store_true", help=said("json"))


def run(arguments: argparse.Namespace) -> int:
    """Show, ask and record; returns the exit code."""
    if arguments.json and not arguments.show:
        raise UsageProblem("allow.json-asks-nothing")
    how = "" if arguments.show else require_person("allow")
    root = given_root(arguments.path)
    shown, catalogue = review(root), load(arguments.language)
    with printing(exact=arguments.json):
        if arguments.json:
            print_json(trust_view.as_json(shown), exact=("scripts", "contents"))
            return 0
        show(shown, catalogue)
    if arguments.show or not shown.open:
        return 0
    print()
    answer, all_approved = asked(shown, lambda key, count: confirmed(catalogue.text(key, count=count)))
    require_believed(root, record_answer(root, shown, answer, by=how, announce=announcer(root)))
    print(catalogue.text("allow.all" if all_approved else "allow.part"), file=sys.stderr)
    return 0 if all_approved else 1


def given_root(path: str | None) -> Path:
    """Return the project that a path belongs to, or the current one; raises UsageProblem."""
    if path is None:
        return current_root()
    if not os.path.isdir(path):
        raise UsageProblem("allow.no-folder", path=one_line(path))
    return project_root(Path(os.path.abspath(path)))


def show(shown: Review, catalogue: Catalogue) -> None:
    """Print what there is to be approved; to be called in `printing`."""
    print(catalogue.text("allow.project", root=one_line(shown.root)))
    for line in trust_view.lines(shown, catalogue, trust_view.paper()):
        print(line)
    if not shown.open:
        print(catalogue.text("allow.nothing"))


@dataclass(frozen=True)
class _Group:
    """What one question is about; `count` is 0 where nothing is open."""

    name: str
    count: int


def asked(shown: Review, ask: Callable[[str, str], bool]) -> tuple[Answer, bool]:
    """Ask one question for each group in which something is open; returns the answers, and whether all are yes."""
    groups = (
        _Group("scripts", 0 if shown.may_run else len(shown.scripts)),
        _Group("contents", len(shown.contents)),
        _Group("rules", len(shown.rules)),
        _Group("lost", len(shown.lost_rules)),
        _Group("foreign", len(shown.foreign)),
    )
    yes = {group.name: ask(f"allow.ask.{group.name}", str(group.count)) for group in groups if group.count}
    answer = Answer(
        scripts=yes.get("scripts", False),
        contents=tuple(file.path for file in shown.contents) if yes.get("contents") else (),
        rules=tuple(rule.digest for rule in shown.rules) if yes.get("rules") else (),
        revoked=tuple(rule.digest for rule in shown.lost_rules) if yes.get("lost") else (),
        memory=yes.get("foreign", False),
    )
    return answer, all(yes.values())
