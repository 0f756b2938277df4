"""What the agent does: actions, steps and behaviour, as plain values.

A script file (`script_file.py`) and the built-in tour (`tour.py`) are made of these. All times are
milliseconds, as in the files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Trigger = Literal["auto", "manual"]
Outcome = Literal["done", "failed", "cancelled"]


@dataclass(frozen=True)
class Say:
    """Write a message, `chunk` characters every `delay`; all at once where `delay` is 0."""

    text: str
    chunk: int = 4
    delay: int = 20


@dataclass(frozen=True)
class Note:
    """Show a remark of the narrator: it is not the agent's and not in the log."""

    text: str


@dataclass(frozen=True)
class Read:
    """Pretend to read a file."""

    target: str
    takes: int = 0


@dataclass(frozen=True)
class Edit:
    """Pretend to change a file."""

    target: str
    takes: int = 0


@dataclass(frozen=True)
class Run:
    """Pretend to run a command."""

    target: str
    takes: int = 0
    exit_code: int = 0


@dataclass(frozen=True)
class Usage:
    """Report how many tokens the context has, and from now on its window."""

    used: int
    window: int = 0


@dataclass(frozen=True)
class Approve:
    """Ask for leave to run a command. Enter = yes, Escape = no, which also ends the turn.

    It takes keys at once. Its picture may come `draw_after` later, its state report `report_after` later.
    """

    command: str
    takes: int = 0
    draw_after: int = 0
    report_after: int = 0


@dataclass(frozen=True)
class Pick:
    """Open a picker: no state is reported for it. Enter takes the marked choice."""

    title: str
    choices: tuple[str, ...] = ("small", "large")
    draw_after: int = 0


@dataclass(frozen=True)
class Compact:
    """Compact the context: done, failed (the turn goes on), or cancelled (the turn ends)."""

    trigger: Trigger = "auto"
    takes: int = 0
    after: int = 0
    """Tokens afterwards; 0 for a fifth of those before."""
    outcome: Outcome = "done"


@dataclass(frozen=True)
class Sleep:
    """Work, and show nothing new."""

    milliseconds: int


@dataclass(frozen=True)
class OpenEditor:
    """Give the terminal to $VISUAL or $EDITOR with the draft; it becomes the foreground process."""

    enabled: bool = True


@dataclass(frozen=True)
class Exit:
    """Leave with an exit code, the terminal restored."""

    code: int


@dataclass(frozen=True)
class Crash:
    """Die of a signal, the terminal left as it is."""

    signal: str


Action = (
    Say | Note | Read | Edit | Run | Usage | Approve | Pick | Compact | Sleep | OpenEditor | Exit | Crash
)  # fmt: skip


@dataclass(frozen=True)
class FollowUp:
    """What begins by itself after the agent has been idle for so long."""

    after: int
    step: Step
    patient: bool = False
    """The wait is for the person or for agentsup: it is as long at any speed."""


@dataclass(frozen=True)
class Step:
    """The answer to one prompt."""

    actions: tuple[Action, ...] = ()
    turn: bool = True
    """False: not a turn; nothing is logged as one, and the state stays idle."""
    asked: bool = True
    """False where nobody gave the agent something to do, as with /compact."""
    follow_up: FollowUp | None = None


@dataclass(frozen=True)
class Behaviour:
    """How the agent treats its input, its log and its reports: what real agents do to a supervisor."""

    alternate_screen: bool = False
    paste_burst: int = 0
    """Enter within so many ms after typed text becomes a newline (Codex)."""
    paste_guard: int = 0
    """Enter within so many ms after a bracketed paste is swallowed (Gemini)."""
    pasted_from: int = 1000
    """Characters from which a paste is shown as `[Pasted 1234 characters]`."""
    queue: Literal["turn-end", "tool"] = "turn-end"
    """When a message that is submitted during a turn reaches the model: at the turn's end or after the next tool."""
    escape: Literal["return", "deliver"] = "return"
    """What Esc during a turn does to that queue: back into the composer (Codex), or the next turn (Claude)."""
    idle_flash: int = 0
    """Milliseconds of idleness reported between two queued turns (Claude: 30)."""
    report_delay: int = 0
    """Every state report comes so many ms late."""
    log_delay: int = 0
    """Every record reaches the log so many ms late."""
    compact_hook: Literal["next-request", "before-record"] = "next-request"
    """When the hook of a compaction runs: before the next request (Codex), or before the compaction is logged (Claude).
    """


@dataclass(frozen=True)
class ScriptedStep:
    """A step of a script file: taken for a prompt in which the pattern is found."""

    prompt: str
    step: Step
    times: int = 0
    """How often it may be taken; 0 without end."""


@dataclass(frozen=True)
class Script:
    """A whole script."""

    window: int = 40_000
    behaviour: Behaviour = field(default_factory=Behaviour)
    steps: tuple[ScriptedStep, ...] = ()
