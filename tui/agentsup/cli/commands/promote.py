"""`agentsup promote ID [--to hard|soft] [--evidence E] [--json]`: a decision can be trusted further than it says.

ID is a decision's id, or a beginning of it that no other has. Without --to it is one level up: TENTATIVE, SOFT, HARD.
An agent may raise to SOFT, with evidence: a commit that git knows (a hash, or HEAD) or a command. HARD is what a
person says: the exact text is shown in the terminal, confirmed there, and recorded outside of the repository before
the file says so. A decision whose file says HARD and that nobody has approved is TENTATIVE until it is promoted.

The JSON object: id, title, from, to (HARD, SOFT, TENTATIVE), path (the file, relative to the project), changed
(false where it was so already).

Exit 0: it is; 1: there is none of this id, it could not be written, or not confirmed; 2: wrong usage; 3: refused.
"""

from __future__ import annotations

import argparse

from agentsup.cli import levels
from agentsup.cli.evidence_words import evidence
from agentsup.cli.memory_view import current_root
from agentsup.cli.option_help import option_help
from agentsup.cli.plain_text import one_line
from agentsup.core.problems import UsageProblem


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    said = option_help(parser, "promote")
    parser.add_argument("id", metavar="ID", help=said("id"))
    parser.add_argument("--to", choices=("hard", "soft"), type=str.lower, help=said("to"))
    parser.add_argument("--evidence", metavar="E", default="", help=said("evidence"))
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Raise it; returns the exit code."""
    root = current_root()
    here = levels.standing(root, arguments.id, arguments.language)
    wanted = levels.level_of(arguments.to, here.level + 1)
    if levels.LEVELS.index(wanted) < here.level:
        raise UsageProblem("promote.is-higher", title=one_line(here.decision.title), level=levels.LEVELS[here.level])
    return levels.move(arguments, here, wanted, command="promote", proof=evidence(root, arguments.evidence))
