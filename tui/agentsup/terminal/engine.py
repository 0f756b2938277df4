"""What the host asks of a terminal engine, whichever library stands behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from agentsup.core.screen import Cursor, Modes, Row, Scrollback

MINIMUM_COLUMNS, MINIMUM_ROWS = 4, 2
"""Smallest size an engine is given: libghostty crashes in `feed` after a resize to one row of wide text."""

CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
"""What no text from a program may keep: shown in another terminal it would act there."""


class EngineUnavailable(Exception):
    """The library behind the engine can't be loaded here; the text says why, in words for a person."""


@dataclass(frozen=True)
class BellRang:
    """The program rang the bell."""


@dataclass(frozen=True)
class TitleChanged:
    """The program set its window title."""

    title: str


@dataclass(frozen=True)
class NotificationSent:
    """The program asked for a desktop notification (OSC 9, 777, 99)."""

    title: str
    body: str


@dataclass(frozen=True)
class ClipboardWritten:
    """The program wrote the clipboard (OSC 52)."""

    data: bytes


@dataclass(frozen=True)
class StatusReported:
    """The program reported its state (OSC 7501): for example {"state": "idle", "app": "codex"}."""

    fields: Mapping[str, str]


TerminalEvent = BellRang | TitleChanged | NotificationSent | ClipboardWritten | StatusReported


class Engine(Protocol):
    """A terminal: feed it the program's bytes, read back what changed."""

    columns: int
    rows: int

    def feed(self, data: bytes) -> None:
        """Take the program's output."""

    def resize(self, columns: int, rows: int) -> None:
        """Take a new size; sizes below the minimum are raised to it."""

    def replies(self) -> bytes:
        """Return and forget what the terminal has to answer to the program's queries."""

    def events(self) -> tuple[TerminalEvent, ...]:
        """Return and forget what happened beside the screen, oldest first."""

    def changes(self) -> tuple[bool, dict[int, Row]]:
        """Return and forget the rows that changed since the last call: (all of them?, {row number: row})."""

    def cursor(self) -> Cursor:
        """Return the cursor."""

    def modes(self) -> Modes:
        """Return the modes that decide how input is encoded."""

    def title(self) -> str:
        """Return the window title."""

    def scrollback(self) -> Scrollback:
        """Return how many lines stand above the screen; none while the alternate screen is shown."""

    def lines(self, first: int, count: int) -> list[Row]:
        """Return so many lines from number `first` on, the screen's own included; those there are."""

    def close(self) -> None:
        """Free the engine; it can't be used afterwards."""
