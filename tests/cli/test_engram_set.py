"""`agentsup engram set` and `agentsup identity set`: checked, written in one step, and never over an unseen change."""

from __future__ import annotations

import hashlib
import re
import time
from pathlib import Path

import pytest

from agentsup.core.session import Agent, Session
from agentsup.protocol.messages import EngramSaved
from agentsup.store.engram_history import history
from tests.cli.fake_session import answering
from tests.cli.writing import WritingPlace, two_lines

PATH = ".agent/engram.md"

GOOD = """\
[Task] Make parse() accept ISO weeks.
[Progress] Added week parsing in dates.py (commit 4f2a91c).
[Pending] tests/test_dates.py: week 53 of 2020.
[Taboo] Leave dates.py:parse_legacy() alone: the importer relies on its errors.
"""

CHINESE = """\
[任务] 让 parse() 接受 ISO 周。
[进度] 已在 dates.py 中加入周解析（commit 4f2a91c）。
[未决] tests/test_dates.py：2020 年第 53 周。
[禁忌] 不要改 dates.py:parse_legacy()，因为导入器依赖它的错误。
"""

VAGUE = GOOD.replace("Added week parsing in dates.py (commit 4f2a91c).", "Made some changes.")


@pytest.fixture(autouse=True)
def code(place: WritingPlace) -> None:
    """Let there be what the engrams name."""
    place.put("dates.py", "def parse_legacy(): ...\n")
    place.put("tests/test_dates.py", "")


@pytest.mark.parametrize("text", [GOOD, CHINESE], ids=["en", "zh"])
@pytest.mark.parametrize("kind", ["person", "agent"])
def test_a_good_engram_is_written_and_its_version_kept(place: WritingPlace, text: str, kind: str) -> None:
    if kind == "agent":
        place.as_agent()
    done = place.run("engram", "set", "-", "--reason", "the task changed", "--json", given=text)
    assert done.code == 0, done
    assert place.read(PATH) == text
    (version,) = history(place.root)
    assert (version.text, version.author, version.reason) == (text, kind, "the task changed")
    found = done.json
    assert (found["path"], found["written"], found["author"]) == (PATH, True, kind)
    assert (found["sha"], found["created"]) == (version.sha, True)
    assert [each for each in found["findings"] if each["severity"] == "error"] == []


def test_from_a_file(place: WritingPlace) -> None:
    place.put("new.md", "\ufeff\n" + GOOD.replace("\n", "\r\n"))
    done = place.run("engram", "set", "new.md")
    assert done.code == 0
    assert PATH in done.err
    assert place.read(PATH) == GOOD


@pytest.mark.parametrize("bad", [VAGUE, GOOD.replace("[Taboo]", "[Note]"), "just words\n", ""])
def test_an_agents_engram_with_errors_is_refused(place: WritingPlace, bad: str) -> None:
    place.put(PATH, CHINESE)
    place.as_agent()
    done = place.run("engram", "set", given=bad)
    assert done.code == 1
    two_lines(done, "has errors")
    assert re.search(rf"^{re.escape(PATH)}:\d+:\d+ error engram\.", done.err, re.MULTILINE)
    assert place.read(PATH) == CHINESE
    assert history(place.root) == ()
    found = place.run("engram", "set", "--json", given=bad)
    assert (found.code, found.json["written"], found.json["sha"]) == (1, False, "")
    assert any(each["severity"] == "error" for each in found.json["findings"])


@pytest.mark.parametrize("bad", [VAGUE, GOOD.replace("[Taboo]", "[Note]")])
def test_a_persons_is_written_and_what_was_found_is_told(place: WritingPlace, bad: str) -> None:
    done = place.run("engram", "set", given=bad)
    assert done.code == 0
    assert f"{PATH}:" in done.err
    assert place.read(PATH) == bad
    assert history(place.root)[0].author == "person"


def test_what_a_person_has_set_the_running_sessions_are_told(place: WritingPlace) -> None:
    session = Session("abcde", "", Agent("codex"))
    place.patch.setattr("agentsup.cli.running_session.DEADLINE", 0.5)
    sessions = {"abcde": (place.root, session), "fghij": (place.home, session), "klmno": (place.root, None)}
    with answering(place.patch, sessions) as asked:
        done = place.run("engram", "set", given=GOOD)
        assert done.code == 0
        assert "The agent is told" in done.err
        assert asked == [("abcde", EngramSaved(hashlib.sha256(GOOD.encode()).hexdigest()))]
        assert place.run("engram", "set", "--json", given=VAGUE).json["told"]
        assert len(asked) == 2
        assert place.run("engram", "set", given="nothing\n").code == 1
        place.as_agent()
        found = place.run("engram", "set", "--json", given=GOOD).json
        assert (found["written"], found["told"]) == (True, False)
        assert len(asked) == 2


def test_a_session_that_is_silent_keeps_no_engram_from_being_set(place: WritingPlace) -> None:
    place.patch.setattr("agentsup.cli.running_session.DEADLINE", 0.2)
    place.patch.setattr("agentsup.cli.sessions.ANSWER_DEADLINE", 40.0)
    began = time.monotonic()
    with answering(place.patch, {"abcde": (place.root, None)}):
        done = place.run("engram", "set", given=GOOD)
        assert done.code == 0
        assert "could not be told" in done.err
        assert time.monotonic() - began < 30
    assert place.read(PATH) == GOOD


def test_what_is_no_engram_at_all_never_wipes_out_the_one_there_is(place: WritingPlace) -> None:
    place.put(PATH, GOOD)
    for nothing in ("", "\n\n", "just words\n"):
        done = place.run("engram", "set", given=nothing)
        assert done.code == 1
        two_lines(done, "not written")
    assert place.read(PATH) == GOOD


def test_what_was_written_meanwhile_stays_and_both_are_kept(
    place: WritingPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place.put(PATH, GOOD)

    def slow(_: str) -> str:
        path.write_text(CHINESE)
        return GOOD.replace("ISO weeks", "ISO years")

    monkeypatch.setattr("agentsup.cli.memory_writes.given_text", slow)
    done = place.run("engram", "set")
    assert done.code == 1
    two_lines(done, PATH)
    assert path.read_text() == CHINESE
    kept = Path(done.err.partition("kept in ")[2].partition("\n")[0].rstrip("."))
    assert "ISO years" in kept.read_text()


def test_a_data_folder_that_can_not_be_written_keeps_no_engram_from_being_set(place: WritingPlace) -> None:
    (place.home / ".local").write_text("in the way: an agent's sandbox")
    place.as_agent()
    done = place.run("engram", "set", given=GOOD)
    assert done.code == 0
    two_lines(done, "could not be recorded")
    assert place.read(PATH) == GOOD


def test_a_full_disk_leaves_the_engram_as_it_was(place: WritingPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(28, "No space left on device")

    place.put(PATH, CHINESE)
    monkeypatch.setattr("agentsup.store.atomic._write_all", refuse)
    done = place.run("engram", "set", given=GOOD)
    assert done.code == 1
    two_lines(done, "No space left on device")
    assert place.read(PATH) == CHINESE


# --- identity


@pytest.mark.parametrize("path", [".agent/identity.md", "state/identity.md", ".agent/init.d/05-identity.md"])
def test_a_value_of_the_identity_is_set_in_place_or_added(place: WritingPlace, path: str) -> None:
    place.put(path, "<!-- kept -->\nlanguage: Python\n- test_command: pytest\n\nWords of a person's.\n")
    assert place.run("identity", "set", "test_command", "pytest -q").code == 0
    assert place.run("identity", "set", "lint_command:", "ruff check\n.").code == 0
    text = place.read(path)
    assert "test_command: pytest -q\n" in text
    assert "lint_command: ruff check .\n" in text
    assert text.count("test_command") == 1
    assert all(kept in text for kept in ("<!-- kept -->\n", "language: Python\n", "Words of a person's.\n"))


def test_an_identity_is_made_where_there_is_none(place: WritingPlace) -> None:
    done = place.run("identity", "set", "framework", "none", "--json")
    assert done.json == {
        "path": ".agent/identity.md", "key": "framework", "value": "none", "created": True, "findings": []
    }  # fmt: skip
    assert place.read(".agent/identity.md") == "framework: none\n"


def test_an_identity_can_not_be_set_to_anything(place: WritingPlace) -> None:
    for key, value in (("", "x"), ("a", " "), ("a: b", "c"), ("x" * 200, "y")):
        done = place.run("identity", "set", key, value)
        assert done.code == 2, key
        two_lines(done, "")
    assert not (place.root / ".agent").exists()


def test_help_says_what_to_give(place: WritingPlace) -> None:
    said = " ".join(place.run("engram", "set", "--help").out.split())
    assert "standard input" in said
    assert "why, in a few words" in said
    assert "标准输入" in place.run("engram", "set", "--help", language="zh-CN").out


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_help_names_every_sub_command(place: WritingPlace, language: str) -> None:
    said = place.run("engram", "--help", language=language).out
    described = said.partition("\n\n")[2].partition("\n\n")[0]
    assert all(name in described for name in ("show", "check", "set", "history", "example"))
