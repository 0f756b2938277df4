"""The engram of a turn's end reaches the file, or the agent hears why not, or the person does."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from agentsup.core import events as ev
from agentsup.host import engram_intake as module
from agentsup.protocol import messages as m
from agentsup.store import judged_engrams
from agentsup.store.engram_history import history
from tests.host.played_engrams import ENGRAM, FAULTY, PERSONS, InThisProcess, Play, play, save
from tests.host.set_back import set_back

__all__ = ["play"]

OTHERS = tuple(FAULTY.replace("some", word) for word in ("few", "several", "many"))


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


async def test_an_agent_that_has_ended_is_told_nothing(play: Play) -> None:
    played = play()
    played.turn(FAULTY)
    played.happened(ev.AgentExited(time.time(), 0, None))
    await played.until(lambda: played.outcomes() == ["sent-back"])
    assert played.intake.saved(save(played)) == m.Outcome(True)
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


async def test_one_that_was_written_before_the_clock_was_set_back_does_not_overtake_newer_ones(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = play()
    assert await played.outcome(ENGRAM) == "stored"
    set_back(monkeypatch, 3600.0)
    assert await played.outcome(PERSONS) == "stored"
    assert played.file() == PERSONS
