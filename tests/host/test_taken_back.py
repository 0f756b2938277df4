"""A turn that a person took back: what of ours went with it is told, and a restore is sent once more, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.core.occasion import as_written
from tests.host.test_injections import Host

BACK = "injection.taken-back"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for one session, over its hosts."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


def compacted(host: Host, name: str = "one") -> None:
    host.injections.compacted(ev.Compacted(2.0, name), since=0.0)


def arrived(host: Host) -> inj.Order:
    """Hand out by a prompt's hook what waits for one, and have the log hold it."""
    (order,) = inj.unsent(host.injections._injector)
    assert order.text in host.injections.by_hook("UserPromptSubmit", "", "c1")
    host.injections.recorded(order.text)
    assert (host.told[-1].id, host.told[-1].state) == (order.id, "confirmed")
    return order


def take_back(host: Host, *texts: str, compaction: str = "one") -> None:
    host.injections.happened(ev.TurnTakenBack(3.0, texts, compaction))


def told(host: Host, id: str) -> list[tuple[str, str]]:
    return [(event.state, event.reason) for event in host.told if event.id == id]


def with_hooks(folder: Path) -> Host:
    host = Host(folder)
    host.injections.moved("c1")
    host.fold(ev.HookHeard(1.5, "SessionStart", "startup", "c1"))
    return host


async def test_a_restore_is_sent_once_more_with_the_next_prompt(folder: Path) -> None:
    host = with_hooks(folder)
    compacted(host)
    first = arrived(host)
    for _ in range(3):
        take_back(host, first.text)
    (second,) = inj.unsent(host.injections._injector)
    assert told(host, first.id)[-2:] == [("failed", BACK), ("dropped", "injection.replaced")]
    assert (second.channel, second.number) == ("hook", first.number + 1)
    assert second.id != first.id
    host.injections.happened(ev.TurnEnded(4.0, "t"))
    arrived(host)
    take_back(host, first.text)  # the log is read once more
    assert inj.orders(host.injections._injector) == ()
    take_back(host, second.text)
    (third,) = inj.unsent(host.injections._injector)
    assert (third.number, third.occasion.cause) == (second.number + 1, "one")


@pytest.mark.parametrize("sent", [False, True])
async def test_the_next_host_reads_the_same_and_sends_it_once(folder: Path, sent: bool) -> None:
    host = with_hooks(folder)
    compacted(host)
    first = arrived(host)
    take_back(host, first.text)
    second = arrived(host) if sent else None
    after = with_hooks(folder)
    compacted(after)
    after.injections.recorded(first.text)
    take_back(after, first.text)
    if second is not None:
        after.injections.recorded(second.text)
        after.injections.caught_up()
        assert inj.orders(after.injections._injector) == ()
        assert after.session.injection is not None
        assert (after.session.injection.id, after.session.injection.state) == (second.id, "confirmed")
    else:
        after.injections.caught_up()
        assert len(inj.orders(after.injections._injector)) == 1
        arrived(after)


async def test_a_host_that_was_killed_before_it_could_say_so_leaves_that_to_the_next(folder: Path) -> None:
    host = with_hooks(folder)
    compacted(host)
    first = arrived(host)
    after = with_hooks(folder)
    compacted(after)
    after.injections.recorded(first.text)
    take_back(after, first.text)
    assert ("failed", BACK) in told(after, first.id)
    assert len(inj.orders(after.injections._injector)) == 1


@pytest.mark.parametrize("compaction", ["", "two"])
async def test_what_the_agent_does_not_go_on_with_needs_no_restore(folder: Path, compaction: str) -> None:
    host = with_hooks(folder)
    compacted(host)
    first = arrived(host)
    take_back(host, first.text, compaction=compaction)
    assert told(host, first.id)[-1] == ("dropped", BACK)
    assert inj.orders(host.injections._injector) == ()


async def test_a_sessions_start_is_restored_once_more_though_work_has_begun(folder: Path) -> None:
    host = with_hooks(folder)
    host.injections.restore(as_written("start:c1"), "start")
    first = arrived(host)
    take_back(host, first.text, compaction="")
    host.injections.happened(ev.TurnStarted(4.0, "t"))
    host.injections.happened(ev.TurnEnded(5.0, "t", "Done."))
    second = arrived(host)
    assert (second.kind, second.number) == ("start", first.number + 1)
    assert not [notice for notice in host.session.notices if notice.key == "start.missed"]


async def test_a_persons_own_text_is_only_told(folder: Path) -> None:
    host = with_hooks(folder)
    id = host.injections.send(as_written("inject:one"), host.words)
    assert id is not None
    assert host.injections.choose(id, "hook")
    first = arrived(host)
    take_back(host, "go on", first.text)
    take_back(host, "go on", first.text)
    assert told(host, id)[-2:] == [("confirmed", ""), ("failed", BACK)]
    assert inj.unsent(host.injections._injector) == ()
    host.injections.recorded(first.text)  # they have sent it once more
    assert told(host, id)[-1] == ("confirmed", "")


async def test_words_of_others_are_nothing_of_ours(folder: Path) -> None:
    host = with_hooks(folder)
    compacted(host)
    first = arrived(host)
    take_back(host, "go on", f"what is {first.id}?")
    assert told(host, first.id)[-1] == ("confirmed", "")
