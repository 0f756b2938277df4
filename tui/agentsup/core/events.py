"""Everything that can happen in a supervised session: one closed union of plain values.

`core.session.apply` folds them into a `Session`. All times are Unix seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentsup.core.memory.model import Memory
from agentsup.core.occasion import Occasion

UsageSource = Literal["exact", "estimate", "stale", "unknown"]
AgentState = Literal["idle", "working", "blocked", "done", "error", "unknown"]
Trigger = Literal["auto", "manual", "unknown"]
StateSource = Literal["report", "status-file", "title"]
"""Where a state comes from: an in-band report, the agent's own file about itself, its window title."""
InjectionState = Literal["queued", "held", "writing", "submitted", "confirmed", "failed", "dropped"]
Channel = Literal["stdin", "hook"]
"""How a text of ours reaches the agent: typed on its pty, or as the output of a hook that it has run."""
Verdict = Literal["right", "wrong", "unclear"]
Judge = Literal["comparison", "person"]
"""Who gives a verdict."""


@dataclass(frozen=True)
class Spent:
    """Tokens a conversation has used up so far: what it costs, not how full its context is."""

    input: int
    cached: int
    output: int
    at_least: bool = False
    """Whether requests are left out that the log does not hold: compactions, sub-agents."""


@dataclass(frozen=True)
class AgentStarted:
    """The agent's process was started (also after a cold restart)."""

    time: float
    pid: int
    reports: bool = True
    """Whether this agent ever says what it is doing."""


@dataclass(frozen=True)
class AgentExited:
    """The agent's process ended: an exit code, or the signal that ended it."""

    time: float
    code: int | None
    signal: int | None


@dataclass(frozen=True)
class AgentStateReported:
    """The agent said what it is doing (Codex: OSC 7501; Claude Code: a file of its own)."""

    time: float
    state: AgentState
    kind: str = ""
    by: StateSource = "report"


@dataclass(frozen=True)
class ActivitySeen:
    """The agent's screen began or ceased to say that it compacts; it decides the phase and nothing else."""

    time: float
    compacting: bool


@dataclass(frozen=True)
class ConversationIdentified:
    """The agent's log was found, or the agent moved to another conversation (/new, resume)."""

    time: float
    conversation: str
    path: str


@dataclass(frozen=True)
class TurnStarted:
    """The agent began to work on something."""

    time: float
    turn: str
    asked: bool = True
    """False where nobody gave the agent something to do (Codex: a /compact task)."""


@dataclass(frozen=True)
class TurnEnded:
    """The agent finished its turn; `message` is its final text, if any."""

    time: float
    turn: str
    message: str = ""
    interrupted: bool = False


@dataclass(frozen=True)
class UserMessageRecorded:
    """A message reached the model as the user's: typed by the person or by us."""

    time: float
    text: str


@dataclass(frozen=True)
class AgentMessageRecorded:
    """The agent said something to the person: one text of its, which may be followed by others in the same turn."""

    time: float
    text: str


@dataclass(frozen=True)
class ContextRecorded:
    """The output of a hook reached the model's context, as the agent's log says."""

    time: float
    text: str


@dataclass(frozen=True)
class TurnTakenBack:
    """The agent goes on as if it had never got these texts: the person has ended their turn before it said anything.

    `compaction` names the newest one whose summary it goes on with; empty where there is none.
    """

    time: float
    texts: tuple[str, ...]
    compaction: str = ""


@dataclass(frozen=True)
class HookHeard:
    """The agent ran a hook of ours. `source` is SessionStart's own word (startup, compact, clear, resume, fork)."""

    time: float
    event: str
    source: str = ""
    conversation: str = ""


@dataclass(frozen=True)
class TokensReported:
    """The agent reported how full its context is; None where it did not say.

    `share` is a share of the window (0.0 to 1.0) that came without figures; `spent` the conversation's totals;
    `at_least` says that `used` is a lower bound.
    """

    time: float
    used: int | None
    window: int | None
    source: UsageSource = "exact"
    share: float | None = None
    spent: Spent | None = None
    at_least: bool = False


@dataclass(frozen=True)
class WindowReported:
    """The agent said how large its context window is, in tokens."""

    time: float
    window: int


@dataclass(frozen=True)
class CompactionLimitKnown:
    """At how many tokens in use the agent compacts by itself; None where nobody knows or it never does."""

    time: float
    tokens: int | None


@dataclass(frozen=True)
class ToolUsed:
    """The agent read, changed or ran something: a path, as the agent wrote it, or a command. None: no exit code."""

    time: float
    kind: Literal["read", "edit", "run", "search", "list"]
    path: str = ""
    command: str = ""
    exit_code: int | None = None
    failed: bool = False
    """Whether it was declined or has failed: it may have done nothing."""
    part: bool = False
    """Whether only a part of the file was read, or may have been."""
    content: str = ""
    """What was written as the whole of an engram's file; of other files it is not told."""


@dataclass(frozen=True)
class CompactionStarted:
    """The agent's log says that it began to compact."""

    time: float
    trigger: Trigger = "unknown"


@dataclass(frozen=True)
class Compacted:
    """The agent replaced its context by a summary. `id` is the agent's own name for this compaction."""

    time: float
    id: str
    before: int | None = None
    after: int | None = None
    trigger: Trigger = "unknown"
    mid_turn: bool = False
    evidence: str = ""
    """The kind of record that says so."""


@dataclass(frozen=True)
class CompactionFailed:
    """A compaction was begun and did not happen."""

    time: float
    reason: Literal["failed", "cancelled"]
    trigger: Trigger = "unknown"


@dataclass(frozen=True)
class LogRead:
    """What can't be taken from the log as it should: counts of lines since it was opened."""

    time: float
    skipped: int = 0
    """Lines too long to be read."""
    unreadable: int = 0
    from_middle: bool = False
    """The log was too large to be read from its start: counts are of its last part."""
    unknown_format: bool = False
    """Many lines, and none of a kind that is known."""


@dataclass(frozen=True)
class InjectionChanged:
    """An injection moved to another state. `reason` is a catalogue key, empty where the state says all."""

    time: float
    id: str
    occasion: Occasion
    state: InjectionState
    reason: str = ""
    channel: Channel = "stdin"


@dataclass(frozen=True)
class RecitalJudged:
    """What the agent read back was compared with engram and state, or a person has said how it was."""

    time: float
    id: str
    """Of the restore that it answers."""
    verdict: Verdict
    said: str
    """The agent's words, without secrets; shortened."""
    by: Judge = "comparison"
    missing: tuple[str, ...] = ()
    """What of engram and state was not in them, or what in them contradicts a taboo: catalogue keys."""
    turn: str = ""
    """In which turn it was read back, where that is not the one that runs or ran last."""


@dataclass(frozen=True)
class EngramTaken:
    """An engram from the agent's final message was judged; findings are counted, not named."""

    time: float
    outcome: Literal["stored", "same", "sent-back", "refused", "persons-stays", "found-stays"]
    errors: int = 0


@dataclass(frozen=True)
class BreakerReset:
    """A person has said that restores are to go on after a storm of compactions."""

    time: float


@dataclass(frozen=True)
class MemoryRead:
    """The memory on disk was read, at the start or because a file changed."""

    time: float
    memory: Memory


@dataclass(frozen=True)
class NoticeRaised:
    """Something the person should know: a catalogue key and its values, one line what, one what to do."""

    time: float
    key: str
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class NoticeCleared:
    """A notice no longer applies."""

    time: float
    key: str


Event = (
    AgentStarted
    | AgentExited
    | AgentStateReported
    | ActivitySeen
    | ConversationIdentified
    | TurnStarted
    | TurnEnded
    | UserMessageRecorded
    | AgentMessageRecorded
    | ContextRecorded
    | TurnTakenBack
    | HookHeard
    | TokensReported
    | WindowReported
    | CompactionLimitKnown
    | ToolUsed
    | CompactionStarted
    | Compacted
    | CompactionFailed
    | LogRead
    | InjectionChanged
    | RecitalJudged
    | EngramTaken
    | BreakerReset
    | MemoryRead
    | NoticeRaised
    | NoticeCleared
)
