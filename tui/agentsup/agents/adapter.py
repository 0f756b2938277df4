"""What the rest of agentsup asks about a coding agent; each agent answers in one file."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agentsup.core.events import AgentStateReported, Event
from agentsup.core.injector import Composer
from agentsup.core.screen import Screen


@dataclass(frozen=True)
class Conversation:
    """A conversation of the agent: its id, and its log once that exists."""

    id: str
    log: str = ""


class LogDecoder(Protocol):
    """Turns the lines of one conversation's log into events, in order."""

    def decode(self, line: bytes) -> tuple[Event, ...]:
        """Return what one whole line says; a line that can't be read raises ValueError."""


class Adapter(Protocol):
    """One coding agent."""

    name: str
    reports: bool
    """Whether it says in-band or in its log what it is doing."""

    def find(self, environment: Mapping[str, str]) -> str | None:
        """Return the path of the program, None where it is not installed."""

    def version(self, program: str) -> str:
        """Return the installed version without running the program; empty where it can't be told."""

    def launch(self, program: str, arguments: Sequence[str]) -> list[str]:
        """Return the command line for a supervised run: the person's arguments win."""

    def fresh_launch(self, program: str, arguments: Sequence[str], prompt: str) -> list[str]:
        """Return the command line for a cold restart: a new conversation that begins with `prompt`."""

    def conversation(self, open_files: Iterable[str], strangers: Container[str] = ()) -> Conversation | None:
        """Return the current conversation by the files the agent's process holds open, none of `strangers`."""

    def is_persons(self, log: Path) -> bool:
        """Say whether a log is of a conversation with the person, not of one the agent runs for itself."""

    def decoder(self) -> LogDecoder:
        """Return a fresh decoder for a log read from its start."""

    def composer(self, screen: Screen) -> Composer:
        """Read the agent's input box from its screen; unknown unless positively recognised."""

    def state(self, fields: Mapping[str, str], time: float) -> AgentStateReported | None:
        """Translate an in-band state report (OSC 7501)."""

    def quit_keys(self) -> Sequence[bytes]:
        """Return what a person would type to leave, one write after the other."""
