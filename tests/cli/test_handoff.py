"""`agentsup handoff`: shown and written, and never over a change that was not seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.writing import WritingPlace, two_lines

PATH = ".agent/handoff.md"
PLACES = (PATH, ".agent/state/handoff.md", ".agent/init.d/00-handoff.md")


@pytest.mark.parametrize("path", PLACES)
def test_it_is_shown(place: WritingPlace, path: str) -> None:
    place.put(path, "\ufeffProgress: half.\n下一步：写测试。\n")
    assert place.run("handoff").out == "Progress: half.\n下一步：写测试。\n"
    found = place.run("handoff", "--json").json
    assert (found["path"], found["written"]) == (path, False)
    assert "half." in found["text"]


def test_without_one_it_says_so(place: WritingPlace) -> None:
    done = place.run("handoff")
    assert (done.code, done.out) == (1, "")
    two_lines(done, "no handoff")
    done = place.run("handoff", "--json")
    assert (done.code, done.json["text"]) == (1, None)
    assert place.files() == set()


@pytest.mark.parametrize("path", PLACES)
def test_it_is_written_from_words_a_file_or_standard_input(place: WritingPlace, path: str) -> None:
    place.put(path, "old\n")
    notes = place.put("notes.md", "Progress: half.\r\nNext: tests.")
    for argument, given in (("Progress: half.\nNext: tests.", None), (str(notes), None), ("-", notes.read_bytes())):
        place.put(path, "old\n")
        assert place.run("handoff", argument, given=given).code == 0
        assert place.read(path) == "Progress: half.\nNext: tests.\n"
    assert place.files() == {path, "notes.md"}


def test_it_is_made_where_there_is_none(place: WritingPlace) -> None:
    done = place.run("handoff", "进展：一半。")
    assert PATH in done.err
    assert place.read(PATH) == "进展：一半。\n"
    again = place.run("handoff", "Progress: all of it.", "--json").json
    assert again == {"path": PATH, "text": "Progress: all of it.\n", "written": True, "created": False}


def test_escape_sequences_are_left_out(place: WritingPlace) -> None:
    place.run("handoff", "-", given="a \x1b[2Jb\x9bc\n")
    assert place.read(PATH) == "a [2Jbc\n"


def test_wrong_usage(place: WritingPlace) -> None:
    for words, given, what in (([""], None, "no text"), (["-"], " \n", "no text"), (["notes.md"], None, "notes.md"),
                               (["-"], b"\xff", "line 1"), (["-"], b"a" * (1 << 21), "more than")):  # fmt: skip
        done = place.run("handoff", *words, given=given)
        assert done.code == 2, words
        two_lines(done, what)
    assert place.files() == set()


def test_what_was_written_meanwhile_stays_and_both_are_kept(
    place: WritingPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place.put(PATH, "old\n")

    def slow(_: str) -> str:
        path.write_text("newer, of another program\n")
        return "mine\n"

    monkeypatch.setattr("agentsup.cli.commands.handoff.given_text", slow)
    done = place.run("handoff", "-")
    assert done.code == 1
    two_lines(done, PATH)
    assert path.read_text() == "newer, of another program\n"
    kept = Path(done.err.partition("kept in ")[2].partition("\n")[0].rstrip("."))
    assert kept.is_relative_to(place.home)
    assert kept.read_text() == "mine\n"


def test_a_link_is_not_written_through(place: WritingPlace, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_text("mine\n")
    (place.root / ".agent").mkdir()
    (place.root / PATH).symlink_to(tmp_path / "elsewhere.md")
    done = place.run("handoff", "new words")
    assert done.code == 1
    two_lines(done, "link")
    assert (tmp_path / "elsewhere.md").read_text() == "mine\n"


def test_a_single_word_that_names_no_file_is_told_with_what_helps(place: WritingPlace) -> None:
    done = place.run("handoff", "bye")
    assert done.code == 2
    two_lines(done, "bye")
    assert 'agentsup handoff "Next:' in done.err
