"""A person's engram stands until the agent knows it, and the agent is told of it once, by what comes first."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from typing import Literal

import pytest

from agentsup.core import events as ev
from agentsup.core.occasion import as_written
from agentsup.host import engram_intake as module
from agentsup.protocol import messages as m
from agentsup.store.engram_history import history
from tests.host.played_engrams import ENGRAM, PERSONS, InThisProcess, Play, play, save
from tests.host.set_back import set_back

__all__ = ["play"]


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


async def test_what_is_theirs_and_came_with_an_old_time_is_told_all_the_same(play: Play) -> None:
    played = play()
    await played.outcome(ENGRAM)
    request = save(played)
    os.utime(played.root / ".agent" / "engram.md", (1000.0, 1000.0))
    assert played.intake.saved(request).values
    assert played.queue.kinds() == ["correction"]


@pytest.mark.parametrize("whose", ["own", "link", "other", "within"])
@pytest.mark.parametrize("kind", ["read", "run"])
async def test_only_what_shows_the_projects_own_engram_makes_it_known(
    play: Play, tmp_path_factory: pytest.TempPathFactory, whose: str, kind: Literal["read", "run"]
) -> None:
    played, elsewhere = play(), tmp_path_factory.mktemp("elsewhere")
    place = {"own": played.root, "link": elsewhere / "link", "other": elsewhere, "within": played.root / "lib"}[whose]
    (elsewhere / "link").symlink_to(played.root)
    (played.root / "lib").mkdir()
    await played.outcome(ENGRAM)
    if kind == "read":
        assert played.intake.saved(save(played)).values
    else:
        (played.root / ".agent" / "engram.md").write_text(PERSONS)
    path = str(place / ".agent" / "engram.md")
    command = f"cat '{path}'"
    played.happened(
        ev.ToolUsed(time.time() + 1, kind, path if kind == "read" else "", command if kind == "run" else "")
    )
    is_own = whose == "own" or (whose == "link" and kind == "read")
    stays = "persons-stays" if kind == "read" else "found-stays"
    assert await played.outcome(ENGRAM.replace("Wrote", "Typed")) == ("stored" if is_own else stays)


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


@pytest.mark.parametrize("text", [None, "", " \n"])
async def test_an_empty_one_is_accepted_by_nobody(play: Play, text: str | None) -> None:
    played = play()
    played.happened(ev.NoticeRaised(1.0, "engram.review"))
    request = m.EngramSaved(hashlib.sha256(b"").hexdigest()) if text is None else save(played, text)
    assert played.intake.saved(request) == m.Outcome(False, "engram.saved-empty")
    assert (played.queue.accepted, played.queue.texts, played.notices()) == (0, {}, ["engram.review"])


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
