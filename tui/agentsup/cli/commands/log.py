"""`agentsup log add|list`: evidence of what was done, each piece with an id by which it can be recalled.

    agentsup log add --type T --target X --summary S [--detail FILE|-] [--json]
    agentsup log list [--last N] [--json]

`add` appends to the project's index of operations and prints the new id. The type is a word (edit, test, deploy),
the target what it was done to, the summary the writer's own words; the detail, of a file or standard input, is kept
beside and comes back with `agentsup recall ID`. `list` prints the newest, 20 without --last.

The JSON objects:

    add     id, path (the index, relative to the project), created (whether there was none before)
    list    path, operations: list of id, type, target, summary, log_path, timestamp, the newest last;
            unreadable: how many lines could not be read

Exit 0: done; 1: it could not be written or read; 2: wrong usage.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from agentsup.cli.memory_changes import given_item, given_text, told
from agentsup.cli.memory_view import current_root
from agentsup.cli.option_help import option_help
from agentsup.cli.plain_text import one_line
from agentsup.cli.printing import print_json, printing
from agentsup.core.memory.operations import Operation, read_operations
from agentsup.core.problems import Problem, UsageProblem
from agentsup.core.text import sanitise
from agentsup.locale import load
from agentsup.store.documents import read_last_lines
from agentsup.store.evidence import add_operation
from agentsup.store.placements import find

LISTED = 20

_TYPE = re.compile(r"[^\s:]{1,40}")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.set_defaults(usage=parser.format_usage)
    actions = parser.add_subparsers(dest="action")
    said = option_help(parser, "log")
    adding = actions.add_parser("add", help=said("add"), description=said("add"))
    for name, letter in (("type", "T"), ("target", "X"), ("summary", "S")):
        adding.add_argument(f"--{name}", required=True, metavar=letter, help=said(name))
    adding.add_argument("--detail", metavar="FILE|-", default="", help=said("detail"))
    adding.add_argument("--json", action="store_true")
    listing = actions.add_parser("list", help=said("list"), description=said("list"))
    listing.add_argument("--last", metavar="N", type=int, default=LISTED, help=said("last"))
    listing.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Add or list; returns the exit code."""
    root = current_root()
    if arguments.action == "add":
        return _add(arguments, root)
    if arguments.action == "list":
        return _list(arguments, root)
    print(arguments.usage(), end="", file=sys.stderr)
    return 2


def _add(arguments: argparse.Namespace, root: Path) -> int:
    words = {name: given_item(getattr(arguments, name)) for name in ("type", "target", "summary")}
    if empty := [name for name, text in words.items() if not text]:
        raise UsageProblem("operations.empty", name=f"--{empty[0]}")
    if not _TYPE.fullmatch(words["type"]):
        raise UsageProblem("operations.bad-type", type=one_line(words["type"]))
    detail = sanitise(given_text(arguments.detail)) if arguments.detail else ""
    before = find(root, "operations")
    with told(before.path):
        id = add_operation(root, words["type"], words["target"], words["summary"], detail)
    with printing(exact=arguments.json):
        if arguments.json:
            print_json({"id": id, "path": before.path, "created": not before.exists})
        else:
            print(id)
            if not before.exists:
                print(load(arguments.language).text("write.created", path=before.path), file=sys.stderr)
    return 0


def _list(arguments: argparse.Namespace, root: Path) -> int:
    if arguments.last < 1:
        raise UsageProblem("operations.bad-last")
    place = find(root, "operations")
    document = read_last_lines(root, place.path)
    if document.text is None and document.problem:
        raise Problem(
            "operations.unreadable", path=document.path, line=document.spot.line, column=document.spot.column
        )  # fmt: skip
    read = read_operations(document.text or "", from_middle=document.problem == "memory.too-long")
    newest = read.operations[-arguments.last :]
    with printing(exact=arguments.json):
        if arguments.json:
            rows = [_as_json(operation) for operation in newest]
            print_json({"path": place.path, "operations": rows, "unreadable": len(read.bad)})
            return 0
        for operation in newest:
            time = "" if operation.timestamp is None else str(operation.timestamp)
            fields = (operation.id, time, operation.type, operation.target, operation.summary)
            print("  ".join(one_line(field) for field in fields if field))
    catalogue = load(arguments.language)
    if not newest:
        print(catalogue.text("operations.none"), file=sys.stderr)
    if read.bad:
        print(catalogue.text("operations.unreadable-lines", path=place.path, count=len(read.bad)), file=sys.stderr)
    return 0


def _as_json(operation: Operation) -> dict[str, object]:
    return {
        "id": operation.id, "type": operation.type, "target": operation.target, "summary": operation.summary,
        "log_path": operation.log_path, "timestamp": operation.timestamp,
    }  # fmt: skip
