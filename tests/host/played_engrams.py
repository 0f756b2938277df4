"""A session whose agent's log is played, for what becomes of the engrams in it."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from agentsup.core import events as ev
from agentsup.core.engram_intake import Wanted
from agentsup.core.memory.model import Document, Memory
from agentsup.core.session import Agent, Notice, Session, apply
from agentsup.host import engram_intake as module
from agentsup.host.engram_intake import COMMAND, EngramIntake
from agentsup.locale import load
from agentsup.protocol import messages as m
from agentsup.restoring.intake import judge
from agentsup.store import atomic
from agentsup.store.engram_history import write_engram_file
from tests.host.fake_queue import FakeQueue

ENGRAM = """\
[Task] Make a() in a.py accept weeks.
[Progress] Wrote a() in a.py
[Pending] b() in b.py
[Taboo] Leave c.py alone: the importer relies on it.
"""
PERSONS = ENGRAM.replace("accept", "refuse")
FAULTY = ENGRAM.replace("Wrote a() in a.py", "made some changes")


class Played:
    """A session whose agent's log is played, and its engram's intake."""

    def __init__(self, root: Path, *, percent: int = 70, command: Sequence[str] = COMMAND) -> None:
        self.root, self.queue, self.written = root, FakeQueue(), 0
        self.session = Session("s", str(root), Agent("demo"))
        self.told: list[ev.Event] = []
        self.intake = EngramIntake(
            root, self.queue, load("en"), ask_percent=percent, session=lambda: self.session, tell=self.happened,
            on_written=self._on_written, is_caught_up=lambda: True, command=command,
        )  # fmt: skip
        self.began = time.time()
        self.happened(ev.AgentStarted(self.began, 1))
        self.happened(ev.ConversationIdentified(self.began, "c1", "/log"))
        self.told.clear()

    def happened(self, event: ev.Event) -> None:
        self.session = apply(self.session, event)
        self.told.append(event)
        self.intake.happened(event)

    def turn(self, message: str, *, asked: str = "Do it.", interrupted: bool = False) -> None:
        """Let the agent have a turn that ends with this message."""
        self.happened(ev.TurnStarted(time.time(), "t"))
        if asked:
            self.happened(ev.UserMessageRecorded(time.time(), asked))
        self.happened(ev.TurnEnded(time.time(), "t", message, interrupted))

    def read_memory(self) -> None:
        """Read the engram, as the watch of the host does."""
        path = self.root / ".agent" / "engram.md"
        text = path.read_text() if path.exists() else None
        modified = path.stat().st_mtime if path.exists() else 0.0
        self.happened(ev.MemoryRead(time.time(), Memory(engram=Document(".agent/engram.md", text, modified=modified))))

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition():
                await asyncio.sleep(0.005)

    async def outcome(self, message: str, *, asked: str = "Do it.") -> str:
        """Let a turn end with this message, and return what became of its engram."""
        before = len(self.outcomes())
        self.turn(message, asked=asked)
        assert self.intake.writing_since is not None
        await self.until(lambda: len(self.outcomes()) > before)
        assert self.intake.writing_since is None
        return self.outcomes()[-1]

    def outcomes(self) -> list[str]:
        return [event.outcome for event in self.told if isinstance(event, ev.EngramTaken)]

    def notices(self) -> list[str]:
        return [notice.key for notice in self.session.notices]

    async def reviewed(self, number: int) -> None:
        notice = Notice("engram.review", (("number", str(number)),))
        await self.until(lambda: notice in self.session.notices)

    def answer(self, text: str) -> None:
        """Let a text of ours arrive as a message of its own."""
        self.happened(ev.UserMessageRecorded(time.time(), text))

    def file(self) -> str:
        return (self.root / ".agent" / "engram.md").read_text()

    def _on_written(self) -> None:
        self.written += 1


class InThisProcess:
    """Judges without the half second that another process takes to begin; a thread answers, as late."""

    def __init__(
        self, command: Sequence[str], *, deadline: float, on_answer: Callable[[bytes], None], on_none: object
    ) -> None:
        assert tuple(command) == COMMAND
        self._on_answer = on_answer
        self.running = False
        self.unreaped: set[object] = set()
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    def start(self, request: bytes) -> None:
        assert not self.running
        self.running = True
        self._task = asyncio.get_running_loop().create_task(self._answer(request))

    async def _answer(self, request: bytes) -> None:
        wanted = msgspec.msgpack.decode(request, type=Wanted)
        answer = await asyncio.to_thread(lambda: msgspec.msgpack.encode(judge(wanted)))
        await self.may_answer.wait()
        self.running = False
        self._on_answer(answer)

    def close(self) -> None:
        pass


Play = Callable[..., Played]


@pytest.fixture
async def play(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Play]:  # fmt: skip
    """Return a function that begins a session; at the end all are closed, and their processes reaped."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(module, "QUIET", 0.02)
    if "process" not in request.node.name:
        monkeypatch.setattr(module, "AskedProcess", InThisProcess)
    (tmp_path / "project").mkdir()
    made: list[Played] = []

    def begin(**options: object) -> Played:
        made.append(Played(tmp_path / "project", **options))  # type: ignore[arg-type]
        return made[-1]

    yield begin
    for each in made:
        each.intake.close()
        each.intake._process.close()
    async with asyncio.timeout(20):
        while any(each.intake.unreaped for each in made):
            await asyncio.sleep(0.01)  # a process that was killed tells nobody when it is gone


def save(played: Played, text: str = PERSONS) -> m.EngramSaved:
    """Save an engram, as the panel does; return what it tells the host."""
    token = atomic.read(played.root / ".agent" / "engram.md", beneath=played.root).token
    write_engram_file(played.root, text, token, "person", "edited")
    return m.EngramSaved(hashlib.sha256(text.encode()).hexdigest())
