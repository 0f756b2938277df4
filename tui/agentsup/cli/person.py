"""What only a person may do: asked for in a terminal that is no agent's, and answered in that terminal.

A pipe, a file or an agent can't answer: questions are put to the terminal itself, and what was typed before they
were shown does not count.
"""

from __future__ import annotations

import os
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

from agentsup.cli.author import author
from agentsup.core.problems import Problem, RefusedProblem
from agentsup.core.trust.witness import is_doubted
from agentsup.protocol.announcing import announce
from agentsup.store.ancestry import any_keeper, is_own_keeper
from agentsup.store.folders import runtime_folders
from agentsup.store.trust_record import Record, project_key, read_record

TERMINAL = "/dev/tty"

DOUBTED_WITHIN = 1.5
"""Seconds in which a session that was not told of an approval has seen and doubted it."""

POLL = 0.05

YES = ("y", "yes", "是")


def refuse_agents() -> None:
    """Raise RefusedProblem inside the process tree of an agent."""
    if author().kind == "agent":
        raise RefusedProblem("guard.agent")


def require_person(command: str) -> str:
    """Return from which terminal a person runs a command: `terminal /dev/pts/3`; raises RefusedProblem."""
    refuse_agents()
    try:
        if not sys.stdout.isatty():
            raise OSError
        name = os.ttyname(sys.stdin.fileno())
        with open(TERMINAL, "rb", buffering=0):
            return f"terminal {name}"
    except (OSError, ValueError) as error:  # ValueError: standard input is closed, or none of the system's
        raise RefusedProblem("person.no-terminal", command=f"agentsup {command}") from error


def confirmed(question: str) -> bool:
    """Ask in the terminal; everything but a plain yes is a no."""
    with open(TERMINAL, "r+b", buffering=0) as terminal:
        termios.tcflush(terminal, termios.TCIFLUSH)
        terminal.write(f"{question} ".encode())
        answer = terminal.readline(200)
    return answer.decode(errors="replace").strip().lower() in YES


def announcer(root: Path) -> Callable[[tuple[str, ...]], bool]:
    """Return what tells the running hosts of a change to a project's record before it is made."""
    key = project_key(root)
    return lambda macs: all(
        announce(folder, key, macs, is_keeper=is_own_keeper) for folder in runtime_folders(os.environ)
    )


def require_believed(root: Path, written: Record) -> None:
    """Raise Problem `trust.not-believed` where a running session doubts what was just recorded.

    One that has other folders than this terminal could not be told, and finds an approval that nobody announced.
    """
    if not written.entries or not any_keeper():
        return
    end = time.monotonic() + DOUBTED_WITHIN
    while time.monotonic() < end:
        now = read_record(root)
        if written.head not in now.macs or is_doubted(now.entries, len(written.entries)):
            raise Problem("trust.not-believed")
        time.sleep(POLL)
