"""The engram of a turn's end reaches the file, or the agent hears why not; a person's stands, and is told to it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from agentsup.core import events as ev
from agentsup.core.breaker import Breaker
from agentsup.core.engram_intake import Wanted
from agentsup.core.memory.model import Document, Memory
from agentsup.core.occasion import as_written
from agentsup.core.session import Agent, Notice, Session, apply
from agentsup.host import engram_intake as module
from agentsup.host.engram_intake import COMMAND, EngramIntake
from agentsup.locale import load
from agentsup.protocol import messages as m
from agentsup.restoring.intake import judge
from agentsup.store import atomic, judged_engrams
from agentsup.store.engram_history import history, write_engram_file
from tests.host.fake_queue import FakeQueue
from tests.host.set_back import set_back

ENGRAM = """\
[Task] Make a() in a.py accept weeks.
[Progress] Wrote a() in a.py
[Pending] b() in b.py
[Taboo] Leave c.py alone: the importer relies on it.
"""
PERSONS = ENGRAM.replace("accept", "refuse")
FAULTY = ENGRAM.replace("Wrote a() in a.py", "made some changes")
OTHERS = tuple(FAULTY.replace("some", word) for word in ("few", "several", "many"))


class Played:
    """A session whose agent's log is played, and its engram's intake."""

    def __init__(self, root: Path, *, percent: int = 70, command: Sequence[str] = COMMAND) -> None:
        self.root, self.queue, self.written = root, FakeQueue(), 0
        self.session = Session("s", str(root), Agent("demo"))
        self.told: list[ev.Event] = []
        self.intake = EngramIntake(
            root, self.queue, load("en"), ask_percent=percent, session=lambda: self.session, tell=self.happened,
            on_written=self._on_written, command=command,
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


@pytest.fixture(autouse=True)
def _data(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(module, "QUIET", 0.02)
    if "process" not in request.node.name:
        monkeypatch.setattr(module, "AskedProcess", InThisProcess)


@pytest.fixture
async def play(tmp_path: Path) -> AsyncIterator[Callable[..., Played]]:
    """Return a function that begins a session; at the end all are closed, and their processes reaped."""
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


Play = Callable[..., Played]


def save(played: Played, text: str = PERSONS) -> m.EngramSaved:
    """Save an engram, as the panel does; return what it tells the host."""
    token = atomic.read(played.root / ".agent" / "engram.md", beneath=played.root).token
    write_engram_file(played.root, text, token, "person", "edited")
    return m.EngramSaved(hashlib.sha256(text.encode()).hexdigest())


async def test_a_process_of_its_own_stores_a_good_one(play: Play) -> None:
    played = play()
    assert await played.outcome(ENGRAM) == "stored"
    assert played.file() == ENGRAM


async def test_a_good_one_is_stored_once_and_the_same_again_changes_nothing(play: Play) -> None:
    played = play()
    assert await played.outcome(f"Done.\n\n{ENGRAM}") == "stored"
    assert played.file() == ENGRAM
    assert played.written == 1
    assert await played.outcome(f"Still done.\n\n{ENGRAM}") == "same"
    assert [(version.author, version.text) for version in history(played.root)] == [("agent", ENGRAM)]
    assert played.queue.texts == {}
    assert played.session.loop.happened[-1].what == "same"


async def test_one_with_errors_goes_back_twice_then_the_last_good_one_stands(play: Play) -> None:
    played = play()
    await played.outcome(ENGRAM)
    asked = "Do it."
    for number, block in enumerate(OTHERS[:2], 1):
        assert await played.outcome(block, asked=asked) == "sent-back"
        asked = list(played.queue.texts.values())[-1]
        assert f"({number}/2)" in asked.partition("\n")[0]
        assert "Progress" in asked
        assert played.notices() == []
    assert await played.outcome(OTHERS[2], asked=asked) == "refused"
    assert played.notices() == ["engram.faulty"]
    assert played.file() == ENGRAM
    assert len(played.queue.texts) == 2
    assert await played.outcome(OTHERS[0]) == "refused"  # not once more with every turn
    assert await played.outcome(PERSONS) == "stored"
    assert played.notices() == []
    assert await played.outcome(OTHERS[0]) == "sent-back"


async def test_what_is_quoted_is_not_taken(play: Play) -> None:
    played = play()
    played.turn(f"It says:\n```diff\n{FAULTY}```\nI left it alone.")
    assert played.intake.writing_since is None
    assert await played.outcome(ENGRAM) == "stored"
    assert played.outcomes() == ["stored"]


async def test_one_that_is_seen_and_not_taken_is_said_until_there_is_a_good_one(play: Play) -> None:
    played = play()
    played.turn(f"{ENGRAM}Anything else?")
    await played.until(lambda: played.notices() == ["engram.left-out"])
    assert played.outcomes() == []
    assert await played.outcome(ENGRAM) == "stored"
    assert played.notices() == []


async def test_one_that_is_on_disk_is_not_left_out_wherever_it_is_shown(play: Play) -> None:
    played = play()
    await played.outcome(ENGRAM)
    played.read_memory()
    played.turn(f"It says:\n```\n{ENGRAM}```\nShall I go on?")
    await played.until(lambda: played.intake._ended is None)
    assert played.notices() == []
    played.happened(ev.TurnEnded(played.began + 0.001, "t", f"{PERSONS}\nAnything else?"))  # overtaken by the file
    await played.until(lambda: played.intake._ended is None)
    assert played.notices() == []


async def test_an_item_that_was_wrapped_is_stored_as_one_line(play: Play) -> None:
    played = play()
    assert await played.outcome(ENGRAM.replace("importer relies", "importer\nrelies")) == "stored"
    assert played.file() == ENGRAM


async def test_of_a_log_that_is_read_from_its_start_only_the_last_end_counts(play: Play) -> None:
    played = play()
    for text in (*OTHERS, PERSONS, ENGRAM):
        played.turn(text)
    await played.until(lambda: bool(played.outcomes()))
    played.intake.happened(ev.TurnEnded(played.began - 1, "t", PERSONS))  # of before this agent was started
    assert played.intake.writing_since is None
    assert played.outcomes() == ["stored"]
    assert [version.text for version in history(played.root)] == [ENGRAM]


async def test_what_comes_while_one_is_judged_is_judged_after_it(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    played = play()
    played.turn(PERSONS)
    await played.until(lambda: played.intake._process.running)
    played.turn(ENGRAM)
    await played.until(lambda: len(played.outcomes()) == 2)
    assert played.file() == ENGRAM


async def test_a_persons_engram_stands_and_the_agent_is_told_once(play: Play) -> None:
    played = play()
    await played.outcome(ENGRAM)
    save(played)
    newer = ENGRAM.replace("b() in b.py", "d() in d.py")
    assert await played.outcome(newer) == "persons-stays"
    assert await played.outcome(newer.replace("d()", "e()")) == "persons-stays"
    assert played.file() == PERSONS
    assert played.queue.kinds() == ["correction"]
    (text,) = played.queue.texts.values()
    assert PERSONS in text
    assert played.notices() == ["engram.persons-stays"]
    assert newer in [version.text for version in history(played.root)]
    assert await played.outcome(newer, asked=text) == "stored"  # it knows now
    assert played.notices() == []


async def test_one_that_was_only_found_stands_and_the_agent_is_told_when_a_person_says_it_is_theirs(
    play: Play,
) -> None:
    played = play()
    await played.outcome(ENGRAM)
    (played.root / ".agent" / "engram.md").write_text(PERSONS)  # an editor, a script of the project's, git: anybody
    newer = ENGRAM.replace("b() in b.py", "d() in d.py")
    assert await played.outcome(newer) == "found-stays"
    assert played.file() == PERSONS
    assert newer in [version.text for version in history(played.root)]
    assert played.notices() == ["engram.found-stays"]
    assert played.queue.texts == {}  # nobody speaks in the person's name
    outcome = played.intake.saved(m.EngramSaved(hashlib.sha256(PERSONS.encode()).hexdigest()))
    assert [name for name, _ in outcome.values] == ["id"]
    assert played.notices() == []
    (text,) = played.queue.texts.values()
    assert PERSONS in text
    await played.until(lambda: history(played.root)[-1].author == "person")
    assert history(played.root)[-1].text == PERSONS
    assert await played.outcome(newer, asked=text) == "stored"  # it knows now


async def test_a_saved_engram_is_told_at_once_and_once(play: Play) -> None:
    played = play()
    await played.outcome(ENGRAM)
    played.happened(ev.NoticeRaised(1.0, "engram.faulty"))
    request = save(played)
    written = played.written
    outcome = played.intake.saved(request)
    assert outcome.done
    assert (played.queue.accepted, played.written) == (1, written + 1)
    assert [name for name, _ in outcome.values] == ["id"]
    assert played.notices() == []
    assert played.queue.kinds() == ["correction"]
    assert played.intake.saved(request) == m.Outcome(True)
    played.answer(next(iter(played.queue.texts.values())))
    assert played.intake.saved(request) == m.Outcome(True)
    assert len(played.queue.texts) == 1


async def test_one_that_the_agent_is_not_to_be_told_stands_all_the_same(play: Play) -> None:
    played = play()
    await played.outcome(ENGRAM)
    assert played.intake.saved(m.EngramSaved(save(played).sha, tell=False)) == m.Outcome(True)
    assert await played.outcome(ENGRAM.replace("b()", "d()")) == "persons-stays"
    assert played.queue.texts == {}
    assert played.file() == PERSONS


async def test_a_restore_that_still_waits_tells_it(play: Play) -> None:
    played = play()
    request = save(played)
    played.happened(ev.InjectionChanged(1.0, "bcd234", as_written("compaction:c1:x"), "held", "injection.draft"))
    assert played.intake.saved(request) == m.Outcome(True)
    assert played.queue.texts == {}
    played.happened(ev.InjectionChanged(1.0, "bcd234", as_written("compaction:c1:x"), "dropped"))
    assert played.intake.saved(request).values
    assert played.queue.kinds() == ["correction"]


async def test_also_where_another_text_is_newer(play: Play) -> None:
    played = play()
    request = save(played)
    played.happened(ev.InjectionChanged(1.0, "bcd234", as_written("compaction:c1:x"), "held", "injection.draft"))
    played.happened(ev.InjectionChanged(2.0, "bcd235", as_written("inject:bcd235"), "queued"))
    assert played.intake.saved(request) == m.Outcome(True)
    assert played.queue.texts == {}


async def test_a_file_that_is_no_engram_any_more_is_not_read_whole(play: Play) -> None:
    played = play()
    text = PERSONS + "x" * (64 << 10)
    assert played.intake.saved(save(played, text)) == m.Outcome(False, "engram.saved-unreadable")


async def test_only_the_version_that_was_saved_last_is_told_nobody(play: Play) -> None:
    played = play()
    await played.outcome(ENGRAM)
    for text in (PERSONS.replace("weeks", "days"), PERSONS):
        assert played.intake.saved(m.EngramSaved(save(played, text).sha, tell=False)).done
    assert await played.outcome(ENGRAM.replace("b()", "d()")) == "persons-stays"
    assert played.queue.texts == {}
    assert played.intake.saved(save(played)).values
    assert played.queue.kinds() == ["correction"]
    assert played.intake._untold == ""


async def test_while_one_after_the_other_is_written_it_is_one_wait(play: Play) -> None:
    played = play()
    played.turn(PERSONS)
    since = played.intake.writing_since
    await played.until(lambda: played.intake._process.running)
    played.turn(ENGRAM)
    assert played.intake.writing_since == since is not None
    await played.until(lambda: len(played.outcomes()) == 2)
    assert played.intake.writing_since is None
    played.turn(PERSONS)
    later = played.intake.writing_since
    assert later is not None
    assert later > since


async def test_a_process_writes_what_was_said_last_when_the_host_ends(play: Play) -> None:
    played = play()
    played.turn(ENGRAM)
    played.intake.close()
    await played.until((played.root / ".agent" / "engram.md").exists)
    assert played.file() == ENGRAM
    another = play()
    another.turn("Nothing.")
    another.intake.close()
    await asyncio.sleep(0.05)  # nothing comes
    assert another.queue.texts == {}


async def test_what_a_restore_has_told_meanwhile_needs_no_correction(play: Play) -> None:
    played = play()
    request = save(played)
    played.happened(ev.ContextRecorded(time.time(), f"Restored from disk by agentsup\n---\n{PERSONS}---\n"))
    assert played.intake.saved(request) == m.Outcome(True)
    assert played.queue.texts == {}


async def test_a_correction_that_waits_goes_with_the_restore_and_not_after_it(play: Play) -> None:
    played = play()
    played.intake.saved(save(played))
    (occasion,) = played.queue.texts
    played.happened(ev.Compacted(time.time(), "x"))
    assert played.queue.withdrawn == []  # nobody knows if the restore will arrive
    played.answer(f"Restored from disk by agentsup\n---\n{PERSONS}---\n")
    assert played.queue.withdrawn == [(occasion, "injection.told-meanwhile")]


async def test_a_newer_correction_replaces_the_one_that_waits(play: Play) -> None:
    played = play()
    played.intake.saved(save(played))
    (first,) = played.queue.texts
    played.intake.saved(save(played, PERSONS.replace("weeks", "days")))
    assert played.queue.withdrawn == [(first, "injection.replaced")]
    assert len(played.queue.texts) == 2


async def test_what_another_conversation_said_is_not_sent_back_into_this_one(play: Play) -> None:
    played = play()
    process = played.intake._process
    assert isinstance(process, InThisProcess)
    process.may_answer.clear()
    played.turn(FAULTY)
    await played.until(lambda: process.running)
    played.happened(ev.ConversationIdentified(time.time(), "c2", "/log2"))
    process.may_answer.set()
    await played.until(lambda: played.intake.writing_since is None)
    assert played.outcomes() == []
    assert await played.outcome(FAULTY) == "sent-back"
    (occasion,) = played.queue.texts
    assert occasion.startswith("engram:c2:")
    assert occasion.endswith(".1")


async def test_what_a_person_saves_over_one_that_was_just_stored_is_told(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    saves: list[Callable[[], object]] = []

    class SavedMeanwhile(InThisProcess):
        """A person saves when the engram is written, and the host has not heard of that yet."""

        async def _answer(self, request: bytes) -> None:
            on_answer = self._on_answer

            def late(answer: bytes) -> None:
                saves.pop()()
                on_answer(answer)

            self._on_answer = late
            await super()._answer(request)

    monkeypatch.setattr(module, "AskedProcess", SavedMeanwhile)
    played = play()
    saves.append(lambda: played.intake.saved(save(played)))
    assert await played.outcome(ENGRAM) == "stored"
    assert played.file() == PERSONS
    assert played.queue.kinds() == ["correction"]
    assert played.queue.withdrawn == []


async def test_an_agent_that_has_ended_is_told_nothing(play: Play) -> None:
    played = play()
    played.turn(FAULTY)
    played.happened(ev.AgentExited(time.time(), 0, None))
    await played.until(lambda: played.outcomes() == ["sent-back"])
    assert played.intake.saved(save(played)) == m.Outcome(True)
    assert played.queue.texts == {}


async def test_what_is_on_disk_must_be_what_was_saved(play: Play) -> None:
    played = play()
    assert played.intake.saved(m.EngramSaved("0" * 64)).key == "engram.saved-differs"
    request = save(played)
    path = played.root / ".agent" / "engram.md"
    path.write_text(PERSONS + "[Files] a.py\n")
    assert played.intake.saved(request) == m.Outcome(False, "engram.saved-differs")
    path.unlink()
    path.symlink_to(played.root / "elsewhere")
    assert played.intake.saved(request) == m.Outcome(False, "engram.saved-unreadable")
    assert (played.queue.texts, played.queue.accepted) == ({}, 0)


def fill(played: Played, used: int) -> None:
    played.happened(ev.TokensReported(time.time(), used, 100_000))


def edit(played: Played) -> None:
    played.happened(ev.ToolUsed(time.time() + 5, "edit", "a.py"))


async def test_it_is_asked_for_once_where_the_context_is_full_and_files_were_edited(play: Play) -> None:
    played = play()
    await played.outcome(ENGRAM)
    played.read_memory()
    edit(played)
    for used, message in ((69_000, "Done."), (71_000, ""), (72_000, "Done.")):
        fill(played, used)
        played.turn(message, interrupted=not message)
        await asyncio.sleep(0.06)  # nothing comes
        assert len(played.queue.texts) == (used == 72_000)
    (occasion,) = played.queue.texts
    assert occasion == "engram:c1:ask0"
    assert "72 %" in played.queue.texts[occasion].partition("\n")[0]
    played.turn("Done.")
    fresh = ENGRAM.replace("b()", "d()")
    assert await played.outcome(fresh) == "stored"
    assert (occasion, "injection.engram-written") in played.queue.withdrawn
    assert len(played.queue.texts) == 1


async def test_after_the_next_compaction_it_is_asked_for_again_and_nothing_waits(play: Play) -> None:
    played = play()
    edit(played)
    fill(played, 80_000)
    played.turn("Done.")
    await played.until(lambda: bool(played.queue.texts))
    played.happened(ev.Compacted(time.time(), "x"))
    assert ("engram:c1:ask0", "injection.compacted-meanwhile") in played.queue.withdrawn
    fill(played, 80_000)
    played.turn("Done.")
    await played.until(lambda: len(played.queue.texts) == 2)
    assert list(played.queue.texts) == ["engram:c1:ask0", "engram:c1:ask1"]


@pytest.mark.parametrize("percent", [0, 90])
async def test_below_the_limit_or_without_one_nobody_asks(play: Play, percent: int) -> None:
    played = play(percent=percent)
    edit(played)
    fill(played, 80_000)
    played.turn("Done.")
    await asyncio.sleep(0.06)  # nothing comes
    assert played.queue.texts == {}


async def test_what_can_not_be_written_is_told_and_the_next_good_one_clears_it(play: Play) -> None:
    played = play()
    (played.root / ".agent").write_text("no folder")
    played.turn(ENGRAM)
    await played.until(lambda: played.notices() == ["engram.not-saved"])
    (played.root / ".agent").unlink()
    (played.root / ".agent").mkdir()
    (played.root / ".agent" / "engram.md").write_bytes(b"\xff")
    played.turn(ENGRAM)
    await played.until(lambda: "engram.unfit" in played.notices())
    (played.root / ".agent" / "engram.md").unlink()
    assert await played.outcome(ENGRAM) == "stored"
    assert played.notices() == []


@pytest.mark.parametrize("code", ["", "print('garbage')", "raise SystemExit(3)"])
async def test_a_process_that_gives_no_answer_is_told(play: Play, code: str) -> None:
    played = play(command=(sys.executable, "-c", code))
    played.turn(ENGRAM)
    await played.until(lambda: played.notices() == ["engram.not-judged"])
    assert played.intake.writing_since is None


async def test_the_first_three_compactions_of_a_project_ask_for_a_review(play: Play) -> None:
    played = play()
    await played.outcome(ENGRAM)
    played.read_memory()
    for number in range(1, 4):
        for _ in range(2):  # a log that is read once more counts once
            played.happened(ev.Compacted(time.time(), f"x{number}"))
        await played.reviewed(number)
    played.happened(ev.NoticeCleared(time.time(), "engram.review"))
    played.happened(ev.Compacted(time.time(), "x4"))
    another = play()
    another.read_memory()
    another.happened(ev.Compacted(time.time(), "x1"))
    await asyncio.sleep(0.1)  # nothing comes
    assert played.notices() == another.notices() == []


async def test_while_the_breaker_is_open_no_review_is_asked_for(play: Play) -> None:
    played = play()
    await played.outcome(ENGRAM)
    played.read_memory()
    played.session = replace(played.session, loop=replace(played.session.loop, breaker=Breaker(in_a_row=3)))
    played.happened(ev.Compacted(time.time(), "x1"))
    await asyncio.sleep(0.1)  # nothing comes
    assert played.notices() == []
    played.happened(ev.BreakerReset(time.time()))
    played.happened(ev.Compacted(time.time(), "x2"))
    await played.reviewed(1)


async def test_where_there_is_none_the_one_that_is_restored_is_kept(play: Play) -> None:
    played = play()
    played.happened(ev.UserMessageRecorded(time.time(), "Make a() accept weeks."))
    played.happened(ev.Compacted(time.time(), "x"))
    async with asyncio.timeout(10):
        while not history(played.root):
            await asyncio.sleep(0.01)
    (version,) = history(played.root)
    assert version.author == "automatic"
    assert version.text.startswith("[Task] Make a() accept weeks.\n")
    assert not (played.root / ".agent" / "engram.md").exists()
    assert played.notices() == []


async def test_another_conversation_knows_nothing_of_what_this_one_was_told(play: Play) -> None:
    played = play()
    await played.outcome(ENGRAM)
    request = save(played)
    assert played.intake.saved(request).done
    played.answer(next(iter(played.queue.texts.values())))
    played.happened(ev.ConversationIdentified(time.time(), "c2", "/log2"))
    assert played.intake.saved(request).values
    assert len(played.queue.texts) == 2


async def test_what_is_saved_before_the_first_prompt_stands_too(play: Play) -> None:
    played = play()
    played.happened(ev.ConversationIdentified(time.time(), "c2", "/log2"))
    request = save(played)
    assert played.intake.saved(request).values
    assert await played.outcome(ENGRAM) == "persons-stays"


async def test_one_that_the_agent_says_last_before_it_ends_is_stored(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "QUIET", 1e6)
    monkeypatch.setattr(module, "LATEST", 1e6)
    played = play()
    played.turn(ENGRAM)
    played.happened(ev.AgentExited(time.time(), 0, None))
    await played.until(lambda: played.outcomes() == ["stored"])


async def test_a_root_whose_name_is_no_text_is_told(tmp_path: Path, play: Play) -> None:
    played = play()
    played.intake._root = Path(os.fsdecode(bytes(tmp_path) + b"/\xff"))
    played.turn(ENGRAM)
    await played.until(lambda: played.notices() == ["engram.not-judged"])


@pytest.mark.parametrize("text", [None, "", " \n"])
async def test_an_empty_one_is_accepted_by_nobody(play: Play, text: str | None) -> None:
    played = play()
    played.happened(ev.NoticeRaised(1.0, "engram.review"))
    request = m.EngramSaved(hashlib.sha256(b"").hexdigest()) if text is None else save(played, text)
    assert played.intake.saved(request) == m.Outcome(False, "engram.saved-empty")
    assert (played.queue.accepted, played.queue.texts, played.notices()) == (0, {}, ["engram.review"])


@pytest.mark.parametrize("is_forgotten", ["here", "on disk"])
async def test_a_conversation_that_a_person_goes_back_to_tells_nothing_new(
    play: Play, monkeypatch: pytest.MonkeyPatch, is_forgotten: str
) -> None:
    if is_forgotten == "on disk":
        monkeypatch.setattr(judged_engrams, "remember", lambda *_: None)
    played = play()
    now = time.time()
    log = (
        ev.TurnStarted(now, "t"), ev.UserMessageRecorded(now, "Do it."), ev.TurnEnded(now + 0.001, "t", ENGRAM),
    )  # fmt: skip

    def read(conversation: str, *events: ev.Event) -> None:
        played.happened(ev.ConversationIdentified(time.time(), conversation, f"/{conversation}"))
        for event in events:
            played.happened(event)

    read("c1", *log)
    await played.until(lambda: played.outcomes() == ["stored"])
    for text in (PERSONS, PERSONS.replace("weeks", "months")):
        assert played.intake.saved(save(played, text)).done
    before, told, texts = history(played.root), played.outcomes(), dict(played.queue.texts)
    if is_forgotten == "here":
        played.intake._followed.clear()  # as a host that takes over
    read("c2")
    read("c1", *log)
    await played.until(lambda: played.intake._timer is None and played.intake.writing_since is None)
    assert (history(played.root), played.outcomes(), played.notices()) == (before, told, [])
    assert played.queue.texts == texts
    assert played.file() == PERSONS.replace("weeks", "months")


async def test_what_the_agent_writes_after_the_clock_was_set_back_is_stored(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = play()
    set_back(monkeypatch, 3600.0)
    assert await played.outcome(ENGRAM) == "stored"


async def test_a_persons_version_is_not_of_before_the_agent_because_the_clock_was_set_back(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = play()
    set_back(monkeypatch, 3600.0)
    path = played.root / ".agent" / "engram.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(PERSONS)
    os.utime(path, (time.time(), time.time()))
    played.read_memory()
    assert (await played.outcome(ENGRAM)).endswith("-stays")
    assert played.file() == PERSONS
