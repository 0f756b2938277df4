"""What only a person may do: asked for in a terminal that is no agent's, and answered in that terminal.

A pipe, a file or an agent can't answer: questions are put to the terminal itself, and what was typed before they
were shown does not count.
"""

from __future__ import annotations

import os
import sys
import termios
from collections.abc import Callable
from pathlib import Path

from agentsup.cli.author import author
from agentsup.core.problems import RefusedProblem
from agentsup.protocol.announcing import announce
from agentsup.store.folders import runtime_path
from agentsup.store.trust_record import project_key

TERMINAL = "/dev/tty"

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
    return lambda macs: all(announce(folder, key, macs) for folder in _runtime_folders())


def _runtime_folders() -> list[Path]:
    """Return where sessions may run: a terminal without XDG_RUNTIME_DIR is a person's, too, and theirs may have one."""
    me = os.getuid()
    usual = {"XDG_RUNTIME_DIR": f"/run/user/{me}"}
    found = dict.fromkeys(runtime_path(environment)[0] for environment in (os.environ, usual, {}))
    return [folder for folder in found if folder.is_dir() and not folder.is_symlink() and folder.stat().st_uid == me]
