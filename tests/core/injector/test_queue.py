"""Which text comes next: restores first, one for each occasion, and nothing into another conversation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsup.core import injector as inj
from agentsup.core.injector.values import Flight
from agentsup.core.occasion import as_written
from tests.core.injector.given import GOOD, ORDER, OURS, TEXT, flying, kinds, order, told

SECOND = order("def456", "compaction:one:2")


@pytest.mark.parametrize("state", ["queued", "held"])
def test_a_newer_restore_takes_the_place_of_one_that_was_not_typed(state: str) -> None:
    injector, commands = inj.enqueue(flying(state), SECOND, 100.0)
    assert injector.flight is not None
    assert injector.flight.order == SECOND
    assert injector.waiting == ()
    assert told(commands) == [("abc123", "dropped", "injection.replaced"), ("def456", "queued", "")]


def test_a_newer_restore_takes_the_place_of_one_that_has_failed() -> None:
    injector, _ = inj.observe(flying("writing"), replace(GOOD, now=120.0))
    injector, commands = inj.enqueue(injector, SECOND, 121.0)
    assert told(commands)[0] == ("abc123", "dropped", "injection.replaced")
    assert injector.shelf == ()


@pytest.mark.parametrize("state", ["writing", "submitted"])
def test_a_newer_restore_waits_for_one_that_is_being_typed_and_only_the_newest_does(state: str) -> None:
    injector, _ = inj.enqueue(flying(state), SECOND, 100.0)
    third = order("ghi789", "compaction:one:3")
    injector, _ = inj.enqueue(injector, third, 100.0)
    assert injector.waiting == (third,)
    injector, _ = inj.recorded(injector, TEXT, 101.0)
    assert injector.flight is not None
    assert injector.flight.order == third


def test_restores_go_first_and_the_others_in_their_order() -> None:
    asked = [order(f"own00{n}", f"inject:own00{n}") for n in range(3)]
    injector = inj.Injector()
    for each in asked:
        injector, _ = inj.enqueue(injector, each, 100.0)
    injector, _ = inj.enqueue(injector, ORDER, 100.0)
    came: list[str] = []
    while injector.flight is not None:
        came.append(injector.flight.order.id)
        injector, _ = inj.choose(injector, injector.flight.order.id, "drop", 101.0)
    assert came == ["abc123", "own000", "own001", "own002"]


def test_what_a_person_sent_is_replaced_by_nothing_and_a_start_by_a_compaction() -> None:
    injector, _ = inj.enqueue(flying(taken=order("start1", "start:one")), order("own001", "inject:own001"), 100.0)
    injector, _ = inj.enqueue(injector, order("own002", "inject:own002"), 100.0)
    injector, commands = inj.enqueue(injector, ORDER, 100.0)
    assert ("start1", "dropped", "injection.replaced") in told(commands)
    assert {each.id for each in inj.unsent(injector)} == {"abc123", "own001", "own002"}


def test_another_conversation_drops_what_was_meant_for_the_one_before() -> None:
    injector, _ = inj.enqueue(flying("held"), order("rec001", "recital:abc123"), 100.0)
    injector, _ = inj.enqueue(injector, order("own001", "inject:own001"), 100.0)
    same = inj.moved(injector, "one", 101.0)[0]
    assert {each.id for each in inj.unsent(same)} == {"abc123", "own001"}
    injector, commands = inj.moved(injector, "other", 101.0)
    assert [entry[:2] for entry in told(commands) if entry[1] == "dropped"] == [
        ("abc123", "dropped"), ("rec001", "dropped"),
    ]  # fmt: skip
    assert injector.flight is not None
    assert injector.flight.order.id == "own001"


def test_a_fresh_agent_gets_nothing_of_the_last_one() -> None:
    injector, commands = inj.ended(inj.enqueue(flying("held"), order("own001", "inject:own001"), 100.0)[0], 101.0)
    assert told(commands) == [
        ("abc123", "dropped", "injection.agent-gone"), ("own001", "dropped", "injection.agent-gone"),
    ]  # fmt: skip
    injector = inj.started(injector)
    assert (injector.flight, injector.shelf) == (None, ())
    assert injector.known == frozenset()  # a conversation that is resumed is owed what never went out


@pytest.mark.parametrize("state", ["writing", "submitted"])
def test_what_was_on_its_way_when_the_agent_ended_has_failed_and_is_not_sent_again(state: str) -> None:
    injector, commands = inj.ended(flying(state), 101.0)
    assert ("abc123", "failed", "injection.agent-gone") in told(commands)
    injector = inj.started(injector)
    assert inj.enqueue(injector, ORDER, 102.0) == (injector, ())


def test_a_failure_that_gives_way_to_newer_ones_is_over() -> None:
    injector, said, now = inj.Injector(), [], 100.0
    for number in range(6):
        injector, _ = inj.enqueue(injector, order(f"id000{number}", f"inject:{number}"), now)
        injector, commands = inj.broke(injector, now)
        said += told(commands)
    assert [id for id, state, _ in said if state == "failed"] == [f"id000{number}" for number in range(6)]
    kept = [flight.order.id for flight in injector.shelf]
    assert [id for id, state, _ in said if state == "dropped"] == sorted({id for id, *_ in said} - set(kept))


def test_a_failure_holds_nothing_up_and_waits_for_the_person() -> None:
    injector, _ = inj.enqueue(flying("writing"), order("own001", "inject:own001"), 100.0)
    injector, _ = inj.observe(injector, replace(GOOD, now=120.0))
    assert injector.flight is not None
    assert injector.flight.order.id == "own001"
    injector, commands = inj.choose(injector, "abc123", "retry", 121.0)
    assert told(commands) == [("abc123", "queued", "")]
    assert injector.flight is not None
    assert injector.flight.order.id == "abc123"
    assert injector.shelf == ()


def test_dropping_and_withdrawing_reach_what_waits_behind() -> None:
    injector, _ = inj.enqueue(flying("writing"), order("own001", "inject:own001"), 100.0)
    assert told(inj.choose(injector, "own001", "drop", 101.0)[1]) == [("own001", "dropped", "")]
    injector, commands = inj.withdraw(injector, as_written("inject:own001"), "injection.work-begun", 101.0)
    assert told(commands) == [("own001", "dropped", "injection.work-begun")]
    assert injector.waiting == ()
    assert (
        inj.withdraw(injector, as_written("compaction:one:1"), "injection.work-begun", 101.0)[1] == ()
    )  # it is being typed
    assert inj.choose(injector, "abc123", "drop", 101.0)[1] == ()


def test_what_is_being_typed_fails_where_the_conversation_changes() -> None:
    injector, commands = inj.moved(flying("writing"), "other", 101.0)
    assert "StopTyping" in kinds(commands)
    assert told(commands) == [("abc123", "failed", "injection.other-conversation")]
    assert injector.flight is None
    same, commands = inj.moved(flying("writing"), "one", 101.0)
    assert commands == ()
    assert same.flight is not None


def test_what_waits_comes_when_the_person_is_back_in_its_conversation_but_nothing_that_was_begun() -> None:
    injector, _ = inj.enqueue(flying(), order("bcd234", "engram:one:30"), 100.0)
    away, commands = inj.moved(injector, "other", 101.0)
    assert [entry[1:] for entry in told(commands)] == [("dropped", "injection.other-conversation")] * 2
    back, _ = inj.moved(away, "one", 102.0)
    again, commands = inj.enqueue(back, order("bcd235", "compaction:one:1"), 103.0)
    assert told(commands) == [("bcd235", "queued", "")]
    assert again.flight is not None
    assert again.flight.order.id == "bcd235"
    begun, _ = inj.observe(flying("writing"), replace(GOOD, now=200.0))  # not shown: it has failed
    begun, _ = inj.choose(begun, "abc123", "retry", 201.0)
    away, commands = inj.moved(begun, "other", 202.0)
    assert told(commands) == [("abc123", "dropped", "injection.other-conversation")]
    back, _ = inj.moved(away, "one", 203.0)
    assert inj.enqueue(back, order("bcd236", "compaction:one:1"), 204.0)[1] == ()


def test_what_was_begun_for_another_conversation_is_not_typed_again_and_gets_no_more_returns() -> None:
    begun, _ = inj.resume(inj.Injector(), ORDER, "writing", 100.0)
    assert told(inj.moved(begun, "other", 101.0)[1]) == [("abc123", "failed", "injection.other-conversation")]
    handed, _ = inj.resume(inj.Injector(), replace(ORDER, channel="hook"), "submitted", 100.0)
    assert told(inj.moved(handed, "other", 101.0)[1]) == [("abc123", "failed", "injection.other-conversation")]
    injector, _ = inj.moved(flying("submitted"), "other", 101.0)
    for now in (103.0, 106.0, 130.0):
        injector, commands = inj.observe(injector, replace(GOOD, now=now, composer=OURS))
        assert "PressReturn" not in kinds(commands)


@pytest.mark.parametrize("state", ["queued", "held"])
@pytest.mark.parametrize(
    "words", [TEXT, TEXT[:-30], "why does agentsup say that abc123 is held?"], ids=["whole", "cut", "about it"]
)
def test_words_about_a_text_that_was_never_begun_are_no_evidence(state: str, words: str) -> None:
    assert inj.recorded(flying(state), words, 101.0) == (flying(state), ())
    behind, _ = inj.enqueue(flying("writing"), SECOND, 100.0)
    assert inj.recorded(behind, SECOND.text, 101.0) == (behind, ())


def test_a_text_that_failed_and_waits_once_more_is_still_confirmed_by_the_log() -> None:
    injector, _ = inj.observe(flying("writing"), replace(GOOD, now=120.0))
    assert told(inj.recorded(injector, TEXT, 121.0)[1])[0] == ("abc123", "confirmed", "")
    injector, _ = inj.choose(injector, "abc123", "retry", 121.0)
    assert told(inj.recorded(injector, TEXT, 122.0)[1])[0] == ("abc123", "confirmed", "")


def test_a_turn_that_the_person_has_ended_no_text_goes_on_with_wherever_it_waits() -> None:
    first = replace(ORDER, interrupted=True)
    personal = order("own123", "inject:own123")
    waiting, hooked, failed = (replace(order(f"id{n}", f"recital:{n}"), interrupted=True) for n in range(3))
    injector, _ = inj.enqueue(flying(taken=first), personal, 100.0)
    injector = replace(
        injector, waiting=(*injector.waiting, waiting), hooked=(Flight(hooked, "held"),),
        shelf=(Flight(failed, "failed"),),
    )  # fmt: skip
    assert len([each for each in inj.orders(injector) if each.interrupted]) == 4
    over = inj.turn_ended(injector, given_up=True)
    assert [each.id for each in inj.orders(over)] == [each.id for each in inj.orders(injector)]
    assert not any(each.interrupted for each in inj.orders(over))
    assert inj.turn_ended(over, given_up=True) == over
    by_itself = inj.turn_ended(injector, given_up=False)
    assert {each.id for each in inj.orders(injector) if each.interrupted} - {
        each.id for each in inj.orders(by_itself) if each.interrupted
    } == {hooked.id}
