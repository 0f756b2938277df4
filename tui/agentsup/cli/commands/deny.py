"""`agentsup deny [PATH]`: take back everything that was approved in a project.

Nothing of it runs then, no decision is HARD, and memory that others have committed is data again. Nothing is asked: it
only takes away. `agentsup allow` shows it all again.

Exit 0: done; 1: it could not be recorded; 2: wrong usage; 3: refused, by an agent or without a terminal.
"""

from __future__ import annotations

import argparse
import sys

from agentsup.cli.commands.allow import given_root
from agentsup.cli.option_help import option_help
from agentsup.cli.person import announcer, require_person
from agentsup.cli.plain_text import one_line
from agentsup.locale import load
from agentsup.store.trust_review import deny


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("path", metavar="PATH", nargs="?", help=option_help(parser, "deny")("path"))


def run(arguments: argparse.Namespace) -> int:
    """Take it back and say how much that was; returns the exit code."""
    how = require_person("deny")
    root = given_root(arguments.path)
    count = deny(root, by=how, announce=announcer(root))
    key = "deny.done" if count else "deny.nothing"
    print(load(arguments.language).text(key, count=str(count), root=one_line(str(root))), file=sys.stderr)
    return 0
