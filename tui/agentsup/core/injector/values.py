"""What the injector knows, what it is told, and what it tells the host to do: plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from agentsup.core.events import Channel, InjectionChanged, InjectionState
from agentsup.core.injector.evidence import Print, print_of
from agentsup.core.injector.typing import Composer, Typing, one_paste
from agentsup.core.occasion import Occasion

QUIET = 0.3
"""Seconds without a human key before anything is typed."""

ECHO_PATIENCE = 3.0
"""Seconds after a key that the agent has read and drawn nothing for, until it counts as one without effect.

Claude Code draws nothing for Ctrl-U in an empty composer. With 15 busy processes a core it drew a letter within 0.7 s,
Codex within 0.3 s.
"""

RECOVERY_PATIENCE = 3.0
"""Seconds a recovered injection waits for its record before the empty composer proves that it never arrived."""

LOOK_AGAIN = 0.5
"""Seconds until a doubt that no event may end is looked at again."""

REFUSED_PAUSE = 5.0
"""Seconds until a refused injection is tried again."""

PASTE_DEADLINE = 4.0
"""Seconds for the typed text to be in the pty and to show in the composer."""

SLOWEST = 16_000
"""Characters a second that an agent takes in at least: a longer text has that much longer to show."""

SUBMIT_PATIENCE = 2.0
"""Seconds after a carriage return, with the text still in the composer, before it may be sent once more."""

REDRAW_PATIENCE = 1.0
"""Seconds for an agent that has drawn nothing since the carriage return to draw all of its screen anew."""

CONFIRM_DEADLINE = 20.0
"""Seconds from the last carriage return, or from the end of a hook's turn, to the record in the agent's log."""

HOOK_PATIENCE = 6.0
"""Seconds for an agent to run its hook after a compaction whose record was read."""

HOOK_GRACE = 2.0
"""Seconds for a hook that should have been run by now: reading the log may be quicker than the hook."""

PAIRED_WITHIN = 60.0
"""Seconds by which a hook may have run later than the record of its compaction says: one that did is of a later one."""

SAME_HOOK = 5.0
"""Seconds in which a second call for a compaction is that of the same hook; and in which a call may come before the
record of its compaction where the agent writes that first."""

MOST_RETURNS = 2
"""Carriage returns for one injection, each under the full rule; the text itself is never repeated.

A hook of the person's that refuses a prompt is run by each of them.
"""

KEYS_PATIENCE = 5.0
"""Seconds for which an Enter is kept from a text of ours that was given up and may stand in the composer."""

SHELF = 4
"""Failed injections that are kept for a person to handle: the newest."""


@dataclass(frozen=True)
class Proof:
    """What is known at this instant."""

    now: float
    alive: bool
    """The process on the pty is the one we started, and it runs."""
    idle: bool
    """The agent's own records and reports say that it waits for input."""
    blocked: bool
    """The agent says that a question to the person is open."""
    composer: Composer
    bracketed_paste: bool
    raw: bool
    """The tty is not in canonical mode, where a line is cut at 4,096 bytes."""
    last_key: float
    echoed: bool
    """The agent has drawn something since the last human key."""
    read: bool = True
    """The agent has read all that was typed to it."""
    busy: bool = False
    """A person's paste is open in the writer."""
    settled: bool = True
    """The agent is still in the conversation that its log was followed in."""
    caught_up: bool = True
    """Its log was read as far as it goes: what it does not hold has not arrived."""
    composed: bool = True
    """The text is of what is on disk now."""
    written: bool = True
    """All that was typed is in the pty."""
    breaker: bool = False
    """Compactions follow each other with too little work between them: nothing is sent until a person says so."""
    outputs: int = 0
    """How often the agent has drawn something."""


@dataclass(frozen=True)
class Order:
    """A text to be sent, once: `id` stands in its first line."""

    id: str
    occasion: Occasion
    text: str
    interrupted: bool = False
    """A restore whose compaction came in the middle of a turn that still runs."""
    number: int = 0
    """Of a restore: which one of its conversation it is; 0 of any other text."""
    channel: Channel = "stdin"
    typing: Typing | None = None
    """How it is typed; None as one paste."""
    gated: bool = False
    """It waits until a person has accepted or corrected the engram."""
    anew: bool = False
    """It is of what is on disk: its text is composed anew for as long as it waits."""
    late: bool = False
    """The agent runs the hook that it waits for with the next prompt only."""

    @property
    def kind(self) -> str:
        """What kind of an occasion it is for."""
        return self.occasion.kind

    @property
    def typed(self) -> Typing:
        """How it is typed."""
        return self.typing or one_paste(self.text)

    def is_of(self, conversation: str) -> bool:
        """Say whether it may be sent in this conversation."""
        return self.occasion.is_of(conversation)


@dataclass(frozen=True)
class Flight:
    """An order and how far it has come."""

    order: Order
    state: InjectionState = "queued"
    reason: str = ""
    since: float = 0.0
    returns: int = 0
    outputs: int = 0
    """How often the agent had drawn something when the last carriage return was sent."""
    asked: float = -math.inf
    """When the agent was asked to draw its screen anew, since it had drawn nothing after the carriage return."""
    recovered: bool = False
    """A host before this one had begun it: whether the text was sent is not known."""
    sent: Print | None = None
    """The print of what that host had sent, where it may differ from the order's text."""
    due: float = math.inf
    """When what waits for a hook is typed instead, or what a hook has said has to be in the log."""
    begun: bool = False
    """A turn has begun since it waits."""
    as_it_stands: bool = False
    """It stands in the composer, given up: a person wants it sent as it is."""

    @property
    def print(self) -> Print:
        """What the agent's log has to hold."""
        return self.sent or print_of(self.order.id, self.order.text)


@dataclass(frozen=True)
class Ahead:
    """A restore that a hook has got, perhaps before the record of its compaction was read."""

    id: str
    conversation: str
    time: float
    named: bool = False
    """It was for a compaction that is known: it can only be for another one whose record had been written by then."""
    early: bool = False
    """The agent runs the hook first: the next compaction in its log is that of this one, however long that takes."""


@dataclass(frozen=True)
class Standing:
    """A text of ours that was given up and stands in the composer."""

    id: str
    size: int
    """Characters of the text."""
    sendable: bool
    """All of it stands there and nothing else, and a person may still have it sent."""


@dataclass(frozen=True)
class Behind:
    """What a person types comes behind a text that was given up in the middle: an Enter would send both as one."""

    id: str
    typing: Typing
    since: float
    outputs: int = -1
    """How often the agent had drawn something when that was seen first."""
    gone: float = math.inf
    """Since when the composer is seen without it."""


@dataclass(frozen=True)
class Injector:
    """One order on its way into the pty and others behind it; beside them what hooks say, and what has failed."""

    flight: Flight | None = None
    waiting: tuple[Order, ...] = ()
    hooked: tuple[Flight, ...] = ()
    """Held until the agent runs a hook, or handed out to one."""
    shelf: tuple[Flight, ...] = ()
    """Failed, for a person to handle."""
    known: frozenset[Occasion] = frozenset()
    """Occasions that were taken once; a second order for one of them is ignored."""
    ahead: tuple[Ahead, ...] = ()
    unheard: tuple[tuple[str, float], ...] = ()
    """Conversations whose last compaction was served otherwise before its hook ran, and until when that may come."""
    begun: frozenset[str] = frozenset()
    """Ids of texts that have failed or wait once more after some of them may have gone out."""
    behind: Behind | None = None
    left: tuple[Flight, ...] = ()
    """Given up after some of it was typed: it may stand in the composer."""
    standing: Standing | None = None

    @property
    def is_at_work(self) -> bool:
        """Say whether anything is to be looked at."""
        is_left = self.behind is not None or bool(self.left) or self.standing is not None
        return self.flight is not None or bool(self.hooked) or is_left


@dataclass(frozen=True)
class OpenPaste:
    """Store the intent, keep human keys back, and write the text as its typing says."""

    order: Order


@dataclass(frozen=True)
class PressReturn:
    """Write one carriage return, then let human keys through again."""


@dataclass(frozen=True)
class DrawAnew:
    """Have the agent draw all of its screen: what is seen of it may be older than our carriage return."""


@dataclass(frozen=True)
class StopTyping:
    """Write no more of the text, close its paste, and let human keys through again, up to an Enter."""


@dataclass(frozen=True)
class LetKeysGo:
    """Let an Enter and what follows it through too; `late`: though our text may still stand before it."""

    late: bool


@dataclass(frozen=True)
class TellStanding:
    """Tell the person which text of ours stands in the composer; None: none any more."""

    standing: Standing | None


@dataclass(frozen=True)
class Announce:
    """Tell everybody (and the record on disk) that an injection changed its state.

    `print` is of its text, `number` of the order.
    """

    event: InjectionChanged
    print: Print
    number: int = 0


@dataclass(frozen=True)
class WakeAt:
    """Observe again at this time, whatever happens before."""

    time: float


Command = OpenPaste | PressReturn | DrawAnew | StopTyping | LetKeysGo | TellStanding | Announce | WakeAt
Step = tuple[Injector, tuple[Command, ...]]
Choice = Literal["drop", "retry", "hook", "accept"]


def announced(flight: Flight, now: float) -> Announce:
    """Return the announcement of a flight as it is."""
    order = flight.order
    event = InjectionChanged(now, order.id, order.occasion, flight.state, flight.reason, order.channel)
    return Announce(event, flight.print, order.number)


def failed(injector: Injector, flight: Flight, reason: str, now: float) -> Step:
    """Put a flight that is in no lane any more among those that a person has to handle."""
    done = replace(flight, state="failed", reason=reason, since=now, recovered=False, due=math.inf, as_it_stands=False)
    if flight.order.channel == "stdin" and flight.order.id in injector.begun:
        injector = replace(injector, left=_newest(injector.left, done))
    shelf = _newest(injector.shelf, done)
    fallen = (each for each in injector.shelf if each not in shelf and each.order.id != done.order.id)
    gone = tuple(announced(replace(each, state="dropped"), now) for each in fallen)
    return replace(injector, shelf=shelf), (*gone, announced(done, now), WakeAt(now))


def _newest(flights: tuple[Flight, ...], added: Flight) -> tuple[Flight, ...]:
    return (*(each for each in flights if each.order.id != added.order.id), added)[-SHELF:]
