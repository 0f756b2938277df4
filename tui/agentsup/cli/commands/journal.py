"""`agentsup journal [--json] [N]`, `agentsup journal mark right|wrong|none [ROUND]`: rounds, and a person's verdict.

A round is a turn that the agent was asked for. `journal` shows the last N, 20 without, the newest last; `mark` says
whether what the agent did next was right, in the last round or the one named; `none` takes that back.

The JSON object of `journal`: rounds, a list of

    round                number in this project's journal
    time                 when the agent was asked, Unix seconds
    context_before, context_after, window    tokens in use and what the model holds; null where nobody knows
    trigger              of the compaction in or before it: auto, manual, unknown; "" where there was none
    engram               beginning of the SHA-256 of the engram on disk; "" without one
    retrieved            ids of records the agent has looked up
    strategy             none, store, engram, both, engram+recite, both+recite: the memory in its context
    injected_tokens      of agentsup's own texts in this round, guessed by their size
    recite               right, wrong, unclear; "" where nothing was read back
    next_action_correct  true, false; null where nobody has said
    input_ref, output_ref    null, or log, offset: the agent's log, and where in it the line begins, in bytes
    conversation, turn   the agent's own names

and of `mark`: the round.

Exit 0: done; 1: it could not be read or written; 2: wrong usage; 3: an agent wants to mark.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict

from agentsup.cli.memory_view import current_root
from agentsup.cli.option_help import option_help
from agentsup.cli.plain_text import in_rows, one_line
from agentsup.cli.printing import print_json, printing
from agentsup.core.catalogue import Catalogue
from agentsup.core.figures import short
from agentsup.core.problems import Problem, UsageProblem
from agentsup.core.rounds import Round
from agentsup.locale import load
from agentsup.store import journal

LISTED = 20

MARKS: dict[str, bool | None] = {"right": True, "wrong": False, "none": None}

_INDENT = 6
"""Cells before what goes on in a second line: as many as the number takes."""

_DIGITS = 9
"""Of a number that is taken for one: more rounds there are never."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    said = option_help(parser, "journal")
    parser.add_argument("words", metavar="N | mark right|wrong|none [ROUND]", nargs="*", help=said("words"))
    parser.add_argument("--json", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Show or mark; returns the exit code."""
    match arguments.words:
        case []:
            return _show(LISTED, arguments)
        case [count]:
            return _show(_number(count), arguments)
        case ["mark", answer] if answer in MARKS:
            return _mark(None, MARKS[answer], arguments)
        case ["mark", answer, round] if answer in MARKS:
            return _mark(_number(round), MARKS[answer], arguments)
        case _:
            raise UsageProblem("journal.bad-words")


def _number(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= _DIGITS and int(word)):
        raise UsageProblem("journal.bad-words")
    return int(word)


def _show(count: int, arguments: argparse.Namespace) -> int:
    root = current_root()
    try:
        found = journal.rounds(root)[-count:]
    except OSError as error:
        raise Problem("journal.unreadable", reason=error.strerror or error) from error
    catalogue = load(arguments.language)
    with printing(exact=arguments.json):
        if arguments.json:
            print_json({"rounds": [asdict(each) for each in found]})
        else:
            _print(found, catalogue)
    return 0


def _mark(number: int | None, right: bool | None, arguments: argparse.Namespace) -> int:
    from agentsup.cli.person import refuse_agents

    refuse_agents()
    root = current_root()
    try:
        marked = journal.mark(root, number, right=right)
    except OSError as error:
        raise Problem("journal.unwritable", reason=error.strerror or error) from error
    except journal.Conflict as conflict:
        raise Problem("journal.busy") from conflict
    catalogue = load(arguments.language)
    with printing(exact=arguments.json):
        if arguments.json:
            print_json(asdict(marked))
        else:
            print(catalogue.text("journal.marked", round=marked.round, mark=_mark_word(marked, catalogue)))
    return 0


def _print(found: Sequence[Round], catalogue: Catalogue) -> None:
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    for each in found:
        before, after = (
            "?" if tokens is None else short(tokens) for tokens in (each.context_before, each.context_after)
        )
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(each.time))
        strategy = catalogue.text(f"journal.strategies.{each.told_strategy}")
        fields = (f"{each.round:>4}", when, f"{before} → {after}", strategy, *_extras(each, catalogue))
        plain = [one_line(field) if place else field for place, field in enumerate(fields)]
        print("\n".join(in_rows(plain, width, _INDENT)) if width else "  ".join(plain))
    if not found:
        print(catalogue.text("journal.none_yet"), file=sys.stderr)


def _extras(each: Round, catalogue: Catalogue) -> list[str]:
    """Return what not every round has."""
    text = catalogue.text
    extras = []
    if each.trigger:
        extras.append(text("journal.extras.compacted", trigger=text(f"journal.triggers.{each.trigger}")))
    if each.injected_tokens:
        extras.append(text("journal.extras.injected", tokens=short(each.injected_tokens)))
    if each.recite:
        extras.append(text("journal.extras.recite", verdict=text(f"journal.marks.{each.recite}")))
    if each.next_action_correct is not None:
        extras.append(text("journal.extras.mark", mark=_mark_word(each, catalogue)))
    return extras


def _mark_word(each: Round, catalogue: Catalogue) -> str:
    name = {True: "right", False: "wrong", None: "none"}[each.next_action_correct]
    return catalogue.text(f"journal.marks.{name}")
