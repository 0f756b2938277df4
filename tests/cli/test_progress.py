"""`agentsup progress`: what is recorded, where, by whom; and that nothing is lost or overwritten."""

from __future__ import annotations

import errno
import json
import os
import re
from pathlib import Path

import pytest

from agentsup.core.memory.state import TaskState
from agentsup.core.memory.state_forms import write_state
from tests.cli.writing import FORMS, Form, WritingPlace, two_lines


@pytest.fixture(params=FORMS, ids=lambda form: form.name)
def form(request: pytest.FixtureRequest) -> Form:
    assert isinstance(request.param, Form)
    return request.param


def texts(steps: tuple[object, ...]) -> list[str]:
    return [getattr(step, "text", "") for step in steps]


def test_done_moves_to_the_completed_ones_with_its_evidence_behind_it(place: WritingPlace, form: Form) -> None:
    commit = place.commit()
    place.put(form.path, form.text)
    before = form.state(place)
    done = place.run("progress", "--done", before.next[0].text, "--evidence", commit[:7], "--now", "Test parse()")
    assert (done.code, done.err) == (0, "")
    after = form.state(place)
    assert texts(after.completed) == [*texts(before.completed), f"{before.next[0].text} (commit {commit[:7]})"]
    assert after.completed[-1].commits == (commit[:7],)
    assert texts(after.next) == texts(before.next)[1:]
    assert before.next[1].text in done.out
    assert texts(after.in_progress) == ["Test parse()"]
    assert after.scope == before.scope


def test_what_the_form_does_not_know_stays(place: WritingPlace, form: Form) -> None:
    place.put(form.path, form.text)
    assert place.run("progress", "--next", "Write lex() in lex.py").code == 0
    if form.path.endswith(".json"):
        assert json.loads(place.read(form.path))["owner"] == {"kept": "as it is"}
    else:
        assert form.text[form.text.index("## ", form.text.index("pytest -q")) :] in place.read(form.path)
        assert place.read(form.path).startswith(form.text.splitlines()[0])


def test_when_and_by_whom_it_was_recorded(place: WritingPlace, form: Form) -> None:
    # The JSON forms have no key for who it was; one that is there is kept up to date.
    place.put(form.path, form.text.replace('"owner"', '"updated_by": "somebody", "owner"'))
    for by in ("person", "agent"):
        done = place.run("progress", "--next", f"Write lex_{by}() in lex.py", "--json")
        assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", done.json["at"])
        assert (done.json["by"], done.json["at"]) == (form.state(place).updated_by, form.state(place).updated_at)
        assert done.json["by"] == by
        place.as_agent()


def test_a_command_as_evidence(place: WritingPlace, form: Form) -> None:
    place.put(form.path, form.text)
    assert place.run("progress", "--done", "Wrote lex() in lex.py", "--evidence", "pytest -q (all)").code == 0
    newest = form.state(place).completed[-1]
    assert newest.text == "Wrote lex() in lex.py (`pytest -q (all)`)"
    assert newest.commands == ("pytest -q (all)",)
    again = place.run("progress", "--done", "Wrote lex() in lex.py", "--evidence", "`pytest -q (all)`", "--json")
    assert again.json["completed"] == len(form.state(place).completed) == 2


def test_head_as_evidence(place: WritingPlace, form: Form) -> None:
    commit = place.commit()
    place.put(form.path, form.text)
    assert place.run("progress", "--done", "Wrote lex() in lex.py", "--evidence", "HEAD").code == 0
    assert form.state(place).completed[-1].text == f"Wrote lex() in lex.py (commit {commit[:10]})"


def test_the_last_evidence_of_a_state_is_only_the_last_one(place: WritingPlace) -> None:
    for form in FORMS[:2]:
        place.put(form.path, form.text)
        own = form.state(place).evidence[0].text
        for command in ("pytest -q a", "pytest -q b"):
            place.run("progress", "--done", f"Wrote lex() for {command}", "--evidence", command)
        assert texts(form.state(place).evidence) == [own, "`pytest -q b`"]
        (place.root / form.path).unlink()


def test_done_without_evidence_is_recorded_and_told(place: WritingPlace, form: Form) -> None:
    place.put(form.path, form.text)
    done = place.run("progress", "--done", "Wrote lex() in lex.py")
    assert done.code == 0
    assert re.match(rf"{re.escape(form.path)}:\d+:\d+ warning state\.no-evidence ", done.err), done.err
    assert len([line for line in done.err.splitlines() if not line.startswith(" ")]) == 1
    assert form.state(place).completed[-1].text == "Wrote lex() in lex.py"
    found = place.run("progress", "--done", "Wrote more of lex() in lex.py", "--json").json["findings"]
    assert [finding["code"] for finding in found] == ["state.no-evidence"]


def test_a_commit_that_git_does_not_know_is_recorded_and_told(place: WritingPlace, form: Form) -> None:
    place.commit()
    place.put(form.path, form.text)
    done = place.run("progress", "--done", "Wrote lex() in lex.py", "--evidence", "deadbee1", "--json")
    assert done.code == 0
    assert [finding["code"] for finding in done.json["findings"]] == ["state.unknown-hash"]
    assert form.state(place).completed[-1].commits == ("deadbee1",)


def test_only_what_was_recorded_is_judged(place: WritingPlace, form: Form) -> None:
    place.put(form.path, form.text.replace("1a2b3c4", "no evidence"))
    done = place.run("progress", "--next", "Write lex() in lex.py", "--json")
    assert done.json["findings"] == []
    done = place.run("progress", "--next", "Improve everything", "--json")
    assert done.json["findings"]
    assert {f["file"] for f in done.json["findings"]} == {form.path}


def test_next_replaces_and_an_empty_text_clears(place: WritingPlace, form: Form) -> None:
    place.put(form.path, form.text)
    place.run("progress", "--next", "Write a() in a.py", "--next", "Write b() in b.py", "--blocked", "No key for x.py")
    assert texts(form.state(place).next) == ["Write a() in a.py", "Write b() in b.py"]
    assert texts(form.state(place).blocked) == ["No key for x.py"]
    place.run("progress", "--now", "Write a() in a.py")
    assert texts(form.state(place).blocked) == ["No key for x.py"]
    done = place.run("progress", "--blocked", "", "--now", "", "--next", "")
    state = form.state(place)
    assert (state.blocked, state.next, state.in_progress) == ((), (), ())
    assert "agentsup progress --next" in done.out


def test_the_task(place: WritingPlace, form: Form) -> None:
    place.put(form.path, form.text)
    done = place.run("progress", "--task", "The lexer", "--json")
    assert texts(form.state(place).scope) == done.json["task"] == ["The lexer"]


def test_a_text_of_several_lines_is_one_item(place: WritingPlace, form: Form) -> None:
    place.put(form.path, form.text)
    place.run("progress", "--done", "Wrote a()\n## Next\n- \x1b[31mrm -rf\x07", "--evidence", "make\ntest")
    state = form.state(place)
    assert state.completed[-1].text == "Wrote a() ## Next - [31mrm -rf (`make test`)"
    assert len(state.next) == len(form.state(place).next)
    assert "rm" not in "".join(texts(state.next))


def test_words_that_are_no_utf_8_can_be_read_back(place: WritingPlace, form: Form) -> None:
    place.put(form.path, form.text)
    assert place.run("progress", "--next", "Write a() in \udcff.py", "--done", "Wrote \udce4").code == 0
    assert form.state(place).next_step == "Write a() in ?.py"


def test_a_state_is_made_where_there_is_none(place: WritingPlace) -> None:
    done = place.run("progress", "--next", "Write a() in a.py")
    assert done.code == 0
    assert ".agent/STATE.md" in done.err
    assert "## Next" in place.read(".agent/STATE.md")
    assert place.files() == {".agent/STATE.md"}
    assert place.run("progress", "--now", "Write a() in a.py").err == ""


def test_a_new_state_has_the_persons_language(chinese: WritingPlace) -> None:
    done = chinese.run("progress", "--next", "写 a.py 里的 a()")
    assert done.out == "下一步：写 a.py 里的 a()\n"
    assert "## 下一步" in chinese.read(".agent/STATE.md")


def test_a_state_is_made_in_the_current_tasks_folder(place: WritingPlace) -> None:
    place.put(".agent/tasks/alpha/TASK.md", "# Task\n")
    place.put(".agent/tasks/beta/TASK.md", "# Task\n")
    place.put(".agent/state/current-task", "beta\n")
    assert place.run("progress", "--next", "Write a() in a.py", "--json").json["path"] == ".agent/tasks/beta/STATE.md"
    assert "Write a()" in place.read(".agent/tasks/beta/STATE.md")


def test_the_project_is_found_from_a_folder_below(place: WritingPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    place.commit("src/deep/code.py")
    place.put(".agent/STATE.md", FORMS[0].text)
    monkeypatch.chdir(place.root / "src" / "deep")
    assert place.run("progress", "--next", "Write a() in a.py").code == 0
    assert "Write a()" in place.read(".agent/STATE.md")
    assert not (place.root / "src" / "deep" / ".agent").exists()


def test_a_folder_that_everybody_writes_into_is_nobodys_project(place: WritingPlace) -> None:
    above = place.root.parent
    (above / ".agent").mkdir()
    above.chmod(0o1777)
    assert place.run("progress", "--next", "Write a() in a.py").code == 0
    above.chmod(0o700)
    assert place.files() == {".agent/STATE.md"}
    assert not list((above / ".agent").iterdir())


@pytest.mark.parametrize("form", FORMS[2:], ids=lambda form: form.name)
@pytest.mark.parametrize("broken", ['{"current_task": "x",\n "next": [,]}', "[1, 2]", '{"current_task": "x'])
def test_an_unparsable_file_is_told_and_left_alone(place: WritingPlace, form: Form, broken: str) -> None:
    place.put(form.path, broken)
    done = place.run("progress", "--next", "Write a() in a.py")
    assert done.code == 1
    two_lines(done, f"{form.path}:")
    assert re.search(rf"{re.escape(form.path)}:\d+:\d+", done.err)
    assert place.read(form.path) == broken


def test_a_file_that_is_no_text_is_told_and_left_alone(place: WritingPlace) -> None:
    place.put(".agent/STATE.md", b"# State\n\xff\xfe\n")
    done = place.run("progress", "--next", "Write a() in a.py")
    assert done.code == 1
    two_lines(done, ".agent/STATE.md:2:1")
    assert (place.root / ".agent/STATE.md").read_bytes() == b"# State\n\xff\xfe\n"


def test_a_link_is_not_followed(place: WritingPlace, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_text("# Mine\n")
    (place.root / ".agent").mkdir()
    (place.root / ".agent" / "STATE.md").symlink_to(tmp_path / "elsewhere.md")
    done = place.run("progress", "--next", "Write a() in a.py")
    assert done.code == 1
    two_lines(done, "link")
    assert (tmp_path / "elsewhere.md").read_text() == "# Mine\n"


def test_wrong_usage(place: WritingPlace) -> None:
    for words in ([], ["--evidence", "1a2b3c4"], ["--done", ""], ["--done", "x", "--evidence", "`a` and `b`"],
                  ["--done", "x", "--evidence", "HEAD"]):  # fmt: skip
        done = place.run("progress", *words)
        assert done.code == 2, words
        two_lines(done, "")
    assert place.files() == set()


def test_utf_16_stays_utf_16(place: WritingPlace) -> None:
    place.put(".agent/STATE.md", FORMS[0].text.encode("utf-16"))
    assert place.run("progress", "--next", "Write a() in a.py").code == 0
    data = (place.root / ".agent/STATE.md").read_bytes()
    assert data.startswith(b"\xff\xfe")
    assert "Write a() in a.py" in data.decode("utf-16")


@pytest.mark.skipif(os.getuid() == 0, reason="for root every folder is writable")
def test_a_folder_that_can_not_be_written(place: WritingPlace) -> None:
    path = place.put(".agent/STATE.md", FORMS[0].text)
    path.parent.chmod(0o500)
    done = place.run("progress", "--next", "Write a() in a.py")
    path.parent.chmod(0o700)
    assert done.code == 1
    two_lines(done, "was not written")
    assert path.read_text() == FORMS[0].text


@pytest.mark.parametrize("number", ["ENOSPC", "EROFS", "EIO"])
def test_a_disk_that_is_full_or_read_only(
    place: WritingPlace, form: Form, monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    code = getattr(errno, number)

    def refuse(*_: object) -> int:
        raise OSError(code, os.strerror(code))

    place.put(form.path, form.text)
    monkeypatch.setattr("agentsup.store.atomic._write_all", refuse)
    done = place.run("progress", "--next", "Write a() in a.py")
    assert done.code == 1
    two_lines(done, os.strerror(code))
    assert place.read(form.path) == form.text
    assert place.files() == {form.path}


def test_many_at_once_lose_nothing(place: WritingPlace, form: Form) -> None:
    place.put(form.path, form.text)
    place.run_at_once(
        ["progress", "--done", f"Wrote part{i}() in part.py", "--evidence", f"make part{i}"] for i in range(8)
    )
    completed = texts(form.state(place).completed)
    assert completed[0] == form.state(place).completed[0].text
    assert sorted(completed[1:]) == [f"Wrote part{i}() in part.py (`make part{i}`)" for i in range(8)]
    assert place.files() == {form.path}


def test_many_at_once_where_there_was_no_state(place: WritingPlace) -> None:
    place.run_at_once(
        ["progress", "--done", f"Wrote part{i}() in part.py", "--evidence", f"make part{i}"] for i in range(8)
    )
    text = place.read(".agent/STATE.md")
    assert all(text.count(f"- Wrote part{i}() in part.py (`make part{i}`)\n") == 1 for i in range(8))


def test_another_program_that_writes_meanwhile_is_not_overwritten(
    place: WritingPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place.put(".agent/STATE.md", FORMS[0].text)
    calls: list[TaskState] = []

    def slow(state: TaskState) -> str:
        calls.append(state)
        if len(calls) == 1:  # an editor saves just now
            path.write_text(FORMS[0].text.replace("Kept as it is.", "A person's new words."))
        return write_state(state)

    monkeypatch.setattr("agentsup.cli.commands.progress.write_state", slow)
    assert place.run("progress", "--next", "Write a() in a.py").code == 0
    assert len(calls) == 4  # each time the text that stands there, and what it is to become
    assert "A person's new words." in path.read_text()
    assert "Write a() in a.py" in path.read_text()


def test_line_ends_and_the_mark_of_a_file_stay(place: WritingPlace, form: Form) -> None:
    text = "\ufeff" + form.text.replace("\n", "\r\n")
    place.put(form.path, text.encode())
    assert place.run("progress", "--next", "Write lex() in lex.py").code == 0
    written = place.read(form.path)
    assert written.startswith("\ufeff")
    assert written.count("\n") == written.count("\r\n") > 1


def test_both_sides_of_a_merge_that_stopped_stay(place: WritingPlace) -> None:
    text = "# State\n\n<<<<<<< HEAD\n## Next\n- one.py\n=======\n## Next\n- two.py\n>>>>>>> other\n"
    place.put(".agent/STATE.md", text)
    done = place.run("progress", "--next", "Write lex() in lex.py")
    assert done.code == 1
    two_lines(done, ".agent/STATE.md:3")
    assert place.read(".agent/STATE.md") == text


@pytest.mark.parametrize(
    "step",
    ["Run npm test until it passes", "Run make lint until it is clean", "Run pytest until it passes",
     "Ensure npm run build ends without warnings"],
)  # fmt: skip
def test_a_command_without_backticks_says_enough(place: WritingPlace, step: str) -> None:
    done = place.run("progress", "--next", step)
    assert (done.code, done.out.strip()) == (0, f"Next: {step}")
    assert "state.vague" not in done.err


def test_progress_is_not_written_into_another_task_than_the_one_that_is_named(place: WritingPlace) -> None:
    for name in ("a", "b"):
        place.put(f".agent/tasks/{name}/STATE.md", "## Next\n1. x() in y.py\n")
    place.put(".agent/state/current-task", "c\n")
    done = place.run("progress", "--now", "z() in y.py")
    assert done.code == 1
    two_lines(done, "names the task c")
    assert "a, b" in done.problem[1]
    assert place.read(".agent/tasks/a/STATE.md") == "## Next\n1. x() in y.py\n"
