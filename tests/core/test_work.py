"""What is remembered of the agent's work: enough to restore from, and never more than a message can carry."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from agentsup.core import events as ev
from agentsup.core import work as work_module
from agentsup.core.memory.model import Document, Memory, Work
from agentsup.core.work import COMMAND_MOST, ended, requested, used, written
from agentsup.locale import LANGUAGES, load, restore_frame
from agentsup.store.memory_files import read_memory

MEMORY = Memory(engram=Document(".agent/engram.md", "[Task] x", modified=100.0))


def edit(path: str, time: float = 200.0) -> ev.ToolUsed:
    return ev.ToolUsed(time, "edit", path)


def test_a_persons_request_is_remembered_and_what_agents_write_in_their_name_is_not() -> None:
    work = requested(Work(), "Fix the parser")
    for text in ("<environment_context>", "# AGENTS.md instructions", " \n", "This session is being continued from"):
        assert requested(work, text) == work


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_restore_text_is_no_request_whatever_a_project_has_put_in_place_of_its_header(language: str) -> None:
    frame = restore_frame(language)
    work = Work(last_request="Fix the parser")
    own = f"Memory of the parcel project k3j9x2:\n\n[Task] ship it\n\n{frame.trailer.replace('{id}', 'k3j9x2')}"
    assert requested(work, frame.header.replace("{id}", "k3j9x2").replace("{number}", "2")) == work
    assert requested(work, own) == work
    assert requested(work, own + "\n") == work


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_persons_words_about_us_are_theirs(language: str) -> None:
    for text in ("Fix agentsup's engram editor", "agentsup: restore should be quick", "agentsup 的印记 editor"):
        assert requested(Work(), text).last_request == text
    header = load(language).text("inject.header", id="k3j9x2")
    sent = requested(Work(), f"{header}\n\nFix the parser\nand its tests")
    assert sent.last_request == "Fix the parser\nand its tests"


def test_writing_the_engram_makes_it_no_older_though_the_log_tells_of_it_later() -> None:
    for path in (".agent/engram.md", "/project/.agent/engram.md"):
        work = used(Work(), edit(path, 100.2), MEMORY)
        assert (work.edited, work.edited_since_engram) == ((path,), ())
    assert used(Work(), edit("src/a.py"), MEMORY).edited_since_engram == ("src/a.py",)
    assert used(Work(), edit("src/a.py", 99.0), MEMORY).edited_since_engram == ()


def test_a_call_is_searched_for_secrets_once_however_much_is_kept_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def redacted(text: str) -> str:
        read.append(text)
        return text.replace("s3cret", "…")

    monkeypatch.setattr(work_module, "redacted", redacted)
    calls = (
        ev.ToolUsed(200.0, "run", command="curl -H s3cret once.example", exit_code=0),
        edit("s3cret/once.py"),
        ev.ToolUsed(200.0, "search", "s3cret/once", "once"),
        ev.ToolUsed(200.0, "run", command="echo s3cret " + "x" * COMMAND_MOST, exit_code=0),
    )
    work = Work()
    for call in calls:
        work = used(work, call, MEMORY)
    assert len(read) == len(calls)
    assert work.recent_calls[:3] == ("run curl -H … once.example: 0", "edit …/once.py", "search once")
    assert "s3cret" not in str(work)
    assert (work.edited, len(work.succeeded)) == (("…/once.py",), 1)
    used(work, edit("s3cret/once.py"), MEMORY)
    assert len(read) == len(calls), "agents touch the same files all the time"


def test_an_engram_that_was_written_is_fresh() -> None:
    old = ended(used(Work(), edit("src/a.py"), MEMORY), ev.TurnEnded(201.0, "t"), MEMORY)
    assert (old.rounds_since_engram, old.edited_since_engram) == (1, ("src/a.py",))
    new = written(old, MEMORY, Memory(engram=Document(".agent/engram.md", "[Task] y", modified=300.0)))
    assert (new.rounds_since_engram, new.edited_since_engram, new.edited) == (0, (), ("src/a.py",))


def test_halves_of_characters_do_not_stop_the_session_from_being_sent() -> None:
    work = requested(Work(), "Fix \ud83d it")
    work = used(work, edit("a\ud83d.py"), MEMORY)
    work = used(work, ev.ToolUsed(200.0, "run", command="echo \udcff", exit_code=0), MEMORY)
    texts = (work.last_request, *work.edited, *work.edited_since_engram, *work.succeeded, *work.recent_calls)
    assert len(texts) == 6
    for text in texts:
        assert "\ufffd" in text.encode().decode()


def test_a_command_is_remembered_as_evidence_only_where_somebody_might_write_it_down() -> None:
    long = "cat > a.py <<'E'\n" + "x = 1\n" * 20_000
    work = used(Work(), ev.ToolUsed(1.0, "run", command="pytest -q", exit_code=0), MEMORY)
    work = used(work, ev.ToolUsed(2.0, "run", command=long, exit_code=0), MEMORY)
    work = used(work, edit("a/" * COMMAND_MOST), MEMORY)
    assert (work.succeeded, work.edited) == (("pytest -q",), ())
    assert len(work.recent_calls) == 3
    assert all(len(call) < 200 for call in work.recent_calls)


def test_an_engram_that_says_the_same_again_is_fresh_too() -> None:
    old = ended(used(Work(), edit("src/a.py"), MEMORY), ev.TurnEnded(201.0, "t"), MEMORY)
    same = replace(MEMORY, engram=replace(MEMORY.engram, modified=300.0))
    assert written(old, MEMORY, MEMORY) == old
    assert written(old, MEMORY, same).rounds_since_engram == 0


def test_a_log_that_is_replayed_ages_only_what_is_older_than_it(tmp_path: Path) -> None:
    (tmp_path / ".agent").mkdir()
    for name in ("engram.md", "STATE.md"):
        (tmp_path / ".agent" / name).write_text("[Task] x\n")
        os.utime(tmp_path / ".agent" / name, (100.0, 100.0))
    memory = read_memory(tmp_path)
    work = Work()
    for time in (50.0, 99.0, 150.0):
        work = used(work, edit(f"at-{time:.0f}.py", time), memory)
        work = ended(work, ev.TurnEnded(time, "t"), memory)
    assert (work.edited_since_engram, work.rounds_since_engram, work.calls_since_state) == (("at-150.py",), 1, 1)
    assert work.edited == ("at-50.py", "at-99.py", "at-150.py")
