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


def test_the_second_waits_for_the_first_and_a_dropped_one_makes_way() -> None:
    injector = flying()
    second = inj.Order("def456", "compaction:2", "Second def456")
    injector, commands = inj.enqueue(injector, second, 100.0)
    assert commands == ()
    injector, commands = inj.choose(injector, "abc123", "drop", 101.0)
    assert injector.flight is not None
    assert injector.flight.order == second
    assert kinds(commands) == ["Announce", "Announce", "WakeAt"]


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
