"""`agentsup reset`: bring a broken outer terminal back."""

from __future__ import annotations

import argparse
import sys

_SEQUENCES = (
    "\x1b[?1049l"  # leave the alternate screen
    "\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # mouse off
    "\x1b[?2004l\x1b[?1004l\x1b[?2026l\x1b[?2048l"  # paste brackets, focus reports, held output, size reports
    "\x1b[<99u\x1b[=0;1u\x1b[>4m"  # kitty keyboard flags, modifyOtherKeys
    "\x1b[?1l\x1b>\x1b[?67l"  # cursor keys, keypad, Backspace
    "\x1b[?25h\x1b[0 q\x1b[0m\x1b(B\x1b[r"  # cursor, colours, character set, margins
)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments: there are none."""


def run(arguments: argparse.Namespace) -> int:
    """Undo every mode a full-screen program may have left behind."""
    if sys.stdout.isatty():
        sys.stdout.write(_SEQUENCES)
        sys.stdout.flush()
    if sys.stdin.isatty():
        import termios

        settings = termios.tcgetattr(sys.stdin)
        settings[0] |= termios.ICRNL | termios.IXON | termios.BRKINT
        settings[1] |= termios.OPOST | termios.ONLCR
        settings[3] |= termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN
        termios.tcsetattr(sys.stdin, termios.TCSANOW, settings)
    return 0
