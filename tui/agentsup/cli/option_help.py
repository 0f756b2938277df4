"""What `--help` says of an option, in the person's language."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from agentsup.locale import load


def option_help(parser: argparse.ArgumentParser, command: str) -> Callable[[str], str]:
    """Return a function that gives the words for an option of a command: `help.COMMAND.NAME` of the catalogue."""
    catalogue = load(parser.get_default("language") or "auto")
    return lambda name: catalogue.text(f"help.{command}.{name}").replace("%", "%%")
