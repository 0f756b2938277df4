"""Rounds as the fold of what happens: one for each turn that the agent was asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core import events as ev
from agentsup.core.memory.model import Document, Memory
from agentsup.core.rounds import Judged, Place, Round, Rounds, after
from agentsup.core.session import Agent, Session, apply

ENGRAM = "[Task] Ship the parser\n[Progress] Wrote lex().\n[Pending] parse() in a.py\n[Taboo] x: because\n"
RESTORE = f"Restored from disk by agentsup (restore bcdfgh, number 1): no new instruction.\n\n{ENGRAM}"
SHA = "0123456789abcdef" * 4


@dataclass
class Following:
    """A session and its rounds; each event stands in a line of its own, ten bytes long."""

    session: Session = field(default_factory=lambda: Session("abcde", "/project", Agent("codex")))
    rounds: Rounds = Rounds()
    told: list[Round | Judged] = field(default_factory=list)
    lines: int = 0

    def __post_init__(self) -> None:
        memory = Memory(engram=Document(".agent/engram.md", ENGRAM, sha=SHA))
        self.take(ev.AgentStarted(1, 7), ev.MemoryRead(1, memory), ev.ConversationIdentified(1, "c1", "/log"))

    def take(self, *events: ev.Event) -> Following:
        for event in events:
            self.session = apply(self.session, event)
            place = Place("/log", 10 * self.lines)
            self.rounds, told = after(self.rounds, event, self.session, at=place, count=len)
            self.told += told
            self.lines += 1
        return self

    def turn(self, number: int, *events: ev.Event) -> Following:
        name = f"t{number}"
        start = 10.0 * number
        return self.take(ev.TurnStarted(start, name), *events, ev.TurnEnded(start + 5, name, "done"))

    @property
    def ended(self) -> list[Round]:
        return [each for each in self.told if isinstance(each, Round)]


def test_a_round_is_a_turn_with_what_stood_around_it() -> None:
    following = Following().take(ev.TokensReported(2, 9_000, 200_000))
    asked = following.lines + 1
    following.turn(
        1, ev.UserMessageRecorded(10, "go"), ev.UserMessageRecorded(11, "more"), ev.AgentMessageRecorded(12, "first"),
        ev.AgentMessageRecorded(13, "last"), ev.TokensReported(14, 12_000, 200_000),
    )  # fmt: skip
    assert following.ended == [
        Round(
            0, 10.0, 9_000, 12_000, 200_000, engram=SHA[:12], input_ref=Place("/log", 10 * asked),
            output_ref=Place("/log", 10 * (asked + 3)), conversation="c1", turn="t1",
        )
    ]  # fmt: skip


def test_a_turn_that_says_nothing_refers_to_its_own_lines() -> None:
    following = Following()
    start = following.lines
    (found,) = following.turn(1).ended
    assert (found.input_ref, found.output_ref) == (Place("/log", 10 * start), Place("/log", 10 * (start + 1)))


def test_a_turn_of_the_agents_own_is_none() -> None:
    assert Following().take(ev.TurnStarted(2, "t", asked=False), ev.TurnEnded(3, "t")).told == []


def test_only_its_own_end_ends_a_round() -> None:
    following = Following().take(ev.TurnStarted(2, "t1"), ev.TurnEnded(3, "other"))
    assert following.told == []
    assert [each.turn for each in following.take(ev.TurnEnded(4, "")).ended] == ["t1"]


@pytest.mark.parametrize(
    "end",
    [ev.TurnStarted(5, "t2"), ev.AgentExited(5, 0, None), ev.ConversationIdentified(5, "c2", "/other")],
    ids=["another turn", "the agent's end", "another conversation"],
)
def test_what_nobody_ends_is_ended_by_what_comes_next(end: ev.Event) -> None:
    (found,) = Following().take(ev.TurnStarted(2, "t1"), end).ended
    assert (found.turn, found.conversation, found.output_ref) == ("t1", "c1", None)


def test_a_log_that_is_read_again_begins_a_round_again() -> None:
    following = Following().take(ev.TurnStarted(2, "t1"), ev.ConversationIdentified(3, "c1", "/log"))
    assert following.told == []
    following.take(ev.TurnStarted(2, "t1"), ev.TurnEnded(4, "t1"))
    assert [each.turn for each in following.ended] == ["t1"]


def test_what_was_restored_stays_until_the_agent_compacts() -> None:
    following = Following()
    following.turn(1)
    following.turn(2, ev.UserMessageRecorded(20, RESTORE))
    following.turn(3, ev.ToolUsed(31, "run", command="bash -lc 'agentsup recall op-017 && agentsup recall d-x'"))
    following.turn(4, ev.Compacted(41, "w1", 190_000, 20_000, "auto"))
    following.take(ev.Compacted(49, "w2", trigger="manual"), ev.ContextRecorded(49, RESTORE))
    following.turn(5)
    following.turn(6)
    seen = [(each.strategy, each.trigger, each.injected_tokens, each.retrieved) for each in following.ended]
    assert seen == [
        ("none", "", 0, ()),
        ("engram", "", len(RESTORE), ()),
        ("both", "", 0, ("op-017", "d-x")),
        ("none", "auto", 0, ()),
        ("engram", "manual", len(RESTORE), ()),
        ("engram", "", 0, ()),
    ]


def test_a_text_of_ours_without_the_engram_is_only_counted() -> None:
    asking = "by agentsup (restore bcdfgh): write your engram now"
    (found,) = Following().turn(1, ev.UserMessageRecorded(10, asking)).ended
    assert (found.strategy, found.injected_tokens) == ("none", len(asking))
    (found,) = Following().turn(1, ev.UserMessageRecorded(10, ENGRAM)).ended
    assert (found.strategy, found.injected_tokens) == ("none", 0), "a person may paste it; that is not ours"


def test_secrets_are_no_ids() -> None:
    secret = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    (found,) = Following().turn(1, ev.ToolUsed(11, "run", command=f"agentsup recall {secret}")).ended
    assert (found.retrieved, found.strategy) == ((), "store")


def judged(verdict: ev.Verdict, *, by_person: bool = False) -> ev.RecitalJudged:
    return ev.RecitalJudged(1, "bcdfgh", verdict, "said", "person" if by_person else "comparison")


def test_a_verdict_belongs_to_the_round_in_which_it_was_read_back() -> None:
    following = Following().turn(1, ev.UserMessageRecorded(10, RESTORE), judged("wrong"))
    assert [(each.recite, each.strategy) for each in following.ended] == [("wrong", "engram+recite")]
    following.turn(2)
    following.take(judged("right", by_person=True), ev.TurnStarted(30, "t3"), judged("unclear"))
    assert following.told[2:] == [Judged("c1", "t1", "right"), Judged("c1", "t1", "unclear")]
    assert following.rounds.running is not None
    assert following.rounds.running.recite == ""
    assert [each.strategy for each in following.ended] == ["engram+recite"] * 2


def test_a_verdict_after_the_turn_belongs_to_it() -> None:
    following = Following().turn(1, ev.UserMessageRecorded(10, RESTORE)).take(judged("right"))
    assert following.told[1:] == [Judged("c1", "t1", "right")]
    (found,) = following.turn(2).ended[1:]
    assert (found.recite, found.strategy) == ("", "engram+recite")
    assert Following().take(judged("right")).told == [], "of no round at all"


def test_a_verdict_on_an_older_turn_belongs_to_that() -> None:
    following = Following().turn(1, ev.UserMessageRecorded(10, RESTORE)).turn(2)
    following.take(ev.TurnStarted(30, "t3"), replace(judged("right"), turn="t1"), judged("wrong"))
    assert following.told[2:] == [Judged("c1", "t1", "right"), Judged("c1", "t1", "wrong")]


TURNS = st.sampled_from(["a", "b", ""])
EVENTS = st.one_of(
    st.builds(ev.TurnStarted, st.just(5.0), TURNS, st.booleans()),
    st.builds(ev.TurnEnded, st.just(6.0), TURNS),
    st.builds(ev.UserMessageRecorded, st.just(5.0), st.sampled_from(["go", RESTORE])),
    st.builds(ev.ContextRecorded, st.just(5.0), st.sampled_from(["go", RESTORE])),
    st.builds(ev.TokensReported, st.just(5.0), st.integers(1, 9), st.just(10)),
    st.builds(ev.Compacted, st.just(5.0), st.sampled_from("xy")),
    st.builds(ev.RecitalJudged, st.just(5.0), st.sampled_from("ij"), st.just("right"), st.just("")),
    st.builds(ev.ConversationIdentified, st.just(5.0), st.sampled_from(["c1", "c2"]), st.just("/log")),
    st.just(ev.AgentExited(5, 0, None)),
)


@given(st.lists(EVENTS, max_size=40))
def test_every_turn_is_told_at_most_once_and_no_token_twice(events: list[ev.Event]) -> None:
    following = Following().take(*events)
    asked = [event for event in events if isinstance(event, ev.TurnStarted) and event.asked]
    assert len(following.ended) + (following.rounds.running is not None) <= len(asked)
    ours = [
        event for event in events
        if isinstance(event, ev.UserMessageRecorded | ev.ContextRecorded) and event.text == RESTORE
    ]  # fmt: skip
    assert sum(each.injected_tokens for each in following.ended) <= len(ours) * len(RESTORE)
