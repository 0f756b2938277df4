"""A clock that nobody sets, and what is history by the other one."""

from __future__ import annotations

import time

import pytest

from agentsup.host import clock, peers
from tests.host.set_back import set_back


def test_it_tells_the_systems_time_and_goes_on_where_that_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    # As in a process that has just begun: the machine's own clock may be corrected while the tests run.
    monkeypatch.setattr(clock, "_BEGAN", time.time() - peers.clock())
    before = clock.now()
    assert abs(before - time.time()) < 1.0
    set_back(monkeypatch, 3600.0)
    assert before <= clock.now() < before + 60.0
    assert abs(clock.at(time.time()) - clock.now()) < 1.0
    assert abs(clock.told(clock.now()) - time.time()) < 1.0
    assert clock.told(clock.at(17.5)) == pytest.approx(17.5, abs=1e-3)


def test_what_happens_after_the_clock_was_set_back_is_news_and_old_lines_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    since = time.time()
    assert clock.is_old(since - 1.0, since, caught_up=True)  # nobody has set it back: a copy of old lines
    assert not clock.is_old(since, since, caught_up=False)
    set_back(monkeypatch, 3600.0)
    assert not clock.is_old(time.time(), since, caught_up=True)
    assert clock.is_old(time.time(), since, caught_up=False)
    for far in (-clock.LAG - 1, clock.LAG + 1):
        assert clock.is_old(time.time() + far, since, caught_up=True)
