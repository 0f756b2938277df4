"""What the host does for the injector: composes in time, records before it says, and forgets what is over."""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.core.occasion import PERSONAL, Occasion, as_written
from agentsup.core.policy import Policy
from agentsup.core.session import Agent, Session, apply
from agentsup.host import clock
from agentsup.host.carrier import Carrier
from agentsup.host.injections import Injections
from agentsup.host.orders import Orders
from agentsup.host.sent_record import SentRecord
from agentsup.store.injection_record import InjectionRecord, Recorded
from tests.host.set_back import set_back


class Record(InjectionRecord):
    """A record on a disk that is full for a moment."""

    failures = 0

    def append(self, entry: Recorded) -> None:
        if self.failures:
            self.failures -= 1
            raise OSError
        super().append(entry)


class Host:
    """A host around the injections: an agent whose screen nobody looks at, and memory that never changes."""

    def __init__(self, folder: Path) -> None:
        self.session = Session("s", str(folder), Agent("demo"))
        self.record = Record(folder / "s.injections.jsonl")
        self.composed = 0
        self.told: list[ev.InjectionChanged] = []
        adapter: Any = SimpleNamespace(late_hooks=False, early_hooks=False, hook_most=None, typing=inj.one_paste)
        restores: Any = SimpleNamespace(settled=True, of=lambda *_: SimpleNamespace(text=self._text))
        nothing: Any = SimpleNamespace()
        self.injections = Injections(
            adapter, restores, screen=nothing, writer=nothing, record=self.record, memory_root=folder / "none",
            policy=Policy(hooks=True), session=lambda: self.session, fold=self.fold, tell=self._tell,
            may_type=lambda: False, is_settled=lambda: True, is_caught_up=lambda: True,
        )  # fmt: skip
        self.orders = self.injections._orders
        self.fold(ev.ConversationIdentified(1.0, "c1", ""))
        # Nobody looks at the screen.
        self.injections.look = lambda: None  # type: ignore[method-assign]

    def fold(self, event: ev.Event) -> None:
        self.session = apply(self.session, event)

    def words(self, id: str) -> str:
        self.composed += 1
        return f"agentsup message {id}.\n\nhello"

    def _text(self, id: str, then: str = "", **_: object) -> str:
        self.composed += 1
        return f"by agentsup (restore {id})\nthe memory\nthen {then}"

    def _tell(self, event: ev.InjectionChanged) -> None:
        self.told.append(event)
        self.fold(event)


@pytest.fixture
async def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    """Return a host in a folder of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return Host(tmp_path)


async def test_two_texts_go_out_by_a_hook_only_where_both_are_recorded(host: Host) -> None:
    for name in ("one", "two"):
        id = host.injections.send(Occasion(PERSONAL, name=name), host.words)
        assert id is not None
        assert host.injections.choose(id, "hook")
    host.record.failures = 1
    assert host.injections.by_hook("UserPromptSubmit", "", "c1") == ""
    assert {(event.state, event.reason) for event in host.told[-2:]} == {("held", "injection.no-record")}
    assert host.injections.by_hook("UserPromptSubmit", "", "c1").count("hello") == 2


async def test_what_is_not_sent_is_not_composed(host: Host) -> None:
    host.injections.send(as_written("inject:one"), host.words)
    host.injections.restore(as_written("start:c1"), "start")
    host.composed = 0
    assert host.injections.send(as_written("inject:one"), host.words) is None
    assert host.injections.restore(as_written("start:c1"), "start") is None
    host.session = replace(
        host.session, loop=replace(host.session.loop, breaker=replace(host.session.loop.breaker, in_a_row=99))
    )
    assert host.session.loop.breaker.is_open
    assert host.injections.send(as_written("engram:c1:1"), host.words) is None
    assert host.composed == 0


@pytest.mark.parametrize(("kind", "goes"), [("correction:c1:e1", True), ("inject:one", False)])
async def test_a_text_of_agentsups_own_is_not_the_work_that_a_sessions_memory_comes_too_late_for(
    host: Host, kind: str, goes: bool
) -> None:
    host.injections.send(as_written(kind), host.words)
    carrier = host.injections._carrier
    flight = carrier.injector.flight
    assert flight is not None
    carrier.injector = replace(carrier.injector, flight=replace(flight, state="submitted"))
    host.injections.restore(as_written("start:c1"), "start")
    waits = [order.id for order in inj.unsent(carrier.injector)]
    assert len(waits) == 1
    host.injections.happened(ev.TurnStarted(2.0, "t1"))
    host.injections.recorded(flight.order.text)
    host.injections.happened(ev.TurnEnded(3.0, "t1", "Thanks."))
    assert [order.id for order in inj.unsent(carrier.injector)] == (waits if goes else [])
    host.injections.happened(ev.TurnStarted(4.0, "t2"))
    host.injections.happened(ev.TurnEnded(5.0, "t2", "Done."))  # its prompt's hook has not come
    assert ("dropped", "injection.work-begun") in {(each.state, each.reason) for each in host.told}
    assert inj.unsent(carrier.injector) == ()


async def test_how_something_is_composed_is_forgotten_when_it_is_over(host: Host) -> None:
    for number in range(5):
        occasion = Occasion(PERSONAL, name=f"{number}")
        id = host.injections.restore(occasion, "asked")
        assert id is not None
        host.injections.prepared()
        assert list(host.orders._forms) == [id]
        host.injections.withdraw(occasion, "injection.replaced")
    host.injections.prepared()
    assert not host.orders._forms


@pytest.mark.parametrize("place", ["", "p/.agent/restore"])
async def test_what_a_short_text_names_is_written_while_another_host_has_the_folder(tmp_path: Path, place: str) -> None:
    (tmp_path / "p" / ".agent" / "restore").mkdir(parents=True)
    record = InjectionRecord(tmp_path / "s.injections.jsonl", tmp_path / "p" if place else None)
    rest = record.rest.path
    assert rest == tmp_path / place / "s.restore.txt"
    texts: Any = SimpleNamespace(rest=record.rest)
    orders = Orders(Any, texts, SentRecord(record), policy=Policy(), session=Any)  # type: ignore[arg-type]
    orders._forms["bcdfgh"] = "again"
    orders._text = lambda order, form: order.text  # type: ignore[method-assign]
    number = os.open(rest.parent, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        begun = time.monotonic()
        assert orders.write_rest(inj.Order("bcdfgh", as_written("inject:x"), f"all of it is in {rest}"))
        assert time.monotonic() - begun < 2.0
    finally:
        os.close(number)
    assert rest.read_text() == f"all of it is in {rest}"
    assert rest.stat().st_mode & 0o777 == 0o600
    # What only speaks of the file does not go there.
    assert orders.write_rest(inj.Order("other1", as_written("inject:y"), f"read {rest} again"))
    assert rest.read_text() == f"all of it is in {rest}"
    rest.unlink()
    rest.mkdir()
    assert not orders.write_rest(inj.Order("bcdfgh", as_written("inject:x"), f"all of it is in {rest}"))


async def test_what_waits_for_a_hook_is_looked_at_in_time_though_a_text_can_not_be_typed(host: Host) -> None:
    looked = asyncio.Event()
    typist: Any = SimpleNamespace(type=lambda _: False)
    record = SentRecord(host.record)
    carrier = Carrier(
        typist, record, host.orders, memory_root=Path("/none"), fold=host.fold, tell=host.fold, look=looked.set,
        recompose=lambda: None, redraw=lambda: None,
    )  # fmt: skip
    injector, _ = inj.enqueue(inj.Injector(), inj.Order("bcdfgh", as_written("inject:x"), "hello"), clock.now())
    carrier.run(
        (
            injector,
            (inj.OpenPaste(inj.Order("bcdfgh", as_written("inject:x"), "hello")), inj.WakeAt(clock.now() + 0.05)),
        )
    )
    assert carrier.injector.flight is not None
    assert (carrier.injector.flight.state, carrier.injector.flight.reason) == ("held", "injection.keys")
    async with asyncio.timeout(3):
        await looked.wait()


async def test_keys_come_back_after_a_fault_in_the_middle_of_typing(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inj, "KEYS_PATIENCE", 0.0)
    gone = asyncio.Event()
    typist: Any = SimpleNamespace(stop=lambda **_: None, let_keys_go=gone.set, keeps_keys=True)
    carrier = Carrier(
        typist, SentRecord(host.record), host.orders, memory_root=Path("/none"), fold=host.fold, tell=host.fold,
        look=lambda: None, recompose=lambda: None, redraw=lambda: None,
    )  # fmt: skip
    injector, _ = inj.enqueue(inj.Injector(), inj.Order("bcdfgh", as_written("inject:x"), "hello"), clock.now())
    assert injector.flight is not None
    carrier.injector = replace(injector, flight=replace(injector.flight, state="writing"))
    with carrier.border():
        raise TypeError
    assert [(each.id, each.state, each.reason) for each in host.session.unfinished] == [
        ("bcdfgh", "failed", "injection.fault")
    ]
    async with asyncio.timeout(3):
        await gone.wait()
    assert carrier.injector.behind is None


async def test_a_persons_engram_is_told_once_the_breaker_is_closed(host: Host) -> None:
    host.session = replace(
        host.session, loop=replace(host.session.loop, breaker=replace(host.session.loop.breaker, in_a_row=99))
    )
    assert host.injections.send(as_written("engram:c1:1"), host.words) is None
    id = host.injections.send(as_written("correction:c1:1"), host.words)
    assert [(each.id, each.state) for each in host.session.unfinished] == [(id, "queued")]
    order = host.injections._injector.flight
    assert order is not None
    assert host.injections.by_hook("UserPromptSubmit", "", "c1") == ""


@pytest.mark.parametrize(
    ("since", "restored"),
    [
        ((), 1),
        ((ev.TurnEnded(0.7, "t"),), 1),
        ((ev.TurnStarted(0.7, "t2"),), 0),
        ((ev.UserMessageRecorded(0.7, "Restored from disk by agentsup (restore bcdfgh)\n\nx"),), 0),
    ],
)
async def test_what_a_resumed_conversation_was_still_owed_is_given_to_it(
    host: Host, since: tuple[ev.Event, ...], restored: int
) -> None:
    """It was compacted, and the person left before anything could be sent."""
    host.injections.compacted(ev.Compacted(0.4, "older", mid_turn=True), since=10.0)
    host.injections.compacted(ev.Compacted(0.5, "old", mid_turn=True), since=10.0)
    assert inj.unsent(host.injections._injector) == ()
    for event in since:
        host.injections.happened(event)
        if isinstance(event, ev.UserMessageRecorded):
            host.injections.recorded(event.text)
    for _ in range(2):
        host.injections.caught_up()
        found = inj.unsent(host.injections._injector)
        assert [order.occasion.name for order in found] == ["old"] * restored
        assert all(order.text.endswith("then wait") for order in found)


def notices(host: Host) -> list[str]:
    return [notice.key for notice in host.session.notices]


@pytest.mark.parametrize(
    ("hooks", "interrupted", "ends"),
    [
        (False, True, "then wait"),
        (False, False, "then go-on"),
        (True, True, "then answer"),
        (True, False, "then answer"),
    ],
)
async def test_what_waits_until_the_turn_is_over_asks_to_go_on_with_it_only_where_nobody_has_ended_it(
    host: Host, hooks: bool, interrupted: bool, ends: str
) -> None:
    if hooks:
        host.fold(ev.HookHeard(1.5, "SessionStart", "startup", "c1"))
    host.fold(ev.TurnStarted(2.0, "t"))
    host.injections.compacted(ev.Compacted(3.0, "one", mid_turn=True), since=0.0)
    injector = host.injections._injector
    assert [order.text.endswith("then go-on") for order in inj.unsent(injector)] == [True]
    assert bool(injector.hooked) is hooks
    ended = ev.TurnEnded(4.0, "t", interrupted=interrupted)
    host.fold(ended)
    host.injections.happened(ended)
    assert [order.text.endswith(ends) for order in inj.unsent(host.injections._injector)] == [True]


async def test_a_hook_in_the_middle_of_the_turn_asks_to_go_on_with_it(host: Host) -> None:
    host.fold(ev.TurnStarted(2.0, "t"))
    assert host.injections.by_hook("SessionStart", "compact", "c1").endswith("then go-on")


async def test_a_start_restore_that_comes_too_late_is_told_until_another_restore_is_sent(host: Host) -> None:
    assert host.injections.restore(as_written("start:c1"), "start")
    host.injections.happened(ev.TurnStarted(2.0, "t"))
    assert host.told[-1].state == "held"  # the hook of this prompt would be in time
    host.injections.happened(ev.TurnEnded(3.0, "t", "Done."))
    assert (host.told[-1].state, host.told[-1].reason) == ("dropped", "injection.work-begun")
    assert notices(host) == ["start.missed"]
    host.injections.send(as_written("inject:one"), host.words)
    assert notices(host) == ["start.missed"]
    assert host.injections.restore(as_written("inject:two"), "asked")
    assert notices(host) == []


async def test_a_start_restore_that_could_not_be_asked_for_in_time_is_told_where_there_is_memory(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.injections.start_missed()
    assert notices(host) == ["start.missed"]
    host.injections.moved("c2")
    assert notices(host) == []
    monkeypatch.setattr(host.injections._texts, "text", lambda *_: "")
    host.injections.start_missed()
    assert notices(host) == []


async def test_a_compaction_after_the_clock_was_set_back_is_no_history(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    since = time.time()
    set_back(monkeypatch, 3600.0)
    caught_up = False
    host.injections._is_caught_up = lambda: caught_up
    host.injections.compacted(ev.Compacted(time.time(), "read-first"), since=since)
    caught_up = True
    host.injections.compacted(ev.Compacted(time.time() - 7200.0, "copied"), since=since)
    assert host.told == []
    host.injections.compacted(ev.Compacted(time.time(), "new"), since=since)
    assert {each.occasion.name for each in host.told} == {"new"}
    assert abs(host.told[0].time - time.time()) < 60.0  # the time that the agent's log has too


async def test_what_a_hook_got_belongs_to_the_compaction_that_is_recorded_after_the_clock_was_set_back(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.injections._adapter.early_hooks = True
    since = time.time()
    assert host.injections.by_hook("SessionStart", "compact", "c1")
    id = host.injections._injector.hooked[0].order.id
    set_back(monkeypatch, 3600.0)
    host.injections.compacted(ev.Compacted(time.time(), "new"), since=since)
    assert [(each.id, each.occasion.name, each.state) for each in host.session.unfinished] == [(id, "new", "submitted")]
    host.injections.happened(ev.TurnEnded(time.time(), "t"))
    assert clock.now() < host.injections._injector.hooked[0].due < clock.now() + 60.0


async def test_what_a_hook_got_for_a_compaction_that_failed_is_dropped(host: Host) -> None:
    host.injections._adapter.early_hooks = True
    assert host.injections.by_hook("SessionStart", "compact", "c1")
    host.injections.happened(ev.CompactionFailed(time.time(), "cancelled"))
    assert [(each.state, each.reason) for each in host.told[-1:]] == [("dropped", "injection.no-compaction")]
    host.injections.compacted(ev.Compacted(time.time(), "next"), since=0.0)
    assert [(each.occasion.name, each.state) for each in host.session.unfinished] == [("next", "queued")]


async def test_that_the_record_can_not_be_written_is_said_until_it_can(host: Host) -> None:
    host.record.failures = 1
    id = host.injections.send(as_written("inject:one"), host.words)
    assert id is not None
    host.injections.choose(id, "hook")
    assert host.injections.by_hook("UserPromptSubmit", "", "c1") == ""
    assert "record.unwritable" in notices(host)
    assert host.injections.by_hook("UserPromptSubmit", "", "c1")
    assert "record.unwritable" not in notices(host)
