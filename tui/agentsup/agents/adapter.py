"""What the rest of agentsup asks about a coding agent; each agent answers in one file.

The defaults are those of a program that says nothing about itself: an agent's file overrides what its own
does say.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from agentsup.core.events import AgentStateReported, Event
from agentsup.core.injector import Composer, Typing, one_paste
from agentsup.core.screen import Screen

ARGUMENT_MOST = (128 << 10) - 1
"""Bytes of one word of a command line on Linux (MAX_ARG_STRLEN), without the zero that ends it."""


@dataclass(frozen=True)
class Conversation:
    """A conversation of the agent: its id, and its log once that exists."""

    id: str
    log: str = ""
    since: int = field(default=0, compare=False)
    """When the agent was last seen to turn to it, in nanoseconds of one clock of its files; 0 where nothing tells."""
    certain: bool = field(default=True, compare=False)
    """Whether no other one has gone on since: else that may be on the screen, and nothing is typed."""


@dataclass(frozen=True)
class Place:
    """Where and how an agent is started: all that its command line may depend on."""

    program: str
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    project: Path = Path()
    session_folder: Path = Path()
    """The session's own folder; what an agent is asked to report through files goes there."""
    status_line: str = "auto"
    """The setting claude.status_line."""
    instructions: str = ""
    """What the agent is told for this launch only, beside what the person tells it; may be empty."""
    hook: tuple[str, ...] = ()
    """The words of the command that a hook of ours is, without the event: empty where none are to be installed."""
    hook_trust: str = ""
    """What the agent takes for a review of our hooks, where it wants one (see codex_hooks)."""


def joined(own: str, ours: str) -> str:
    """Return the person's own instructions and ours, theirs first."""
    return f"{own.rstrip()}\n\n{ours}" if own.strip() else ours


class Process(Protocol):
    """The agent's running process, as far as the system shows it; nothing where it does not."""

    @property
    def pid(self) -> int:
        """Its process id."""

    def written_files(self, *endings: str) -> list[str]:
        """Return the paths with one of these endings that it holds open for writing."""

    def arguments(self) -> list[str]:
        """Return its command line."""


class LogDecoder(Protocol):
    """Turns the lines of one conversation's log into events, in order."""

    recognised: int
    """Lines so far that were of a kind this decoder knows, whether or not they say anything."""

    def decode(self, line: bytes) -> tuple[Event, ...]:
        """Return what one whole line says; a line that can't be read raises ValueError."""

    def decode_head(self, head: bytes) -> tuple[Event, ...]:
        """Return what the beginning of a line says that is too long to be read."""

    def end(self) -> tuple[Event, ...]:
        """Return what still waited for a later line, where the log has ended."""


class NoLog:
    """The decoder of an agent without a log."""

    recognised = 0

    def decode(self, line: bytes) -> tuple[Event, ...]:
        """Return nothing."""
        return ()

    def decode_head(self, head: bytes) -> tuple[Event, ...]:
        """Return nothing."""
        return ()

    def end(self) -> tuple[Event, ...]:
        """Return nothing."""
        return ()


class Adapter:
    """One coding agent."""

    name: str
    reports: bool = False
    """Whether it says in-band or in its log what it is doing."""
    late_hooks: bool = False
    """Whether the hook of a start, or of a compaction that a person asked for, runs with the next prompt only."""
    early_hooks: bool = False
    """Whether the hook of a compaction runs before its record can be read."""
    measured: tuple[str, ...] = ()
    """The versions that this file was measured on."""
    hook_most: int | None = None
    """UTF-16 units of a text that reach its model whole as what a hook says; None where no limit is known."""

    def find(self, environment: Mapping[str, str]) -> str | None:
        """Return the path of the program, None where it is not installed."""
        raise NotImplementedError

    def version(self, program: str) -> str:
        """Return the installed version without running the program; empty where it can't be told."""
        return ""

    def launch(self, place: Place) -> list[str]:
        """Return the command line for a supervised run: the person's arguments win."""
        return [place.program, *place.arguments]

    def without_instructions(self, place: Place) -> str:
        """Return why a launch goes without the instructions, as a catalogue key; empty where it has what there is."""
        return ""

    def without_hooks(self, place: Place) -> str:
        """Return why a launch goes without hooks of ours, as a catalogue key; empty where it has what there is.

        `hooks.no-agent` where there is nothing that could have any: another program, a command without the interface.
        """
        return "" if not place.hook else "hooks.no-agent"

    def hooks_to_review(self, place: Place) -> str:
        """Return what this program has to review before it runs hooks of ours; empty where it runs them as they are."""
        return ""

    def review_hooks(self, place: Place) -> str:
        """Ask the program what it takes for that review (`Place.hook_trust`); takes its time. Empty for none.

        Raises OSError where it does not answer, or not in time.
        """
        return ""

    def install_hooks(self, place: Place) -> None:
        """Write what a launch with hooks of ours needs into the session's folder; raises OSError."""

    def environment(self, environment: Mapping[str, str]) -> Mapping[str, str]:
        """Return the variables that a supervised run adds to those of the person."""
        return {}

    def began(self, place: Place) -> None:
        """It was started here: read what the look of its screen depends on."""

    def fresh_launch(self, place: Place, prompt: str) -> list[str]:
        """Return the command line for a cold restart: a new conversation that begins with `prompt`."""
        return self.launch(place)

    def conversation(self, process: Process, place: Place, strangers: Container[str] = ()) -> Conversation | None:
        """Return the conversation that this process is in, none of `strangers`; None where it can't be told."""
        return None

    def begins_anew(self, conversation: Conversation, place: Place, *, first: bool) -> bool:
        """Say whether nothing was said in a conversation so far, and it is no copy of one in which something was.

        `first`: it is the one that the launch has begun with, whose own words then count.
        """
        return False

    def is_log(self, head: bytes) -> bool:
        """Say whether a file that begins like this, cut anywhere, is a log of this agent's."""
        return False

    def is_persons(self, log: Path) -> bool:
        """Say whether a log is of a conversation with the person, not of one the agent runs for itself."""
        return False

    def status_files(self, pid: int, place: Place) -> tuple[Path, ...]:
        """Return the files in which this process says how it is; each replaced as a whole, none needs to exist."""
        return ()

    def read_status(self, path: Path, data: bytes, time: float) -> tuple[Event, ...]:
        """Return what a status file says; nothing where it can't be read."""
        return ()

    def compacts_at(self, window: int, place: Place) -> int | None:
        """Return at how many tokens in use it compacts by itself; None where that is not known, or never."""
        return None

    def decoder(self) -> LogDecoder:
        """Return a fresh decoder for a log read from its start."""
        return NoLog()

    def composer(self, screen: Screen) -> Composer:
        """Read the agent's input box from its screen; unknown unless positively recognised."""
        return Composer()

    def typing(self, text: str) -> Typing:
        """Return how its composer takes a text; what `composer` reads afterwards is compared with it."""
        return one_paste(text)

    def state(self, fields: Mapping[str, str], time: float) -> AgentStateReported | None:
        """Translate an in-band state report (OSC 7501)."""
        return None

    def title_state(self, title: str, time: float) -> AgentStateReported | None:
        """Translate the window title, where it says what the agent does."""
        return None

    def quit_keys(self) -> Sequence[bytes]:
        """Return what a person would type to leave, one write after the other."""
        return ()
