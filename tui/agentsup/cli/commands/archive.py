"""`agentsup archive [--json]`: move what is too old for the main files into `.agent/log/archive`.

Operations beyond the newest 100, and of more than 20 decisions that hold the oldest 10 (HARD ones and rejections
stay). Nothing is lost: what was moved is still found by its id. Done again it moves nothing more.

The JSON object: operations, decisions: how many were moved.

Exit 0: done; 1: something could not be moved, and is where it was.
"""

from __future__ import annotations

import argparse
import sys

from agentsup.cli.memory_changes import told
from agentsup.cli.memory_view import current_root
from agentsup.cli.printing import print_json, printing
from agentsup.locale import load
from agentsup.store import evidence

FOLDER = ".agent/log/archive"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Move it and say how much that was; returns the exit code."""
    with told(FOLDER):
        moved = evidence.archive(current_root())
    if arguments.json:
        with printing(exact=True):
            print_json({"operations": moved.operations, "decisions": moved.decisions})
        return 0
    key = "archive.moved" if moved.operations or moved.decisions else "archive.nothing"
    words = load(arguments.language).text(
        key, operations=moved.operations, decisions=moved.decisions, folder=FOLDER
    )  # fmt: skip
    print(words, file=sys.stderr)
    return 0
