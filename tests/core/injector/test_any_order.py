"""Any order of compactions, hooks, proofs, records, choices and crashes: the rules hold, and nothing comes twice.

A model of the agent stands beside the injector: what is in its composer, what it was given, and what its log holds.
The record is the only thing that outlives a host.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from agentsup.core import injector as inj
from agentsup.core.events import Channel, InjectionState
from agentsup.core.occasion import COMPACTION, PERSONAL, Occasion, ahead
from tests.core.injector.given import GOOD, order

HOOKED_WITHIN = 60.0
"""Seconds in which an agent runs the hook of a compaction that it has recorded, if not with the next prompt."""


@dataclass(frozen=True)
class Entry:
    """A line of the record."""

    id: str
    state: InjectionState
    channel: Channel
    print: inj.Print
    time: float


class Crash(Exception):
    """The host dies between two of its commands."""


class Interleavings(RuleBasedStateMachine):
    """One agent, and one host after the other."""

    late, early = False, False
    """Whether the agent runs the hook of a compaction with the next prompt only, or before it writes the record."""

    def __init__(self) -> None:
        super().__init__()
        self.injector = inj.Injector()
        self.now = 1000.0
        self.number = 0
        self.record: dict[Occasion, Entry] = {}
        self.compacted: list[Occasion] = []
        """Occasions in the order in which the agent's log holds them."""
        self.orders: dict[str, inj.Order] = {}
        self.composer = ""
        self.open = False
        self.given: dict[str, list[Channel]] = {}
        """By id, through which channels the agent was given a text."""
        self.log: list[str] = []
        self.retried: set[str] = set()
        """Ids that a person has had sent once more."""
        self.unrecorded = False
        """The agent has run the hook of a compaction whose record it has not written."""
        self.unhooked = False
        """The agent may still run the hook of the compaction that it has recorded last."""
        self.asked: set[str] = set()
        self.sent_for: dict[str, int] = {}
        """By id, after which compaction a text was typed; it may be submitted later."""
        self.compacted_at = 0.0
        self.restored: list[list[str]] = []
        """By compaction, which texts the agent was given for it."""
        self.crashes_after: int | None = None
        self.unlogged: list[str] = []
        """What a hook has said whose compaction the agent has not recorded: its log holds it behind that."""
        self.logged_before: dict[Occasion, int] = {}
        """By compaction, how much of the log stands before its record."""
        self.conversation = "one"
        self.stopped, self.unread, self.drawn = False, "", 0
        """Whether the agent reads and draws nothing, and what is in the pty then."""
        self.kept: float | None = None
        """Since when an Enter of the person's is kept from a text that was given up."""

    # --- the host

    def take(self, step: inj.Step, proof: inj.Proof | None = None) -> None:
        before = self.injector.flight
        self.injector, commands = step
        for command in commands:
            if self.crashes_after is not None:
                if self.crashes_after == 0:
                    raise Crash
                self.crashes_after -= 1
            match command:
                case inj.OpenPaste():
                    assert proof is not None
                    assert inj.hold_reason(proof, command.order) == ""
                    assert proof.echoed or (proof.read and proof.now - proof.last_key >= inj.ECHO_PATIENCE)
                    assert self.is_for_now(command.order)
                    assert self.composer == ""
                    assert self.kept is None
                    if self.stopped:
                        self.unread += command.order.text
                    else:
                        self.composer = command.order.text
                    # Of a compaction that is not recorded, and whose hook got nothing, no host can know.
                    unknown = self.unrecorded and not self.restored[-1]
                    self.sent_for[command.order.id] = len(self.restored) - 1 - unknown
                    self.open = True
                case inj.PressReturn():
                    assert proof is not None
                    assert before is not None
                    assert proof.alive
                    assert proof.idle
                    assert not proof.blocked
                    assert proof.settled
                    assert self.is_for_now(before.order)
                    assert inj.shows(proof.composer, before.order.typed)
                    assert self.composer == before.order.text
                    self.open = False
                    self.submit("stdin")
                case inj.StopTyping():
                    self.open = False
                    self.kept = self.now
                case inj.LetKeysGo():
                    assert self.kept is not None
                    assert (
                        self.now >= self.kept + inj.KEYS_PATIENCE if command.late else not self.composer + self.unread
                    )
                    self.kept = None
                case inj.TellStanding(standing):
                    if standing is not None and standing.sendable:
                        assert self.composer == self.orders[standing.id].text
                case inj.Announce():
                    self.announce(command)
                case inj.DrawAnew() | inj.WakeAt():
                    pass

    def is_for_now(self, order: inj.Order) -> bool:
        """Say whether an order is for this conversation, or a person has had it sent wherever they are."""
        return order.is_of(self.conversation) or order.id in self.retried

    def announce(self, command: inj.Announce) -> None:
        event = command.event
        if event.state == "confirmed":
            order = self.orders[event.id]
            since = self.log[self.logged_before.get(event.occasion, 0) :]
            assert any(order.text in text for text in since), "confirmed without evidence"
            if event.channel == "stdin":
                assert any(text.endswith(order.text) for text in since), "confirmed though it was sent with more"
        is_forgotten = event.state == "dropped" and event.occasion not in self.injector.known
        if event.state not in ("queued", "held") and not is_forgotten:
            self.record[event.occasion] = Entry(event.id, event.state, event.channel, command.print, event.time)

    def submit(self, channel: Channel) -> None:
        """The agent takes what is in its composer."""
        for id, known in self.orders.items():
            if known.text == self.composer:
                self.give(id, channel)
        self.log.append(self.composer)
        self.composer = ""

    def log_what_a_hook_said(self) -> None:
        self.log += self.unlogged
        self.unlogged = []

    def give(self, id: str, channel: Channel) -> None:
        self.given.setdefault(id, []).append(channel)
        if self.restored and id not in self.asked and id not in self.retried:
            # A text that is sent after the next compaction is that one's: it is of what is on disk now.
            self.restored[self.sent_for.get(id, len(self.restored) - 1)].append(id)

    def made(self, occasion: Occasion, **more: Any) -> inj.Order:
        self.number += 1
        taken = order(f"id{self.number:04d}", occasion.written, **more)
        self.orders[taken.id] = taken
        return taken

    # --- what happens

    @precondition(lambda self: self.conversation == "one")
    @rule(channel=st.sampled_from(["stdin", "hook"]), has_hook=st.booleans())
    def record_of_a_compaction(self, channel: Channel, has_hook: bool) -> None:
        """The record of a compaction is read; its hook ran before, or runs later, or never."""
        self.read_the_log(True)  # what stands before it
        occasion = Occasion(COMPACTION, "one", f"c{len(self.compacted)}")
        self.compacted.append(occasion)
        if not self.unrecorded:
            self.restored.append([])
            self.unhooked = has_hook and not self.early
            self.compacted_at = self.now
        self.unrecorded = False
        self.logged_before[occasion] = len(self.log)
        self.log_what_a_hook_said()
        paired = inj.paired(self.injector, occasion, self.compacted_at, self.now)
        if paired is not None:
            self.take(paired)
            return
        self.take(inj.enqueue(self.injector, self.made(occasion, channel=channel, late=self.late), self.now))

    @precondition(lambda self: not self.unrecorded and not self.unhooked and self.conversation == "one")
    @rule()
    def hook_of_a_compaction_before_its_record(self) -> None:
        self.unrecorded, self.unhooked = True, False
        self.compacted_at = self.now
        self.restored.append([])
        self.hook("SessionStart", "compact")

    @precondition(lambda self: self.unhooked and (self.late or self.now < self.compacted_at + HOOKED_WITHIN))
    @rule()
    def hook_of_a_compaction_after_its_record(self) -> None:
        self.unhooked = False
        self.hook("SessionStart", "compact")

    @precondition(lambda self: self.early and self.unrecorded)
    @rule()
    def the_compaction_fails(self) -> None:
        """What its hook has said reaches nobody."""
        self.unrecorded, self.unlogged = False, []
        self.take(inj.compaction_failed(self.injector, self.conversation, self.now, self.now))

    @rule()
    def ask(self) -> None:
        taken = self.made(Occasion(PERSONAL, name=f"{self.number}"))
        self.asked.add(taken.id)
        self.take(inj.enqueue(self.injector, taken, self.now))

    @precondition(lambda self: not self.unhooked)  # an agent runs those of a session first
    @rule()
    def hook_of_a_prompt(self) -> None:
        self.hook("UserPromptSubmit", "")

    @precondition(lambda self: not self.unrecorded)
    @rule(logged=st.booleans())
    def stray_hook(self, logged: bool) -> None:
        """Somebody runs the hook of a compaction though there was none; what it gets may reach the model or not."""
        before = set(self.orders)
        self.hook("SessionStart", "compact", heard=False)
        for id in set(self.orders) - before:
            self.asked.add(id)  # of no compaction
            if logged and any(flight.order.id == id for flight in self.injector.hooked):
                self.give(id, "hook")
                self.log.append(f"hook says: {self.orders[id].text}")
                self.read_the_log(False)  # a log is read in its order

    def hook(self, event: str, source: str, *, heard: bool = True) -> None:
        """The agent runs a hook; what it gets is in its log at once."""
        call = inj.Call(event, source, self.conversation, self.now, early=self.early)

        def fresh() -> inj.Order:
            return self.made(ahead(self.conversation, f"id{self.number + 1:04d}"), channel="hook")

        step, orders = inj.handed_out(self.injector, call, fresh)
        self.take(step)
        for each in orders:
            assert self.record[each.occasion].state == "submitted"  # recorded before it goes out
            if heard:
                self.give(each.id, "hook")
                self.unlogged.append(f"hook says: {each.text}")
        if not self.unrecorded:
            self.log_what_a_hook_said()

    @rule(
        passed=st.sampled_from([0.0, 0.05, 0.3, 2.0, 7.0, 30.0, 900.0]), alive=st.booleans(), idle=st.booleans(),
        blocked=st.booleans(), draft=st.booleans(), key=st.sampled_from([0.0, 0.1, 1.0, 900.0]),
        breaker=st.booleans(), written=st.booleans(), good=st.booleans(), seen=st.booleans(), settled=st.booleans(),
        echoed=st.booleans(), read=st.booleans(),
    )  # fmt: skip
    def look(self, passed: float, key: float, *, good: bool, draft: bool, seen: bool, **flags: bool) -> None:
        if self.unrecorded and not self.early:
            passed = min(passed, 0.05)  # its record is there, and is being read
        self.now += passed
        self.drawn += not self.stopped
        shown = inj.Composer("text", self.composer) if self.composer else inj.Composer("empty")
        if draft and not good:
            shown = inj.Composer("text", f"{self.composer} and a draft")
        if not seen and not good:
            shown = inj.Composer()
        proof = replace(GOOD, now=self.now, composer=shown, last_key=0.0, outputs=self.drawn)
        if not good:
            proof = replace(proof, last_key=self.now - key, **flags)  # type: ignore[arg-type]
        self.take(inj.observe(self.injector, proof), proof)
        assert self.kept is None or self.now < self.kept + inj.KEYS_PATIENCE, "keys are kept for ever"

    @rule(many=st.booleans())
    def read_the_log(self, many: bool) -> None:
        for text in self.log if many else self.log[-1:]:
            self.take(inj.recorded(self.injector, text, self.now))

    # Where records are written first, that of a compaction stands before the end of a turn, and is read before it.
    @precondition(lambda self: self.early or not self.unrecorded)
    @rule(ended=st.booleans())
    def turn(self, ended: bool) -> None:
        self.injector = inj.turn_began(self.injector)
        self.read_the_log(True)
        self.take(inj.went_on(self.injector, self.now, ended=self.now if ended else None))

    @rule(words=st.sampled_from(["", " and words of a person"]))
    def person_presses_return(self, words: str) -> None:
        """The person submits what stands in the composer, unless a paste of ours is open or keeps their Enter."""
        if self.composer and not self.open and not self.stopped and self.kept is None:
            self.composer += words
            self.submit("stdin")

    @rule()
    def person_clears_the_composer(self) -> None:
        if not self.open and not self.stopped:
            self.composer = ""

    @rule()
    def person_quotes_what_waits(self) -> None:
        """Their words are no evidence of a text that was never begun."""
        waits = [each.id for each in inj.unsent(self.injector) if each.id not in self.sent_for | self.given]
        if waits and not self.open and self.conversation == "one":
            self.take(inj.recorded(self.injector, f"why does agentsup hold {waits[0]}?", self.now))
            assert waits[0] in {each.id for each in inj.unsent(self.injector)}

    @rule()
    def agent_stops_or_goes_on(self) -> None:
        self.stopped = not self.stopped
        if not self.stopped:
            self.composer, self.unread = self.composer + self.unread, ""

    @precondition(lambda self: not self.unrecorded)
    @rule()
    def another_conversation(self) -> None:
        self.conversation = "two" if self.conversation == "one" else "one"
        self.unhooked = False
        self.take(inj.moved(self.injector, self.conversation, self.now))
        flight = self.injector.flight
        assert flight is None or flight.order.is_of(self.conversation) or flight.state == "submitted"
        if self.conversation == "one":
            self.read_from_its_start()

    @rule(choice=st.sampled_from(["drop", "retry", "hook", "accept"]), which=st.integers(0, 5))
    def choose(self, choice: inj.Choice, which: int) -> None:
        flight = self.injector.flight
        all_of_them = [*([flight] if flight else []), *self.injector.hooked, *self.injector.shelf]
        if all_of_them:
            chosen = all_of_them[which % len(all_of_them)]
            if chosen.state == "failed":
                self.retried.add(chosen.order.id)
            self.take(inj.choose(self.injector, chosen.order.id, choice, self.now))

    # Where records are written first, a hook that comes before its record was read is one of some milliseconds: which
    # compaction it was for is then not written down.
    @precondition(lambda self: self.early or not self.unrecorded)
    @rule(after=st.integers(0, 3), what=st.sampled_from(["look", "hook", "record", "nothing"]))
    def crash(self, after: int, what: str) -> None:
        """The host dies in the middle of something; the one that comes knows the record and the agent's log."""
        self.crashes_after = after
        try:
            if what == "look":
                self.look(0.0, 900.0, good=True, draft=False, seen=True)
            elif what == "hook" and self.early and not self.unrecorded and self.conversation == "one":
                self.hook_of_a_compaction_before_its_record()
            elif what == "record" and self.conversation == "one":
                self.record_of_a_compaction("hook", True)
        except Crash:
            pass
        self.crashes_after = None
        self.open, self.kept, self.conversation = False, None, "one"
        self.injector = inj.Injector()
        self.restart()

    def restart(self) -> None:
        """Read the agent's log from its start."""
        named = {entry.id for occasion, entry in self.record.items() if not occasion.is_ahead}
        for occasion, entry in list(self.record.items()):
            if occasion.is_ahead and occasion.conversation == self.conversation and entry.id not in named:
                got = inj.Ahead(entry.id, "one", entry.time, early=self.early)
                self.take(inj.ran_ahead(self.injector, got, self.now))
                self.resume(self.injector, occasion, entry)
        self.read_from_its_start()

    def read_from_its_start(self) -> None:
        """Read the agent's log once more: what was served for its compactions, or may be yet, is known."""
        read = 0
        for occasion in self.compacted:
            before = self.logged_before[occasion]
            for text in self.log[read:before]:
                self.take(inj.recorded(self.injector, text, self.now))
            read = before
            if occasion in self.injector.known:
                continue
            known = self.record.get(occasion)
            if known is not None:
                self.resume(self.injector, occasion, known)
                continue
            paired = inj.paired(self.injector, occasion, self.compacted_at, self.now)
            step = paired or inj.enqueue(self.injector, self.made(occasion, late=self.late), self.now)
            self.take(step)
        self.read_the_log(True)

    def resume(self, injector: inj.Injector, occasion: Occasion, known: Entry) -> None:
        taken = replace(self.orders[known.id], occasion=occasion, channel=known.channel, late=self.late)
        self.take(inj.resume(injector, taken, known.state, self.now, sent=known.print, since=known.time))

    # --- what must hold

    @invariant()
    def nothing_was_given_twice(self) -> None:
        for id, channels in self.given.items():
            assert len(channels) <= 1 or id in self.retried, (id, channels)

    @invariant()
    def one_compaction_has_one_restore(self) -> None:
        for ids in self.restored:
            assert len(ids) <= 1, ids

    @precondition(lambda self: self.kept is not None)
    @invariant()
    def an_enter_is_kept_only_while_somebody_looks_for_its_time(self) -> None:
        assert self.injector.behind is not None
        assert self.injector.is_at_work

    @precondition(lambda self: self.open)
    @invariant()
    def keys_are_held_only_while_something_is_typed(self) -> None:
        assert self.injector.flight is not None
        assert self.injector.flight.state == "writing"


class LateHooks(Interleavings):
    """An agent like Codex."""

    late = True


class EarlyHooks(Interleavings):
    """An agent like Claude Code."""

    early = True


TestInterleavings = Interleavings.TestCase
TestInterleavings.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
TestEarlyHooks = EarlyHooks.TestCase
TestEarlyHooks.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
TestLateHooks = LateHooks.TestCase
TestLateHooks.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)


@pytest.mark.parametrize("many_crashes", [False, True])
def test_what_a_hook_got_before_its_host_died_is_that_of_the_compaction_that_is_recorded_much_later(
    many_crashes: bool,
) -> None:
    machine = EarlyHooks()
    machine.crash(1, "hook")  # it has said the text to the agent
    machine.turn(ended=True)
    for passed in (7.0, 900.0, 7.0):
        machine.look(passed, 900.0, good=True, draft=False, seen=True)
        if many_crashes:
            machine.crash(0, "nothing")
    machine.choose("hook", 0)
    machine.hook_of_a_prompt()
    machine.record_of_a_compaction("stdin", has_hook=False)
    machine.look(7.0, 900.0, good=True, draft=False, seen=True)
    assert machine.given == {"id0001": ["hook"]}
    machine.read_the_log(many=True)
    assert [entry.state for entry in machine.record.values()][-1] == "confirmed"
    assert machine.injector.flight is None
    assert machine.injector.hooked == ()
