"""`agentsup identity [show|check|set KEY VALUE] [--json]`: what holds for the whole project, a `key: value` a line.

`set` is told in `cli.memory_writes`.

The JSON objects:

    show     file, exists, problem (key of what is wrong with the file, else "")
             entries: list of key, value, line, column; others: list of text, line, column: lines that are none
    check    findings: list of file, line, column, length, severity (error, warning, note), code, message, fix
             (both in English), values

Exit 0: done; 1: check found errors, or the file can't be read.
"""

from __future__ import annotations

import argparse

from agentsup.cli import memory_view
from agentsup.cli.plain_text import one_line
from agentsup.cli.printing import print_json, printing
from agentsup.core.memory.identity import Identity, read_identity
from agentsup.core.memory.model import Document


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    actions = memory_view.declare_actions(parser, "show", "check", "set")
    actions["set"].add_argument("key", metavar="KEY")
    actions["set"].add_argument("value", metavar="VALUE")


def run(arguments: argparse.Namespace) -> int:
    """Do what is asked; returns the exit code."""
    if arguments.action == "set":
        from agentsup.cli.memory_writes import set_identity

        return set_identity(arguments)
    view = memory_view.view()
    if arguments.action == "check":
        return _check(arguments, view)
    document = view.shown.identity
    identity = read_identity(document.text or "")
    with printing(exact=arguments.json):
        if arguments.json:
            print_json(as_json(document, identity))
        else:
            _print(identity)
    return memory_view.told(document, arguments.language)


def as_json(document: Document, identity: Identity) -> dict[str, object]:
    """Return the documented object of `show`."""
    return {
        "file": document.path,
        "exists": document.text is not None or bool(document.problem),
        "problem": document.problem,
        "entries": [
            {"key": entry.key, "value": entry.value, "line": entry.spot.line, "column": entry.spot.column}
            for entry in identity.entries
        ],
        "others": [
            {"text": other.text, "line": other.spot.line, "column": other.spot.column}
            for other in identity.others if other.text.strip()
        ],
    }  # fmt: skip


def _print(identity: Identity) -> None:
    """Print the entries, their values below each other."""
    from rich.cells import cell_len

    rows = [(one_line(entry.key), one_line(entry.value)) for entry in identity.entries]
    width = max((cell_len(key) for key, _ in rows if cell_len(key) <= 24), default=0)
    for key, value in rows:
        print(f"{key}:{' ' * max(0, width - cell_len(key))} {value}".rstrip())


def _check(arguments: argparse.Namespace, view: memory_view.View) -> int:
    from agentsup.cli.memory_findings import identity_findings

    return memory_view.print_findings(identity_findings(view), arguments, view.memory.identity)
