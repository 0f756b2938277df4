"""Any session there can be, for properties of what is drawn of it."""

from __future__ import annotations

from hypothesis import strategies as st

from agentsup.core.events import Spent
from agentsup.core.meter import Context
from agentsup.core.occasion import as_written
from agentsup.core.session import Agent, CompactionSeen, Injection, Log, Notice, Session

_tokens = st.integers(-10, 3_000_000)
_maybe = st.none() | _tokens
_times = st.floats(0, 2e9)
_words = st.text(max_size=12) | st.sampled_from(
    ["restore", "restore:x", "restore #1\nnext", "恢复上下文的文本", "[red]"]
)
_triggers = st.sampled_from(["auto", "manual", "unknown"])
_sources = st.sampled_from(["exact", "estimate", "stale", "unknown"])
_states = st.sampled_from(["queued", "held", "writing", "submitted", "confirmed", "failed", "dropped"])
_phases = st.sampled_from(
    ["starting", "idle", "working", "waiting-for-approval", "compacting", "exited", "unknown"]
)  # fmt: skip
_phase_sources = st.sampled_from(["process", "report", "status-file", "title", "log", "screen"])
_reasons = st.sampled_from(["", "injection.draft", "injection.unseen", "no.such.key"])

_contexts = st.builds(
    Context, used=_maybe, window=_maybe, source=_sources, share=st.none() | st.floats(), compacts_at=_maybe,
    at_least=st.booleans(),
)  # fmt: skip
_compactions = st.builds(
    CompactionSeen, id=_words, time=_times, before=_maybe, after=_maybe, trigger=_triggers, mid_turn=st.booleans()
)
_logs = st.builds(
    Log, path=_words, skipped=st.integers(0, 10**6), unreadable=st.integers(0, 10**6), from_middle=st.booleans(),
    unknown_format=st.booleans(),
)  # fmt: skip
_injections = st.builds(
    Injection, id=_words, occasion=_words.map(as_written), state=_states, reason=_reasons, time=_times
)


def sessions() -> st.SearchStrategy[Session]:
    """Return all sessions."""
    return st.builds(
        Session,
        id=_words,
        project=_words,
        agent=st.builds(Agent, name=st.sampled_from(["codex", "claude"]) | _words, pid=st.integers(0, 1 << 22)),
        phase=_phases,
        phase_by=_phase_sources,
        turns=st.integers(0, 10**9),
        log=_logs,
        context=_contexts,
        spent=st.none() | st.builds(Spent, input=_tokens, cached=_tokens, output=_tokens),
        usage=st.lists(_tokens, max_size=120).map(tuple),
        compactions=st.lists(_compactions, max_size=3).map(tuple),
        failed_compactions=st.integers(0, 1000),
        injection=st.none() | _injections,
        notices=st.lists(st.builds(Notice, key=_words), max_size=2).map(tuple),
    )
