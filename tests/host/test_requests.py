"""What clients ask for reaches the part that it is for, once."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import pytest

from agentsup.core.session import Agent, Session
from agentsup.host.requests import Requests
from agentsup.protocol import messages as m


def test_an_engram_that_was_saved_is_for_the_loop_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[m.EngramSaved] = []

    def saved(message: m.EngramSaved) -> m.Outcome:
        told.append(message)
        return m.Outcome(True)

    # No injections: what is to be done about what waits, the loop knows.
    supervisor: Any = SimpleNamespace(loop=SimpleNamespace(engram_saved=saved))
    nothing: Any = SimpleNamespace()
    requests = Requests(
        nothing, supervisor, nothing, nothing, on_seen=lambda: None, on_announced=lambda *_: None
    )  # fmt: skip
    monkeypatch.setattr(requests, "_is_agent", lambda _: False)
    message = m.EngramSaved("0" * 64)
    assert requests._decide(nothing, message) == m.Outcome(True)
    assert told == [message]


DECISIONS = (
    m.StopRequest(), m.RestartRequest(), m.InjectionChoice("bcdfgh", "accept"), m.TrustAnnounced("k", ("0" * 64,)),
    m.InjectRequest("text", "run it"), m.EngramSaved("0" * 64), m.RecitalAnswered("bcdfgh", True), m.BreakerClosed(),
)  # fmt: skip


@pytest.mark.parametrize("message", DECISIONS, ids=lambda message: type(message).__name__)
def test_without_its_keeper_nobody_is_known_to_be_a_person(monkeypatch: pytest.MonkeyPatch, message: Any) -> None:
    done: list[str] = []

    class Anything:
        """Does whatever it is asked to."""

        def __getattr__(self, name: str) -> Any:
            def called(*_: object) -> m.Outcome:
                done.append(name)
                return m.Outcome(True)

            return called

    anything: Any = Anything()
    supervisor: Any = SimpleNamespace(loop=anything, injections=anything)
    requests = Requests(
        anything, supervisor, anything, anything, on_seen=lambda: None, on_announced=lambda *_: done.append("announced")
    )  # fmt: skip
    monkeypatch.setattr(requests, "_is_agent", lambda _: False)
    monkeypatch.setattr(requests, "_is_of_an_interface", lambda _: True)
    monkeypatch.setattr(os, "getppid", lambda: 1)
    outcome = requests._decide(anything, message)
    if isinstance(message, m.StopRequest):
        assert (outcome, done) == (m.Outcome(True), ["stop"])
    else:
        assert (outcome, done) == (m.Outcome(False, "guard.no-keeper"), [])


def test_an_interface_knows_the_session_before_it_sees_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    class Noting:
        """Notes what is called."""

        def __getattr__(self, name: str) -> Any:
            return lambda *_, **__: said.append(name)

    supervisor: Any = SimpleNamespace(session=Session("abcde", "/p", Agent("demo")))
    noting: Any = Noting()
    requests = Requests(
        noting, supervisor, noting, noting, on_seen=lambda: None, on_announced=lambda *_: None
    )  # fmt: skip
    monkeypatch.setattr(requests, "_is_agent", lambda _: False)
    monkeypatch.setattr(requests, "_take_size", lambda _: None)
    requests.clients = noting
    requests.take(SimpleNamespace(role=""), m.Hello(m.VERSION, "ui"))  # type: ignore[arg-type]
    assert said == ["send", "settle", "session_changed", "damaged"]
