"""Every restore of a conversation has the next number, whatever it is for and whichever host sends it."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.core.injector.values import announced
from agentsup.core.occasion import PERSONAL, START, Occasion
from agentsup.core.policy import Policy
from agentsup.core.restore.frame import RestoreForm
from agentsup.core.session import Agent, Session, apply
from agentsup.host.injections import Injections
from agentsup.locale import restore_frame
from agentsup.store.injection_record import InjectionRecord

Start = Callable[..., "Host"]


class Host:
    """A host whose agent gets what is typed at once; of its memory only the form and the number are told."""

    def __init__(self, folder: Path, *, conversation: str = "c1", hooks: bool = False) -> None:
        self.session = Session("s", str(folder), Agent("demo"))
        self.now = time.time()
        adapter: Any = SimpleNamespace(late_hooks=False, early_hooks=False, hook_most=None, typing=inj.one_paste)
        restores: Any = SimpleNamespace(settled=True, of=self._composed)
        writer: Any = SimpleNamespace(keeps_keys=False, held_by="", has_written=lambda _: True)
        self.injections = Injections(
            adapter, restores, screen=writer, writer=writer, record=InjectionRecord(folder / "s.injections.jsonl"),
            memory_root=folder / "none", policy=Policy(hooks=hooks, channel="hook" if hooks else "stdin"),
            session=lambda: self.session, fold=self.fold, tell=self.fold, may_type=lambda: False,
            is_settled=lambda: True, is_caught_up=lambda: True,
        )  # fmt: skip
        self.injections._looking = True  # nobody looks at the screen
        self.moves(conversation)

    def fold(self, event: ev.Event) -> None:
        self.session = apply(self.session, event)

    def _composed(self, form: RestoreForm, *_: object) -> SimpleNamespace:
        def text(*, id: str, number: int, **_more: object) -> str:
            return f"agentsup (restore {id}, number {number}, {form})"

        return SimpleNamespace(text=text)

    def moves(self, conversation: str) -> None:
        """The agent is in another conversation."""
        self.injections.moved(conversation)
        self.fold(ev.ConversationIdentified(self.now, conversation, ""))

    def starts(self) -> None:
        """Ask for the restore of a new conversation."""
        assert self.injections.restore(Occasion(START, self.session.conversation), "start")

    def asks(self, name: str = "a") -> None:
        """A person asks for a restore."""
        assert self.injections.restore(Occasion(PERSONAL, name=name), "asked")

    def compacts(self, name: str) -> None:
        """The agent compacts."""
        self.now += 1.0
        self.fold(ev.Compacted(self.now, name))
        self.injections.compacted(ev.Compacted(self.now, name), since=0.0)

    async def types(self) -> str:
        """Have the next text typed; return its number and form."""
        await asyncio.sleep(0)  # what is composed anew is so a moment later
        text = self._goes("writing")
        self._goes("submitted")
        return text

    async def arrives(self) -> str:
        """Have the next text typed, and read in the agent's log."""
        text = await self.types()
        flight = self.injections._injector.flight
        assert flight is not None
        self.injections.recorded(flight.order.text)
        return text

    def _goes(self, state: ev.InjectionState) -> str:
        flight = self.injections._injector.flight
        assert flight is not None
        gone = replace(flight, state=state)
        self.injections._run((replace(self.injections._injector, flight=gone), (announced(gone, time.time()),)))
        return called(flight.order.text)

    async def waiting(self) -> list[str]:
        """Return what waits, as it is composed now."""
        await asyncio.sleep(0)
        return [called(order.text) for order in inj.unsent(self.injections._injector)]


def called(text: str) -> str:
    """Return the number and the form of a text."""
    found = re.search(r"number (\d+), ([\w-]+)\)", text)
    assert found is not None, text
    return f"{found[1]} {found[2]}"


@pytest.fixture
async def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Host]:
    """Return what begins a host; all have one session."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return lambda **options: Host(tmp_path, **options)


async def test_all_that_is_restored_has_one_series_and_is_short_from_the_second_typed_one_on(start: Start) -> None:
    host = start()
    host.starts()
    assert await host.arrives() == "1 start"
    host.compacts("w1")
    assert await host.arrives() == "2 again"
    host.asks()
    assert await host.arrives() == "3 asked-again"
    host.compacts("w2")
    assert await host.arrives() == "4 again"


async def test_a_first_one_is_whole_whatever_it_is_for(start: Start) -> None:
    host = start()
    host.asks()
    assert await host.arrives() == "1 asked"
    host.moves("c2")
    host.compacts("w1")
    assert await host.arrives() == "1 compaction"


async def test_a_host_that_takes_over_goes_on_counting(start: Start) -> None:
    host = start()
    host.starts()
    await host.arrives()
    host.asks("a")
    await host.arrives()
    host.moves("c2")
    host.asks("b")
    await host.arrives()
    next_host = start()
    next_host.compacts("w1")
    assert await next_host.arrives() == "3 again"
    elsewhere = start(conversation="c2")
    elsewhere.compacts("w2")
    assert await elsewhere.arrives() == "2 again"
    last = start()
    last.asks("c")
    assert await last.arrives() == "4 asked-again"


@pytest.mark.parametrize("arrives", [True, False])
async def test_what_a_host_left_in_the_middle_keeps_its_number(start: Start, arrives: bool) -> None:
    host = start()
    host.starts()
    assert await host.types() == "1 start"
    taken_over = start()
    flight = taken_over.injections._injector.flight
    assert flight is not None
    assert called(flight.order.text) == "1 start"
    assert flight.print == inj.print_of(flight.order.id, flight.order.text)
    if arrives:
        taken_over.injections.recorded(flight.order.text)
    taken_over.compacts("w1")
    assert await taken_over.waiting() == ["2 again" if arrives else "2 compaction"]


async def test_one_that_is_sent_after_another_says_that_it_replaces_it(start: Start) -> None:
    host = start()
    host.asks()
    host.compacts("w1")
    assert await host.waiting() == ["2 compaction", "1 asked"]
    assert await host.arrives() == "2 compaction"
    assert await host.arrives() == "3 asked-again"
    host.compacts("w2")
    assert await host.arrives() == "4 again"


async def test_one_that_waits_goes_to_the_series_of_the_conversation_that_it_is_sent_in(start: Start) -> None:
    host = start()
    for name in ("w1", "w2"):
        host.compacts(name)
        await host.arrives()
    host.moves("c2")
    host.asks()
    assert await host.waiting() == ["1 asked"]
    host.moves("c1")
    assert await host.waiting() == ["3 asked-again"]
    await host.arrives()
    host.compacts("w3")
    assert await host.waiting() == ["4 again"]


async def test_what_hooks_bring_is_numbered_and_no_reason_to_be_short(start: Start) -> None:
    host = start(hooks=True)
    host.starts()
    for source, expected in (("startup", "1 start"), ("compact", "2 compaction")):
        text = host.injections.by_hook("SessionStart", source, "c1")
        assert called(text) == expected
        host.injections.recorded(text)
        host.compacts("w1")
    by_keys = start()
    by_keys.compacts("w2")
    assert await by_keys.waiting() == ["3 compaction"]


async def test_a_record_without_numbers_is_counted(start: Start, tmp_path: Path) -> None:
    lines = [
        {"id": id, "occasion": occasion, "state": state, "time": 1.0, "channel": "stdin"}
        for id, occasion, state in (
            ("bcdfg2", "start:c1", "confirmed"), ("bcdfg3", "compaction:c1:hook-bcdfg3", "submitted"),
            ("bcdfg3", "compaction:c1:w1", "confirmed"), ("bcdfg4", "compaction:c2:w2", "confirmed"),
            ("bcdfg5", "inject:x", "confirmed"),
        )
    ]  # fmt: skip
    (tmp_path / "s.injections.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    host = start()
    host.compacts("w3")
    assert await host.arrives() == "3 again"


async def test_a_restore_that_waits_comes_after_a_glance_into_another_conversation(start: Start) -> None:
    host = start()
    host.compacts("w1")
    host.moves("c2")
    assert await host.waiting() == []
    host.moves("c1")
    host.injections.compacted(ev.Compacted(host.now, "w1"), since=0.0)  # its log is read again
    assert await host.waiting() == ["1 compaction"]
    host.moves("c2")
    next_host = start()
    next_host.injections.compacted(ev.Compacted(host.now, "w1"), since=0.0)
    assert await next_host.arrives() == "1 compaction"
    next_host.moves("c2")
    next_host.moves("c1")
    next_host.injections.compacted(ev.Compacted(host.now, "w1"), since=0.0)
    assert await next_host.waiting() == []


@pytest.mark.parametrize("where", ["look", "record", "log"])
async def test_a_fault_of_our_own_is_told_and_shown_and_nothing_waits_in_silence(
    start: Start, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise TypeError("x")

    host = start()
    host.compacts("w1")
    target, name = {
        "look": (host.injections._prover, "proof"), "record": (host.injections._sent, "append"),
        "log": (host.injections._left, "unread"),
    }[where]  # fmt: skip
    monkeypatch.setattr(target, name, breaks)
    host.injections._is_caught_up = lambda: where != "log"
    if where == "look":
        host.injections._look()
    elif where == "record":
        flight = host.injections._injector.flight
        assert flight is not None
        going = replace(flight, state="submitted")
        host.injections._carrier.injector = replace(host.injections._injector, flight=going)
        host.injections.recorded(flight.order.text)
    else:
        host.injections.recorded("something else")
    (notice,) = [each for each in host.session.notices if each.key == "loop.part-failed"]
    assert dict(notice.values) == {"part": "Injections", "reason": "TypeError: x"}
    assert host.session.injection is not None
    assert host.session.injection.state == ("confirmed" if where == "record" else "failed")
    assert host.injections._injector.flight is None


async def test_a_fault_while_restoring_is_told_and_the_agent_goes_on(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise TypeError("x")

    host = start()
    monkeypatch.setattr(host.injections._orders, "compaction", breaks)
    host.compacts("w1")
    assert [each.key for each in host.session.notices] == ["loop.part-failed"]


async def test_what_a_person_has_let_go_on_under_an_earlier_version_stays_so(start: Start, tmp_path: Path) -> None:
    line = {"id": "", "occasion": "breaker:reset", "state": "confirmed", "time": 5.0}
    (tmp_path / "s.injections.jsonl").write_text(f"{json.dumps(line)}\n")
    sent = start().injections._sent
    assert (sent.reset("c1"), sent.reset("c2")) == (5.0, 5.0)
    assert sent.breaker_reset("c1", 7.0)
    again = start().injections._sent
    assert (again.reset("c1"), again.reset("c2")) == (7.0, 5.0)


async def test_a_line_that_is_nested_too_deep_is_passed_over(start: Start, tmp_path: Path) -> None:
    good = b'{"id":"bcdfg2","occasion":"start:c1","state":"confirmed","time":1.0}'
    (tmp_path / "s.injections.jsonl").write_bytes(b'{"x":' + b"[" * 200_000 + b"\n" + good + b"\n")
    host = start()
    host.compacts("w1")
    assert (await host.waiting())[0].startswith("2 ")


@pytest.mark.parametrize(("language", "number"), [("en", "number 4"), ("zh-CN", "第 4 次")])
@pytest.mark.parametrize("typed", [True, False])
async def test_what_another_session_has_sent_into_a_conversation_counts(
    tmp_path: Path, language: str, number: str, typed: bool
) -> None:
    """It is resumed, or a copy: its log holds restores that no record of this session knows."""
    header = restore_frame(language).header.replace("{id}", "bcdfgh").replace("{number}", "4")
    assert number in header
    host = Host(tmp_path)
    host.injections._is_caught_up = lambda: False
    host.injections.recorded(f"{header}\n\n[Task] x", is_typed=typed)
    host.injections.recorded(f"Look at this: {header}")
    host.injections._is_caught_up = lambda: True
    assert host.injections._sent.newest("c1") == 4
    assert host.injections._sent.typed("c1") == typed
    id = host.injections.restore(Occasion(START, "c1"), "start")
    assert id is not None
    (order,) = inj.unsent(host.injections._injector)
    assert order.number == 5
    host.moves("c2")
    assert host.injections._sent.newest("c2") == 0
