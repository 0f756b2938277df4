"""Print what came from files: as it is for programs, with nothing in it that a terminal would obey for people."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from agentsup.cli.plain_text import escaped, harmless
from agentsup.cli.reader_gone import until_reader_is_gone
from agentsup.core.redaction import redacted, redacted_value


@contextmanager
def printing(*, exact: bool = False) -> Iterator[None]:
    """Let any text be printed in here, until whoever reads it has seen enough.

    `exact`: what is read by a program is UTF-8, whatever the locale says.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        encoding = "utf-8" if exact and not sys.stdout.isatty() else None
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
    with until_reader_is_gone():
        yield


def print_json(value: Mapping[str, object], *, exact: Collection[str] = ()) -> None:
    """Print the one object of a command's `--json`, without secrets; to be called in `printing(exact=True)`.

    `exact`: keys whose values are printed as they are.
    """
    shown = {name: each if name in exact else redacted_value(each) for name, each in value.items()}
    print(escaped(json.dumps(shown, ensure_ascii=False)))


def print_text(text: str) -> None:
    """Print a text of several lines and a newline: to a program byte for byte, but for secrets."""
    print(harmless(text) if sys.stdout.isatty() else redacted(text))
