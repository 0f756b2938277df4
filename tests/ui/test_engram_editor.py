"""The editor of the engram: what a person does to it is what is saved, and nobody's text is lost."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from agentsup.core.engram_reasons import REFUSED, REPLACED, restored
from agentsup.core.memory.model import Document, Memory
from agentsup.locale import load
from agentsup.protocol.messages import EngramSaved
from agentsup.store import engram_history
from agentsup.store.atomic import Conflict
from agentsup.store.engram_history import Author, history
from agentsup.store.examples import read_example
from agentsup.ui import engram_conflict, engram_view
from agentsup.ui.engram_conflict import EngramConflict, only_here
from agentsup.ui.engram_desk import ENGRAM, Desk
from agentsup.ui.engram_editor import EngramEditor
from agentsup.ui.engram_versions import EngramVersionList
from tests.ui.engram_desktop import Desktop, folders, host, running
from tests.ui.engram_scenes import CHINESE, GOOD, HOSTILE, OLD, VAGUE, project
from tests.ui.fake_host import FakeHost
from tests.ui.looking import pressing

__all__ = ["folders", "host"]


@running
async def test_a_vague_engram_is_flagged_mended_saved_and_told(at: Desktop) -> None:
    await at.open()
    assert "written by the agent" in at.words("editor-head")
    assert at.words("editor-head").startswith("words 20/200  items 4/8 ")
    found = at.words("editor-found")
    assert "It does not begin with a verb: config work" in found
    assert "It says nothing that can be acted on: fix the rest" in found
    assert "▲" in found  # the agent's own wording: an error
    await at.write(GOOD)
    assert "not saved" in at.words("editor-head")
    await at.until(lambda: at.words("editor-found") == "Nothing to object to.")
    await at.press("ctrl+s")
    await at.until(lambda: at.words("editor-said").startswith("Saved."))
    assert at.file.read_text() == GOOD
    assert "learn by it" in at.words("editor-said")
    await at.until(lambda: at.told)
    assert at.told == [EngramSaved(hashlib.sha256(GOOD.encode()).hexdigest(), True)]
    assert (history(at.root)[-1].author, history(at.root)[-1].text) == ("person", GOOD)
    kept = read_example(at.root)
    assert kept is not None
    assert kept.bad == VAGUE.strip()
    assert "not saved" not in at.words("editor-head")
    await at.press("escape")
    await at.until(lambda: not isinstance(at.app.screen, EngramEditor))


@running
async def test_the_switches_say_who_learns_of_it(at: Desktop) -> None:
    await at.open()
    assert at.words("editor-switches") == "[x] tell the agent (Ctrl+L)   [ ] good example for agents (Ctrl+G)"
    await at.press("ctrl+l", "ctrl+g")
    assert at.words("editor-switches") == "[ ] tell the agent (Ctrl+L)   [x] good example for agents (Ctrl+G)"
    await at.press("ctrl+g")
    await at.write(GOOD)
    await at.until(lambda: at.words("editor-found") == "Nothing to object to.")
    assert "[ ] good example" in at.words("editor-switches")
    await at.press("ctrl+s")
    await at.until(lambda: at.words("editor-said") == "Saved. The agent is not told.")
    await at.until(lambda: at.told)
    assert not at.told[0].tell
    assert read_example(at.root) is None


@running
async def test_a_key_that_is_no_tag_inserts_nothing(at: Desktop) -> None:
    area = await at.open()
    await at.press("ctrl+t", "9", "x")
    assert area.text == VAGUE
    assert at.words("editor-keys").startswith("Insert:")
    await at.press("escape", "z")
    assert area.text == f"{VAGUE.strip()}z\n"


@running
async def test_the_next_fault_is_gone_to(at: Desktop) -> None:
    area = await at.open()
    seen = []
    for _ in range(3):
        await at.press("ctrl+n")
        seen.append(area.cursor_location)
    assert seen == [(1, 11), (2, 10), (3, 8)]
    assert at.words("editor-found").startswith("△  4 ")


@running
async def test_leaving_asks_only_where_something_would_be_lost(at: Desktop) -> None:
    await at.open()
    await at.press("x", "escape")
    assert at.words("editor-keys").startswith("Not saved.")
    await at.press("q", "escape", "y", "escape", "d")
    await at.until(lambda: not isinstance(at.app.screen, EngramEditor))
    assert at.file.read_text() == VAGUE
    await at.open()
    await at.press("escape")
    await at.until(lambda: not isinstance(at.app.screen, EngramEditor))
    await at.open()
    await at.press("z", "escape", "s")
    await at.until(lambda: not isinstance(at.app.screen, EngramEditor))
    assert at.file.read_text() == f"{VAGUE.strip()}z\n"


@running
async def test_the_key_that_saves_also_does_so_where_leaving_asks(at: Desktop) -> None:
    await at.open()
    await at.press("z", "escape", "ctrl+s")
    await at.until(lambda: not isinstance(at.app.screen, EngramEditor))
    assert at.file.read_text() == f"{VAGUE.strip()}z\n"


@running
async def test_a_text_with_something_open_is_no_example_unless_a_person_says_so(at: Desktop) -> None:
    await at.open()
    await at.write(f"{GOOD}and more\n")
    await at.until(lambda: "begins with no tag" in at.words("editor-found"))
    await at.press("ctrl+s")
    await at.until(lambda: "No example for agents" in at.words("editor-said"))
    assert read_example(at.root) is None
    await at.press("ctrl+g", "ctrl+s")
    await at.until(lambda: "learn by it" in at.words("editor-said"))
    assert read_example(at.root) is not None


@pytest.mark.parametrize("language", ["en", "zh-CN"])
@pytest.mark.parametrize("width", [56, 76])
def test_the_line_of_keys_says_how_to_leave_in_a_small_window_too(language: str, width: int) -> None:
    catalogue = load(language)
    line = engram_view.keys("", "en", catalogue=catalogue, width=width)
    assert line.cell_length <= width
    for name in ("save", "tag", "versions", "next", "close"):
        assert catalogue.text(f"editor.key.{name}") in line.plain


@running
async def test_a_new_engram_begins_behind_its_first_tag(at: Desktop) -> None:
    at.file.unlink()
    area = await at.open()
    assert area.text == "[Task] \n[Progress] \n[Pending] \n[Taboo] \n"
    await at.press("x", "down", "end", "y")
    assert area.text.startswith("[Task] x\n[Progress] y\n")


@running
async def test_an_agent_that_has_ended_is_not_to_be_told(at: Desktop) -> None:
    at.host.show(replace(at.host.session, phase="exited"))
    await at.until(lambda: at.app._choices.open == "exited")
    await at.press("e")
    await at.until(lambda: isinstance(at.app.screen, EngramEditor) and at.words("editor-found"))
    assert at.words("editor-switches") == "[ ] good example for agents (Ctrl+G)"
    await at.write(GOOD)
    await at.until(lambda: at.words("editor-switches") == "[x] good example for agents (Ctrl+G)")
    await at.press("ctrl+l", "ctrl+s")
    await at.until(lambda: at.words("editor-said").startswith("Saved. From the next launch on"))
    await at.until(lambda: at.told)
    assert not at.told[0].tell


async def test_an_agent_without_a_log_is_not_to_be_told(host: FakeHost) -> None:
    host.session = replace(host.session, agent=replace(host.session.agent, name="bash"))

    @running
    async def test(at: Desktop) -> None:
        await at.open()
        assert at.words("editor-switches") == "[ ] good example for agents (Ctrl+G)"
        await at.press("x", "ctrl+s")
        await at.until(lambda: at.words("editor-said").startswith("Saved."))
        assert " told" not in at.words("editor-said")
        await at.until(lambda: at.told)
        assert not at.told[0].tell

    await test(host)  # type: ignore[misc]


def test_an_editor_that_is_not_there_yet_shows_nothing(tmp_path: Path) -> None:
    editor = EngramEditor(Desk(str(tmp_path)), lambda sha, tell: True, load("en"))
    editor._show()


def test_of_two_texts_only_lines_that_the_other_has_nowhere_are_marked() -> None:
    mine = "[Task] a\n[Progress] mine\n[Files] c  \n\n[Taboo] d\n[Taboo] d\n"
    theirs = "[Files] c\r\n[Task] a\r\n[Progress] theirs\r\n[Taboo] d\r\n"
    marks = ["".join(line.mark for line in only_here(*both)) for both in ((mine, theirs), (theirs, mine))]
    assert marks == [" +   +", "  + "]


async def conflict(at: Desktop, theirs: str) -> None:
    """Edit, let somebody else write the file, and save."""
    await at.open()
    await at.press("x")
    at.file.write_text(theirs)
    await at.press("ctrl+s")
    await at.until(lambda: isinstance(at.app.screen, EngramConflict))
    await at.pilot.pause()


@pytest.mark.parametrize("key", ["m", "M"])
async def test_of_two_texts_mine_is_saved_and_the_other_kept(host: FakeHost, key: str) -> None:
    @running
    async def test(at: Desktop) -> None:
        await conflict(at, GOOD)
        await at.press("q", "enter", "space", key)
        await at.until(lambda: at.told)
        assert at.file.read_text() == f"{VAGUE.strip()}x\n"
        assert [(each.text, each.reason) for each in history(at.root)[-2:]] == [
            (GOOD, REPLACED), (f"{VAGUE.strip()}x\n", ""),
        ]  # fmt: skip

    await test(host)  # type: ignore[misc]


@running
async def test_of_two_texts_the_other_is_kept_and_mine_comes_back(at: Desktop) -> None:
    await conflict(at, GOOD)
    await at.press("t")
    await at.until(lambda: isinstance(at.app.screen, EngramEditor) and at.area.text == GOOD)
    assert (at.file.read_text(), at.told) == (GOOD, [])
    assert "not saved" not in at.words("editor-head")
    await at.press("ctrl+z")
    assert at.area.text == f"{VAGUE.strip()}x\n"
    await at.press("ctrl+y", "ctrl+r")
    await at.until(lambda: isinstance(at.app.screen, EngramVersionList))
    assert "not saved" in at.words("versions-list").splitlines()[0]
    await at.press("enter")
    await at.until(lambda: isinstance(at.app.screen, EngramEditor) and at.area.text == f"{VAGUE.strip()}x\n")


@running
async def test_of_two_texts_neither_may_be_chosen_yet(at: Desktop) -> None:
    await conflict(at, GOOD)
    await at.press("escape")
    await at.until(lambda: isinstance(at.app.screen, EngramEditor))
    assert at.area.text == f"{VAGUE.strip()}x\n"
    assert (at.file.read_text(), at.told) == (GOOD, [])
    await at.press("ctrl+s")
    await at.until(lambda: isinstance(at.app.screen, EngramConflict))


async def test_a_conflict_is_not_answered_by_keys_that_were_for_the_text(
    host: FakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engram_conflict, "SETTLE", 3600.0)

    @running
    async def test(at: Desktop) -> None:
        await conflict(at, GOOD)
        await at.press(*"my text", "escape")
        assert isinstance(at.app.screen, EngramConflict)
        assert at.file.read_text() == GOOD

    await test(host)  # type: ignore[misc]


@running
async def test_a_version_comes_back_as_an_edit(at: Desktop) -> None:
    await at.open()
    await at.press("ctrl+r")
    await at.until(lambda: isinstance(at.app.screen, EngramVersionList))
    lines = at.words("versions-list").splitlines()
    assert ["the agent" in line for line in lines] == [True, False]
    assert "its last message" in lines[0]
    await at.press("down", "enter")
    await at.until(lambda: isinstance(at.app.screen, EngramEditor) and at.area.text == OLD)
    assert at.file.read_text() == VAGUE
    await at.press("ctrl+s")
    await at.until(lambda: at.told)
    assert at.file.read_text() == OLD
    newest = history(at.root)[-1]
    assert newest.reason == restored(hashlib.sha256(OLD.encode()).hexdigest())
    await at.press("x", "ctrl+s")
    await at.until(lambda: len(at.told) == 2)
    assert history(at.root)[-1].reason == ""
    await at.press("ctrl+r")
    await at.until(lambda: isinstance(at.app.screen, EngramVersionList))
    assert f"back to {hashlib.sha256(OLD.encode()).hexdigest()[:12]}" in at.words("versions-list")


async def test_an_agents_version_that_was_refused_becomes_the_bad_side_of_an_example(host: FakeHost) -> None:
    engram_history.record(Path(host.session.project), GOOD, "person")
    engram_history.keep_unwritten(Path(host.session.project), VAGUE.replace("config", "some"), "agent", REFUSED)
    (Path(host.session.project) / ENGRAM).write_text(GOOD)

    @running
    async def test(at: Desktop) -> None:
        await at.open()
        assert "example" not in at.words("editor-switches")
        await at.press("ctrl+r")
        await at.until(lambda: isinstance(at.app.screen, EngramVersionList))
        await at.press("enter")
        await at.until(lambda: isinstance(at.app.screen, EngramEditor) and "some work" in at.area.text)
        await at.write(GOOD)
        await at.until(lambda: "[x] good example" in at.words("editor-switches"))
        await at.press("ctrl+s")
        await at.until(lambda: at.told)
        kept = read_example(at.root)
        assert kept is not None
        assert (kept.good, "some work" in kept.bad) == (GOOD.strip(), True)

    await test(host)  # type: ignore[misc]


@running
async def test_the_file_is_read_again_where_nobody_edits_it(at: Desktop) -> None:
    await at.open()
    at.file.write_text(GOOD)
    document = Document(ENGRAM, GOOD, sha=hashlib.sha256(GOOD.encode()).hexdigest())
    at.host.show(replace(at.host.session, memory=Memory(document)))
    await at.until(lambda: at.area.text == GOOD)
    await at.press("x")
    at.file.write_text(OLD)
    document = Document(ENGRAM, OLD, sha=hashlib.sha256(OLD.encode()).hexdigest())
    at.host.show(replace(at.host.session, memory=Memory(document)))
    await at.until(lambda: "changed meanwhile" in at.words("editor-said"))
    assert at.area.text == f"{GOOD.strip()}x\n"


@running
async def test_an_unsaved_text_outlives_the_interface(at: Desktop) -> None:
    await at.open()
    await at.press("x")
    at.app.exit()


async def test_where_others_write_the_interface_ends_all_the_same(
    host: FakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []

    def kept(_: Desk, text: str) -> None:
        threads.append(threading.current_thread())
        raise Conflict(Path("engram-unsaved.json"), text.encode(), None)

    monkeypatch.setattr(Desk, "keep_unsaved", kept)
    await test_an_unsaved_text_outlives_the_interface(host)  # type: ignore[misc]
    assert len(threads) == 1
    assert threading.main_thread() not in threads


async def test_what_was_not_saved_is_offered_the_next_time(host: FakeHost) -> None:
    await test_an_unsaved_text_outlives_the_interface(host)  # type: ignore[misc]

    @running
    async def test(at: Desktop) -> None:
        await at.open()
        assert at.area.text == VAGUE
        await at.until(lambda: "A text of yours was not saved" in at.words("editor-said"))
        await at.press("ctrl+r")
        await at.until(lambda: isinstance(at.app.screen, EngramVersionList))
        await at.press("enter")
        await at.until(lambda: isinstance(at.app.screen, EngramEditor) and at.area.text == f"{VAGUE.strip()}x\n")

    await test(host)  # type: ignore[misc]


@running
async def test_without_a_file_it_begins_with_the_tags(at: Desktop) -> None:
    at.file.unlink()
    area = await at.open()
    assert area.text == "[Task] \n[Progress] \n[Pending] \n[Taboo] \n"
    assert "no file yet" in at.words("editor-head")
    await at.press("escape")
    await at.until(lambda: not isinstance(at.app.screen, EngramEditor))
    assert not at.file.exists()


@running
async def test_a_file_that_can_not_be_edited_is_told(at: Desktop) -> None:
    at.file.write_bytes(b"\xff\xfe\xff")
    await pressing("leader e", at.host)(at.pilot)
    await at.until(lambda: isinstance(at.app.screen, EngramEditor) and "▲" in at.words("editor-said"))
    await at.press("x", "ctrl+s", "escape")
    await at.until(lambda: not isinstance(at.app.screen, EngramEditor))
    assert at.file.read_bytes() == b"\xff\xfe\xff"


@pytest.mark.parametrize(
    ("text", "author"), [(HOSTILE, "agent"), (CHINESE, "person"), ("x\n" * 900, "person")],
    ids=["hostile", "chinese", "long"],
)  # fmt: skip
async def test_any_text_is_shown_and_stays_what_it_is(tmp_path: Path, text: str, author: Author) -> None:
    with FakeHost(tmp_path / "s", project(tmp_path, text, author=author)) as host:

        @running
        async def test(at: Desktop) -> None:
            await at.open()
            await at.press("z", "backspace", "ctrl+r")
            await at.until(lambda: isinstance(at.app.screen, EngramVersionList))
            await at.press("down", "pagedown", "end", "escape")
            await at.until(lambda: isinstance(at.app.screen, EngramEditor))
            shown = "\n".join(strip.text for y in range(20) if (strip := at.area.render_line(y)))
            assert not any(
                ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in shown.replace("\n", "")
            )
            assert "\u202e" not in shown
            assert at.area.meant == text

        await test(host)  # type: ignore[misc]
