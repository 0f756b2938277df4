"""Everything that a running demo agent holds, for the parts that act on it: keys, turns, commands, drawing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from agentsup.core.catalogue import Catalogue
from agentsup.demo.agenda import Agenda
from agentsup.demo.completion import Completion
from agentsup.demo.composer import Composer
from agentsup.demo.dialogs import Dialog
from agentsup.demo.hooks import Hooks
from agentsup.demo.log import ConversationLog
from agentsup.demo.reports import Reports
from agentsup.demo.script import Behaviour
from agentsup.demo.transcript import Transcript

Activity = Literal["", "working", "compacting"]


@dataclass
class Meter:
    """How full the context is; `total` counts the tokens of all requests."""

    window: int
    used: int = 0
    total: int = 0
    compactions: int = 0

    @property
    def left(self) -> int:
        """Percent of the window that is left."""
        return round(100 * max(0, self.window - self.used) / self.window) if self.window else 0


@dataclass(frozen=True)
class Queued:
    """A message that was submitted while a turn runs, and when it reaches the model."""

    text: str
    deliver: Literal["turn-end", "tool"]


@dataclass
class Stage:
    """The state of the program."""

    catalogue: Catalogue
    behaviour: Behaviour
    agenda: Agenda
    log: ConversationLog
    reports: Reports
    composer: Composer
    meter: Meter
    cwd: str
    speed: float = 1.0
    hooks: Hooks = field(default_factory=Hooks)
    transcript: Transcript = field(default_factory=Transcript)
    queue: list[Queued] = field(default_factory=list)
    dialog: Dialog | None = None
    completion: Completion | None = None
    activity: Activity = ""
    since: float = 0.0
    """When the activity began."""
    spoken: bool = False
    """A message was ever sent: the conversation is worth to be resumed."""
    last_words: str = ""
    """The newest message of the running turn."""
    editor_wanted: bool = False
    exit_code: int | None = None
    crash: str = ""
    """The signal to die of."""
    scrolled: int = 0
    """Rows of the transcript below the alternate screen's last one."""

    def seconds(self, milliseconds: int) -> float:
        """Return how long a scripted time is at this speed."""
        return milliseconds / 1000 / self.speed

    def text(self, key: str, /, **values: object) -> str:
        """Return one of the demo agent's messages."""
        return self.catalogue.text(f"demo.{key}", **values)

    def notice(self, key: str, /, **values: object) -> None:
        """Show one of the program's own messages in the transcript."""
        self.transcript.add("notice", self.text(key, **values))

    def begin(self, activity: Activity) -> None:
        """Show what the agent is busy with from now on."""
        if activity != self.activity:
            self.activity, self.since = activity, self.agenda.now
