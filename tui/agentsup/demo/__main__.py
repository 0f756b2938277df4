"""`python -m agentsup.demo`: the demo agent, as a coding agent's own program.

    demo [--script FILE] [--speed N] [--alternate-screen] [--hook COMMAND] [PROMPT]
    demo [OPTIONS] resume ID

Without a script it offers a tour (`tour.py`); script files are described in `script_file.py`. It keeps its
logs in $AGENTSUP_DEMO_HOME, by default $XDG_STATE_HOME/agentsup/demo, and writes nowhere else.

Exit codes: 0 left; what a script says; 1 unknown conversation or log not writable; 2 usage, unreadable script,
no terminal; 128+n after SIGTERM, SIGHUP (also: the terminal is gone) or SIGINT.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from agentsup import __version__
from agentsup.core.catalogue import Catalogue
from agentsup.demo.agenda import Agenda, SystemClock
from agentsup.demo.assembly import Setup, assemble, painter
from agentsup.demo.frames import Frames
from agentsup.demo.hooks import Command
from agentsup.demo.log import UnknownConversation
from agentsup.demo.loop import Program
from agentsup.demo.script import Behaviour, Script
from agentsup.demo.script_file import ScriptProblem, read_script
from agentsup.demo.terminal import Terminal
from agentsup.locale import load


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo agent; returns the exit code."""
    catalogue = load("auto", os.environ)
    options = _parser(catalogue).parse_args(argv)
    if not (os.isatty(0) and os.isatty(1)):
        return _problem(catalogue.text("demo.no-terminal"), 2)
    try:
        script = read_script(options.script) if options.script else None
    except ScriptProblem as problem:
        return _problem(str(problem), 2)
    try:
        return _run(options, script, catalogue)
    except UnknownConversation as unknown:
        return _problem(catalogue.text("demo.no-conversation", id=unknown), 1)
    except OSError as error:
        return _problem(str(error), 1)


def _parser(catalogue: Catalogue) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="agentsup demo", description=catalogue.text("demo.description"))
    parser.add_argument("--version", action="version", version=f"agentsup demo {__version__}")
    parser.add_argument("--script", type=Path, metavar="FILE", help=catalogue.text("demo.option-script"))
    parser.add_argument("--speed", type=_speed, default=1.0, metavar="N", help=catalogue.text("demo.option-speed"))
    parser.add_argument("--alternate-screen", action="store_true", help=catalogue.text("demo.option-alternate"))
    parser.add_argument("--hook", metavar="COMMAND", help=catalogue.text("demo.option-hook"))
    parser.add_argument("words", nargs="*", metavar="PROMPT | resume ID")
    return parser


def _speed(text: str) -> float:
    speed = float(text)
    if not 0 < speed < float("inf"):
        raise ValueError(text)
    return speed


def _run(options: argparse.Namespace, script: Script | None, catalogue: Catalogue) -> int:
    behaviour = script.behaviour if script else Behaviour()
    if options.alternate_screen:
        behaviour = replace(behaviour, alternate_screen=True)
    prompt, resumed = " ".join(options.words), ""
    if len(options.words) == 2 and options.words[0] == "resume":
        prompt, resumed = "", options.words[1]
    hook = partial(Command, options.hook) if options.hook else None
    setup = Setup(catalogue, os.getcwd(), os.environ, script, behaviour, options.speed, resumed, hook)
    agenda, terminal = Agenda(SystemClock()), Terminal(alternate_screen=behaviour.alternate_screen)
    agent = assemble(setup, agenda, terminal.write)
    return Program(agent, Frames(agent, painter(setup)), agenda, terminal, os.environ).run(prompt)


def _problem(text: str, code: int) -> int:
    sys.stderr.write(f"agentsup demo: {text}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
