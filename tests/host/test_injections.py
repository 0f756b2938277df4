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
from agentsup.core.policy import Policy
from agentsup.core.session import Agent, Session, apply
from agentsup.host.carrier import Carrier
from agentsup.host.injections import Injections
from agentsup.host.orders import Orders
from agentsup.host.sent_record import SentRecord
from agentsup.store.injection_record import InjectionRecord


class Record(InjectionRecord):
    """A record on a disk that is full for a moment."""

    failures = 0

    def append(self, event: ev.InjectionChanged, print: inj.Print | None = None) -> None:
        if self.failures:
            self.failures -= 1
            raise OSError
        super().append(event, print)


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
            may_type=lambda: False, is_settled=lambda: True,
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

    def _text(self, id: str, **_: object) -> str:
        self.composed += 1
        return f"by agentsup (restore {id})\nthe memory"

    def _tell(self, event: ev.InjectionChanged) -> None:
        self.told.append(event)
        self.fold(event)


@pytest.fixture
async def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    """Return a host in a folder of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return Host(tmp_path)


async def test_two_texts_go_out_by_a_hook_only_where_both_are_recorded(host: Host) -> None:
    for occasion in ("inject:one", "inject:two"):
        id = host.injections.send(occasion, host.words)
        assert id is not None
        assert host.injections.choose(id, "hook")
    host.record.failures = 1
    assert host.injections.by_hook("UserPromptSubmit", "", "c1") == ""
    assert {(event.state, event.reason) for event in host.told[-2:]} == {("held", "injection.no-record")}
    assert host.injections.by_hook("UserPromptSubmit", "", "c1").count("hello") == 2


async def test_what_is_not_sent_is_not_composed(host: Host) -> None:
    host.injections.send("inject:one", host.words)
    host.injections.restore("start:c1", "start")
    host.composed = 0
    assert host.injections.send("inject:one", host.words) is None
    assert host.injections.restore("start:c1", "start") is None
    host.session = replace(
        host.session, loop=replace(host.session.loop, breaker=replace(host.session.loop.breaker, in_a_row=99))
    )
    assert host.session.loop.breaker.is_open
    assert host.injections.send("engram:c1:1", host.words) is None
    assert host.composed == 0


async def test_how_something_is_composed_is_forgotten_when_it_is_over(host: Host) -> None:
    for number in range(5):
        occasion = f"inject:{number}"
        id = host.injections.restore(occasion, "asked")
        assert id is not None
        host.injections.prepared()
        assert list(host.orders._anew) == [id]
        host.injections.withdraw(occasion, "injection.replaced")
    host.injections.prepared()
    assert not host.orders._anew


async def test_what_a_short_text_names_is_written_while_another_host_has_the_folder(tmp_path: Path) -> None:
    record = InjectionRecord(tmp_path / "s.injections.jsonl")
    texts: Any = SimpleNamespace(rest=record.rest)
    orders = Orders(Any, texts, SentRecord(record), policy=Policy(), session=Any)  # type: ignore[arg-type]
    number = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        begun = time.monotonic()
        assert orders.write_rest(inj.Order("bcdfgh", "inject:x", f"all of it is in {record.rest}"))
        assert time.monotonic() - begun < 2.0
    finally:
        os.close(number)
    assert record.rest.read_text() == f"all of it is in {record.rest}"
    assert record.rest.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [record.rest.name]
    record.rest.unlink()
    record.rest.mkdir()
    assert not orders.write_rest(inj.Order("bcdfgh", "inject:x", f"all of it is in {record.rest}"))


async def test_what_waits_for_a_hook_is_looked_at_in_time_though_a_text_can_not_be_typed(host: Host) -> None:
    looked = asyncio.Event()
    typist: Any = SimpleNamespace(type=lambda _: False)
    record = SentRecord(host.record)
    carrier = Carrier(
        typist, record, host.orders, memory_root=Path("/none"), fold=host.fold, tell=host.fold, look=looked.set,
        on_missed=lambda: None,
    )  # fmt: skip
    injector, _ = inj.enqueue(inj.Injector(), inj.Order("bcdfgh", "inject:x", "hello"), time.time())
    carrier.run((injector, (inj.OpenPaste(inj.Order("bcdfgh", "inject:x", "hello")), inj.WakeAt(time.time() + 0.05))))
    assert carrier.injector.flight is not None
    assert (carrier.injector.flight.state, carrier.injector.flight.reason) == ("held", "injection.keys")
    async with asyncio.timeout(3):
        await looked.wait()


async def test_a_persons_engram_is_told_once_the_breaker_is_closed(host: Host) -> None:
    host.session = replace(
        host.session, loop=replace(host.session.loop, breaker=replace(host.session.loop.breaker, in_a_row=99))
    )
    assert host.injections.send("engram:c1:1", host.words) is None
    id = host.injections.send("correction:c1:1", host.words)
    assert [(each.id, each.state) for each in host.session.unfinished] == [(id, "queued")]
    order = host.injections._injector.flight
    assert order is not None
    assert host.injections.by_hook("UserPromptSubmit", "", "c1") == ""
