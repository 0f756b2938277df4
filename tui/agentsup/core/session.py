"""One session as one frozen value, and the fold that makes it from events.

Panels, `status`, the journal and the injector read nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, assert_never

from agentsup.core import events as ev
from agentsup.core.memory import Memory
from agentsup.core.meter import Context

Phase = Literal["starting", "idle", "working", "waiting-for-approval", "compacting", "exited", "unknown"]


@dataclass(frozen=True)
class Agent:
    """The supervised program. `code`/`signal` say how it ended, both None while it runs."""

    name: str
    pid: int = 0
    version: str = ""
    code: int | None = None
    signal: int | None = None


@dataclass(frozen=True)
class Injection:
    """The newest injection, as the person sees it."""

    id: str
    occasion: str
    state: ev.InjectionState
    reason: str = ""
    time: float = 0.0


@dataclass(frozen=True)
class Notice:
    """Something the person should know: a catalogue key with its values."""

    key: str
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class CompactionSeen:
    """One compaction that happened."""

    id: str
    time: float
    before: int | None
    after: int | None
    trigger: ev.Trigger
    mid_turn: bool = False


@dataclass(frozen=True)
class Session:
    """Everything known about a session now."""

    id: str
    project: str
    agent: Agent
    started: float = 0.0
    phase: Phase = "starting"
    reported: ev.AgentState = "unknown"
    """What the agent last said of itself in-band."""
    turn: str = ""
    """The running turn by the agent's log; empty when none runs."""
    turns: int = 0
    conversation: str = ""
    log_path: str = ""
    context: Context = Context()
    usage: tuple[int, ...] = ()
    """The last used-token readings, oldest first, for the sparkline."""
    compactions: tuple[CompactionSeen, ...] = ()
    injection: Injection | None = None
    memory: Memory = Memory()
    notices: tuple[Notice, ...] = ()


_USAGE_KEPT = 120


def apply(session: Session, event: ev.Event) -> Session:
    """Return the session after `event`."""
    match event:
        case ev.AgentStarted():
            agent = replace(session.agent, pid=event.pid, code=None, signal=None)
            return replace(
                session,
                agent=agent,
                phase="starting" if event.reports else "unknown",
                reported="unknown",
                turn="",
                conversation="",
                log_path="",
                context=Context(),
                injection=None,
                started=session.started or event.time,
            )
        case ev.AgentExited():
            agent = replace(session.agent, code=event.code, signal=event.signal)
            return replace(session, agent=agent, phase="exited", turn="")
        case ev.AgentStateReported():
            return _with_phase(replace(session, reported=event.state))
        case ev.ConversationIdentified():
            if event.conversation == session.conversation:
                return replace(session, log_path=event.path or session.log_path)
            fresh = replace(
                session, conversation=event.conversation, log_path=event.path, turn="", turns=0,
                context=Context(), usage=(), compactions=(),
            )  # fmt: skip
            return _with_phase(fresh)
        case ev.TurnStarted():
            return _with_phase(replace(session, turn=event.turn, turns=session.turns + event.asked))
        case ev.TurnEnded():
            return _with_phase(replace(session, turn="" if event.turn in ("", session.turn) else session.turn))
        case ev.TokensReported():
            window = event.window or session.context.window
            context = Context(event.used, window, event.source)
            usage = session.usage
            if not usage or usage[-1] != event.used:
                usage = (*usage, event.used)[-_USAGE_KEPT:]
            return replace(session, context=context, usage=usage)
        case ev.Compacted():
            seen = CompactionSeen(event.id, event.time, event.before, event.after, event.trigger, event.mid_turn)
            context = replace(session.context, source="stale") if event.after is None else session.context
            return replace(session, compactions=(*session.compactions, seen), context=context)
        case ev.InjectionChanged():
            injection = Injection(event.id, event.occasion, event.state, event.reason, event.time)
            return replace(session, injection=injection)
        case ev.MemoryRead():
            return replace(session, memory=event.memory)
        case ev.NoticeRaised():
            kept = tuple(notice for notice in session.notices if notice.key != event.key)
            return replace(session, notices=(*kept, Notice(event.key, event.values)))
        case ev.NoticeCleared():
            return replace(session, notices=tuple(n for n in session.notices if n.key != event.key))
        case ev.UserMessageRecorded() | ev.ToolUsed() | ev.CompactionFailed():
            return session
        case _:
            assert_never(event)


def _with_phase(session: Session) -> Session:
    """Derive the phase from the agent's report first, its log second."""
    phase: Phase
    if session.phase == "exited":
        return session
    if session.reported == "blocked":
        phase = "waiting-for-approval"
    elif session.reported == "working":
        phase = "working"
    elif session.reported in ("idle", "done"):
        phase = "idle"
    elif session.turn:
        phase = "working"
    else:
        phase = session.phase if session.phase == "starting" and not session.conversation else "idle"
    return replace(session, phase=phase)
