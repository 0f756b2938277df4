"""`agentsup stop [SESSION]`: end the agent with its whole process tree, and the session."""

from __future__ import annotations

import argparse
import sys
import time

from agentsup.cli import sessions
from agentsup.core.problems import Problem, RefusedProblem
from agentsup.locale import load
from agentsup.protocol import messages as m

DEADLINE = 15.0
"""Seconds for the tree to end: the keeper itself asks for three and forces for two."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("session", nargs="?")


def run(arguments: argparse.Namespace) -> int:
    """Stop; returns 0 once the session is gone."""
    found = sessions.choose(arguments.session)
    answer = sessions.ask(found, m.StopRequest())
    if isinstance(answer, m.Outcome) and not answer.done:
        raise RefusedProblem(answer.key)
    deadline = time.monotonic() + DEADLINE
    while found.folder.exists():
        if time.monotonic() > deadline:
            raise Problem("session.not-ended", name=found.record.session)
        time.sleep(0.02)
    print(load(arguments.language).text("end.stopped", session=found.record.session), file=sys.stderr)
    return 0
