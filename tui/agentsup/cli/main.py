"""`agentsup`: arguments to one command.

    agentsup [OPTIONS] AGENT [ARGS…]      a supervised session; all ARGS go to the agent untouched
    agentsup [OPTIONS] -- CMD [ARGS…]     the same for any command
    agentsup COMMAND …                    everything else

Commands are files of `cli.commands`, imported only when they run.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from agentsup import __version__
from agentsup.core.problems import Problem, UsageProblem
from agentsup.core.settings import BY_KEY
from agentsup.locale import load

COMMANDS = (
    "attach", "ls", "status", "stop", "restart", "inject", "events", "doctor", "reset",
    "restore", "engram", "state", "decisions", "identity", "recall",
    "init", "progress", "log", "decide", "stale", "handoff", "archive",
    "allow", "deny", "promote", "demote", "journal", "hook",
)  # fmt: skip
"""Reserved words; an agent of the same name is reached with `--`."""

WITHOUT_SETTINGS = ("doctor", "hook")
"""Those that get the options as they were given: settings that are wrong are what doctor is asked about, and no agent
that runs a hook."""


FOR_PEOPLE = ("attach", "stop", "restart", "inject", "deny")
"""Those that an agent may not run at all; the hosts refuse it as well, by who is at the other end of their socket."""


class Command(Protocol):
    """What a file of `cli.commands` holds."""

    def declare(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do it; return the exit code."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run agentsup; returns the exit code."""
    _open_closed_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    own, rest, literal = _own_options(words)
    parser = _parser()
    options = parser.parse_args(own)
    try:
        if not literal and rest and rest[0] in COMMANDS:
            return _run_command(rest[0], rest[1:], options)
        if not rest and not literal:
            from agentsup.cli import picker

            return picker.run(_settled(options))
        if not rest:
            parser.print_help(sys.stderr)
            return 2
        from agentsup.cli import launch

        return launch.run(_settled(options), rest[0], rest[1:], literal=literal)
    except Problem as problem:
        if options.debug:
            raise
        report(problem, options.language or "auto")
        return problem.exit_code
    except KeyboardInterrupt:
        return 130


def _open_closed_streams() -> None:
    """Give a command that was started without one of the three streams an empty one: Python has None there."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open until the end


def _settled(options: argparse.Namespace) -> argparse.Namespace:
    """Fill what the command line leaves open from the settings; raises UsageProblem."""
    from agentsup.store.settings_files import read_settings

    given = {key: getattr(options, key.rpartition(".")[2], None) for key in BY_KEY}
    try:
        here = Path.cwd()
    except OSError as error:
        raise UsageProblem("doctor.no-folder", reason=error.strerror) from error
    options.settings = read_settings(os.environ, here, given)
    for key in given:
        setattr(options, key.rpartition(".")[2], options.settings.values[key])
    return options


def report(problem: Problem, language: str) -> None:
    """Print one line what happened and one line what to do."""
    from agentsup.core.redaction import redacted  # only what goes wrong needs it: every command starts here

    catalogue = load(language)
    for part in ("what", "todo"):
        # What it names may be what was given: a path, an id.
        print(f"agentsup: {redacted(catalogue.text(f'{problem.key}.{part}', **problem.values))}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    catalogue = load("auto")
    parser = argparse.ArgumentParser(
        prog="agentsup", usage=catalogue.text("cli.usage"), description=catalogue.text("cli.description"),
        epilog=catalogue.text("cli.epilog"), formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"agentsup {__version__}")
    for name in ("layout", "language", "leader", "theme"):
        choices = BY_KEY[f"interface.{name}"].choices or None
        parser.add_argument(f"--{name}", choices=choices, help=catalogue.text(f"cli.{name}"))
    parser.add_argument("--debug", action="store_true", help=catalogue.text("cli.debug"))
    return parser


_WITH_VALUE = ("--layout", "--language", "--leader", "--theme")


def _own_options(words: list[str]) -> tuple[list[str], list[str], bool]:
    """Split into our own options, the rest from the first other word on, and whether `--` came before it."""
    index = 0
    while index < len(words):
        word = words[index]
        if word == "--":
            return words[:index], words[index + 1 :], True
        if not word.startswith("-"):
            break
        index += 2 if word in _WITH_VALUE else 1
    return words[:index], words[index:], False


def _run_command(name: str, words: list[str], options: argparse.Namespace) -> int:
    module: Command = importlib.import_module(f"agentsup.cli.commands.{name}")
    if name not in WITHOUT_SETTINGS:
        options = _settled(options)
    catalogue = load(options.language or "auto")
    parser = argparse.ArgumentParser(prog=f"agentsup {name}", description=catalogue.text(f"cli.{name}"))
    parser.set_defaults(**vars(options))
    module.declare(parser)
    arguments = parser.parse_args(words)
    if name in FOR_PEOPLE:
        from agentsup.cli.person import refuse_agents

        refuse_agents()
    return module.run(arguments)


def require_terminal() -> None:
    """Raise UsageProblem unless stdin and stdout are a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageProblem("terminal.none")
