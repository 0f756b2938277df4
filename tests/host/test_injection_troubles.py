"""What goes wrong around injections: full disks, storms, moves and ends leave nothing behind that nobody can end."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agentsup.agents.adapter import Conversation
from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.core.occasion import RECITAL, Occasion, as_written
from agentsup.host import clock
from agentsup.host.carrier import Carrier
from agentsup.host.left_behind import LeftBehind
from agentsup.host.sent_record import SentRecord
from agentsup.store.injection_record import InjectionRecord, Recorded
from tests.core.injector.given import GOOD
from tests.host import test_injections, test_replayed_log
from tests.host.test_injections import Host, notices

host = test_injections.host


def carrier(host: Host, *, record: InjectionRecord | None = None, looked: asyncio.Event | None = None) -> Carrier:
    """Return a carrier beside that of the host."""
    typist: Any = SimpleNamespace(keeps_keys=False)
    return Carrier(
        typist, SentRecord(record or host.record), host.orders, memory_root=Path("/none"), fold=host.fold,
        tell=host.fold, look=looked.set if looked is not None else lambda: None, recompose=lambda: None,
        redraw=lambda: None,
    )  # fmt: skip


def in_a_storm(host: Host) -> None:
    breaker = replace(host.session.loop.breaker, in_a_row=99)
    host.session = replace(host.session, loop=replace(host.session.loop, breaker=breaker))


def waiting(host: Host) -> list[tuple[str, str]]:
    return [(each.state, each.reason) for each in host.session.unfinished]


async def test_what_a_hook_was_to_get_and_could_not_be_recorded_leaves_nothing_that_waits(host: Host) -> None:
    host.injections._adapter.early_hooks = True
    host.record.failures = 1
    assert host.injections.by_hook("SessionStart", "compact", "c1") == ""
    assert (host.told[-1].state, host.told[-1].reason) == ("dropped", "injection.no-record")
    host.injections.compacted(ev.Compacted(time.time(), "one"), since=0.0)
    for each in host.session.unfinished:
        assert host.injections.choose(each.id, "drop")
    assert host.session.unfinished == ()


async def test_a_disk_that_stays_full_is_tried_again_after_a_while_and_not_at_every_look(host: Host) -> None:
    injections: Any = host.injections
    del injections.look
    injections._carrier._look = injections.look
    injections._prover.proof = lambda **_: replace(GOOD, now=clock.now())
    injections._typist = injections._carrier._typist = SimpleNamespace(keeps_keys=False, is_done=True)
    injections._writer = SimpleNamespace(held_by=None)
    host.record.failures = most = 1_000_000
    injections.restore(as_written("inject:one"), "asked")
    for _ in range(300):
        await asyncio.sleep(0)
        injections.look()
    assert waiting(host) == [("held", "injection.no-record")]
    assert most - host.record.failures == 1


async def test_a_breaker_that_is_open_is_closed_by_a_person_alone(tmp_path: Path) -> None:
    played = test_replayed_log.Host(tmp_path)
    played.caught_up = True
    for event in test_replayed_log.storm(time.time()):
        played.happened(event)
    for event in (
        ev.TokensReported(time.time(), 9_000, 100_000),
        ev.TokensReported(time.time(), 90_000, 100_000),
        ev.Compacted(time.time(), "later", 90_000, 8_000),
    ):
        played.happened(event)
    session = played.supervisor.session
    assert session.loop.breaker.is_open
    assert "breaker.open" in [notice.key for notice in session.notices]


@pytest.mark.parametrize("early", [False, True])
async def test_a_hook_that_came_in_a_storm_is_not_to_blame(host: Host, early: bool) -> None:
    injections = host.injections
    injections._adapter.early_hooks = early
    host.fold(ev.HookHeard(1.5, "SessionStart", "startup", "c1"))
    in_a_storm(host)
    if early:
        assert injections.by_hook("SessionStart", "compact", "c1") == ""
    injections.compacted(ev.Compacted(time.time(), "one"), since=0.0)
    if not early:
        assert injections.by_hook("SessionStart", "compact", "c1") == ""
    late = replace(GOOD, now=clock.now() + 10 * inj.HOOK_PATIENCE, breaker=True)
    injections._run(inj.observe(injections._injector, late))
    assert "hook.missed" not in notices(host)
    assert waiting(host) == [("held", "injection.breaker")]


async def test_a_look_that_is_due_at_once_is_not_put_off_by_a_later_one(host: Host) -> None:
    looked = asyncio.Event()
    carrier(host, looked=looked).run((inj.Injector(), (inj.WakeAt(clock.now()), inj.WakeAt(clock.now() + 60.0))))
    async with asyncio.timeout(3):
        await looked.wait()


async def test_a_correction_that_a_host_had_begun_is_known_to_the_next(host: Host, tmp_path: Path) -> None:
    record = InjectionRecord(tmp_path / "x.injections.jsonl")
    sent = inj.print_of("abc123", "agentsup (recital abc123)\nNo: do this.")
    occasion = Occasion(RECITAL, "c1", "zzz")
    record.append(Recorded("abc123", occasion, "writing", time.time(), "stdin", sent.at, sent.size, sent.sha))
    beside = carrier(host, record=record)
    LeftBehind(beside, SentRecord(record), host.orders, host.fold).moved("c1")
    assert beside.injector.flight is not None


async def test_a_correction_goes_by_the_hook_of_the_next_prompt_where_a_person_wants_that(host: Host) -> None:
    host.injections.moved("c1")
    id = host.injections.send(Occasion(RECITAL, "c1", "zzz"), host.words)
    assert id is not None
    assert host.injections.choose(id, "hook")
    assert id in host.injections.by_hook("UserPromptSubmit", "", "c1")


async def test_a_compaction_whose_restore_went_down_with_the_agent_is_owed_it_when_it_is_resumed(host: Host) -> None:
    injections = host.injections
    injections._typist.stop = lambda **_: None  # type: ignore[method-assign]
    injections.moved("c1")
    injections.compacted(ev.Compacted(5.0, "one"), since=1.0)
    injections.ended()
    assert waiting(host) == []
    injections.started()
    injections.moved("c2")
    injections.moved("c1")
    injections.compacted(ev.Compacted(5.0, "one"), since=10.0)  # its log is read again
    injections.caught_up()
    assert [order.occasion.name for order in inj.unsent(injections._injector)] == ["one"]


async def test_a_start_that_a_hook_got_in_a_session_nobody_spoke_in_has_not_failed(host: Host) -> None:
    """No log will ever hold it: the person has resumed another one."""
    injections = host.injections
    injections.moved("c1")
    assert injections.restore(as_written("start:c1"), "start")
    assert injections.by_hook("SessionStart", "startup", "c1")
    injections.moved("c2")
    host.fold(ev.ConversationIdentified(2.0, "c2", ""))
    now = time.time()
    injections.happened(ev.TurnStarted(now, "t1"))
    injections.happened(ev.TurnEnded(now + 1, "t1", "hi"))
    injections._run(inj.observe(injections._injector, replace(GOOD, now=clock.now() + 30)))
    assert waiting(host) == []
    assert (host.told[-1].state, host.told[-1].reason) == ("dropped", "injection.other-conversation")


async def test_a_text_that_no_hook_takes_is_not_given_to_one(host: Host) -> None:
    host.injections._adapter.hook_most = 100
    fits = host.injections.send(as_written("inject:a"), lambda id: id + "x" * 94)
    too_long = host.injections.send(as_written("inject:b"), lambda id: id + "x" * 95)
    assert fits is not None
    assert too_long is not None
    assert not host.injections.choose(too_long, "hook")
    assert host.injections.is_too_long_for_a_hook(too_long)
    assert host.injections.choose(fits, "hook")
    assert host.injections.by_hook("UserPromptSubmit", "", "c1") == fits + "x" * 94


async def test_what_one_hook_can_not_say_in_one_goes_by_the_next(host: Host) -> None:
    host.injections._adapter.hook_most = 100
    ids = [host.injections.send(as_written(f"inject:{name}"), lambda id: id + "x" * 50) for name in "ab"]
    for id in ids:
        assert id is not None
        assert host.injections.choose(id, "hook")
    assert [host.injections.by_hook("UserPromptSubmit", "", "c1")[:6] for _ in range(3)] == [*ids, ""]


async def test_a_restore_that_is_typed_because_it_is_too_long_is_not_taken_by_a_hook_either(host: Host) -> None:
    host.injections._adapter.hook_most = 10
    host.fold(ev.HookHeard(1.5, "SessionStart", "startup", "c1"))
    host.injections.compacted(ev.Compacted(time.time(), "one"), since=0.0)
    assert waiting(host) == [("queued", "")]
    assert host.injections.by_hook("SessionStart", "compact", "c1") == ""
    assert waiting(host) == [("queued", "")]


async def test_a_command_that_the_person_runs_is_no_prompt_for_which_a_hook_should_have_come(host: Host) -> None:
    """Codex writes a turn of it down that looks like any other, without a prompt and without a request."""
    injections = host.injections
    injections._adapter.late_hooks = True
    host.fold(ev.HookHeard(1.5, "SessionStart", "startup", "c1"))
    injections.compacted(ev.Compacted(time.time(), "one", trigger="manual"), since=0.0)
    injections.happened(ev.TurnStarted(2.0, "t1"))
    injections.happened(ev.ToolUsed(2.1, "run", command="ls"))
    injections.happened(ev.TurnEnded(2.2, "t1"))
    late = replace(GOOD, now=clock.now() + 10 * inj.HOOK_PATIENCE, idle=False)
    injections._run(inj.observe(injections._injector, late))
    assert waiting(host) == [("held", "injection.waits-for-hook")]
    injections.happened(ev.TurnStarted(3.0, "t2"))
    injections.happened(ev.UserMessageRecorded(3.1, "go"))
    injections.happened(ev.TurnEnded(3.2, "t2"))
    injections._run(inj.observe(injections._injector, late))
    assert waiting(host) == [("held", "injection.working")]


async def test_a_person_who_goes_back_in_the_conversation_is_told_that_its_restore_may_be_gone(tmp_path: Path) -> None:
    played = test_replayed_log.Host(tmp_path)
    supervisor = played.supervisor

    def told() -> bool:
        return "restore.rewound" in [notice.key for notice in supervisor.session.notices]

    supervisor.conversation(Conversation("c9", ""))
    for log in ("/one", "/one", "/two"):
        supervisor.conversation(Conversation("c9", log))
    assert not told()  # nothing was restored in it
    supervisor._fold(ev.InjectionChanged(time.time(), "bcdfgh", as_written("compaction:c9:1"), "confirmed"))
    supervisor.conversation(Conversation("c9", "/two"))
    assert not told()
    supervisor.conversation(Conversation("c9", "/three"))
    assert told()
    supervisor.conversation(Conversation("d1", "/four"))
    assert not told()
