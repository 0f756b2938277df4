"""Ask the outer terminal for its colours before the agent starts.

Agents ask for the background at once (OSC 11) and choose their own colours by the answer: on a light terminal
an answer that says "dark" makes them unreadable. The interface is not up yet at that moment, so it is asked here.
"""

from __future__ import annotations

import os
import re
import select
import sys
import termios
import time
import tty
from collections.abc import Callable
from dataclasses import dataclass

from agentsup.ui.input_bytes import InputBytes

DEADLINE = 0.25
"""Seconds to wait for a terminal that answers nothing; one that does ends it with its answer to DA1."""

Colour = tuple[int, int, int]
Reader = Callable[[float], bytes]
"""Reads what is there within so many seconds; empty where nothing came."""

_QUERY = b"\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[c"
_ANSWER = re.compile(rb"\x1b\](1[01]);rgb:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_LAST = re.compile(rb"\x1b\[\?[\d;]*c")


@dataclass(frozen=True)
class OuterColours:
    """What the terminal said, None where it did not; and what the person typed meanwhile."""

    foreground: Colour | None = None
    background: Colour | None = None
    typed: bytes = b""


def ask() -> OuterColours:
    """Ask the terminal on standard input and output; it is left as it was found."""
    number = sys.stdin.fileno()
    if os.environ.get("TERM") in ("linux", "dumb"):
        return OuterColours()
    before = termios.tcgetattr(number)
    tty.setraw(number, termios.TCSADRAIN)
    try:
        os.write(sys.stdout.fileno(), _QUERY)
        return answers(lambda seconds: _read(number, seconds))
    except OSError:
        return OuterColours()
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


def answers(read: Reader) -> OuterColours:
    """Sort what `read` gives into answers and keys, until the last answer or the deadline."""
    source = InputBytes()
    found: dict[bytes, Colour] = {}
    typed = b""
    over = time.monotonic() + DEADLINE
    while (left := over - time.monotonic()) > 0:
        data = read(left)
        for token in source.feed(data):
            if token.kind != "reply":
                typed += token.data
            elif answer := _ANSWER.match(token.data):
                found[answer[1]] = _colour(answer)
            elif _LAST.fullmatch(token.data):
                over = 0.0
    typed += b"".join(token.data for token in source.flush() if token.kind != "reply")
    return OuterColours(found.get(b"10"), found.get(b"11"), typed)


def _read(number: int, seconds: float) -> bytes:
    ready, _, _ = select.select([number], [], [], seconds)
    return os.read(number, 4096) if ready else b""


def _colour(answer: re.Match[bytes]) -> Colour:
    red, green, blue = (int(part, 16) * 255 // (16 ** len(part) - 1) for part in answer.groups()[1:])
    return red, green, blue
