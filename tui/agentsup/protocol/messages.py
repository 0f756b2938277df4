"""Messages between the host and its clients: typed values, msgpack on the wire, versioned.

A client sends `Hello` first. A message that does not decode closes that client and nothing else.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from agentsup.core.screen import CellStyle, Cursor, Modes, Scrollback
from agentsup.core.session import Session

VERSION = 6
"""Raised whenever a message changes; host and client of different versions part with a clear line."""


class _Message(msgspec.Struct, frozen=True, array_like=True, tag=True):
    pass


# Client to host


class Hello(_Message, frozen=True):
    """Introduce a client. `role` ui takes part in sizing and gets frames; command does not."""

    version: int
    role: Literal["ui", "command"]
    columns: int = 0
    rows: int = 0


class Keys(_Message, frozen=True):
    """Bytes of the person's keys, as the outer terminal sent them."""

    data: bytes


class Paste(_Message, frozen=True):
    """A piece of pasted text, without brackets; the host adds them where the program asked for them."""

    data: bytes
    first: bool = True
    last: bool = True


class Mouse(_Message, frozen=True):
    """A mouse report in the terminal's own cells, from 0. `button`: 0–2, 64/65 wheel up/down, 3 none."""

    kind: Literal["press", "release", "move"]
    button: int
    column: int
    row: int
    shift: bool = False
    alt: bool = False
    control: bool = False


class Focus(_Message, frozen=True):
    """The outer window gained or lost the focus."""

    focused: bool


class Resize(_Message, frozen=True):
    """The client's terminal area has a new size, in cells."""

    columns: int
    rows: int


LINES_AT_ONCE = 64
"""Most lines in one `Lines`: reading them takes the host 4 ms, in which no key is passed on."""


class ReadLines(_Message, frozen=True):
    """Ask for lines by their numbers (see core.screen.Scrollback); answered by one `Lines`."""

    first: int
    count: int


class StatusRequest(_Message, frozen=True):
    """Ask for the session; answered by one `SessionChanged`."""


class StopRequest(_Message, frozen=True):
    """End the agent and the session."""


class RestartRequest(_Message, frozen=True):
    """Cold restart: end the agent, start it afresh with the restore text. The person has confirmed it."""


class InjectionChoice(_Message, frozen=True):
    """The person's answer to a held or failed injection.

    retry: now, or as soon as it may be typed; hook: with the agent's next prompt, by a hook; accept: the engram is
    right, so a restore that waits for that may go.
    """

    id: str
    choice: Literal["drop", "retry", "hook", "accept"]


class InjectRequest(_Message, frozen=True):
    """Send something of the person's own: a restore text, or this text. The Outcome's values name the id."""

    kind: Literal["restore", "text"]
    text: str = ""


class EngramSaved(_Message, frozen=True):
    """A person has saved an engram, or says that what was found is theirs.

    `tell`: the agent is to be told, at its next idle moment.
    """

    sha: str
    """SHA-256 of its text in UTF-8: what is on disk must be this."""
    tell: bool = True


class RecitalAnswered(_Message, frozen=True):
    """A person has judged what the agent read back; `resend`: it is to be corrected, and asked once more."""

    id: str
    right: bool
    resend: bool = False


class BreakerClosed(_Message, frozen=True):
    """A person wants restores to go on after a storm of compactions."""


class HookCalled(_Message, frozen=True):
    """A hook of ours was run by the agent; `data` is what it was given, JSON. Answered by one `HookAnswer`."""

    agent: str
    event: str
    data: bytes


class NoticeDismissed(_Message, frozen=True):
    """The person has read a notice."""

    key: str


class TrustAnnounced(_Message, frozen=True):
    """A person is about to change what is approved in a project: entries with these MACs will be in its record.

    Sent before they are written. What comes into a record otherwise while an agent runs does not count.
    """

    project: str
    """The record's name, as `store.trust_record.project_key` gives it."""
    macs: tuple[str, ...]


ClientMessage = (
    Hello | Keys | Paste | Mouse | Focus | Resize | ReadLines | StatusRequest | StopRequest | RestartRequest
    | InjectionChoice | NoticeDismissed | TrustAnnounced | InjectRequest | EngramSaved | RecitalAnswered
    | BreakerClosed | HookCalled
)  # fmt: skip


# Host to client

WireRun = tuple[str, int, int]
"""Text, width in cells, index into the frame's styles."""


class Welcome(_Message, frozen=True):
    """The host's answer to `Hello`."""

    version: int
    session: str
    agent: str


class Frame(_Message, frozen=True):
    """Rows of the screen that changed; `full` when all of them are here. Replaces what was there."""

    full: bool
    columns: int
    rows: int
    styles: tuple[CellStyle, ...]
    lines: tuple[tuple[int, tuple[WireRun, ...]], ...]
    cursor: Cursor
    modes: Modes
    title: str = ""
    scrollback: Scrollback = Scrollback()
    wrapped: tuple[int, ...] = ()
    """The numbers of those rows among `lines` whose line goes on in the next row."""


class Lines(_Message, frozen=True):
    """The lines asked for, as they are at this width; fewer where there are no more."""

    first: int
    columns: int
    styles: tuple[CellStyle, ...]
    lines: tuple[tuple[WireRun, ...], ...]
    wrapped: tuple[int, ...] = ()
    """The numbers of those whose line goes on in the next one."""


class SessionChanged(_Message, frozen=True):
    """The session as it is now, and how many interfaces are attached."""

    session: Session
    interfaces: int = 0


class Bell(_Message, frozen=True):
    """The program rang the bell."""


class Notification(_Message, frozen=True):
    """The program asked for a desktop notification; free of control characters."""

    title: str
    body: str


class ClipboardWritten(_Message, frozen=True):
    """The program wrote the clipboard; `cut` when there was more than is passed on."""

    data: bytes
    cut: bool = False


class Outcome(_Message, frozen=True):
    """The answer to a request: whether it was done, and a catalogue key that says more."""

    done: bool
    key: str = ""
    values: tuple[tuple[str, str], ...] = ()


class HookAnswer(_Message, frozen=True):
    """What a hook prints; empty for nothing."""

    output: bytes


class Goodbye(_Message, frozen=True):
    """The host ends this client; `key` says why (a catalogue key)."""

    key: str


HostMessage = (
    Welcome | Frame | Lines | SessionChanged | Bell | Notification | ClipboardWritten | Outcome | HookAnswer | Goodbye
)  # fmt: skip
