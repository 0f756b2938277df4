"""The session as the fold of its events."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsup.core import events as ev
from agentsup.core.breaker import Breaker
from agentsup.core.continuity import Continuity
from agentsup.core.meter import Context, codex_percent_left
from agentsup.core.occasion import Occasion, as_written
from agentsup.core.session import Agent, Injection, Log, Session, apply, failed_compaction
from agentsup.core.shown_injection import shown_injection, undecided

START = Session("abcde", "/project", Agent("codex"))


def fold(*events: ev.Event) -> Session:
    session = START
    for event in events:
        session = apply(session, event)
    return session


def test_the_phase_follows_the_report_before_the_log() -> None:
    assert fold(ev.AgentStarted(1, 7)).phase == "starting"
    assert fold(ev.AgentStateReported(1, "idle")).phase == "idle"
    assert fold(ev.TurnStarted(1, "t")).phase == "working"
    assert fold(ev.TurnStarted(1, "t"), ev.AgentStateReported(2, "blocked")).phase == "waiting-for-approval"
    assert fold(ev.TurnStarted(1, "t"), ev.TurnEnded(2, "t")).phase == "idle"
    done = fold(ev.AgentStateReported(1, "working"), ev.AgentExited(2, 3, None))
    assert (done.phase, done.agent.code) == ("exited", 3)
    assert apply(done, ev.AgentStateReported(3, "idle")).phase == "exited"
    again = apply(done, ev.AgentStarted(4, 9))
    assert (again.phase, again.agent.pid, again.agent.code) == ("starting", 9, None)


def test_only_its_own_end_ends_a_turn() -> None:
    assert fold(ev.TurnStarted(1, "t"), ev.TurnEnded(2, "other")).turn == "t"


def test_usage_and_its_source() -> None:
    session = fold(ev.TokensReported(1, 5_000, 38_000))
    assert session.context == Context(5_000, 38_000, "exact")
    session = apply(session, ev.Compacted(2, "w1", 5_000))
    assert session.context.source == "stale"
    session = apply(session, ev.TokensReported(3, 800, None, "estimate"))
    assert session.context == Context(800, 38_000, "estimate")
    assert session.usage == (5_000, 800)
    assert [seen.id for seen in session.compactions] == ["w1"]


def test_another_conversation_has_its_own_figures() -> None:
    session = fold(
        ev.ConversationIdentified(1, "a", "/a"), ev.TurnStarted(2, "t"), ev.TokensReported(2, 5, 10),
        ev.Compacted(3, "w"), ev.ConversationIdentified(4, "b", ""),
    )  # fmt: skip
    assert (session.context, session.turn, session.turns, session.compactions) == (Context(), "", 0, ())
    assert session.usage == ()
    assert apply(session, ev.ConversationIdentified(5, "b", "/b")).log.path == "/b"


def test_a_notice_stands_once_until_it_is_cleared() -> None:
    session = fold(ev.NoticeRaised(1, "a"), ev.NoticeRaised(2, "b"), ev.NoticeRaised(3, "a", (("x", "1"),)))
    assert [(n.key, n.values) for n in session.notices] == [("b", ()), ("a", (("x", "1"),))]
    assert [n.key for n in apply(session, ev.NoticeCleared(4, "b")).notices] == ["a"]


def test_a_window_smaller_than_the_usage_gives_no_fraction() -> None:
    assert Context(100, 50).fraction is None
    assert Context(100, None).fraction is None
    assert Context(50, 100).fraction == 0.5


@pytest.mark.parametrize(
    ("used", "left"),
    [(12_000, 100), (12_500, 98), (13_000, 96), (20_000, 69), (30_000, 31), (35_000, 12), (37_999, 0)],
)
def test_codexs_own_percentage(used: int, left: int) -> None:
    """Measured with the real Codex and a window of 38,000."""
    assert codex_percent_left(Context(used, 38_000)) == left
    assert codex_percent_left(Context(used, 12_000)) == 0


def test_a_title_says_what_the_agent_does_only_where_nothing_better_does() -> None:
    started = fold(ev.AgentStarted(1, 7), ev.AgentStateReported(2, "working", by="title"))
    assert (started.phase, started.phase_by) == ("working", "title")
    said = apply(started, ev.AgentStateReported(3, "blocked", by="status-file"))
    assert (said.phase, said.phase_by) == ("waiting-for-approval", "status-file")
    assert apply(said, ev.AgentStateReported(4, "idle", by="title")) == said
    assert apply(said, ev.AgentStarted(5, 8)).reported_by == "title"


def test_an_agent_without_a_log_is_only_known_to_run() -> None:
    running = fold(ev.AgentStarted(1, 7, reports=False))
    assert running.phase == "unknown"
    compacting = apply(running, ev.ActivitySeen(2, True))
    assert compacting.phase == "compacting"
    assert apply(compacting, ev.ActivitySeen(3, False)).phase == "unknown"


def test_the_phase_compacting_and_what_it_is_known_by() -> None:
    working = fold(ev.AgentStateReported(1, "working"), ev.TurnStarted(1, "t"))
    seen = apply(working, ev.ActivitySeen(2, True))
    assert (seen.phase, seen.phase_by) == ("compacting", "screen")
    assert apply(seen, ev.ActivitySeen(3, False)).phase == "working"
    told = apply(working, ev.CompactionStarted(2))
    assert (told.phase, told.phase_by) == ("compacting", "log")
    assert apply(told, ev.ActivitySeen(3, False)).phase == "compacting"
    assert apply(told, ev.Compacted(3, "w")).phase == "working"
    assert apply(told, ev.AgentStateReported(3, "blocked")).phase == "waiting-for-approval"
    assert apply(told, ev.AgentStateReported(3, "idle")).phase == "idle"


@pytest.mark.parametrize("begun", [ev.ActivitySeen(2, True), ev.CompactionStarted(2)])
def test_a_compaction_that_was_begun_and_did_not_happen(begun: ev.Event) -> None:
    session = fold(ev.TurnStarted(1, "t"), begun)
    end = ev.TurnEnded(9, "t", interrupted=True)
    assert failed_compaction(session, end) == ev.CompactionFailed(9, "cancelled")
    assert failed_compaction(session, ev.TurnEnded(9, "t")) == ev.CompactionFailed(9, "failed")
    assert failed_compaction(session, ev.TurnEnded(9, "another")) is None
    assert failed_compaction(apply(session, ev.Compacted(3, "w")), end) is None
    assert failed_compaction(fold(ev.TurnStarted(1, "t")), end) is None
    failed = apply(session, ev.CompactionFailed(9, "cancelled"))
    assert (failed.failed_compactions, failed.compactions, failed.attempt) == (1, (), False)


def test_the_last_sight_of_a_compaction_that_has_happened_is_no_second_one() -> None:
    done = fold(ev.TurnStarted(1, "t"), ev.Compacted(100, "w"), ev.ActivitySeen(101, True))
    assert failed_compaction(done, ev.TurnEnded(102, "t")) is None
    later = fold(ev.TurnStarted(1, "t"), ev.Compacted(100, "w"), ev.ActivitySeen(103, True))
    assert failed_compaction(later, ev.TurnEnded(104, "t")) is not None


def test_more_than_the_window_holds_is_a_wrong_window_and_no_share() -> None:
    context = fold(ev.TokensReported(1, 470_000, 100_000)).context
    assert (context.window_wrong, context.fraction) == (True, None)
    assert not fold(ev.TokensReported(1, 100_000, 100_000)).context.window_wrong


def test_the_window_and_the_limit_may_come_by_themselves() -> None:
    session = fold(ev.WindowReported(1, 1_000_000), ev.CompactionLimitKnown(1, 967_000))
    assert (session.context.used, session.context.fraction, session.context.until_compaction) == (None, None, None)
    session = apply(session, ev.TokensReported(2, 960_000, None))
    assert (session.context.fraction, session.context.until_compaction) == (0.96, 7_000)
    assert apply(session, ev.TokensReported(2, 970_000, None)).context.until_compaction == 0
    assert apply(session, ev.Compacted(3, "w", 970_000, 3_000)).context.until_compaction is None


def test_a_share_without_figures() -> None:
    context = fold(ev.TokensReported(1, None, None, "estimate", share=0.42)).context
    assert (context.used, context.fraction, context.source) == (None, 0.42, "estimate")


def test_what_the_log_could_not_give() -> None:
    session = fold(ev.ConversationIdentified(1, "a", "/a"), ev.LogRead(2, 1, 3, True))
    assert session.log == Log("/a", 1, 3, True)
    assert apply(session, ev.ConversationIdentified(3, "a", "/a")).log == session.log
    assert apply(session, ev.ConversationIdentified(3, "b", "/b")).log == Log("/b")


def test_one_that_waits_stays_in_sight_while_others_come_and_go() -> None:
    session = START
    for id, state in (("a", "held"), ("b", "queued"), ("b", "submitted"), ("b", "confirmed")):
        session = apply(session, ev.InjectionChanged(1.0, id, as_written(f"inject:{id}"), state))  # type: ignore[arg-type]
        shown = shown_injection(session)
        assert shown is not None
        assert (undecided(session) or shown).id == "a"
        assert shown.id == ("a" if state in ("held", "confirmed") else "b")
    session = apply(session, ev.InjectionChanged(2.0, "c", as_written("compaction:c:1"), "failed"))
    assert [each.id for each in session.unfinished] == ["a", "c"]
    session = apply(session, ev.InjectionChanged(3.0, "c", as_written("compaction:c:1"), "dropped"))
    session = apply(session, ev.InjectionChanged(4.0, "a", as_written("inject:a"), "confirmed"))
    assert (session.unfinished, undecided(session)) == ((), None)
    assert shown_injection(session) == session.injection
    waiting = apply(session, ev.InjectionChanged(5.0, "d", as_written("inject:d"), "held"))
    assert apply(waiting, ev.AgentStarted(6.0, 8)).unfinished == ()


def test_an_open_breaker_also_keeps_what_a_hook_would_fetch() -> None:
    waits = Injection("k3f2ab", Occasion("compaction", "c", "1"), "held", "injection.waits-for-hook", channel="hook")
    session = Session("s", "/p", Agent("codex"), injection=waits, unfinished=(waits,))
    assert shown_injection(session) == waits
    stormy = replace(session, loop=Continuity(breaker=Breaker(in_a_row=3)))
    assert stormy.loop.breaker.is_open
    for found in (shown_injection(stormy), undecided(stormy)):
        assert found == replace(waits, reason="injection.breaker")
