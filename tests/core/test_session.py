"""The session as the fold of its events."""

from __future__ import annotations

import pytest

from agentsup.core import events as ev
from agentsup.core.meter import Context, codex_percent_left
from agentsup.core.session import Agent, Session, apply

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
