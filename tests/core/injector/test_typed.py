"""One text on its way through the pty: nothing is typed or submitted without proof, and only the log confirms."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core import injector as inj
from agentsup.core.occasion import as_written
from tests.core.injector.given import EMPTY, GOOD, ORDER, OURS, TEXT, flying, kinds, order, told

LATE = 100.0 + inj.PASTE_DEADLINE + 1.0


def test_the_way_of_one_injection() -> None:
    injector, commands = inj.enqueue(inj.Injector(), ORDER, 100.0)
    assert kinds(commands) == ["Announce"]
    injector, commands = inj.observe(injector, GOOD)
    assert kinds(commands) == ["Announce", "OpenPaste"]
    injector, commands = inj.observe(injector, replace(GOOD, now=100.05))
    assert kinds(commands) == []
    injector, commands = inj.observe(injector, replace(GOOD, now=100.1, composer=OURS))
    assert kinds(commands) == ["PressReturn", "Announce"]
    injector, commands = inj.recorded(injector, "another message", 100.2)
    assert commands == ()
    injector, commands = inj.recorded(injector, TEXT, 100.3)
    assert kinds(commands) == ["Announce"]
    assert isinstance(commands[0], inj.Announce)
    assert commands[0].event.state == "confirmed"
    assert injector.flight is None
    assert inj.enqueue(injector, ORDER, 101.0) == (injector, ())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"alive": False}, "agent-gone"),
        ({"blocked": True}, "approval"),
        ({"blocked": True, "idle": False}, "approval"),
        ({"idle": False}, "working"),
        ({"last_key": 99.8}, "keys"),
        ({"busy": True}, "keys"),
        ({"echoed": False, "last_key": 99.5}, "keys"),
        ({"echoed": False, "read": False}, "keys"),
        ({"composer": inj.Composer("text", "a draft")}, "draft"),
        ({"composer": inj.Composer()}, "unseen"),
        ({"bracketed_paste": False}, "mode"),
        ({"raw": False}, "mode"),
        ({"settled": False}, "conversation"),
        ({"composed": False}, "composing"),
        ({"breaker": True}, "breaker"),
    ],
)
def test_each_doubt_holds_it_and_its_end_lets_it_go(change: dict[str, object], reason: str) -> None:
    doubtful = replace(GOOD, **change)  # type: ignore[arg-type]
    held, commands = inj.observe(flying(), doubtful)
    assert "OpenPaste" not in kinds(commands)
    assert held.flight is not None
    assert (held.flight.state, held.flight.reason) == ("held", f"injection.{reason}")
    _, again = inj.observe(held, doubtful)
    assert "Announce" not in kinds(again)
    _, commands = inj.observe(held, replace(GOOD, now=101.0))
    assert "OpenPaste" in kinds(commands)


@given(looks=st.lists(st.tuples(st.floats(0.01, 2.0), st.booleans(), st.booleans(), st.booleans()), max_size=20))
def test_a_key_that_nothing_is_drawn_for_holds_it_for_a_while_and_not_for_ever(
    looks: list[tuple[float, bool, bool, bool]],
) -> None:
    injector, now, last_key = flying(), 100.0, 100.0
    quiet = (inj.ECHO_PATIENCE + 0.1, False, False, True)
    for passed, has_key, echoed, read in (*looks, quiet):
        now += passed
        last_key = now if has_key else last_key
        proof = replace(GOOD, now=now, last_key=last_key, echoed=echoed and not has_key, read=read)
        injector, commands = inj.observe(injector, proof)
        may = now - last_key >= (inj.QUIET if proof.echoed else inj.ECHO_PATIENCE) and (proof.echoed or read)
        assert ("OpenPaste" in kinds(commands)) is may
        if may:
            return
        assert any(isinstance(command, inj.WakeAt) for command in commands), "nobody looks again"
    raise AssertionError("held for ever")


@pytest.mark.parametrize(
    "composer",
    [
        EMPTY, inj.Composer(), inj.Composer("text", "half a draft" + TEXT), inj.Composer("text", TEXT + "x"),
        inj.Composer("text", TEXT[100:]), inj.Composer("text", "", len(TEXT) + 1),
    ],
)  # fmt: skip
def test_no_return_unless_the_composer_shows_exactly_our_text(composer: inj.Composer) -> None:
    injector, commands = inj.observe(flying("writing"), replace(GOOD, composer=composer))
    assert kinds(commands) == []
    injector, commands = inj.observe(injector, replace(GOOD, now=LATE, composer=composer))
    assert kinds(commands) == ["StopTyping", "Announce"]
    assert told(commands) == [("abc123", "failed", "injection.not-shown")]
    assert injector.flight is None
    assert [flight.state for flight in injector.shelf] == ["failed"]


def test_a_text_that_the_agent_does_not_read_is_given_up_and_its_paste_is_closed() -> None:
    stuck = replace(GOOD, written=False, composer=OURS)
    injector, commands = inj.observe(flying("writing"), stuck)
    assert kinds(commands) == []  # whatever the screen shows: not all of it is in the pty
    _, commands = inj.observe(injector, replace(stuck, now=LATE))
    assert kinds(commands) == ["StopTyping", "Announce"]
    assert told(commands) == [("abc123", "failed", "injection.blocked")]


def test_what_is_typed_without_brackets_needs_no_paste_mode() -> None:
    raw = replace(ORDER, typing=inj.Typing(TEXT.encode(), lead=TEXT))
    proof = replace(GOOD, bracketed_paste=False)
    assert "OpenPaste" in kinds(inj.observe(flying(taken=raw), proof)[1])
    assert "OpenPaste" not in kinds(inj.observe(flying(), proof)[1])
    assert "OpenPaste" not in kinds(inj.observe(flying(taken=raw), replace(proof, raw=False))[1])


def test_an_engram_that_nobody_has_accepted_holds_its_restore() -> None:
    gated = replace(ORDER, gated=True)
    held, commands = inj.observe(flying(taken=gated), GOOD)
    assert told(commands) == [("abc123", "held", "injection.gate")]
    assert inj.choose(held, "abc123", "hook", 101.0)[1] == ()
    again, _ = inj.choose(held, "abc123", "retry", 101.0)
    assert "OpenPaste" not in kinds(inj.observe(again, GOOD)[1])
    for freed, _ in (inj.choose(held, "abc123", "accept", 101.0), inj.accept(held, 101.0)):
        assert "OpenPaste" in kinds(inj.observe(freed, replace(GOOD, now=101.0))[1])


def test_the_breaker_does_not_hold_what_a_person_sends() -> None:
    own = order("own123", "inject:own123")
    assert "OpenPaste" in kinds(inj.observe(flying(taken=own), replace(GOOD, breaker=True))[1])
    injector, _ = inj.observe(flying(), replace(GOOD, breaker=True))
    injector, _ = inj.enqueue(injector, own, 100.0)
    injector, commands = inj.observe(injector, replace(GOOD, breaker=True))
    assert told(commands) == [("abc123", "held", "injection.breaker"), ("own123", "queued", "")]
    injector, commands = inj.observe(injector, replace(GOOD, breaker=True))
    assert told(commands) == [("own123", "writing", "")]
    injector, commands = inj.recorded(injector, own.text, 101.0)
    assert told(commands)[1] == ("abc123", "queued", "")


@pytest.mark.parametrize("change", [{"blocked": True}, {"idle": False}, {"alive": False}, {"settled": False}])
def test_no_return_into_an_approval_a_turn_or_another_program(change: dict[str, object]) -> None:
    proof = replace(GOOD, composer=OURS, **change)  # type: ignore[arg-type]
    assert "PressReturn" not in kinds(inj.observe(flying("writing"), proof)[1])
    stuck = replace(proof, now=100.0 + inj.SUBMIT_PATIENCE)
    assert "PressReturn" not in kinds(inj.observe(flying("submitted"), stuck)[1])


@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize("draws", ["by itself", "when it is asked to", "never"])
def test_a_swallowed_return_is_repeated_once_where_the_agent_has_drawn_something_since(draws: str, reads: bool) -> None:
    injector, commands = inj.observe(flying("writing"), replace(GOOD, composer=OURS, outputs=7))
    returns, asked, outputs = kinds(commands).count("PressReturn"), 0, 7
    for now in range(101, 161):
        outputs += draws == "by itself"
        proof = replace(GOOD, now=float(now), composer=OURS, read=reads, outputs=outputs)
        injector, commands = inj.observe(injector, proof)
        returns += kinds(commands).count("PressReturn")
        asks = kinds(commands).count("DrawAnew")
        asked += asks
        outputs += asks if draws == "when it is asked to" else 0
        assert "OpenPaste" not in kinds(commands)
    assert returns == (2 if draws == "by itself" or (draws == "when it is asked to" and reads) else 1)
    assert asked == (1 if reads and draws != "by itself" else 0)
    assert [(flight.state, flight.reason) for flight in injector.shelf] == [("failed", "injection.not-recorded")]


def test_no_second_return_into_what_the_first_has_opened() -> None:
    injector, _ = inj.observe(flying("writing"), replace(GOOD, composer=OURS, outputs=7))
    injector, commands = inj.observe(injector, replace(GOOD, now=103.0, composer=OURS, outputs=7))
    assert kinds(commands) == ["DrawAnew"]
    asked = replace(GOOD, now=104.5, composer=OURS, outputs=8)
    assert "PressReturn" in kinds(inj.observe(injector, asked)[1])
    for doubt in ({"composer": inj.Composer()}, {"outputs": 7}, {"now": 103.1}):
        proof = replace(asked, **doubt)
        assert "PressReturn" not in kinds(inj.observe(injector, proof)[1])


def test_a_key_of_the_person_after_the_return_ends_our_returns() -> None:
    proof = replace(GOOD, now=110.0, composer=OURS, last_key=105.0)
    assert "PressReturn" not in kinds(inj.observe(flying("submitted"), proof)[1])


def test_what_cannot_be_recorded_is_held_and_tried_again() -> None:
    injector, commands = inj.refuse(flying("writing"), "injection.no-record", 100.0)
    assert injector.flight is not None
    assert (injector.flight.state, injector.flight.reason) == ("held", "injection.no-record")
    assert kinds(commands) == ["Announce"]
    assert "OpenPaste" in kinds(inj.observe(injector, replace(GOOD, now=106.0))[1])


def test_a_recovered_injection_is_confirmed_by_the_log_typed_once_more_or_shown_as_failed() -> None:
    injector, _ = inj.resume(inj.Injector(), ORDER, "writing", 100.0)
    confirmed, commands = inj.recorded(injector, TEXT, 100.5)
    assert confirmed.flight is None
    early = replace(GOOD, now=100.0 + inj.RECOVERY_PATIENCE - 0.1)
    assert "OpenPaste" not in kinds(inj.observe(injector, early)[1])
    late = replace(GOOD, now=100.0 + inj.RECOVERY_PATIENCE)
    again, _ = inj.observe(injector, late)
    assert "OpenPaste" in kinds(inj.observe(again, late)[1])
    assert kinds(inj.observe(injector, replace(late, composer=OURS))[1]) == ["PressReturn"]
    undrawn = {"last_key": late.now - 0.4, "echoed": False}
    doubts = ({"blocked": True}, {"idle": False}, {"alive": False}, {"busy": True}, {"last_key": late.now}, undrawn)
    for doubt in doubts:
        proof = replace(late, composer=OURS, **doubt)
        assert kinds(inj.observe(injector, proof)[1]) == [], doubt
    for other in (inj.Composer("text", "a draft"), inj.Composer("text", TEXT[:-20]), inj.Composer()):
        proof = replace(late, composer=other)
        assert kinds(inj.observe(injector, proof)[1]) == []
        _, commands = inj.observe(injector, replace(proof, now=100.0 + inj.CONFIRM_DEADLINE))
        assert told(commands) == [("abc123", "failed", "injection.interrupted")]
        assert "PressReturn" not in kinds(commands)
    failed, _ = inj.resume(inj.Injector(), ORDER, "failed", 100.0)
    assert [flight.state for flight in failed.shelf] == ["failed"]
    assert inj.resume(inj.Injector(), ORDER, "confirmed", 100.0)[0].flight is None


@pytest.mark.parametrize("composer", [EMPTY, OURS])
def test_a_recovered_injection_waits_for_the_end_of_the_log_however_long_that_is(composer: inj.Composer) -> None:
    injector, _ = inj.resume(inj.Injector(), ORDER, "submitted", 100.0)
    for now in (110.0, 200.0):
        injector, commands = inj.observe(injector, replace(GOOD, now=now, composer=composer, caught_up=False))
        assert (told(commands), kinds(commands)) == ([], [])
    injector, _ = inj.caught_up(injector, 201.0)
    early = replace(GOOD, now=201.0 + inj.RECOVERY_PATIENCE - 0.1, composer=composer)
    assert inj.observe(injector, early)[0] == injector
    sent = kinds(inj.observe(injector, replace(early, now=early.now + 0.2))[1])
    assert sent == (["Announce"] if composer == EMPTY else ["PressReturn"])


def test_nothing_is_typed_while_the_log_is_read() -> None:
    _, commands = inj.observe(flying(), replace(GOOD, caught_up=False))
    assert told(commands) == [("abc123", "held", "injection.conversation")]


def test_a_recovered_text_is_known_by_its_print_where_memory_has_changed_since() -> None:
    other = replace(ORDER, text=TEXT + "and a newer line")
    injector, _ = inj.resume(inj.Injector(), other, "writing", 100.0, sent=inj.print_of("abc123", TEXT))
    assert told(inj.recorded(injector, TEXT, 100.5)[1]) == [("abc123", "confirmed", "")]


def test_a_recovered_text_that_is_submitted_as_it_stands_is_known_by_what_stood_there() -> None:
    other = replace(ORDER, text=TEXT + "and a newer line")
    injector, _ = inj.resume(inj.Injector(), other, "writing", 100.0, sent=inj.print_of("abc123", TEXT))
    injector, commands = inj.observe(injector, replace(GOOD, now=104.0, composer=OURS))
    assert kinds(commands) == ["PressReturn"]
    assert told(inj.recorded(injector, TEXT, 105.0)[1]) == [("abc123", "confirmed", "")]


def test_a_text_whose_words_nobody_knows_any_more_is_never_typed() -> None:
    lost = inj.Order("own123", as_written("inject:own123"), "")
    injector, _ = inj.resume(inj.Injector(), lost, "writing", 100.0, sent=inj.print_of("own123", "agentsup own123"))
    assert told(inj.recorded(injector, "agentsup own123", 100.5)[1]) == [("own123", "confirmed", "")]
    injector, commands = inj.observe(injector, replace(GOOD, now=100.0 + inj.RECOVERY_PATIENCE))
    assert told(commands) == [("own123", "failed", "injection.interrupted")]
    assert inj.choose(injector, "own123", "retry", 110.0)[1] == ()
    assert told(inj.choose(injector, "own123", "drop", 110.0)[1]) == [("own123", "dropped", "")]


def test_the_agents_end_fails_what_was_on_its_way() -> None:
    _, commands = inj.ended(flying("writing"), 101.0)
    assert kinds(commands) == ["StopTyping", "Announce"]
    assert told(commands) == [("abc123", "failed", "injection.agent-gone")]


@pytest.mark.parametrize("state", ["writing", "submitted"])
def test_a_text_that_arrived_only_in_parts_has_failed_and_is_never_called_confirmed(state: str) -> None:
    _, commands = inj.recorded(flying(state), TEXT[:-30], 101.0)
    assert told(commands) == [("abc123", "failed", "injection.altered")]


def test_looking_too_early_forgets_no_alarm() -> None:
    for state, after in (("writing", inj.PASTE_DEADLINE), ("submitted", inj.SUBMIT_PATIENCE)):
        commands = inj.observe(flying(state), replace(GOOD, now=100.5))[1]
        assert any(isinstance(c, inj.WakeAt) and c.time >= 100.0 + after for c in commands), state


def test_doubts_without_an_end_are_not_looked_at_in_a_loop() -> None:
    commands = inj.observe(flying(), replace(GOOD, echoed=False, last_key=1.0))[1]
    assert all(c.time >= GOOD.now + 0.1 for c in commands if isinstance(c, inj.WakeAt))


@pytest.mark.parametrize("state", ["writing", "submitted"])
def test_a_text_that_was_sent_together_with_words_of_the_person_is_never_called_confirmed(state: str) -> None:
    _, commands = inj.recorded(flying(state), f"{TEXT}delete nothing please", 101.0)
    assert told(commands) == [("abc123", "failed", "injection.merged")]


def given_up() -> inj.Injector:
    """Return an injector that has just given up what it was typing, at `LATE`."""
    injector, commands = inj.observe(flying("writing"), replace(GOOD, now=LATE, outputs=3))
    assert "StopTyping" in kinds(commands)
    return injector


def let_go(commands: tuple[inj.Command, ...]) -> list[bool]:
    return [command.late for command in commands if isinstance(command, inj.LetKeysGo)]


def test_an_enter_is_kept_until_a_text_that_was_given_up_is_seen_to_be_gone() -> None:
    injector = given_up()
    undrawn = replace(GOOD, now=LATE + 1.0, outputs=3)
    injector, commands = inj.observe(injector, undrawn)  # as before we typed: perhaps the agent has read nothing
    assert let_go(commands) == []
    for composer in (
        OURS,
        inj.Composer(),
        inj.Composer("text", TEXT[:50] + "and a draft"),
        inj.Composer("text", "", 7),
    ):
        injector, commands = inj.observe(injector, replace(GOOD, now=LATE + 2.0, outputs=4, composer=composer))
        assert let_go(commands) == []
    gone = replace(GOOD, now=LATE + 2.5, outputs=5, composer=inj.Composer("text", "delete nothing please"))
    injector, commands = inj.observe(injector, gone)
    assert let_go(commands) == []  # for a moment, it may be a picture of before
    injector, commands = inj.observe(injector, replace(gone, now=LATE + 2.9))
    assert let_go(commands) == [False]
    assert injector.behind is None


def test_an_enter_is_not_kept_for_ever() -> None:
    injector, now = given_up(), LATE
    while injector.behind is not None:
        injector, commands = inj.observe(injector, replace(GOOD, now=now, outputs=4, composer=OURS))
        alarms = [command.time for command in commands if isinstance(command, inj.WakeAt)]
        now = max(now + 0.01, min(alarms)) if injector.behind is not None else now
    assert let_go(commands) == [True]
    assert LATE + inj.KEYS_PATIENCE <= now < LATE + inj.KEYS_PATIENCE + 0.5


def test_nothing_else_is_typed_while_an_enter_is_kept() -> None:
    injector, _ = inj.enqueue(given_up(), order("own001", "inject:own001"), LATE)
    injector, commands = inj.observe(injector, replace(GOOD, now=LATE + 1.0, outputs=3))
    assert told(commands) == [("own001", "held", "injection.keys")]
