"""A host that takes over reads the log from its start: until it is through, what the log tells is history."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agentsup.agents.adapter import Conversation
from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.core.occasion import as_written
from agentsup.core.policy import Policy
from agentsup.core.session import Agent, Session
from agentsup.host.supervisor import LOG_LAG, Supervisor
from agentsup.host.writer import Writer
from agentsup.store.injection_record import InjectionRecord, Recorded
from tests.host import virtual_time

TEXT = "by agentsup (restore abc123)\nthe memory"
OCCASION = as_written("compaction:c1:1")


class Host:
    """A supervisor that takes over an agent, whose screen nobody looks at."""

    def __init__(self, folder: Path, state: ev.InjectionState = "submitted", channel: ev.Channel = "stdin") -> None:
        self.record = InjectionRecord(folder / "s.injections.jsonl")
        print = inj.print_of("abc123", TEXT)
        self.record.append(
            Recorded("abc123", OCCASION, state, time.time(), channel, print.at, print.size, print.sha)
        )  # fmt: skip
        self.caught_up = False
        adapter: Any = SimpleNamespace(
            name="demo", late_hooks=False, early_hooks=False, hook_most=None, typing=inj.one_paste,
            decoder=lambda: None, compacts_at=lambda *_: None,
        )  # fmt: skip
        restores: Any = SimpleNamespace(
            settled=True, of=lambda *_: SimpleNamespace(text=lambda id, **_: f"by agentsup (restore {id})\nmemory"),
            ask=lambda *_, **_options: None, is_narrower=lambda *_: False,
        )  # fmt: skip
        screen: Any = SimpleNamespace()
        place: Any = SimpleNamespace(project=folder)
        self.supervisor = Supervisor(
            Session("s", str(folder), Agent("demo")), adapter, place, restores,
            screen=screen, writer=Writer(lambda: None), record=self.record, memory_root=folder / "none",
            policy=Policy(hooks=True), on_change=lambda: None,
            on_turn_end=lambda: None, is_settled=lambda: True, is_caught_up=lambda: self.caught_up,
        )  # fmt: skip
        # Nobody looks at the screen.
        self.supervisor.injections.look = lambda: None  # type: ignore[method-assign]
        self.happened = self.supervisor.happened
        self.happened(ev.AgentStarted(1.0, 7))
        self.supervisor.conversation(Conversation("c1", "/log"))

    def catches_up(self) -> None:
        """Have the end of the log reached."""
        self.caught_up = True
        self.supervisor.caught_up()

    @property
    def recorded(self) -> str:
        """How the record has the injection now."""
        return self.record.read()[OCCASION].state

    @property
    def injection(self) -> tuple[str, str]:
        """Id and state of the newest injection."""
        found = self.supervisor.session.injection
        return (found.id, found.state) if found else ("", "")


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.mark.parametrize("state", ["writing", "submitted"])
async def test_a_begun_restore_is_taken_up_though_its_compaction_is_in_no_part_that_is_read(
    tmp_path: Path, state: ev.InjectionState
) -> None:
    host = Host(tmp_path, state)
    assert host.injection == ("", "")
    host.catches_up()
    assert host.injection == ("abc123", "submitted")
    host.happened(ev.UserMessageRecorded(time.time(), TEXT))
    assert (host.injection, host.recorded) == (("abc123", "confirmed"), "confirmed")


@pytest.mark.parametrize("channel", ["stdin", "hook"])
async def test_where_the_log_holds_it_after_all_it_is_confirmed(tmp_path: Path, channel: ev.Channel) -> None:
    host = Host(tmp_path, channel=channel)
    host.happened(ev.UserMessageRecorded(time.time(), "another text"))
    host.happened(ev.ContextRecorded(time.time(), TEXT))
    assert (host.injection, host.recorded) == (("abc123", "confirmed"), "confirmed")
    host.catches_up()
    assert host.supervisor.injections._injector.flight is None
    assert host.recorded == "confirmed"


async def test_a_hook_that_runs_meanwhile_gets_nothing_that_may_have_arrived(tmp_path: Path) -> None:
    host = Host(tmp_path)
    assert host.supervisor.injections.by_hook("SessionStart", "compact", "c1") == ""
    host.happened(ev.Compacted(time.time(), "1"))
    host.happened(ev.UserMessageRecorded(time.time(), TEXT))
    host.catches_up()
    assert host.recorded == "confirmed"
    host.happened(ev.Compacted(time.time(), "2"))
    assert "restore" in host.supervisor.injections.by_hook("SessionStart", "compact", "c1")


def storm(when: float) -> list[ev.Event]:
    """Return what a log tells of four compactions with nothing between them."""
    return [
        event for number in range(4)
        for event in (ev.TokensReported(when, 12_000, 100_000), ev.Compacted(when, f"{when}-{number}", 12_000, 8_000))
    ]  # fmt: skip


async def test_what_a_person_lets_go_on_stays_so_when_the_conversation_is_read_once_more(tmp_path: Path) -> None:
    host = Host(tmp_path)
    history, news = storm(0.5), storm(time.time())

    def read(host: Host, conversation: str, *events: ev.Event) -> bool:
        host.supervisor.conversation(Conversation(conversation, f"/{conversation}"))
        for event in events:
            host.happened(event)
        return host.supervisor.session.loop.breaker.is_open

    def notices(host: Host) -> list[str]:
        return [each.key for each in host.supervisor.session.notices]

    assert not read(host, "c1", *history)  # of before the agent was started
    assert read(host, "c1", *news)
    assert "breaker.open" in notices(host)
    assert not read(host, "c2")
    assert "breaker.open" not in notices(host)
    assert read(host, "c1", *history, *news)  # nobody has let it go on
    host.happened(ev.BreakerReset(time.time()))
    assert not host.supervisor.session.loop.breaker.is_open
    assert not read(host, "c2")
    assert not read(host, "c1", *history, *news)
    host.supervisor.log_restarted()
    assert not read(host, "c1", *history, *news)
    assert "breaker.open" not in notices(host)
    resets = [each for each in host.supervisor.session.loop.happened if (each.kind, each.what) == ("breaker", "reset")]
    assert len(resets) == 1
    assert read(host, "c2", *news)  # that was said of another conversation
    taken_over = Host(tmp_path)
    assert not read(taken_over, "c1", *history, *news)
    assert read(taken_over, "c1", *storm(time.time()))


def test_a_turn_is_not_given_up_while_the_log_has_yet_to_tell_of_its_end(tmp_path: Path) -> None:
    async def scenario() -> None:
        host = Host(tmp_path)
        host.happened(ev.TurnStarted(time.time(), "t1"))
        host.happened(ev.AgentStateReported(time.time(), "idle"))
        assert (host.supervisor.session.turn, host.supervisor.session.reported) == ("t1", "idle")
        await asyncio.sleep(10 * LOG_LAG)
        assert host.supervisor.session.turn == "t1"
        host.catches_up()
        await asyncio.sleep(2 * LOG_LAG)
        assert host.supervisor.session.turn == ""

    virtual_time.run(scenario())
