"""Hooks that the agent runs: heard where they are of this session's conversation, and told what is for them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from agentsup.agents import claude_hooks, codex_hooks, hook_client
from agentsup.core import events as ev
from agentsup.core.occasion import as_written
from agentsup.core.session import Agent, Session, apply
from agentsup.host import hook_side
from agentsup.host.hook_side import HookSide
from agentsup.protocol import messages as m


class Place:
    """A host around the hook side: one session, what was handed out, and how often it had a look."""

    def __init__(self, conversation: str = "c1", found: str = "") -> None:
        self.session = Session("s", "/p", Agent("codex"))
        self.happened(ev.ConversationIdentified(0.0, conversation, ""))
        self.heard: list[ev.Event] = []
        self.asked: list[tuple[str, str, str]] = []
        self.text = "the text"
        self.looks = self.prepared = 0
        self.composing = 0
        """For how many looks a text is being composed once it was asked for."""
        self.is_there = True
        self._found = found
        self.side = HookSide(
            "codex", session=lambda: self.session, happened=self._heard, by_hook=self._by_hook, look=self._look,
            prepare=self._prepare, is_settled=self._is_settled,
        )  # fmt: skip

    def happened(self, event: ev.Event) -> None:
        self.session = apply(self.session, event)

    def _heard(self, event: ev.Event) -> None:
        self.heard.append(event)
        self.happened(event)

    def _by_hook(self, event: str, source: str, conversation: str) -> str:
        assert self.session.loop.hooks.heard, "told of the hook before it is asked for a text"
        self.asked.append((event, source, conversation))
        return self.text

    def _prepare(self) -> None:
        self.prepared += 1

    def _is_settled(self) -> bool:
        self.composing -= 1
        return self.composing < 0

    def _look(self) -> None:
        self.looks += 1
        if self._found and self.looks == 3:
            self.happened(ev.ConversationIdentified(1.0, self._found, ""))

    async def ask(self, event: str = "SessionStart", agent: str = "codex", **told: Any) -> bytes:
        data = json.dumps({"session_id": "c1", "hook_event_name": event, "source": "compact"} | told).encode()
        return await self.call(m.HookCalled(agent, event, data))

    async def call(self, message: m.HookCalled) -> bytes:
        answered: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.side.called(message, answered.set_result, lambda: self.is_there)
        return await asyncio.wait_for(answered, 5)


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
async def test_it_is_heard_and_gets_its_text(event: str) -> None:
    place = Place()
    place.text = '恢复 "x"\nof it'
    assert json.loads(await place.ask(event)) == {
        "hookSpecificOutput": {"hookEventName": event, "additionalContext": place.text}
    }
    assert place.asked == [(event, "compact", "c1")]
    (heard,) = place.heard
    assert isinstance(heard, ev.HookHeard)
    assert (heard.event, heard.source, heard.conversation) == (event, "compact", "c1")
    assert place.session.loop.hooks.heard == heard.time


async def test_where_there_is_nothing_to_say_it_prints_nothing() -> None:
    place = Place()
    place.text = ""
    assert await place.ask() == b""
    assert len(place.heard) == 1


async def test_an_event_that_takes_no_text_is_heard_only() -> None:
    place = Place()
    assert await place.ask("Stop") == b""
    assert (len(place.heard), place.asked) == (1, [])


async def test_a_hook_of_another_conversation_gets_nothing_and_proves_nothing() -> None:
    place = Place()
    assert await place.ask("UserPromptSubmit", session_id="c2") == b""
    assert (place.heard, place.asked, place.looks) == ([], [], 0)


async def test_what_a_sub_agent_has_compacted_is_none_of_the_sessions() -> None:
    place = Place()
    assert await place.ask(agent_id="a1b2c3", agent_type="general-purpose") == b""
    assert (place.heard, place.asked) == ([], [])


async def test_a_conversation_that_has_just_begun_is_waited_for() -> None:
    place = Place(found="c2")
    assert json.loads(await place.ask(session_id="c2", source="clear"))
    assert place.asked == [("SessionStart", "clear", "c2")]


async def test_it_is_not_waited_for_longer_than_the_hook_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook_side, "PATIENCE", 0.1)
    place = Place()
    assert await place.ask(session_id="c2") == b""
    assert place.looks >= 2
    assert (place.heard, place.asked) == ([], [])


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"session_id": "c1"}',
        b'{"session_id": "c1", "hook_event_name": "Stop"}', b'{"session_id": 1, "hook_event_name": "SessionStart"}',
        b'{"session_id": "c1", "hook_event_name": "SessionStart", "source": []}',
        b'{"session_id": "", "hook_event_name": "SessionStart"}',
        b'{"session_id": "c1", "hook_event_name": "SessionStart", "source": "' + b"x" * 300 + b'"}',
    ],
    ids=range(11),
)  # fmt: skip
async def test_what_no_agent_tells_is_no_hook(data: bytes) -> None:
    place = Place()
    assert await place.call(m.HookCalled("codex", "SessionStart", data)) == b""
    assert (place.heard, place.asked) == ([], [])


async def test_another_agents_hook_gets_nothing() -> None:
    place = Place()
    assert await place.ask(agent="claude") == b""
    assert place.heard == []


def test_a_new_process_has_not_run_any() -> None:
    place = apply(Session("s", "/p", Agent("codex")), ev.HookHeard(3.0, "SessionStart"))
    assert place.loop.hooks.heard == 3.0
    assert apply(place, ev.AgentStarted(4.0, 1)).loop.hooks.heard == 0.0


@pytest.mark.parametrize("source", ["startup", "clear", "compact"])
async def test_a_text_that_is_being_composed_is_waited_for(source: str) -> None:
    place = Place()
    place.composing = 3
    assert json.loads(await place.ask(source=source))
    assert (place.prepared, place.composing) == (1, -1)


@pytest.mark.parametrize("told", [{"source": "resume"}, {"source": "fork"}, {"event": "UserPromptSubmit"}])
async def test_where_no_memory_is_restored_none_is_waited_for(told: dict[str, str]) -> None:
    place = Place()
    place.composing = 1_000
    assert json.loads(await place.ask(**told))
    assert place.prepared == 0


async def test_after_a_compaction_the_text_at_hand_goes_out_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook_side, "TEXT_PATIENCE", 0.1)
    place = Place()
    place.composing = 1_000
    assert json.loads(await place.ask())


@pytest.mark.parametrize("source", ["startup", "clear"])
async def test_at_a_start_the_hook_of_the_first_prompt_is_in_time(monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    monkeypatch.setattr(hook_side, "TEXT_PATIENCE", 0.1)
    place = Place()
    place.composing = 1_000
    assert await place.ask(source=source) == b""
    assert place.asked == []
    place.happened(ev.InjectionChanged(2.0, "i", as_written("start:c1"), "held", "injection.waits-for-hook", "hook"))
    place.composing = 2
    assert json.loads(await place.ask("UserPromptSubmit", source=""))
    assert place.asked == [("UserPromptSubmit", "", "c1")]
    monkeypatch.setattr(hook_side, "PROMPT_PATIENCE", 0.1)
    place.composing = 1_000
    assert json.loads(await place.ask("UserPromptSubmit", source=""))


async def test_one_that_waits_for_a_prompt_is_composed_anew_whatever_else_has_come_after_it() -> None:
    place = Place()
    place.happened(ev.InjectionChanged(2.0, "i", as_written("start:c1"), "held", "injection.waits-for-hook", "hook"))
    place.happened(ev.InjectionChanged(3.0, "j", as_written("inject:x"), "queued"))
    assert json.loads(await place.ask("UserPromptSubmit", source=""))
    assert place.prepared == 1


async def test_nothing_is_handed_out_to_a_hook_that_has_left() -> None:
    place = Place()
    place.composing, place.is_there = 1, False
    assert await place.ask() == b""
    assert (len(place.heard), place.asked) == (1, [])


def test_a_hook_waits_longer_than_it_is_kept_waiting() -> None:
    assert hook_side.PATIENCE < hook_side.PROMPT_PATIENCE + 0.4 < hook_client.DEADLINE
    assert hook_side.TEXT_PATIENCE + 0.5 < hook_client.START_DEADLINE < min(codex_hooks.TIMEOUT, claude_hooks.TIMEOUT)


async def test_no_more_than_a_few_are_kept_waiting_and_all_by_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook_side, "PATIENCE", 0.2)
    place = Place()
    most = hook_side.WAITING_MOST
    waiting = [asyncio.create_task(place.ask(session_id="c2")) for _ in range(10 * most)]
    done, _ = await asyncio.wait(waiting, timeout=0.1)
    assert len(done) == 9 * most
    assert await place.ask() == b""  # no place is left, for whomever
    assert set(await asyncio.gather(*waiting)) == {b""}
    assert place.looks <= 0.4 / hook_side.LOOK_INTERVAL
    assert json.loads(await place.ask())


async def test_a_fault_about_one_that_waits_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncio.get_running_loop(), "call_exception_handler", lambda _: None)
    place = Place()
    place.composing = 3
    faulty = asyncio.create_task(place.ask("SessionStart"))
    await asyncio.sleep(0)
    place.side._waiting[0].is_there = lambda: 1 // 0 > 0
    place.composing = 6
    assert json.loads(await place.ask())
    faulty.cancel()


async def test_whoever_has_left_takes_no_place() -> None:
    place = Place()
    place.is_there = False
    for _ in range(hook_side.WAITING_MOST):
        assert await asyncio.wait_for(place.ask(session_id="c2"), hook_side.PATIENCE / 2) == b""
    place.is_there = True
    assert json.loads(await place.ask())


async def test_more_than_a_hook_passes_on_is_not_read() -> None:
    place = Place()
    assert await place.ask(prompt="x" * hook_client.READ_MOST) == b""
    assert place.heard == []
