"""`agentsup handoff [FILE|-|TEXT] [--json]`: what the next session should know first: progress, next, cautions.

Without an argument it is printed. With one it is written: the text of a file of that name, of standard input for
`-`, else the argument itself. It replaces what stood there; if that was changed while the new text was read, both
are kept and it is said where.

The JSON object:

    path        the file, relative to the project
    text        what stands there now; null where there is nothing
    written     whether this call wrote it
    created     whether there was none before

Exit 0: done; 1: there is none to show, or it could not be written; 2: wrong usage.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from agentsup.cli.memory_changes import given_text, given_words, read_file, write_file
from agentsup.cli.memory_view import current_root
from agentsup.cli.option_help import option_help
from agentsup.cli.plain_text import one_line
from agentsup.cli.printing import print_json, print_text, printing
from agentsup.core.problems import Problem, UsageProblem
from agentsup.locale import load
from agentsup.store.documents import read_document
from agentsup.store.placements import find

_NO_PROSE = re.compile(r"[!-~]+")
"""One word of ASCII: the name of a file that is not there, rather than what somebody has to say."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    said = option_help(parser, "handoff")
    parser.add_argument("text", nargs="?", metavar="FILE|-|TEXT", help=said("text"))
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Print or write it; returns the exit code."""
    root = current_root()
    place = find(root, "handoff").path
    if arguments.text is None:
        return _show(root, place, as_json=arguments.json)
    before = read_file(root, place)
    text = given_words(_given(arguments.text)).strip("\n")
    if not text.strip():
        raise UsageProblem("handoff.empty")
    write_file(root, place, f"{text}\n", before)
    created = before.data is None
    if arguments.json:
        with printing(exact=True):
            print_json({"path": place, "text": f"{text}\n", "written": True, "created": created})
    else:
        key = "write.created" if created else "write.written"
        print(load(arguments.language).text(key, path=place), file=sys.stderr)
    return 0


def _show(root: Path, place: str, *, as_json: bool) -> int:
    document = read_document(root, place)
    if document.text is None and document.problem:
        raise Problem("handoff.unreadable", path=place, line=document.spot.line, column=document.spot.column)
    text = document.text if document.text and document.text.strip() else None
    with printing(exact=as_json):
        if as_json:
            print_json({"path": place, "text": text, "written": False, "created": False})
        elif text is None:
            raise Problem("handoff.none", path=place)
        else:
            print_text(text.removeprefix("\ufeff").removesuffix("\n"))
    return 0 if text is not None else 1


def _given(argument: str) -> str:
    """Return the text that an argument stands for; raises UsageProblem."""
    if argument == "-" or (os.path.exists(argument) and not os.path.isdir(argument)):
        return given_text(argument)
    if _NO_PROSE.fullmatch(argument):
        raise UsageProblem("handoff.no-file", path=one_line(argument))
    return argument
