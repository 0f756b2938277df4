"""A text of ours that was given up and stands in the composer is told, and sent as it stands where a person asks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsup.core import injector as inj
from tests.core.injector.given import EMPTY, GOOD, OURS, TEXT, flying, kinds, order, told

LATE = 100.0 + inj.PASTE_DEADLINE + 1.0
SEEN = replace(GOOD, now=LATE + 10.0, outputs=9, composer=OURS)
CUT = inj.Composer("text", TEXT[:60])
MIXED = inj.Composer("text", f"{TEXT}and my own words")


def standing(commands: tuple[inj.Command, ...]) -> list[inj.Standing | None]:
    return [command.standing for command in commands if isinstance(command, inj.TellStanding)]


def given_up(state: str = "writing") -> inj.Injector:
    """Return an injector whose text has failed, and whose patience with the person's keys is over."""
    injector, commands = inj.observe(flying(state), replace(GOOD, now=LATE + 30.0, outputs=3))
    assert [each[1] for each in told(commands)] == ["failed"]
    return replace(injector, behind=None)


def stands(composer: inj.Composer = OURS, state: str = "writing") -> inj.Injector:
    injector, _ = inj.observe(given_up(state), replace(SEEN, composer=composer))
    assert injector.standing is not None
    return injector


@pytest.mark.parametrize("state", ["writing", "submitted"])
def test_it_is_told_once_with_its_id_and_size_and_its_end_too(state: str) -> None:
    injector = given_up(state)
    assert injector.is_at_work
    injector, commands = inj.observe(injector, SEEN)
    assert standing(commands) == [inj.Standing("abc123", len(TEXT), sendable=True)]
    for proof in (SEEN, replace(SEEN, composer=inj.Composer())):
        injector, commands = inj.observe(injector, proof)
        assert kinds(commands) == []
    injector, commands = inj.observe(injector, replace(SEEN, composer=EMPTY))
    assert standing(commands) == [None]
    assert not injector.is_at_work


@pytest.mark.parametrize("composer", [CUT, MIXED])
def test_what_is_cut_or_mixed_with_words_is_told_and_never_sent(composer: inj.Composer) -> None:
    injector = stands(composer)
    assert injector.standing == inj.Standing("abc123", len(TEXT), sendable=False)
    injector, _ = inj.choose(injector, "abc123", "retry", LATE)
    injector, commands = inj.observe(injector, replace(SEEN, composer=composer))
    assert kinds(commands) == ["Announce"]
    assert told(commands) == [("abc123", "held", "injection.draft")]


def test_the_end_of_one_that_has_scrolled_is_known_by_the_line_that_names_it() -> None:
    ours = replace(order("abc123", "compaction:one:1"), text=f"{TEXT}(end of restore abc123)\n")
    left = inj.resume(inj.Injector(), ours, "failed", 100.0, sent=inj.print_of("abc123", TEXT))[0]
    for seen, is_told in (("a line of memory\n(end of restore abc123)", True), ("what was abc123?", False)):
        composer = inj.Composer("text", seen, scrolled=True)
        injector, _ = inj.observe(left, replace(SEEN, composer=composer))
        assert (injector.standing == inj.Standing("abc123", left.left[0].print.size, sendable=False)) is is_told


def test_a_persons_own_draft_is_none_of_ours() -> None:
    injector, commands = inj.observe(given_up(), replace(SEEN, composer=inj.Composer("text", "fix the parser")))
    assert kinds(commands) == []
    assert injector.standing is None


def test_enter_is_pressed_on_it_where_that_is_asked_for_and_nothing_is_typed() -> None:
    injector, commands = inj.choose(stands(), "abc123", "retry", LATE)
    assert told(commands) == [("abc123", "queued", "")]
    injector, commands = inj.observe(injector, SEEN)
    assert kinds(commands) == ["Announce", "PressReturn"]
    assert told(commands) == [("abc123", "submitted", "")]
    injector, commands = inj.recorded(injector, TEXT, LATE + 11.0)
    assert told(commands) == [("abc123", "confirmed", "")]
    injector, commands = inj.observe(injector, replace(SEEN, composer=EMPTY))
    assert standing(commands) == [None]
    assert not injector.is_at_work


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"idle": False}, "injection.working"),
        ({"blocked": True}, "injection.approval"),
        ({"alive": False}, "injection.agent-gone"),
        ({"last_key": SEEN.now - 0.1}, "injection.keys"),
        ({"echoed": False, "last_key": SEEN.now - 1.0}, "injection.keys"),
        ({"settled": False}, "injection.conversation"),
        ({"composer": inj.Composer()}, "injection.unseen"),
        ({"raw": False}, "injection.mode"),
        ({"busy": True}, "injection.keys"),
    ],
)
def test_each_doubt_holds_that_enter(change: dict[str, object], reason: str) -> None:
    injector, _ = inj.choose(stands(), "abc123", "retry", LATE)
    injector, commands = inj.observe(injector, replace(SEEN, **change))  # type: ignore[arg-type]
    assert told(commands) == [("abc123", "held", reason)]
    assert "PressReturn" not in kinds(commands)
    _, commands = inj.observe(injector, SEEN)
    assert "PressReturn" in kinds(commands)


@pytest.mark.parametrize("composer", [EMPTY, CUT, MIXED, inj.Composer("text", "fix the parser")])
def test_where_it_has_gone_meanwhile_no_enter_comes_and_nothing_is_typed(composer: inj.Composer) -> None:
    injector, _ = inj.choose(stands(), "abc123", "retry", LATE)
    injector, commands = inj.observe(injector, replace(SEEN, composer=composer))
    assert told(commands) == [("abc123", "failed", "injection.not-shown")]
    assert kinds(commands) == ["Announce"]


def test_one_that_is_to_be_left_is_left() -> None:
    injector, commands = inj.choose(stands(), "abc123", "drop", LATE)
    assert told(commands) == [("abc123", "dropped", "")]
    injector, commands = inj.observe(injector, SEEN)
    assert standing(commands) == [None]
    assert kinds(commands) == ["TellStanding"]
    assert not injector.is_at_work


def test_one_that_a_newer_restore_has_replaced_is_told_but_not_sent() -> None:
    injector, _ = inj.enqueue(stands(), order("newer1", "compaction:one:2"), LATE)
    injector, commands = inj.observe(injector, SEEN)
    assert standing(commands) == [inj.Standing("abc123", len(TEXT), sendable=False)]
    assert told(commands) == [("newer1", "held", "injection.draft")]
    assert inj.choose(injector, "abc123", "retry", LATE) == (injector, ())
    injector, commands = inj.observe(injector, replace(SEEN, composer=EMPTY))
    assert standing(commands) == [None]
    assert "OpenPaste" in kinds(commands)


def test_what_waits_goes_after_it() -> None:
    injector, _ = inj.enqueue(stands(), order("own001", "inject:own001"), LATE)
    injector, _ = inj.choose(injector, "abc123", "retry", LATE)
    injector, commands = inj.observe(injector, SEEN)
    assert "PressReturn" in kinds(commands)
    injector, commands = inj.recorded(injector, TEXT, LATE + 11.0)
    assert told(commands) == [("abc123", "confirmed", ""), ("own001", "queued", "")]


def test_one_that_a_host_before_this_one_has_left_is_known_by_its_print() -> None:
    """The words of a restore may be others by now, and of a text of the person's nobody knows them any more."""
    for text in (TEXT.replace("memory", "newer memory"), ""):
        left = replace(order("abc123", "compaction:one:1"), text=text)
        printed = inj.print_of("abc123", TEXT)
        injector, _ = inj.resume(inj.Injector(), left, "failed", LATE, sent=printed)
        injector, commands = inj.observe(injector, SEEN)
        assert standing(commands) == [inj.Standing("abc123", printed.size, sendable=True)]
        injector, _ = inj.choose(injector, "abc123", "retry", LATE)
        injector, commands = inj.observe(injector, SEEN)
        assert "PressReturn" in kinds(commands)
        _, commands = inj.recorded(injector, TEXT, LATE + 11.0)
        assert told(commands) == [("abc123", "confirmed", "")]


def test_when_an_enter_is_let_go_behind_what_may_stand_there_that_is_told_and_stays() -> None:
    injector, _ = inj.observe(flying("writing"), replace(GOOD, now=LATE, outputs=3))
    placeholder = inj.Composer("text", "", 7)
    injector, _ = inj.observe(injector, replace(GOOD, now=LATE + 1.0, outputs=4, composer=placeholder))
    injector, commands = inj.observe(injector, replace(GOOD, now=LATE + 6.0, outputs=4, composer=placeholder))
    assert [command.late for command in commands if isinstance(command, inj.LetKeysGo)] == [True]
    assert standing(commands) == [inj.Standing("abc123", len(TEXT), sendable=False)]
    injector, commands = inj.observe(injector, replace(GOOD, now=LATE + 7.0, outputs=5, composer=placeholder))
    assert kinds(commands) == []
    injector, commands = inj.observe(injector, replace(GOOD, now=LATE + 8.0, outputs=6, composer=EMPTY))
    assert standing(commands) == [None]


def test_a_fresh_agent_has_nothing_of_it_in_its_composer() -> None:
    injector = inj.started(stands())
    assert injector.is_at_work
    injector, commands = inj.observe(injector, SEEN)
    assert standing(commands) == [None]
    assert not injector.is_at_work
