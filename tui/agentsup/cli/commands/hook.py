"""`agentsup hook AGENT EVENT`: internal, what the hooks of agents do: ask the session's host, print what it says.

Agents run `agents/hook_client.py` itself, which starts ten times as quickly; this is the same by another door, for a
hook that somebody writes by hand. It never fails: an agent must not be kept from its work.
"""

from __future__ import annotations

import argparse

from agentsup.agents import hook_client


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("agent", metavar="AGENT")
    parser.add_argument("event", metavar="EVENT")


def run(arguments: argparse.Namespace) -> int:
    """Ask and print; returns 0."""
    return hook_client.main([arguments.agent, arguments.event])
