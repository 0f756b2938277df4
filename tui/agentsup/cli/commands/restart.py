"""`agentsup restart [SESSION] [--yes]`: cold restart: a fresh agent that begins with its restored memory."""

from __future__ import annotations

import argparse
import sys

from agentsup.cli import sessions
from agentsup.cli.commands.status import session_of
from agentsup.core.problems import RefusedProblem, UsageProblem
from agentsup.locale import load
from agentsup.protocol import messages as m


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("session", nargs="?")
    parser.add_argument("--yes", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Show what would come back, ask, restart; returns the exit code."""
    found = sessions.choose(arguments.session)
    catalogue = load(arguments.language)
    if not arguments.yes:
        if not sys.stdin.isatty():
            raise UsageProblem("restart.unasked")
        session = session_of(found).session
        print(catalogue.text("restart.preview", session=session.id, agent=session.agent.name), file=sys.stderr)
        print(session.memory.engram.text or catalogue.text("memory.no-engram.todo"), file=sys.stderr)
        print(catalogue.text("restart.ask"), end=" ", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes", "是"):
            return 1
    answer = sessions.ask(found, m.RestartRequest())
    if isinstance(answer, m.Outcome) and not answer.done:
        raise RefusedProblem(answer.key)
    return 0
