"""Foreign text in a line of output: no control characters, no marks that turn the line around, no secrets."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from typing import TextIO

from agentsup.core.redaction import redacted
from agentsup.core.text import sanitise

_TURNING = re.compile("[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Line separators, and marks by which a text can make what follows it read backwards."""

_UNSEEN = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def one_line(text: str) -> str:
    """Return a text as one line that can do nothing to the terminal."""
    return " ".join(harmless(text).split())


def harmless(text: str) -> str:
    """Return a text of several lines without secrets, and without anything that a terminal would obey."""
    return redacted(_TURNING.sub("", sanitise(text)))


def fitted(text: str, width: int) -> str:
    """Return a line cut to so many cells."""
    from rich.cells import cell_len, set_cell_size

    if len(text) <= width and text.isascii():
        return text
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"


def escaped(json_text: str) -> str:
    """Return a JSON text in which those control characters are escaped, too, that JSON itself lets stand."""
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", json_text)


def on_terminal(text: str, out: TextIO) -> str:
    """Return a line broken for the terminal that it goes to; as it is where that is none."""
    return "\n".join(wrapped(text, shutil.get_terminal_size().columns)) if out.isatty() else text


def in_rows(fields: Sequence[str], width: int, indent: int) -> list[str]:
    """Return fields as lines of so many cells, broken between two of them; all but the first line are indented."""
    from rich.cells import cell_len

    rows: list[str] = []
    for field in fields:
        longer = f"{rows[-1]}  {field}" if rows else field
        if rows and cell_len(longer) > width:
            rows.append(" " * indent + field)
        else:
            rows[-1:] = [longer]
    return rows


def wrapped(text: str, width: int) -> list[str]:
    """Return a line as lines of so many cells, broken at blanks where there are any."""
    from rich.console import Console
    from rich.text import Text

    return [line.plain.rstrip() for line in Text(text).wrap(Console(), width)]
