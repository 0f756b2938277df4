"""One session as one frozen value, and the fold that makes it from events.

Panels, `status`, the journal and the injector read nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, assert_never

from agentsup.core import continuity
from agentsup.core import events as ev
from agentsup.core import work as agents_work
from agentsup.core.continuity import Continuity
from agentsup.core.memory.model import Memory, Work
from agentsup.core.meter import Context
from agentsup.core.occasion import Occasion

Phase = Literal["starting", "idle", "working", "waiting-for-approval", "compacting", "exited", "unknown"]
PhaseSource = Literal["process", "report", "status-file", "title", "log", "screen"]
"""What the phase is known by: the process itself, or the best thing the agent has said."""


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
    occasion: Occasion
    state: ev.InjectionState
    reason: str = ""
    time: float = 0.0
    channel: ev.Channel = "stdin"


STANDING, STANDING_STUCK = "composer.ours", "composer.ours-stuck"
"""Notices of a text of ours that stands in the composer: one that may be sent as it is, and one that may not."""


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
class Log:
    """The agent's log: where it is, and what could not be taken from it."""

    path: str = ""
    skipped: int = 0
    unreadable: int = 0
    from_middle: bool = False
    unknown_format: bool = False


@dataclass(frozen=True)
class Session:
    """Everything known about a session now."""

    id: str
    project: str
    agent: Agent
    started: float = 0.0
    phase: Phase = "starting"
    phase_by: PhaseSource = "process"
    reported: ev.AgentState = "unknown"
    """What the agent last said of itself, and how."""
    reported_by: ev.StateSource = "report"
    compacting: PhaseSource | None = None
    """What says that the agent compacts now: its log or its screen; None when nothing does."""
    attempt: bool = False
    """A compaction was begun in this turn, and neither happened nor failed so far."""
    turn: str = ""
    """The running turn by the agent's log; empty when none runs."""
    turns: int = 0
    conversation: str = ""
    log: Log = Log()
    context: Context = Context()
    spent: ev.Spent | None = None
    usage: tuple[int, ...] = ()
    """The last used-token readings, oldest first, for the sparkline."""
    compactions: tuple[CompactionSeen, ...] = ()
    failed_compactions: int = 0
    injection: Injection | None = None
    """The newest."""
    unfinished: tuple[Injection, ...] = ()
    """Those that have not come to an end, in the order in which they last changed."""
    memory: Memory = Memory()
    work: Work = Work()
    loop: Continuity = Continuity()
    notices: tuple[Notice, ...] = ()


_USAGE_KEPT = 120
_UNFINISHED_KEPT = 20

_SCREEN_LAG = 2.0
"""Seconds for which the screen may still show a compaction that the log says is over."""


def apply(session: Session, event: ev.Event) -> Session:
    """Return the session after `event`."""
    folded = _apply(session, event)
    loop = continuity.after(session.loop, event, same_conversation=folded.conversation == session.conversation)
    return folded if loop is session.loop else replace(folded, loop=loop)


def _apply(session: Session, event: ev.Event) -> Session:
    match event:
        case ev.AgentStarted():
            return replace(
                _in_conversation(session, "", ""),
                agent=replace(session.agent, pid=event.pid, code=None, signal=None),
                phase="starting" if event.reports else "unknown",
                phase_by="process",
                reported="unknown",
                reported_by="title",
                injection=None,
                unfinished=(),
                started=session.started or event.time,
                turns=session.turns,
                usage=session.usage,
                compactions=session.compactions,
            )
        case ev.AgentExited():
            agent = replace(session.agent, code=event.code, signal=event.signal)
            return replace(session, agent=agent, phase="exited", phase_by="process", turn="", compacting=None)
        case ev.AgentStateReported():
            if event.by == "title" and session.reported_by != "title":
                return session
            return _with_phase(replace(session, reported=event.state, reported_by=event.by))
        case ev.ActivitySeen():
            return _with_activity(session, event)
        case ev.ConversationIdentified():
            if event.conversation == session.conversation:
                path = event.path or session.log.path
                return replace(session, log=session.log if path == session.log.path else Log(path))
            return _with_phase(_in_conversation(session, event.conversation, event.path))
        case ev.TurnStarted():
            turns = session.turns + event.asked
            return _with_phase(replace(session, turn=event.turn, turns=turns, compacting=None, attempt=False))
        case ev.TurnEnded():
            if event.turn not in ("", session.turn):
                return session
            work = agents_work.ended(session.work, event, session.memory)
            return _with_phase(replace(session, turn="", compacting=None, attempt=False, work=work))
        case ev.TokensReported() | ev.WindowReported() | ev.CompactionLimitKnown():
            return _with_context(session, event)
        case ev.CompactionStarted():
            return _with_phase(replace(session, compacting="log", attempt=True))
        case ev.Compacted():
            seen = CompactionSeen(event.id, event.time, event.before, event.after, event.trigger, event.mid_turn)
            # Until the next request nobody knows how much of the new context is prompt: what is known is stale.
            used = session.context.used if event.after is None else event.after
            context = replace(session.context, used=used, share=None, source="stale")
            compactions = (*session.compactions, seen)
            return _with_phase(
                replace(session, compactions=compactions, context=context, compacting=None, attempt=False)
            )
        case ev.CompactionFailed():
            failed = session.failed_compactions + 1
            return _with_phase(replace(session, failed_compactions=failed, compacting=None, attempt=False))
        case ev.LogRead():
            log = Log(
                session.log.path, event.skipped, event.unreadable, event.from_middle, event.unknown_format
            )  # fmt: skip
            return replace(session, log=log)
        case ev.InjectionChanged():
            return _with_injection(session, event)
        case ev.MemoryRead():
            work = agents_work.written(session.work, session.memory, event.memory)
            return replace(session, memory=event.memory, work=work)
        case ev.NoticeRaised():
            kept = tuple(notice for notice in session.notices if notice.key != event.key)
            return replace(session, notices=(*kept, Notice(event.key, event.values)))
        case ev.NoticeCleared():
            return replace(session, notices=tuple(n for n in session.notices if n.key != event.key))
        case ev.UserMessageRecorded():
            return replace(session, work=agents_work.requested(session.work, event.text))
        case ev.ToolUsed():
            return replace(session, work=agents_work.used(session.work, event, session.memory))
        case (
            ev.AgentMessageRecorded() | ev.ContextRecorded() | ev.TurnTakenBack() | ev.HookHeard() | ev.RecitalJudged()
            | ev.EngramTaken() | ev.BreakerReset()
        ):  # fmt: skip
            return session  # these are told to the loop alone
        case _:
            assert_never(event)


def _in_conversation(session: Session, conversation: str, path: str) -> Session:
    """Return the session in a conversation of which nothing is known yet."""
    return replace(
        session, conversation=conversation, log=Log(path), turn="", turns=0, context=Context(), spent=None,
        usage=(), compactions=(), failed_compactions=0, compacting=None, attempt=False, work=Work(),
    )  # fmt: skip


def _with_activity(session: Session, event: ev.ActivitySeen) -> Session:
    """Return the session with what the screen says; the log, where it says anything, says more."""
    if not event.compacting:
        return session if session.compacting == "log" else _with_phase(replace(session, compacting=None))
    # The log is quicker than the screen: this may be the last sight of a compaction that has just happened.
    recent = bool(session.compactions) and event.time - session.compactions[-1].time <= _SCREEN_LAG
    attempt = session.attempt or not recent
    return _with_phase(replace(session, compacting=session.compacting or "screen", attempt=attempt))


def standing(session: Session) -> str:
    """Return the id of a text of ours that stands in the composer and may be sent as it is; empty without one."""
    return next((dict(each.values).get("id", "") for each in session.notices if each.key == STANDING), "")


def _with_injection(session: Session, event: ev.InjectionChanged) -> Session:
    changed = Injection(event.id, event.occasion, event.state, event.reason, event.time, event.channel)
    others = tuple(each for each in session.unfinished if each.id != changed.id)
    is_over = changed.state in ("confirmed", "dropped")
    unfinished = others if is_over else (*others, changed)[-_UNFINISHED_KEPT:]
    return replace(session, injection=changed, unfinished=unfinished)


def failed_compaction(session: Session, event: ev.Event) -> ev.CompactionFailed | None:
    """Return what the end of a turn means for a compaction that was begun in it."""
    if not (isinstance(event, ev.TurnEnded) and session.attempt and event.turn in ("", session.turn)):
        return None
    return ev.CompactionFailed(event.time, "cancelled" if event.interrupted else "failed")


def _with_context(session: Session, event: ev.TokensReported | ev.WindowReported | ev.CompactionLimitKnown) -> Session:
    """Return the session with what an event says about its context."""
    context = session.context
    match event:
        case ev.WindowReported():
            return replace(session, context=replace(context, window=event.window))
        case ev.CompactionLimitKnown():
            return replace(session, context=replace(context, compacts_at=event.tokens))
        case ev.TokensReported():
            fresh = replace(
                context, used=event.used, window=event.window or context.window, source=event.source,
                share=event.share, at_least=event.at_least,
            )  # fmt: skip
            usage = session.usage
            if event.used is not None and (not usage or usage[-1] != event.used):
                usage = (*usage, event.used)[-_USAGE_KEPT:]
            return replace(session, context=fresh, usage=usage, spent=event.spent or session.spent)
        case _:
            assert_never(event)


def _with_phase(session: Session) -> Session:
    """Derive the phase from what the agent reports first, from its log second."""
    if session.phase == "exited":
        return session
    phase: Phase
    by: PhaseSource = session.reported_by
    match session.reported:
        case "blocked":
            phase = "waiting-for-approval"
        case "idle" | "done":
            phase = "idle"
        case _ if session.compacting is not None:
            phase, by = "compacting", session.compacting
        case "working":
            phase = "working"
        case _ if session.turn:
            phase, by = "working", "log"
        case _ if session.phase == "starting" and not session.conversation:
            phase, by = "starting", "process"
        case _ if session.phase == "compacting" and not session.conversation:
            # Its screen has said something once, and that is all there is to know.
            phase, by = "unknown", "process"
        case _:
            phase, by = "idle", "log"
    return replace(session, phase=phase, phase_by=by)
