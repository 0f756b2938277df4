"""What the command that sends a text makes of what its session says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentsup.cli import sent_text, sessions
from agentsup.cli.commands.inject import _Report
from agentsup.cli.sent_text import SentText, Standing, standing_of
from agentsup.core import events as ev
from agentsup.core.occasion import as_written
from agentsup.core.problems import UsageProblem
from agentsup.core.session import Agent, Session, apply
from agentsup.locale import load
from agentsup.protocol import messages as m

OCCASION = "inject:zzzzzz"
FOUND = sessions.Found(Path("/none"), sessions.Record("abc", "demo", "/p", 1.0, 1, 2, []))
EMPTY = Session("abc", "/p", Agent("demo"))


def after(*states: tuple[str, str, ev.InjectionState, str], session: Session = EMPTY) -> Session:
    """Return the session after injections that went through these states: id, occasion, state, reason."""
    for number, (id, occasion, state, reason) in enumerate(states):
        session = apply(session, ev.InjectionChanged(float(number), id, as_written(occasion), state, reason))
    return session


def mine(state: ev.InjectionState, reason: str = "") -> tuple[str, str, ev.InjectionState, str]:
    return ("mine01", OCCASION, state, reason)


def other(state: ev.InjectionState, reason: str = "") -> tuple[str, str, ev.InjectionState, str]:
    return ("other1", "compaction:c:1", state, reason)


def test_it_is_the_newest_one_or_was_so_or_waits_behind_it() -> None:
    def stands(*states: tuple[str, str, ev.InjectionState, str]) -> Standing | None:
        return standing_of(after(*states), "mine01")

    assert stands() is None
    assert stands(other("confirmed")) is None
    assert stands(mine("held", "injection.draft")) == Standing("held", "injection.draft")
    assert stands(mine("confirmed"), other("held", "injection.draft")) == Standing("confirmed")
    assert stands(other("held", "injection.draft")) == Standing("queued", "injection.draft", behind=True)
    assert stands(other("held"), mine("failed", "injection.blocked"), other("queued")) == Standing(
        "failed", "injection.blocked"
    )


def test_one_that_is_queued_behind_another_says_why_that_one_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = after(other("held", "injection.draft"), mine("queued"))
    assert standing_of(waits, "mine01") == Standing("queued", "injection.draft", behind=True)
    assert standing_of(after(other("submitted"), mine("queued")), "mine01") == Standing("queued")
    Host(monkeypatch, waits, after(mine("confirmed"), session=waits))
    report = _Report(load("en"), "mine01")
    told: list[str] = []
    monkeypatch.setattr(report, "line", lambda key, **values: told.append(load("en").text(key, **values)))
    SentText(FOUND, "mine01").follow(20.0, report.changed)
    assert told == ["waits behind another text: you have a draft: after Enter"]


def test_what_has_not_ended_stands_where_the_session_says_however_much_has_happened_since() -> None:
    waits = after(mine("held", "injection.draft"), *(other("failed") for _ in range(200)))
    assert standing_of(waits, "mine01") == Standing("held", "injection.draft")


class Host:
    """Answers with one session after the other; None: it is not there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: Session | None) -> None:
        self.answers = list(answers)
        self.asked: list[m.ClientMessage] = []
        monkeypatch.setattr(sessions, "ask", self._ask)
        monkeypatch.setattr(sent_text, "POLL", 0.0)

    def _ask(self, found: sessions.Found, request: m.ClientMessage) -> m.HostMessage:
        self.asked.append(request)
        if isinstance(request, m.InjectionChoice):
            return m.Outcome(True)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer is None:
            raise UsageProblem("session.silent", name="abc")
        return m.SessionChanged(answer)


def test_every_change_is_told_once_until_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [mine("queued"), mine("held", "injection.draft"), mine("writing"), mine("submitted"), mine("confirmed")]
    sessions_seen = [after(*steps[:number]) for number in range(1, 6) for _ in range(3)]
    host = Host(monkeypatch, *sessions_seen)
    told: list[Standing] = []
    assert SentText(FOUND, "mine01").follow(20.0, told.append) == Standing("confirmed")
    assert len(host.asked) == 13, "nobody is asked after its end"
    assert [standing.state for standing in told] == ["held", "writing", "submitted", "confirmed"]


def test_a_host_that_is_gone_for_a_moment_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    Host(monkeypatch, after(mine("writing")), None, None, EMPTY, EMPTY, after(mine("confirmed")))
    assert SentText(FOUND, "mine01").follow(20.0, lambda _: None) == Standing("confirmed")


def test_one_that_knows_nothing_of_it_has_lost_it_unless_it_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sent_text, "HOST_PATIENCE", 0.02)
    Host(monkeypatch, after(mine("held", "injection.draft")), EMPTY)
    assert SentText(FOUND, "mine01").follow(20.0, lambda _: None) == Standing("unknown")
    Host(monkeypatch, after(mine("submitted")), EMPTY)
    assert SentText(FOUND, "mine01").follow(20.0, lambda _: None) == Standing("submitted")


def test_after_its_time_it_is_as_it_was_last_and_can_be_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    held = after(mine("held", "injection.draft"))
    host = Host(monkeypatch, held)
    text = SentText(FOUND, "mine01")
    assert text.follow(0.0, lambda _: None) == Standing("held", "injection.draft")
    host.answers = [after(mine("dropped"), session=replace(held))]
    assert text.take_back() == Standing("dropped")
    assert m.InjectionChoice("mine01", "drop") in host.asked
