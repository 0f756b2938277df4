"""What hooks get: once, paired with its compaction whichever comes first, and never typed as well."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsup.core import injector as inj
from agentsup.core.occasion import as_written
from tests.core.injector.given import GOOD, TEXT, kinds, order, told

HOOKED = order("abc123", "compaction:one:1", channel="hook")
AHEAD = order("hook01", "compaction:one:hook-hook01", channel="hook")


def call(source: str = "compact", event: str = "SessionStart", *, now: float = 101.0, **more: bool) -> inj.Call:
    return inj.Call(event, source, "one", now, **more)


def handed(injector: inj.Injector, called: inj.Call, fresh: inj.Order | None = None) -> tuple[inj.Injector, list[str]]:
    (injector, commands), orders = inj.handed_out(injector, called, lambda: fresh)
    said = [entry for entry in told(commands) if entry[1] != "dropped"]
    assert [entry[:2] for entry in said] == [(each.id, "submitted") for each in orders]
    events = [c.event for c in commands if isinstance(c, inj.Announce)]
    assert all(event.channel == "hook" for event in events)
    return injector, [each.id for each in orders]


def waiting(taken: inj.Order = HOOKED) -> inj.Injector:
    return inj.enqueue(inj.Injector(), taken, 100.0)[0]


def test_a_restore_waits_for_its_hook_goes_out_once_and_is_confirmed_by_the_log() -> None:
    injector, commands = inj.enqueue(inj.Injector(), HOOKED, 100.0)
    assert told(commands) == [("abc123", "held", "injection.waits-for-hook")]
    assert kinds(inj.observe(injector, GOOD)[1]) == []  # nothing is typed meanwhile
    injector, ids = handed(injector, call())
    assert ids == ["abc123"]
    assert handed(injector, call())[1] == []
    assert handed(injector, call("", "UserPromptSubmit"))[1] == []
    injector, commands = inj.recorded(injector, f"context: {TEXT}", 102.0)
    assert told(commands) == [("abc123", "confirmed", "")]
    assert injector.hooked == ()


def test_a_hook_that_runs_before_the_record_is_paired_with_it() -> None:
    injector, ids = handed(inj.Injector(), call(), AHEAD)
    assert ids == ["hook01"]
    assert handed(injector, call(now=102.0), order("hook02", "x"))[1] == []  # the same hook, called twice
    paired = inj.paired(injector, as_written("compaction:one:1"), 101.4, 101.6)
    assert paired is not None
    injector, commands = paired
    assert [c.event.occasion.written for c in commands if isinstance(c, inj.Announce)] == ["compaction:one:1"]
    assert inj.enqueue(injector, HOOKED, 102.0) == (injector, ())  # served
    assert inj.paired(injector, as_written("compaction:one:2"), 102.0, 102.0) is None  # one each


def test_what_was_confirmed_before_the_record_of_a_compaction_is_not_its_restore() -> None:
    injector, _ = handed(inj.Injector(), call(), AHEAD)
    injector, _ = inj.recorded(injector, AHEAD.text, 101.2)
    assert inj.paired(injector, as_written("compaction:one:1"), 101.4, 101.6) is None
    injector, commands = inj.enqueue(injector, HOOKED, 101.6)
    assert told(commands) == [("abc123", "held", "injection.waits-for-hook")]
    assert handed(injector, call(now=101.8))[1] == ["abc123"]


@pytest.mark.parametrize("arrives", [False, True])
def test_a_stray_call_does_not_eat_the_next_restore(arrives: bool) -> None:
    injector, _ = handed(inj.Injector(), call(early=True), AHEAD)
    if arrives:
        injector, _ = inj.recorded(injector, AHEAD.text, 101.2)
    again = order("hook02", "compaction:one:hook-hook02", channel="hook")
    injector, ids = handed(injector, call(now=120.0, early=True), again)
    assert ids == ["hook02"]
    assert [flight.order.id for flight in injector.hooked] == ["hook02"]
    paired = inj.paired(injector, as_written("compaction:one:1"), 120.1, 120.2)
    assert paired is not None
    assert told(paired[1]) == [("hook02", "submitted", "")]


def test_a_call_long_before_the_record_is_not_paired_where_the_agent_writes_that_first() -> None:
    injector, _ = handed(inj.Injector(), call(), AHEAD)
    assert inj.paired(injector, as_written("compaction:one:1"), 101.0 + inj.SAME_HOOK + 1, 120.0) is None


def test_an_early_hook_is_that_of_the_next_compaction_however_long_other_hooks_take() -> None:
    injector, _ = handed(inj.Injector(), call(early=True), AHEAD)
    injector, _ = inj.went_on(injector, 200.0, ended=200.0)
    injector, commands = inj.observe(injector, replace(GOOD, now=900.0))
    assert told(commands) == []
    paired = inj.paired(injector, as_written("compaction:one:1"), 1000.0, 1000.1)
    assert paired is not None
    injector, commands = paired
    assert told(commands) == [("hook01", "submitted", "")]
    assert inj.paired(injector, as_written("compaction:one:2"), 1001.0, 1001.0) is None
    injector, _ = inj.went_on(injector, 1002.0, ended=1002.0)
    injector, commands = inj.observe(injector, replace(GOOD, now=1002.0 + inj.CONFIRM_DEADLINE))
    assert told(commands) == [("hook01", "failed", "injection.not-recorded")]


def test_what_an_early_hook_got_for_a_compaction_that_failed_is_for_no_later_one() -> None:
    injector, _ = handed(inj.Injector(), call(early=True), AHEAD)
    assert inj.compaction_failed(injector, "one", 100.9, 102.0) == (injector, ())  # one of before
    assert inj.compaction_failed(injector, "two", 102.0, 102.0) == (injector, ())
    injector, commands = inj.compaction_failed(injector, "one", 102.0, 102.0)
    assert told(commands) == [("hook01", "dropped", "injection.no-compaction")]
    assert inj.paired(injector, as_written("compaction:one:1"), 103.0, 103.0) is None


def test_other_conversations_and_records_from_long_before_are_not_paired() -> None:
    for early in (False, True):
        injector, _ = handed(inj.Injector(), call(early=early), AHEAD)
        assert inj.paired(injector, as_written("compaction:two:1"), 101.0, 101.0) is None
        assert inj.paired(injector, as_written("compaction:one:1"), 101.0 - inj.PAIRED_WITHIN - 1, 102.0) is None


def test_a_hook_after_its_record_is_of_no_later_compaction_but_may_be_of_one_that_is_not_read_yet() -> None:
    injector, ids = handed(waiting(), call(now=110.0))
    assert ids == ["abc123"]
    assert inj.paired(injector, as_written("compaction:one:2"), 110.5, 110.6) is None
    paired = inj.paired(injector, as_written("compaction:one:2"), 109.9, 110.6)
    assert paired is not None
    assert told(paired[1]) == [("abc123", "dropped", "injection.replaced"), ("abc123", "submitted", "")]
    assert [flight.order.occasion.written for flight in paired[0].hooked] == ["compaction:one:2"]


def test_an_early_hook_is_for_none_of_the_compactions_that_are_known() -> None:
    injector, _ = inj.enqueue(inj.Injector(), order("abc123", "compaction:one:1"), 100.0)
    (injector, commands), orders = inj.handed_out(injector, replace(call(), early=True), lambda: AHEAD)
    assert [each.id for each in orders] == ["hook01"]
    assert told(commands) == [("abc123", "dropped", "injection.replaced"), ("hook01", "submitted", "")]
    assert injector.flight is None


def test_a_hook_that_never_comes_is_typed_and_a_late_one_gets_nothing() -> None:
    injector = waiting()
    late = 100.0 + inj.HOOK_PATIENCE
    injector, commands = inj.observe(injector, replace(GOOD, now=late))
    assert told(commands)[0] == ("abc123", "queued", "injection.hook-missed")
    injector, commands = inj.observe(injector, replace(GOOD, now=late + 0.1))
    assert injector.flight is not None
    assert injector.flight.state == "writing"
    assert handed(injector, call(now=late + 1), AHEAD)[1] == []


def test_a_restore_that_is_still_to_be_typed_may_go_by_a_hook_after_all() -> None:
    injector, _ = inj.enqueue(inj.Injector(), order("abc123", "compaction:one:1"), 100.0)
    injector, ids = handed(injector, call())
    assert ids == ["abc123"]
    assert injector.flight is None
    assert kinds(inj.observe(injector, GOOD)[1]) == []


def test_a_hook_of_the_next_prompt_is_waited_for_until_that_prompt_went_on_without_it() -> None:
    injector = waiting(replace(HOOKED, late=True))
    injector, _ = inj.went_on(injector, 110.0, ended=110.0)  # the end of the turn that compacted
    injector, commands = inj.observe(injector, replace(GOOD, now=900.0))
    assert told(commands) == []
    injector = inj.turn_began(injector)
    injector, _ = inj.went_on(injector, 901.0)
    assert told(inj.observe(injector, replace(GOOD, now=901.5))[1]) == []
    injector, commands = inj.observe(injector, replace(GOOD, now=901.0 + inj.HOOK_GRACE))
    assert told(commands)[0] == ("abc123", "queued", "injection.hook-missed")


@pytest.mark.parametrize("recovered", [False, True])
def test_what_a_hook_got_and_no_log_holds_has_failed_or_is_typed_where_its_host_died(recovered: bool) -> None:
    if recovered:
        injector, _ = inj.resume(inj.Injector(), HOOKED, "submitted", 101.0, since=100.5)
    else:
        injector, _ = handed(waiting(), call())
    assert told(inj.observe(injector, replace(GOOD, now=500.0))[1]) == []  # nothing was asked of the agent since
    injector, _ = inj.went_on(injector, 500.0, ended=100.0)
    assert told(inj.observe(injector, replace(GOOD, now=530.0))[1]) == []  # a turn of before
    injector, _ = inj.went_on(injector, 600.0, ended=600.0)
    injector, commands = inj.observe(injector, replace(GOOD, now=600.0 + inj.CONFIRM_DEADLINE, composer=inj.Composer()))
    expected = ("abc123", "queued", "") if recovered else ("abc123", "failed", "injection.not-recorded")
    assert told(commands)[0] == expected
    assert recovered or injector.flight is None


def test_what_a_hook_may_have_got_before_its_host_died_is_not_typed_behind_a_newer_restore() -> None:
    injector, _ = inj.resume(inj.Injector(), HOOKED, "submitted", 101.0, since=100.5)
    newer = order("def456", "compaction:one:2", channel="hook")
    injector, _ = inj.enqueue(injector, newer, 150.0)
    (injector, commands), got = inj.handed_out(injector, call(now=151.0), lambda: None)
    assert [each.id for each in got] == ["def456"]
    assert ("abc123", "dropped", "injection.replaced") in told(commands)
    assert [flight.order.id for flight in injector.hooked] == ["def456"]


def test_what_a_hook_got_is_waited_for_until_the_end_of_the_log() -> None:
    injector, _ = inj.resume(inj.Injector(), HOOKED, "submitted", 101.0, since=100.5)
    injector, _ = inj.went_on(injector, 102.0, ended=101.5)
    assert told(inj.observe(injector, replace(GOOD, now=200.0, caught_up=False))[1]) == []
    injector, _ = inj.caught_up(injector, 201.0)
    assert told(inj.observe(injector, replace(GOOD, now=203.0))[1]) == []
    expected = ("abc123", "queued", "")
    assert told(inj.observe(injector, replace(GOOD, now=201.0 + inj.RECOVERY_PATIENCE))[1])[0] == expected


def test_a_text_cut_on_its_way_through_a_hook_has_failed() -> None:
    injector, _ = handed(waiting(), call())
    assert told(inj.recorded(injector, TEXT[:200], 102.0)[1]) == [("abc123", "failed", "injection.altered")]


def test_a_start_goes_by_the_hook_of_a_start_and_of_no_resume() -> None:
    start = order("start1", "start:one", channel="hook")
    for source in ("resume", "fork", "compact"):
        assert handed(waiting(start), call(source))[1] == []
    for source in ("startup", "clear"):
        assert handed(waiting(start), call(source))[1] == ["start1"]
        injector, ids = handed(inj.Injector(), call(source), start)
        assert ids == ["start1"]
        assert inj.enqueue(injector, start, 102.0) == (injector, ())


def test_a_person_may_have_a_held_text_go_with_their_next_prompt() -> None:
    own = order("own001", "inject:own001")
    injector, _ = inj.enqueue(inj.Injector(), own, 100.0)
    injector, _ = inj.observe(injector, replace(GOOD, composer=inj.Composer("text", "a draft")))
    injector, commands = inj.choose(injector, "own001", "hook", 101.0)
    assert told(commands) == [("own001", "held", "injection.waits-for-prompt")]
    assert handed(injector, call("compact"))[1] == []
    injector, ids = handed(injector, call("", "UserPromptSubmit", breaker=True))
    assert ids == ["own001"]
    typed, commands = inj.choose(waiting(), "abc123", "retry", 101.0)
    assert told(commands) == [("abc123", "queued", "")]
    assert "OpenPaste" in kinds(inj.observe(typed, replace(GOOD, now=102.0))[1])


def test_an_open_breaker_and_another_conversation_get_nothing() -> None:
    assert handed(waiting(), call(breaker=True))[1] == []
    assert handed(inj.Injector(), call(breaker=True), AHEAD)[1] == []
    assert handed(waiting(), inj.Call("SessionStart", "compact", "two", 101.0))[1] == []


def test_the_agents_end_fails_what_a_hook_got_and_drops_what_waits_for_one() -> None:
    assert told(inj.ended(waiting(), 101.0)[1]) == [("abc123", "dropped", "injection.agent-gone")]
    injector, _ = handed(waiting(), call())
    assert told(inj.ended(injector, 102.0)[1]) == [("abc123", "failed", "injection.agent-gone")]
