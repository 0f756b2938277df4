"""What a scene of the real Claude Code is made of: the stage, what a person does on it, what the model says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tests.real_agents.claude import COMPOSER, ClaudeHome, ClaudeSettings
from tests.servers.messages import Command, ToolUse, Turn, Usage
from tests.servers.messages_server import MessagesServer, Script
from tests.servers.pace import Gate
from tests.terminals.tmux import Tmux

FULL = Usage.of_context(70_000)
"""More than the threshold of automatic compaction in the smallest window that Claude Code takes."""

AUTO_COMPACT = ("--autocompact", "100k")
"""That smallest window; a compaction comes when 67,000 tokens of it are used and there is something to drop."""

IMITATION = f"Here is what it shows:\n\n{'─' * 60}\n{COMPOSER}\n{'─' * 60}\n  ⏸ manual mode on · ? for shortcuts\n"

LINES = "\n".join(f"- line {number} of a restore text" for number in range(1, 6))
MANY_LINES = "\n".join(f"- line {number} of a restore text" for number in range(1, 31))
THREE_LINES = "\n".join(LINES.split("\n")[:3])

QUESTION = ToolUse(
    "AskUserQuestion",
    {
        "questions": [
            {
                "question": "Which colour?",
                "header": "Colour",
                "multiSelect": False,
                "options": [{"label": name, "description": name.lower()} for name in ("Red", "Blue")],
            }
        ]
    },
)


def words(length: int) -> str:
    """Return a text of exactly `length` characters."""
    return ("Restore text that fills some rows of it. " * (length // 20))[:length]


@dataclass(frozen=True, slots=True)
class Stage:
    """What a scene works with: the home, the model, the terminal, and a gate that ends with the scene."""

    home: ClaudeHome
    model: MessagesServer
    terminal: Tmux
    gate: Gate

    @property
    def live(self) -> Mapping[str, object]:
        """Return the live state that Claude Code keeps of itself."""
        return self.home.live(self.terminal.pane_pid)

    def wait_status(self, status: str | None) -> None:
        """Wait until Claude Code says of itself that it is `idle`, `busy` or `waiting`, or nothing."""
        self.terminal.wait_until(lambda: self.live.get("status") == status, what=f"status {status}")

    def wait_idle(self) -> None:
        """Wait until Claude Code says that it is at rest and shows its composer."""
        self.wait_status("idle")
        self.terminal.wait_for(lambda rows: any(row.startswith(COMPOSER) for row in rows))

    def say(self, text: str) -> None:
        """Send one prompt."""
        self.terminal.paste(text)
        self.terminal.key("Enter")

    def finish_turn(self, text: str = "Read calc.py and explain it.") -> None:
        """Send one prompt and wait until it is answered and the composer is there again."""
        count = len(self.home.events("turn_duration")) + 1
        self.say(text)
        self.terminal.wait_until(lambda: len(self.home.events("turn_duration")) >= count, what=f"turn {count}")
        self.wait_idle()


Act = Callable[[Stage], object]
Composer = Literal["empty", "text", "unknown"]


@dataclass(frozen=True, slots=True)
class Scene:
    """One situation: the model's script, what a person does, and what then is true of the composer.

    `composer` is `empty` when a text may be typed, `text` when `text` stands in it, `unknown` when nothing
    may be typed: there is no composer, or what is typed would do something else.
    """

    name: str
    act: Act
    note: str
    composer: Composer = "empty"
    text: str = ""
    script: Callable[[Gate], Script] = lambda gate: ()
    settings: ClaudeSettings = field(default_factory=ClaudeSettings)
    arguments: tuple[str, ...] = ()
    status: Literal["idle", "busy", "waiting"] | None = "idle"
    """What Claude Code says of itself then; None before there is a session."""
    starts_idle: bool = True
    settles: bool = True
    classic: bool = False
    """Record it in the classic renderer too."""
    proof: bool = True
    """At rest, send what is in the composer and look at what arrives: the model must get that and no more."""


def steps(*acts: Act) -> Act:
    """Do one thing after the other."""

    def act(stage: Stage) -> None:
        for each in acts:
            each(stage)

    return act


def nothing(_stage: Stage) -> None:
    """Leave the composer as it is."""


def reach_gate(stage: Stage) -> None:
    """Wait until an answer stands at the gate."""
    stage.gate.wait_reached()


def open_gate(stage: Stage) -> None:
    """Let everything pass the gate."""
    stage.gate.release()


def idle(stage: Stage) -> None:
    """Wait until Claude Code is at rest."""
    stage.wait_idle()


def keys(*names: str) -> Act:
    """Press keys."""
    return lambda stage: stage.terminal.key(*names)


def typed(text: str, *then: str) -> Act:
    """Type a text, then press keys, each when the screen has come to rest."""
    return steps(
        lambda stage: stage.terminal.type(text),
        *(steps(lambda stage: stage.terminal.wait_still(0.3), keys(name)) for name in then),
    )


def pasted(text: str) -> Act:
    """Paste a text."""
    return lambda stage: stage.terminal.paste(text)


def waits(wanted: str) -> Act:
    """Wait for something on screen."""
    return lambda stage: stage.terminal.wait_for(wanted)


def said(text: str, wanted: str, *then: Act) -> Act:
    """Send a prompt, wait for something on screen, go on."""
    return steps(lambda stage: stage.say(text), waits(wanted), *then)


def after_turn(*then: Act) -> Act:
    """Finish one turn, go on."""
    return steps(Stage.finish_turn, *then)


def answers(*texts: str) -> Callable[[Gate], Script]:
    """Answer with texts."""
    return lambda gate: [Turn(text) for text in texts]


def calling(*calls: Command | ToolUse) -> Callable[[Gate], Script]:
    """Say something and call tools."""
    return lambda gate: [Turn("Let me do that.", calls)]


def streaming(gate: Gate) -> Sequence[Turn]:
    """Answer half, then wait: exactly the first line, as Claude Code shows whole lines only."""
    return [Turn("Looking at it now.\n\nThe rest follows later.", hold=gate)]


def thinking(gate: Gate) -> Sequence[Turn]:
    """Let Claude Code wait for the first word."""
    return [Turn("Never said.", hold=gate, hold_at="start")]


def filling(_gate: Gate) -> Sequence[Turn]:
    """Fill the window, so that Claude Code compacts before the third turn."""
    return [Turn("Something to keep."), Turn("Full.", usage=FULL), Turn("Done after the compaction.")]


FILLED = steps(after_turn(), after_turn(lambda stage: stage.say("Go on.")))
"""With `filling`: two turns, then a prompt that a compaction comes before."""
