"""The agent is followed from one conversation to the next, forwards and back, and never back by mistake."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Container
from dataclasses import replace
from pathlib import Path

import pytest

from agentsup.agents.adapter import Adapter, Conversation, Place, Process
from agentsup.host.conversations import Conversations
from agentsup.host.folder_watch import FolderWatch

DEADLINE = 10.0


class Agent(Adapter):
    """An agent that is in whatever conversation the test says, and counts how often it was asked."""

    name = "agent"

    def __init__(self) -> None:
        self.found: Conversation | None = None
        self.all: list[Conversation] = []
        """Those it holds open, the newest last, where it is in none that the test says."""
        self.looks = 0
        self.strange: set[str] = set()
        self.looked = asyncio.Event()

    def conversation(self, process: Process, place: Place, strangers: Container[str] = ()) -> Conversation | None:
        self.looks += 1
        self.looked.set()
        known = [self.found] if self.found is not None else self.all
        return next((each for each in reversed(known) if each.id not in strangers), None)

    def is_persons(self, log: Path) -> bool:
        return log.stem not in self.strange


class Followed:
    """What is told of an agent's conversations."""

    def __init__(self, folder: Path, watch: FolderWatch) -> None:
        self.agent, self._folder = Agent(), folder
        self.told: list[Conversation] = []
        self.lines: list[bytes] = []
        self.part = Conversations(
            self.agent, Place("agent"), watch, on_conversation=self.told.append, on_line=self.lines.append,
            on_long_line=self.lines.append, on_reading=lambda _: None, on_restart=lambda: None,
            on_trouble=lambda _: None, on_caught_up=lambda: None, on_event=lambda _: None,
        )  # fmt: skip

    def conversation(self, id: str, since: int, *lines: str) -> Conversation:
        log = self._folder / f"{id}.jsonl"
        log.write_text("".join(f"{line}\n" for line in lines))
        return Conversation(id, str(log), since)

    async def sees(self, found: Conversation | None) -> None:
        """Have the agent be there, and wait until it was looked at twice: the second look follows the first's end."""
        self.agent.found = found
        before = self.agent.looks
        await self.until(lambda: self.agent.looks >= before + 2)

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE):
            while not condition():
                self.agent.looked.clear()
                self.part.agent_wrote()
                await self.agent.looked.wait()

    @property
    def ids(self) -> list[str]:
        return [found.id for found in self.told]


@pytest.fixture
async def followed(tmp_path: Path) -> AsyncIterator[Followed]:
    watch = FolderWatch()
    made = Followed(tmp_path, watch)
    made.part.follow(os.getpid())
    yield made
    made.part.close()
    watch.close()


async def test_it_goes_back_to_one_that_was_left_and_reads_it_from_its_start(followed: Followed) -> None:
    await followed.sees(followed.conversation("alpha", 1, "a one"))
    await followed.sees(followed.conversation("beta", 2, "b one"))
    await followed.sees(followed.conversation("alpha", 3, "a one", "a two"))
    await followed.until(lambda: len(followed.lines) == 4)
    assert followed.ids == ["alpha", "beta", "alpha"]
    assert followed.lines == [b"a one", b"b one", b"a one", b"a two"]
    assert followed.part.settled()


async def test_what_was_there_before_is_not_gone_back_to_while_the_present_one_is_made_anew(followed: Followed) -> None:
    alpha, beta = followed.conversation("alpha", 1), followed.conversation("beta", 2)
    await followed.sees(alpha)
    await followed.sees(beta)
    await followed.sees(alpha)
    assert followed.part.settled(), "nothing is held back because of it"
    await followed.sees(beta)
    assert followed.ids == ["alpha", "beta"]
    followed.agent.found = followed.conversation("alpha", 3)
    assert not followed.part.settled()
    await followed.sees(followed.agent.found)
    assert followed.ids == ["alpha", "beta", "alpha"]


async def test_where_nothing_tells_when_each_conversation_counts(followed: Followed) -> None:
    await followed.sees(followed.conversation("alpha", 0))
    await followed.sees(followed.conversation("beta", 0))
    await followed.sees(followed.conversation("alpha", 0))
    assert followed.ids == ["alpha", "beta", "alpha"]


async def test_another_log_of_the_same_conversation_is_followed(followed: Followed) -> None:
    before = followed.conversation("alpha", 1, "one")
    await followed.sees(before)
    # Where it tells of an older time, too: the agent is still in it.
    after = Conversation("alpha", followed.conversation("alpha-rewound", 2, "two").log, 0)
    await followed.sees(after)
    await followed.until(lambda: followed.lines == [b"one", b"two"])
    assert followed.told == [before, after]


async def test_one_that_the_agent_runs_for_itself_is_never_followed(followed: Followed) -> None:
    await followed.sees(followed.conversation("alpha", 1))
    followed.agent.strange.add("helper")
    await followed.sees(followed.conversation("helper", 2))
    await followed.sees(followed.conversation("beta", 3))
    assert followed.ids == ["alpha", "beta"]


async def test_a_host_that_takes_over_is_not_led_into_what_the_agent_runs_for_itself(followed: Followed) -> None:
    alpha, helpers = followed.conversation("alpha", 1), [followed.conversation(f"helper{n}", n) for n in (2, 3)]
    followed.agent.strange |= {helper.id for helper in helpers}
    followed.agent.all = [alpha, *helpers]
    await followed.sees(None)
    assert followed.told == [alpha]


async def test_one_that_is_nobodys_is_followed_where_there_is_no_other(followed: Followed) -> None:
    alone = followed.conversation("alone", 1)
    followed.agent.strange.add("alone")
    await followed.sees(alone)
    goes_on = Conversation("alone", followed.conversation("alone-rewound", 2).log, 2)
    await followed.sees(goes_on)
    assert followed.told == [alone, goes_on]


async def test_nothing_is_settled_while_another_one_may_be_on_the_screen(followed: Followed) -> None:
    alpha = followed.conversation("alpha", 1)
    await followed.sees(alpha)
    assert followed.part.settled()
    followed.agent.found = replace(alpha, certain=False)
    assert not followed.part.settled()
