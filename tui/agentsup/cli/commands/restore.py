"""`agentsup restore [--explain | --diff] [--json]`: the restore text of this project, as an agent would get it now.

    --explain    a table of its units: where they come from, their tokens, and what was left out
    --diff       what has changed since the last one that was sent
    --occasion   asked (default), compaction, start, cold-start: header and closing are those of that occasion
    --window N   the model's context window in tokens; without it what a running session of this project says
    --limit N    most tokens, in place of the setting memory.restore_tokens; 400 at least

Nothing is written and nothing started. The JSON object, the same with every option:

    text          the restore text; empty where there is nothing to restore
    occasion, window, limit, tokens, frame_tokens
                  frame_tokens: of what stands around the units; window null where nobody knows it
    counted       whether tokens were counted; guessed by the size of the texts otherwise
    units         list of name, source, tokens, uncut_tokens, left_out (lines), shortened (what never should be),
                  note: "", cut, shortened, left-out, empty, not-run, not-run-yet, failed, unreadable, in-parts
    beside        list of file, tokens: what agents read at their start beside it; not part of `tokens`
    core          files: list of file, tokens; tokens; most: what TASK, STATE, CONTRACT and the titles of
                  rejected decisions (file is theirs) may have together
    notices       list of key, what, todo
    diff          against the last one sent; "" where nothing changed, null where none was sent

Exit 1: there is nothing to restore, or with --diff: none was sent yet.
"""

from __future__ import annotations

import argparse
import sys

from agentsup.cli import restore_view
from agentsup.cli.main import report
from agentsup.cli.memory_view import current_root
from agentsup.cli.printing import print_json, print_text, printing
from agentsup.cli.running_session import session_of
from agentsup.core.catalogue import Catalogue
from agentsup.core.problems import Problem
from agentsup.core.restore.frame import SHORT_FORMS, Budget
from agentsup.core.restore.preparation import OCCASIONS, Wanted
from agentsup.locale import load


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    catalogue = load(parser.get_default("language") or "auto")
    help = {name: catalogue.text(f"cli.restore-{name}") for name in ("explain", "diff", "occasion", "window", "limit")}
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--explain", action="store_true", help=help["explain"])
    form.add_argument("--diff", action="store_true", help=help["diff"])
    parser.add_argument("--json", action="store_true")
    whole = tuple(each for each in OCCASIONS if each not in SHORT_FORMS)  # those name a file, which is a session's
    parser.add_argument("--occasion", choices=whole, help=help["occasion"])
    parser.add_argument("--window", type=_tokens, metavar="N", help=help["window"])
    parser.add_argument("--limit", type=_tokens, metavar="N", help=help["limit"])


def run(arguments: argparse.Namespace) -> int:
    """Print the text, or what is asked about it; returns the exit code."""
    catalogue = load(arguments.language)
    found = restore_view.look(_wanted(arguments), arguments.occasion)
    if arguments.json:
        with printing(exact=True):
            print_json(restore_view.as_json(found))
    for key, values in found.notices:
        report(Problem(key, **dict(values)), arguments.language)
    if not found.text:
        raise Problem("restore.nothing", path=found.root)
    if not arguments.json:
        _print(found, arguments, catalogue)
    return 0


def _wanted(arguments: argparse.Namespace) -> Wanted:
    root = current_root()
    budget = Budget(
        arguments.limit or arguments.settings.number("memory.restore_tokens"),
        arguments.settings.number("memory.restore_ceiling"),
    )
    session = session_of(root)
    wanted = Wanted(str(root), arguments.language, budget, arguments.window)
    if session is None:
        return wanted
    return Wanted(str(root), arguments.language, budget, arguments.window or session.context.window, session.work)


def _print(found: restore_view.Restored, arguments: argparse.Namespace, catalogue: Catalogue) -> None:
    with printing(exact=not arguments.explain):
        if arguments.explain:
            restore_view.print_table(found, catalogue)
        elif not arguments.diff:
            print_text(found.text)
        elif found.last_sent is None:
            raise Problem("restore.none-sent")
        elif difference := found.difference((catalogue.text("restore.sent"), catalogue.text("restore.now"))):
            print_text(difference)
        else:
            print(catalogue.text("restore.same"), file=sys.stderr)


def _tokens(word: str) -> int:
    """Return a number of tokens; raises ArgumentTypeError."""
    if not word.isascii() or not word.isdigit() or not int(word[:9]) > 0:
        raise argparse.ArgumentTypeError(f"{word!r}")
    return int(word[:9])
