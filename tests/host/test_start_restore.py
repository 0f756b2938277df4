"""Memory at the start of a session is asked for once, and only where nothing was said before."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from agentsup.agents.adapter import Conversation
from agentsup.core import events as ev
from agentsup.core.memory.model import Memory
from agentsup.core.occasion import Occasion
from agentsup.core.restore.frame import RestoreForm
from agentsup.host.start_restore import LOOK_AGAIN, NOT_NEW, StartRestore
from tests.host.fake_queue import FakeQueue
from tests.host.virtual_time import run


class Session(FakeQueue):
    """An agent that is followed, the conversations that are new, and what was asked for."""

    def __init__(self, *new: str, goes_on: bool = False) -> None:
        super().__init__()
        self.new, self.goes_on = new, goes_on
        self.memory = self.settled = True
        self.ours = False
        self.asked = 0
        self.missed = 0
        self.part = StartRestore(
            self, begins_anew=self._begins_anew, is_settled=lambda: self.settled, on_missed=self._miss,
            is_ours=lambda: self.ours,
        )  # fmt: skip

    def _miss(self) -> None:
        self.missed += 1

    def restore(self, occasion: Occasion, of: RestoreForm) -> str | None:
        assert of == "start"
        self.asked += 1
        return super().restore(occasion, of) if self.memory else None

    @property
    def served(self) -> list[str]:
        """What was asked for and taken."""
        return list(self.restored)

    def _begins_anew(self, conversation: Conversation, first: bool) -> bool:
        return conversation.id in self.new and not (first and self.goes_on)

    def starts(self) -> None:
        self.part.happened(ev.AgentStarted(1.0, 42))

    def ends(self) -> None:
        self.part.happened(ev.AgentExited(2.0, 0, None))

    def is_in(self, *conversations: str) -> None:
        for conversation in conversations:
            self.part.happened(ev.ConversationIdentified(3.0, conversation, ""))

    def works(self, when: float | None = None) -> None:
        now = time.time() if when is None else when
        self.part.happened(ev.TurnStarted(now, "t", True))

    def hook(self, source: str, conversation: str) -> None:
        self.part.happened(ev.HookHeard(3.0, "SessionStart", source, conversation))


def played(play: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await play()

    run(main())


def test_every_new_conversation_is_restored_once() -> None:
    async def play() -> None:
        session = Session("a", "b")
        session.starts()
        session.is_in("a", "a")
        session.works()
        session.is_in("a", "old", "b", "old", "b")
        assert session.served == ["start:a", "start:b"]

    played(play)


def test_work_that_begins_before_it_could_be_asked_for_is_told_once() -> None:
    async def play() -> None:
        session = Session("a", "b", "c")
        session.memory = False  # nothing could be composed so far
        session.starts()
        session.is_in("a")
        session.works()
        session.works()
        assert session.missed == 1
        session.is_in("c")
        session.works(time.time() - 60)  # a turn of another conversation that is read once more
        assert session.missed == 1
        session.memory = True
        session.is_in("b")
        session.works()
        session.is_in("old")
        session.works()
        assert (session.served, session.missed) == (["start:b"], 1)

    played(play)


def test_a_launch_that_goes_on_with_one_is_none_and_what_is_begun_in_it_later_is() -> None:
    async def play() -> None:
        session = Session("a", "b", goes_on=True)
        session.starts()
        session.is_in("a", "b")
        assert session.served == ["start:b"]

    played(play)


def test_a_cold_restart_brings_its_own() -> None:
    async def play() -> None:
        session = Session("a", "b", "c")
        session.starts()
        session.is_in("a")
        session.ends()
        session.starts()
        session.is_in("b")
        session.hook("startup", "b")
        session.is_in("c")
        assert session.served == ["start:a", "start:c"]

    played(play)


def test_an_agent_that_a_new_host_takes_over_was_not_restarted() -> None:
    async def play() -> None:
        session = Session("a")
        session.starts()
        session.is_in("a")
        assert session.served == ["start:a"]

    played(play)


def test_its_own_hook_is_believed_first() -> None:
    async def play() -> None:
        session = Session("copy")
        session.starts()
        session.hook("startup", "a")
        session.is_in("a")
        session.hook("compact", "a")
        session.hook("clear", "b")
        session.hook("fork", "copy")
        session.is_in("copy")
        assert session.served == ["start:a", "start:b"]
        assert session.withdrawn == [("start:copy", NOT_NEW)]

    played(play)


def test_a_hook_that_tells_of_what_was_asked_for_already_is_no_work_that_came_too_early() -> None:
    async def play() -> None:
        session = Session("a")
        session.starts()
        session.is_in("a")
        session.hook("startup", "a")
        session.works()
        assert (session.served, session.missed) == (["start:a"], 0)

    played(play)


def test_what_was_not_taken_for_new_and_is_is_restored() -> None:
    async def play() -> None:
        session = Session(goes_on=True)
        session.starts()
        session.is_in("a")
        assert session.served == []
        session.hook("startup", "a")
        assert session.served == ["start:a"]

    played(play)


@pytest.mark.parametrize("source", ["resume", "fork"])
def test_what_was_taken_for_new_and_is_not_is_withdrawn(source: str) -> None:
    async def play() -> None:
        session = Session("a")
        session.starts()
        session.is_in("a")
        session.hook(source, "a")
        assert session.withdrawn == [("start:a", NOT_NEW)]

    played(play)


def test_it_waits_until_memory_is_composed_and_no_longer() -> None:
    async def play() -> None:
        session = Session("a")
        session.memory = session.settled = False
        session.starts()
        session.is_in("a")
        await asyncio.sleep(3 * LOOK_AGAIN)
        assert session.served == []
        session.memory = True
        await asyncio.sleep(2 * LOOK_AGAIN)
        assert session.served == ["start:a"]
        asked = session.asked
        await asyncio.sleep(10 * LOOK_AGAIN)
        assert session.asked == asked
        without = Session("a")
        without.memory = False
        without.starts()
        without.is_in("a")
        await asyncio.sleep(10 * LOOK_AGAIN)
        assert without.asked == 1

    played(play)


def test_memory_that_is_written_before_the_first_work_is_restored_and_later_none() -> None:
    async def play() -> None:
        for works_first, served in ((False, ["start:a"]), (True, [])):
            session = Session("a")
            session.memory = False
            session.starts()
            session.is_in("a")
            session.ours = True
            session.works()  # a text of agentsup's own
            session.ours = False
            if works_first:
                session.works()
            session.memory = True
            session.part.happened(ev.MemoryRead(5.0, Memory()))
            assert session.served == served

    played(play)


def test_the_wait_ends_with_the_agent_and_with_the_conversation() -> None:
    async def play() -> None:
        for leave in (Session.ends, lambda session: session.is_in("old")):
            session = Session("a")
            session.memory = session.settled = False
            session.starts()
            session.is_in("a")
            leave(session)
            session.memory = True
            await asyncio.sleep(5 * LOOK_AGAIN)
            session.part.happened(ev.MemoryRead(5.0, Memory()))
            assert session.served == []

    played(play)
