"""`agentsup attach [SESSION]`: open the interface on a running session."""

from __future__ import annotations

import argparse

from agentsup.cli import sessions
from agentsup.cli.main import require_terminal


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("session", nargs="?")


def run(arguments: argparse.Namespace) -> int:
    """Attach; returns the exit code."""
    require_terminal()
    found = sessions.choose(arguments.session)
    from agentsup.cli import interface

    return interface.show(found.socket, arguments)
