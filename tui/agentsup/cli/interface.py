"""Open the interface on a session, and say afterwards how to get back to it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from agentsup.core.problems import RefusedProblem
from agentsup.locale import load
from agentsup.ui.app import run_interface


def show(socket: Path, options: argparse.Namespace) -> int:
    """Show the session until the person leaves or the agent ends; returns the exit code."""
    end = run_interface(
        str(socket), layout=options.layout, language=options.language, leader=options.leader,
        f_keys=options.f_keys, theme=options.theme, debug=options.debug,
    )  # fmt: skip
    catalogue = load(options.language)
    session = socket.parent.name
    if catalogue.has(f"{end.key}.what"):
        print_notice(options.language, end.key)
    else:
        key = "end.failed_ended" if end.reason == "failed" and end.agent_ended else f"end.{end.reason}"
        print(catalogue.text(key, session=session), file=sys.stderr)
    if end.reason == "exited":
        if end.signal:
            return 128 + end.signal
        return end.code or 0
    if end.key == "guard.agent":
        return RefusedProblem.exit_code
    return 1 if end.reason in ("lost", "failed") else 0


def print_notice(language: str, key: str) -> None:
    """Print a notice where it stays readable after the interface has closed."""
    catalogue = load(language)
    for part in ("what", "todo"):
        print(f"agentsup: {catalogue.text(f'{key}.{part}')}", file=sys.stderr)
