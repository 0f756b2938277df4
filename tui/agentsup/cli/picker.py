"""Questions before the interface opens: which session or agent; attach to the one that runs here already?"""

from __future__ import annotations

import argparse
import os
import sys
import time

from agentsup.agents.registry import adapter_for, names
from agentsup.cli import sessions
from agentsup.cli.commands.ls import age
from agentsup.cli.commands.status import session_of
from agentsup.cli.main import require_terminal
from agentsup.core.catalogue import Catalogue
from agentsup.core.problems import Problem
from agentsup.locale import load


def run(options: argparse.Namespace) -> int:
    """Bare `agentsup`: list the running sessions and the agents that are there (the demo always is); do the choice."""
    require_terminal()
    catalogue = load(options.language)
    found = sessions.running()
    agents = [name for name in names() if adapter_for(name).find(os.environ)]
    choices: list[sessions.Found | str] = [*found, *agents]
    for number, choice in enumerate(choices, 1):
        print(f"  {number}  {_line(choice, catalogue)}", file=sys.stderr)
    is_one = len(found) == 1
    ask = catalogue.text("picker.ask-one" if is_one else "picker.ask")
    print(ask, end=" ", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    answer = line.strip() or ("1" if is_one and line else "")
    if not answer.isdigit() or not 1 <= int(answer) <= len(choices):
        return 0
    chosen = choices[int(answer) - 1]
    if isinstance(chosen, str):
        from agentsup.cli import launch

        return launch.run(options, chosen, [], literal=False)
    from agentsup.cli import interface

    return interface.show(chosen.socket, options)


def attach_instead(options: argparse.Namespace, agent: str) -> sessions.Found | None:
    """Offer to attach to a detached session of this agent in this folder; None to start another one."""
    for found in sessions.running():
        if (found.record.agent, found.record.cwd) != (agent, os.getcwd()):
            continue
        try:
            if session_of(found).interfaces:
                continue
        except Problem:
            continue
        catalogue = load(options.language)
        values = {"session": found.record.session, "agent": agent, "age": _age(found)}
        print(catalogue.text("picker.detached", **values), file=sys.stderr)
        print(catalogue.text("picker.attach"), end=" ", file=sys.stderr, flush=True)
        return None if sys.stdin.readline().strip().lower() in ("n", "no", "否") else found
    return None


def _line(choice: sessions.Found | str, catalogue: Catalogue) -> str:
    if isinstance(choice, str):
        return catalogue.text("picker.start", agent=choice)
    record = choice.record
    return catalogue.text(
        "picker.session", session=record.session, agent=record.agent, project=record.cwd, age=_age(choice)
    )


def _age(found: sessions.Found) -> str:
    return age(time.time() - found.record.started)
