"""Any program: no log, no reports, no composer. It is shown, never typed into."""

from __future__ import annotations

import os
import shutil
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path

from agentsup.agents.adapter import Conversation
from agentsup.core.events import AgentStateReported, Event
from agentsup.core.injector import Composer
from agentsup.core.screen import Screen


class Generic:
    """A program we know nothing about."""

    reports = False

    def __init__(self, name: str) -> None:
        self.name = os.path.basename(name)
        self._program = name

    def find(self, environment: Mapping[str, str]) -> str | None:
        """Return the program's path as a shell would find it."""
        return shutil.which(self._program, path=environment.get("PATH"))

    def version(self, program: str) -> str:
        """Return nothing: nobody knows where it says so."""
        return ""

    def launch(self, program: str, arguments: Sequence[str]) -> list[str]:
        """Return the command as it was given."""
        return [program, *arguments]

    def fresh_launch(self, program: str, arguments: Sequence[str], prompt: str) -> list[str]:
        """Return the command as it was given: nobody knows whether it takes a prompt."""
        return [program, *arguments]

    def conversation(self, open_files: Iterable[str], strangers: Container[str] = ()) -> Conversation | None:
        """Return None: there is no known log."""
        return None

    def is_persons(self, log: Path) -> bool:
        """Return False: there is no known log."""
        return False

    def decoder(self) -> _NoLog:
        """Return a decoder that reads nothing."""
        return _NoLog()

    def composer(self, screen: Screen) -> Composer:
        """Return unknown: so nothing is ever typed."""
        return Composer()

    def state(self, fields: Mapping[str, str], time: float) -> AgentStateReported | None:
        """Return None: a report of an unknown program decides nothing."""
        return None

    def quit_keys(self) -> Sequence[bytes]:
        """Return nothing: the signals end it."""
        return ()


class _NoLog:
    def decode(self, line: bytes) -> tuple[Event, ...]:
        return ()
