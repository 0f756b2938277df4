"""`agentsup demote ID [--to soft|tentative] [--json]`: a decision is to be trusted less than it says.

ID is a decision's id, or a beginning of it that no other has. Without --to it is one level down: HARD, SOFT,
TENTATIVE. A HARD one that a person has approved is lowered by a person only, who confirms it in the terminal; that is
recorded before the file is changed. One that no longer holds at all is made stale: agentsup stale.

The JSON object: id, title, from, to (HARD, SOFT, TENTATIVE), path (the file, relative to the project), changed
(false where it was so already).

Exit 0: it is; 1: there is none of this id, it could not be written, or not confirmed; 2: wrong usage; 3: refused.
"""

from __future__ import annotations

import argparse

from agentsup.cli import levels
from agentsup.cli.evidence_words import Evidence
from agentsup.cli.memory_view import current_root
from agentsup.cli.option_help import option_help
from agentsup.cli.plain_text import one_line
from agentsup.core.problems import UsageProblem


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    said = option_help(parser, "demote")
    parser.add_argument("id", metavar="ID", help=said("id"))
    parser.add_argument("--to", choices=("soft", "tentative"), type=str.lower, help=said("to"))
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Lower it; returns the exit code."""
    here = levels.standing(current_root(), arguments.id, arguments.language)
    wanted = levels.level_of(arguments.to, here.level - 1)
    if levels.LEVELS.index(wanted) > here.level:
        raise UsageProblem("demote.is-lower", title=one_line(here.decision.title), level=levels.LEVELS[here.level])
    return levels.move(arguments, here, wanted, command="demote", proof=Evidence())
