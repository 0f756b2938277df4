"""The injector under any sequence of events: the rule that comes first holds, and nothing is typed twice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from agentsup.core import injector as inj
from agentsup.core.text import squeezed

TEXT = "Restored from disk (restore abc123).\n" + "a line of memory\n" * 20
EMPTY = inj.Composer("empty")
OURS = inj.Composer("text", TEXT)
GOOD = inj.Proof(
    now=100.0, alive=True, idle=True, blocked=False, composer=EMPTY, bracketed_paste=True, raw=True,
    last_key=0.0, echoed=True,
)  # fmt: skip
ORDER = inj.Order("abc123", "compaction:1", TEXT)


def flying(state: str = "queued") -> inj.Injector:
    injector, _ = inj.enqueue(inj.Injector(), ORDER, 100.0)
    assert injector.flight is not None
    return replace(injector, flight=replace(injector.flight, state=state, since=100.0))  # type: ignore[arg-type]


def kinds(commands: tuple[inj.Command, ...]) -> list[str]:
    return [type(command).__name__ for command in commands]


def test_the_way_of_one_injection() -> None:
    injector, commands = inj.enqueue(inj.Injector(), ORDER, 100.0)
    assert kinds(commands) == ["Announce", "WakeAt"]
    injector, commands = inj.observe(injector, GOOD)
    assert kinds(commands) == ["Announce", "OpenPaste", "WakeAt"]
    injector, commands = inj.observe(injector, replace(GOOD, now=100.05))
    assert commands == ()
    injector, commands = inj.observe(injector, replace(GOOD, now=100.1, composer=OURS))
    assert kinds(commands) == ["PressReturn", "Announce", "WakeAt"]
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
        ({"echoed": False}, "keys"),
        ({"composer": inj.Composer("text", "a draft")}, "draft"),
        ({"composer": inj.Composer()}, "unseen"),
        ({"bracketed_paste": False}, "mode"),
        ({"raw": False}, "mode"),
        ({"settled": False}, "conversation"),
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


@pytest.mark.parametrize(
    "composer",
    [
        EMPTY, inj.Composer(), inj.Composer("text", "half a draft" + TEXT), inj.Composer("text", TEXT + "x"),
        inj.Composer("text", TEXT[100:]), inj.Composer("text", "", len(TEXT) + 1),
    ],
)  # fmt: skip
def test_no_return_unless_the_composer_shows_exactly_our_text(composer: inj.Composer) -> None:
    injector, commands = inj.observe(flying("writing"), replace(GOOD, composer=composer))
    assert commands == ()
    late = replace(GOOD, now=100.0 + inj.PASTE_DEADLINE, composer=composer)
    injector, commands = inj.observe(injector, late)
    assert kinds(commands) == ["ReleaseKeys", "Announce"]
    assert injector.flight is not None
    assert injector.flight.reason == "injection.not-shown"


@pytest.mark.parametrize("change", [{"blocked": True}, {"idle": False}, {"alive": False}])
def test_no_return_into_an_approval_a_turn_or_another_program(change: dict[str, object]) -> None:
    proof = replace(GOOD, composer=OURS, **change)  # type: ignore[arg-type]
    assert "PressReturn" not in kinds(inj.observe(flying("writing"), proof)[1])
    stuck = replace(proof, now=100.0 + inj.SUBMIT_PATIENCE)
    assert "PressReturn" not in kinds(inj.observe(flying("submitted"), stuck)[1])


def test_a_swallowed_return_is_repeated_and_not_forever() -> None:
    injector, now, returns = flying("submitted"), 100.0, 1
    for _ in range(60):
        now += 1.0
        injector, commands = inj.observe(injector, replace(GOOD, now=now, composer=OURS))
        returns += kinds(commands).count("PressReturn")
        assert "OpenPaste" not in kinds(commands)
    assert returns <= inj.MOST_RETURNS + 1
    assert injector.flight is not None
    assert (injector.flight.state, injector.flight.reason) == ("failed", "injection.not-recorded")


def test_a_key_of_the_person_after_the_return_ends_our_returns() -> None:
    proof = replace(GOOD, now=110.0, composer=OURS, last_key=105.0)
    assert "PressReturn" not in kinds(inj.observe(flying("submitted"), proof)[1])


SECOND = inj.Order("def456", "compaction:2", "Second def456")


@pytest.mark.parametrize("state", ["queued", "held", "failed"])
def test_a_newer_restore_takes_the_place_of_one_that_was_not_typed(state: str) -> None:
    injector, commands = inj.enqueue(flying(state), SECOND, 100.0)
    assert injector.flight is not None
    assert injector.flight.order == SECOND
    assert injector.waiting == ()
    assert [c.event.state for c in commands if isinstance(c, inj.Announce)] == ["dropped", "queued"]


@pytest.mark.parametrize("state", ["writing", "submitted"])
def test_a_newer_restore_waits_for_one_that_is_being_typed_and_only_the_newest_does(state: str) -> None:
    injector, commands = inj.enqueue(flying(state), SECOND, 100.0)
    assert commands == ()
    third = inj.Order("ghi789", "compaction:3", "Third ghi789")
    injector, _ = inj.enqueue(injector, third, 100.0)
    assert injector.waiting == (third,)
    injector, commands = inj.recorded(injector, TEXT, 101.0)
    assert injector.flight is not None
    assert injector.flight.order == third


def test_another_conversation_drops_what_was_meant_for_the_one_before() -> None:
    injector, commands = inj.moved(flying("held"), "other", 101.0)
    assert injector.flight is None
    assert [c.event.state for c in commands if isinstance(c, inj.Announce)] == ["dropped"]
    order = inj.Order("abc123", "compaction:same:1", TEXT)
    injector, _ = inj.enqueue(inj.Injector(), order, 100.0)
    assert inj.moved(injector, "same", 101.0) == (injector, ())


def test_a_fresh_agent_gets_nothing_of_the_last_one() -> None:
    injector, _ = inj.ended(flying("held"), 101.0)
    injector = inj.started(injector)
    assert injector.flight is None
    assert inj.enqueue(injector, ORDER, 102.0) == (injector, ())
    injector, _ = inj.enqueue(injector, SECOND, 102.0)
    assert injector.flight is not None


def test_what_cannot_be_recorded_is_held_and_tried_again() -> None:
    injector, commands = inj.refuse(flying("writing"), "injection.no-record", 100.0)
    assert injector.flight is not None
    assert (injector.flight.state, injector.flight.reason) == ("held", "injection.no-record")
    assert kinds(commands) == ["Announce", "WakeAt"]
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
    stuck, commands = inj.observe(injector, replace(late, composer=OURS))
    assert stuck.flight is not None
    assert (stuck.flight.state, stuck.flight.reason) == ("failed", "injection.interrupted")
    assert "PressReturn" not in kinds(commands)
    failed, _ = inj.resume(inj.Injector(), ORDER, "failed", 100.0)
    assert failed.flight is not None
    assert failed.flight.state == "failed"
    assert inj.resume(inj.Injector(), ORDER, "confirmed", 100.0)[0].flight is None


def test_the_agents_end_fails_what_was_on_its_way() -> None:
    injector, commands = inj.ended(flying("writing"), 101.0)
    assert kinds(commands) == ["ReleaseKeys", "Announce"]
    assert injector.flight is not None
    assert injector.flight.state == "failed"


COMPOSERS = st.sampled_from([
    EMPTY, OURS, inj.Composer(), inj.Composer("text", "a draft"), inj.Composer("text", "a draft" + TEXT),
    inj.Composer("text", "[Pasted Content 3 chars]", 3), inj.Composer("text", "", len(TEXT)),
    inj.Composer("text", TEXT[-150:], None, True),
])  # fmt: skip


class Interleavings(RuleBasedStateMachine):
    """Any order of compactions, proofs, records, choices and the agent's end."""

    def __init__(self) -> None:
        super().__init__()
        self.injector = inj.Injector()
        self.now = 100.0
        self.number = 0
        self.pasted: dict[str, int] = {}
        self.retried: dict[str, int] = {}
        self.orders: dict[str, inj.Order] = {}
        self.keys_held = False
        self.held_since = 0.0

    def take(self, step: inj.Step, proof: inj.Proof | None = None, record: str = "") -> None:
        before = self.injector.flight
        self.injector, commands = step
        for command in commands:
            match command:
                case inj.OpenPaste():
                    assert proof is not None
                    assert inj.hold_reason(proof) == ""
                    self.pasted[command.order.id] = self.pasted.get(command.order.id, 0) + 1
                    assert self.pasted[command.order.id] <= 1 + self.retried.get(command.order.id, 0)
                    self.keys_held, self.held_since = True, self.now
                case inj.PressReturn():
                    assert proof is not None
                    assert before is not None
                    assert proof.alive
                    assert proof.idle
                    assert not proof.blocked
                    assert inj.shows(proof.composer, before.order.text)
                    self.keys_held = False
                case inj.ReleaseKeys():
                    self.keys_held = False
                case inj.Announce():
                    if command.event.state == "confirmed":
                        assert command.event.id in record.partition("\n")[0]
                case inj.WakeAt():
                    assert command.time >= self.now - 1e-6 or not self.keys_held

    @rule()
    def compaction(self) -> None:
        self.number += 1
        order = inj.Order(f"id{self.number:04d}", f"c{self.number}", TEXT.replace("abc123", f"id{self.number:04d}"))
        self.orders[order.id] = order
        self.take(inj.enqueue(self.injector, order, self.now))

    @rule(
        passed=st.sampled_from([0.0, 0.05, 0.3, 2.0, 5.0, 30.0]), alive=st.booleans(), idle=st.booleans(),
        blocked=st.booleans(), composer=COMPOSERS, paste=st.booleans(), raw=st.booleans(),
        key=st.sampled_from([0.0, 0.1, 1.0, 90.0]), echoed=st.booleans(), busy=st.booleans(), good=st.booleans(),
    )  # fmt: skip
    def proof(self, passed: float, composer: inj.Composer, key: float, good: bool, **flags: bool) -> None:
        self.now += passed
        if good:
            flags = {name: name not in ("blocked", "busy") for name in flags}
            key = 90.0
        proof = inj.Proof(
            now=self.now,
            composer=composer,
            last_key=self.now - key,
            bracketed_paste=flags.pop("paste"),
            **flags,
        )
        self.take(inj.observe(self.injector, proof), proof)

    @rule(known=st.booleans())
    def record(self, known: bool) -> None:
        flight = self.injector.flight
        text = flight.order.text if known and flight is not None else "something else"
        self.take(inj.recorded(self.injector, text, self.now), record=text)

    @rule(choice=st.sampled_from(["drop", "retry"]))
    def choose(self, choice: str) -> None:
        flight = self.injector.flight
        if flight is not None:
            if choice == "retry":
                self.retried[flight.order.id] = self.retried.get(flight.order.id, 0) + 1
            self.take(inj.choose(self.injector, flight.order.id, choice, self.now))  # type: ignore[arg-type]

    @rule()
    def move(self) -> None:
        self.take(inj.moved(self.injector, "elsewhere", self.now))

    @rule(written=st.booleans())
    def crash(self, written: bool) -> None:
        flight = self.injector.flight
        if flight is None:
            return
        # The host that crashed had written its bytes or not; the one that comes knows its record only.
        self.keys_held = False
        if flight.state in ("writing", "submitted") and not written:
            self.retried[flight.order.id] = self.retried.get(flight.order.id, 0) + 1
        fresh = inj.Injector(known=self.injector.known)
        self.take(inj.resume(fresh, flight.order, flight.state, self.now))
        if written and self.injector.flight is not None:
            self.take(inj.recorded(self.injector, flight.order.text, self.now), record=flight.order.text)

    @rule()
    def end(self) -> None:
        self.take(inj.ended(self.injector, self.now))

    @invariant()
    def keys_are_held_only_while_a_paste_is_open(self) -> None:
        flight = self.injector.flight
        if self.keys_held:
            assert flight is not None
            assert flight.state == "writing"


TestInterleavings = Interleavings.TestCase
TestInterleavings.settings = settings(max_examples=200, stateful_step_count=40, deadline=None)


@given(st.text(max_size=400), st.text(max_size=400))
def test_shown_text_is_never_taken_for_another(ours: str, other: str) -> None:
    if squeezed(ours) != squeezed(other):
        assert not inj.shows(inj.Composer("text", other), ours)
