"""What was read back is judged once, whenever hosts are killed before it, behind it or in between."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentsup.agents.adapter import Conversation
from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.core.memory.model import Document, Memory
from agentsup.core.occasion import as_written
from agentsup.core.policy import Policy
from agentsup.core.session import Agent, Session
from agentsup.host.recitals import Recitals
from agentsup.host.supervisor import Supervisor
from agentsup.host.writer import Writer
from agentsup.store.injection_record import InjectionRecord, Recorded
from tests.host import virtual_time

TEXT = "by agentsup (restore abc234)\nthe memory"
OCCASION = as_written("compaction:c1:1")
MEMORY = Memory(
    engram=Document(".agent/engram.md", "[Task] Make invoice rounding exact\n[Pending] sum in billing/ledger.py\n"),
    state=Document(".agent/STATE.md", "## Next\n1. run the whole suite\n2. compare with last month's export\n"),
)
WRONG = "I make invoice rounding exact. Next I compare with last month's export."


class Host:
    """A supervisor that takes over an agent, with the part that judges what is read back."""

    def __init__(self, folder: Path, log: list[ev.Event], *, memory_first: bool) -> None:
        """`memory_first`: whether memory is read before the log."""
        self.verdicts: list[tuple[str, str, tuple[str, ...]]] = []
        self.caught_up = False
        adapter: Any = SimpleNamespace(
            name="demo", late_hooks=False, early_hooks=False, hook_most=None, typing=inj.one_paste,
            decoder=lambda: None,
        )  # fmt: skip
        restores: Any = SimpleNamespace(
            settled=True, of=lambda *_: SimpleNamespace(text=lambda id, **_: f"by agentsup (restore {id})\nmemory"),
            ask=lambda *_, **_options: None,
        )  # fmt: skip
        screen: Any = SimpleNamespace()
        place: Any = SimpleNamespace(project=folder)
        supervisor = self.supervisor = Supervisor(
            Session("s", str(folder), Agent("demo")), adapter, place, restores,
            screen=screen, writer=Writer(lambda: None), record=InjectionRecord(folder / "s.injections.jsonl"),
            memory_root=folder / "none", policy=Policy(hooks=True), on_change=lambda: None,
            on_turn_end=lambda: None, is_settled=lambda: True, is_caught_up=lambda: self.caught_up,
        )  # fmt: skip
        # Nobody looks at the screen.
        supervisor.injections.look = lambda: None  # type: ignore[method-assign]
        recitals = Recitals(
            supervisor.injections, supervisor.injections.verdicts, language="en", session=lambda: supervisor.session,
            happened=supervisor.happened, is_caught_up=lambda: self.caught_up,
        )  # fmt: skip
        supervisor.loop.followers += [recitals, self]
        supervisor.loop.caught_up = recitals.caught_up
        supervisor.happened(ev.AgentStarted(1.0, 7))
        if memory_first:
            supervisor.happened(ev.MemoryRead(time.time(), MEMORY))
        supervisor.conversation(Conversation("c1", "/log"))
        for event in log:
            supervisor.happened(event)
        self.caught_up = True
        supervisor.caught_up()
        if not memory_first:
            supervisor.happened(ev.MemoryRead(time.time(), MEMORY))

    def happened(self, event: ev.Event) -> None:
        """Keep the verdicts."""
        if isinstance(event, ev.RecitalJudged):
            self.verdicts.append((event.id, event.verdict, event.missing))


def sent(folder: Path, state: ev.InjectionState) -> None:
    """Have the record of a host that has sent the restore, and was killed."""
    print = inj.print_of("abc234", TEXT)
    record = InjectionRecord(folder / "s.injections.jsonl")
    when = time.time() - 100
    record.append(Recorded("abc234", OCCASION, state, when, "stdin", print.at, print.size, print.sha))


def log() -> list[ev.Event]:
    """Return what the agent's log comes to hold."""
    start = time.time() - 110
    return [
        ev.TurnStarted(start, "t0"), ev.AgentMessageRecorded(start + 1, "I am deploying it."),
        ev.TurnEnded(start + 2, "t0", "I am deploying it."), ev.Compacted(start + 3, "1"),
        ev.TurnStarted(start + 9, "t1"), ev.UserMessageRecorded(start + 9, TEXT),
        ev.AgentMessageRecorded(start + 11, "Let me look at it first."), ev.AgentMessageRecorded(start + 12, WRONG),
        ev.TurnEnded(start + 13, "t1", WRONG), ev.TurnStarted(start + 20, "t2"),
        ev.AgentMessageRecorded(start + 21, "I am deploying it."), ev.TurnEnded(start + 22, "t2", "I am deploying it."),
    ]  # fmt: skip


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.mark.parametrize("memory_first", [False, True])
@pytest.mark.parametrize("state", ["submitted", "confirmed"])
async def test_an_answer_that_nobody_has_judged_is_judged_by_the_next_host(
    tmp_path: Path, state: ev.InjectionState, memory_first: bool
) -> None:
    sent(tmp_path, state)
    host = Host(tmp_path, log(), memory_first=memory_first)
    assert host.verdicts == [("abc234", "wrong", ("recital.missing.next",))]
    assert "recital.wrong-next" in {notice.key for notice in host.supervisor.session.notices}
    assert Host(tmp_path, log(), memory_first=memory_first).verdicts == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=5), st.sampled_from(["submitted", "confirmed"]),
    st.booleans(),
)  # fmt: skip
def test_there_is_one_verdict_over_any_kills(
    tmp_path_factory: pytest.TempPathFactory, kills: list[tuple[int, int]], state: ev.InjectionState, memory_first: bool
) -> None:
    """Of each host: how many events it sees happen, and how many happen between its death and the next one."""
    folder = tmp_path_factory.mktemp("hosts")

    async def scenario() -> None:
        sent(folder, state)
        events, told, verdicts = log(), 4, []
        for seen, missed in [*kills, (len(events), 0)]:
            host = Host(folder, events[:told], memory_first=memory_first)
            for event in events[told : told + seen]:
                host.supervisor.happened(event)
            told += seen + missed
            verdicts += host.verdicts
        assert verdicts == [("abc234", "wrong", ("recital.missing.next",))]

    virtual_time.run(scenario())
