"""`agentsup engram [show|check|set|history|example] [--json]`: the block that must survive every compaction.

    show                 the engram, one item a line, as it stands in .agent/engram.md
    check                what is wrong with it: file:line:col severity code message, and indented what mends it
    set [FILE|-] [--reason R]
                         write it, from a file or standard input (`cli.memory_writes`)
    history [VERSION]    every version, the newest first; the text of one: its hash or a beginning of that
    example [--forget]   the pair by which agents are taught (`cli.engram_example`)

The JSON objects:

    show     file, exists, problem (key of what is wrong with the file, else ""), language (en, zh),
             items: list of tag (task, progress, files, pending, taboo), text, line, column
             others: list of text, line, column: lines that are no items
             words: how many, counted as word processors count mixed text; modified: Unix seconds, 0 without a file
    check    findings: list of file, line, column, length, severity (error, warning, note), code, message, fix
             (both in English), values
    history  versions: list of time (Unix seconds), author (person, agent, automatic, found), reason, sha, text;
             a reason of ours is in English; of one version: its object alone

Exit 0: done; 1: check found errors, or there is nothing to show.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from agentsup.cli import memory_view
from agentsup.cli.option_help import option_help
from agentsup.cli.plain_text import harmless, one_line
from agentsup.cli.printing import print_json, print_text, printing
from agentsup.core.checks.characters import word_count
from agentsup.core.engram_reasons import reason_words, words_beside
from agentsup.core.memory.engram import read_engram, write_engram
from agentsup.core.memory.model import Document
from agentsup.core.problems import Problem, UsageProblem
from agentsup.locale import load
from agentsup.store.engram_history import Version, history

SHORT = 12
"""Letters of a version's hash that are shown."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    actions = memory_view.declare_actions(parser, "show", "check", "set", "history", "example")
    said = option_help(parser, "engram")
    actions["set"].add_argument("file", metavar="FILE|-", nargs="?", default="-", help=said("file"))
    actions["set"].add_argument("--reason", metavar="R", default="", help=said("reason"))
    actions["history"].add_argument("version", metavar="VERSION", nargs="?", default="", help=said("version"))
    actions["example"].add_argument("--forget", action="store_true", help=said("forget"))


def run(arguments: argparse.Namespace) -> int:
    """Do what is asked; returns the exit code."""
    match arguments.action:
        case "check":
            return _check(arguments)
        case "set":
            from agentsup.cli.memory_writes import set_engram

            return set_engram(arguments)
        case "history":
            return _history(arguments)
        case "example":
            from agentsup.cli import engram_example

            return engram_example.run(arguments)
        case _:
            return _show(arguments)


def _show(arguments: argparse.Namespace) -> int:
    document = memory_view.view().shown.engram
    with printing(exact=arguments.json):
        if arguments.json:
            print_json(as_json(document))
        elif document.text:
            print(harmless(write_engram(read_engram(document.text))), end="")
    return memory_view.told(document, arguments.language)


def as_json(document: Document) -> dict[str, object]:
    """Return the documented object of `show`."""
    engram = read_engram(document.text or "")
    return {
        "file": document.path,
        "exists": document.text is not None or bool(document.problem),
        "problem": document.problem,
        "language": engram.language,
        "items": [
            {"tag": item.tag, "text": item.text, "line": item.spot.line, "column": item.spot.column}
            for item in engram.items
        ],
        "others": [
            {"text": other.text, "line": other.spot.line, "column": other.spot.column} for other in engram.others
        ],
        "words": sum(word_count(item.text) for item in engram.items),
        "modified": document.modified,
    }


def _check(arguments: argparse.Namespace) -> int:
    from agentsup.cli.memory_findings import engram_findings

    view = memory_view.view()
    return memory_view.print_findings(engram_findings(view), arguments, view.memory.engram)


def _history(arguments: argparse.Namespace) -> int:
    root = memory_view.current_root()
    try:
        versions = history(root)[::-1]
    except OSError as error:
        raise Problem("engram.history-unreadable", reason=error.strerror or error) from error
    with printing(exact=arguments.json or bool(arguments.version)):
        if arguments.version:
            version = _one(versions, arguments.version)
            print_json(_version_as_json(version)) if arguments.json else print_text(version.text.rstrip("\n"))
        elif arguments.json:
            print_json({"versions": [_version_as_json(version) for version in versions]})
        else:
            _print_versions(versions, arguments.language)
    return 0


def _one(versions: Sequence[Version], wanted: str) -> Version:
    """Return the version whose hash begins so; raises UsageProblem unless there is one, and only one."""
    found = {version.sha: version for version in versions if version.sha.startswith(wanted.lower())}
    if len(found) != 1:
        raise UsageProblem("engram.no-version", version=one_line(wanted))
    return next(iter(found.values()))


def _version_as_json(version: Version) -> dict[str, object]:
    reason = reason_words(version.reason, load("en"))
    return {
        "time": version.time, "author": version.author, "reason": reason, "sha": version.sha,
        "text": version.text,
    }  # fmt: skip


def _print_versions(versions: Sequence[Version], language: str) -> None:
    """Print every version: a line that says when, by whom and why, and its text below it."""
    catalogue = load(language)
    for version in versions:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(version.time))
        who = catalogue.text(f"engram.by.{version.author}")
        why = one_line(words_beside(version.author, version.reason, catalogue))
        print("  ".join(filter(None, (version.sha[:SHORT], when, who, why))))
        for line in harmless(version.text).splitlines():
            print(f"    {line}".rstrip())
    if not versions:
        print(catalogue.text("engram.no-history"), file=sys.stderr)
