"""`agentsup init`: what it makes, what it leaves, what it asks; and the block in AGENTS.md and CLAUDE.md."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentsup.cli import first_commit
from agentsup.core.catalogue import Catalogue
from agentsup.core.memory.decisions import read_decisions
from agentsup.core.memory.identity import read_identity
from agentsup.core.memory.questions import read_questions
from agentsup.core.memory.state import TaskState
from agentsup.core.memory.state_forms import read_state
from agentsup.core.memory.task import read_contract, read_task
from agentsup.core.restore.composition import compose
from agentsup.core.restore.frame import Budget
from agentsup.locale import load, restore_frame, template
from agentsup.store.project_memory import read_project
from agentsup.store.trust_review import adopt
from tests.cli.writing import WritingPlace, two_lines
from tests.terminals.tmux import Tmux, clean_environment

PROJECTS = Path(__file__).parent.parent / "data" / "projects"

FOUR = ("TASK.md", "STATE.md", "CONTRACT.md", "DECISIONS.md")
OTHERS = {
    ".agent/identity.md", ".agent/open-questions.md", ".agent/init.d/20-conventions.md",
    ".agent/state/context-version", ".agent/restore.sh",
}  # fmt: skip
LAYOUTS = {
    "agent": OTHERS | {f".agent/{name}" for name in FOUR},
    "root": OTHERS | set(FOUR),
    "tasks": OTHERS | {f".agent/tasks/main/{name}" for name in FOUR} | {".agent/state/current-task"},
}


def contents(place: WritingPlace) -> dict[str, bytes]:
    return {path: (place.root / path).read_bytes() for path in place.files()}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_made_in_each_layout(place: WritingPlace, layout: str, language: str) -> None:
    done = place.run("init", "--layout", layout, "--lang", language, "--json")
    assert done.code == 0
    assert place.files() == LAYOUTS[layout]
    found = done.json
    assert set(found["created"]) == LAYOUTS[layout]
    assert (found["layout"], found["language"], found["root"]) == (layout, language, str(place.root))
    assert (found["kept"], found["block_written"]) == ([], [])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_made_says_nothing_yet_in_its_language(place: WritingPlace, language: str) -> None:
    place.run("init", "--lang", language)
    memory = read_project(place.root)
    documents = [memory.task, memory.state, memory.contract, memory.decisions, memory.identity, memory.questions]
    texts = [document.text or "" for document in documents]
    assert all(texts)
    state, task, decisions = read_state("markdown", texts[1]), read_task(texts[0]), read_decisions(texts[3])
    assert (state.language, task.language) == (language, language)
    assert (state.scope, state.completed, state.in_progress, state.next) == ((), (), (), ())
    assert (task.goal, task.allowed, task.forbidden, task.acceptance) == ((), (), (), ())
    assert (decisions.decisions, read_contract(texts[2]).entries) == ((), ())
    assert (read_identity(texts[4]).entries, read_questions(texts[5]).questions) == ((), ())
    assert not compose(memory, Budget(2000), None, frame=restore_frame("en"), count=len)
    assert memory.doubles == ()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_script_restores_what_is_there_without_agentsup(place: WritingPlace, language: str) -> None:
    place.run("init", "--lang", language)
    script = place.root / ".agent/restore.sh"
    assert script.stat().st_mode & 0o777 == 0o755
    place.run("progress", "--next", "Write a() in a.py")
    done = subprocess.run([script], env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True)
    assert f"--- 30-task-state: .agent/STATE.md ---\n{'Next' if language == 'en' else '下一步'} 1: Write" in done.stdout


def test_what_is_filled_in_afterwards_is_restored_and_a_later_change_is_told(place: WritingPlace) -> None:
    place.run("init")
    place.put(".agent/TASK.md", "## Goal\n- the first one\n")
    for _ in range(2):
        done = place.run("restore")
        assert "\nGoal: the first one" in done.out
        assert "accepted" not in done.out + done.err
        adopt(place.root)  # as a session does when it begins
    place.put(".agent/TASK.md", "## Goal\n- the second one\n")
    done = place.run("restore")
    assert "Changed, and not accepted yet: .agent/TASK.md" in done.err
    assert "agentsup allow" in done.err
    assert "\nGoal: the first one" in done.out


def test_what_is_filled_in_after_the_first_session_began_is_new_and_nobody_is_said_to_have_accepted_it(
    place: WritingPlace,
) -> None:
    place.run("init")
    adopt(place.root)
    assert "nothing to approve" in place.run("allow", "--show").out
    assert "task." not in place.run("state", "check").out
    place.put(".agent/TASK.md", template("init/TASK.md", "en").replace("<!-- One sentence. -->", "Write the parser."))
    done = place.run("restore")
    assert done.err.splitlines() == [
        "agentsup: New, and not accepted yet: .agent/TASK.md.",
        "agentsup: Until you accept it the agent gets it as data: menu's t or agentsup allow.",
    ]
    assert "\n> Goal: Write the parser." in done.out
    assert restore_frame("en").never_accepted.format(path=".agent/TASK.md") in done.out


def test_it_says_how_to_go_on(place: WritingPlace) -> None:
    assert "agentsup codex" in place.run("init").err
    assert "agentsup codex" in place.run("init", language="zh-CN").err


def test_a_script_that_is_there_stays(place: WritingPlace) -> None:
    place.put(".agent/restore.sh", "echo mine\n")
    assert ".agent/restore.sh" in place.run("init", "--json").json["kept"]
    assert place.read(".agent/restore.sh") == "echo mine\n"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_recorded_afterwards_keeps_the_language(place: WritingPlace, language: str) -> None:
    place.run("init", "--lang", language)
    assert place.run("progress", "--next", "Write a() in a.py").code == 0
    assert place.run("decide", "Write TOML", "--why", "people edit it").code == 0
    assert ("## 下一步\n" in place.read(".agent/STATE.md")) == (language == "zh")
    assert ("理由" in place.read(".agent/DECISIONS.md")) == (language == "zh")
    assert "<!--" in place.read(".agent/STATE.md")
    memory = read_project(place.root)
    state = read_state("markdown", memory.state.text or "")
    assert isinstance(state, TaskState)
    assert state.next_step == "Write a() in a.py"


def test_without_a_language_it_is_the_persons(chinese: WritingPlace) -> None:
    assert chinese.run("init", "--json").json["language"] == "zh"


def test_done_again_it_changes_nothing_and_says_so(place: WritingPlace) -> None:
    first = place.run("init")
    assert set(first.out.split()) == LAYOUTS["agent"]
    for path in place.files():
        (place.root / path).write_text(f"{path}: a person's own words\n")
    before = contents(place)
    again = place.run("init", "--layout", "root", "--lang", "zh")
    assert (again.code, again.out) == (0, "")
    assert contents(place) == before
    assert all(path in again.err for path in before)
    assert "Nothing was missing" in again.err
    assert '"agent"' in again.err  # the layout that it has, and not the one that was asked for
    assert '"agent"' not in place.run("init").err


@pytest.mark.parametrize("project", sorted(path.name for path in PROJECTS.iterdir() if path.is_dir()))
def test_a_project_that_has_memory_in_any_layout_gets_no_second_one(place: WritingPlace, project: str) -> None:
    shutil.copytree(PROJECTS / project, place.root, dirs_exist_ok=True)
    before, memory = contents(place), read_project(place.root)
    done = place.run("init", "--json")
    assert done.code == 0
    after = contents(place)
    assert {path: after[path] for path in before} == before
    assert set(done.json["created"]) == set(after) - set(before)
    again = read_project(place.root)
    assert again.doubles == memory.doubles
    for role in ("engram", "state", "task", "contract", "decisions", "identity", "handoff", "questions", "conventions"):
        if getattr(memory, role).text is not None:
            assert getattr(again, role) == getattr(memory, role), role
    assert place.run("init", "--json").json["created"] == []


@pytest.mark.parametrize(
    ("there", "made"),
    [
        ("STATE.md", "TASK.md"),
        ("state/progress.json", ".agent/TASK.md"),
        (".agent/state/task.json", ".agent/DECISIONS.md"),
        (".agent/init.d/40-decisions.md", ".agent/STATE.md"),
        (".agent/tasks/alpha/TASK.md", ".agent/tasks/alpha/STATE.md"),
        ("tasks/alpha/TASK.md", "tasks/alpha/STATE.md"),
    ],
)
def test_what_is_missing_goes_where_the_others_are(place: WritingPlace, there: str, made: str) -> None:
    place.put(there, '{"current_task": "x", "next": []}' if there.endswith("json") else "# Mine\n\n## Title\n")
    done = place.run("init", "--json")
    assert there in done.json["kept"]
    assert made in done.json["created"]
    memory = read_project(place.root)
    assert there in {memory.state.path, memory.task.path, memory.decisions.path}
    assert memory.doubles == ()


def test_another_layout_than_the_projects_own_is_told(place: WritingPlace) -> None:
    place.put("STATE.md", "# State\n")
    done = place.run("init", "--layout", "agent")
    assert '"root"' in done.err
    assert (place.root / "TASK.md").exists()


def test_something_in_the_way_is_told(place: WritingPlace) -> None:
    place.put(".agent/init.d", "in the way")
    done = place.run("init")
    assert done.code == 1
    two_lines(done, ".agent/init.d/20-conventions.md was not written")
    assert place.read(".agent/init.d") == "in the way"


def test_a_full_disk_is_told(place: WritingPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("agentsup.store.atomic._write_all", refuse)
    done = place.run("init")
    assert done.code == 1
    two_lines(done, "No space left on device")
    assert place.files() == set()


def test_a_link_in_the_place_of_a_file_is_kept_and_not_followed(place: WritingPlace, tmp_path: Path) -> None:
    (place.root / ".agent").mkdir()
    (place.root / ".agent" / "TASK.md").symlink_to(tmp_path / "nothing.md")
    done = place.run("init", "--json")
    assert done.code == 0
    assert ".agent/TASK.md" in done.json["kept"]
    assert not (tmp_path / "nothing.md").exists()


# --- the block in AGENTS.md and CLAUDE.md

FILES = [
    b"# Agents\n\nUse tabs.\n", b"# Agents\n\nUse tabs.", b"", b"\n", b"# Agents\r\n\r\nUse tabs.\r\n",
    b"\xef\xbb\xbf# Agents\n", "# 代理\n\n用制表符。\n\n\n".encode(), b"# Agents\n\xe2\x80\xa8\x0c\n",
]  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("data", FILES)
@pytest.mark.parametrize("names", [("AGENTS.md",), ("CLAUDE.md",), ("AGENTS.md", "CLAUDE.md")])
def test_the_block_goes_in_and_out_to_the_byte(
    place: WritingPlace, names: tuple[str, ...], data: bytes, language: str
) -> None:
    for name in names:
        place.put(name, data)
    done = place.run("init", "--agents-md", "--lang", language, "--json")
    assert done.json["block_written"] == list(names)
    for name in names:
        written = (place.root / name).read_bytes()
        assert written.startswith(data)
        assert written.count(b"agentsup progress") == 1
        assert ("记录" in written.decode()) == (language == "zh")
    again = place.run("init", "--agents-md", "--lang", language, "--json").json
    assert (again["block_written"], again["block_unchanged"]) == ([], list(names))
    other = {"AGENTS.md", "CLAUDE.md"} - set(names)
    assert not other & place.files()
    done = place.run("init", "--remove", "--json")
    assert done.json["block_removed"] == list(names)
    assert done.json["created"] == []
    assert {name: (place.root / name).read_bytes() for name in names} == dict.fromkeys(names, data)


def test_without_either_file_agents_md_is_made_and_goes_again(place: WritingPlace) -> None:
    done = place.run("init", "--agents-md", "--json")
    assert "AGENTS.md" in done.json["created"]
    assert "agentsup progress" in place.read("AGENTS.md")
    files = place.files()
    assert "AGENTS.md" in place.run("init", "--remove").err
    assert place.files() == files - {"AGENTS.md"}


def test_the_language_of_a_block_may_change(place: WritingPlace) -> None:
    place.put("AGENTS.md", "# Agents\n")
    place.run("init", "--agents-md", "--lang", "en")
    assert place.run("init", "--agents-md", "--lang", "zh", "--json").json["block_written"] == ["AGENTS.md"]
    assert place.read("AGENTS.md").count("agentsup:begin") == 1
    place.run("init", "--remove")
    assert place.read("AGENTS.md") == "# Agents\n"


def test_words_around_the_block_that_were_changed_since_stay(place: WritingPlace) -> None:
    place.put("AGENTS.md", "# Agents\n")
    place.run("init", "--agents-md")
    path = place.root / "AGENTS.md"
    path.write_text(path.read_text().replace("# Agents\n", "# Agents\n\nUse tabs.\n") + "\nMore words.\n")
    place.run("init", "--remove")
    assert path.read_text() == "# Agents\n\nUse tabs.\n\nMore words.\n"


def test_without_the_flag_no_file_of_the_persons_is_touched(place: WritingPlace) -> None:
    place.put("AGENTS.md", "# Agents\n")
    done = place.run("init")
    assert place.read("AGENTS.md") == "# Agents\n"
    assert "--agents-md" in done.err


def test_removing_makes_nothing(place: WritingPlace) -> None:
    place.put("CLAUDE.md", "# Mine\n")
    done = place.run("init", "--remove")
    assert done.code == 0
    assert "No block" in done.err
    assert contents(place) == {"CLAUDE.md": b"# Mine\n"}


def test_one_file_of_two_names_gets_one_block(place: WritingPlace) -> None:
    place.put("AGENTS.md", "# Agents\n")
    (place.root / "CLAUDE.md").symlink_to("AGENTS.md")
    found = place.run("init", "--agents-md", "--json").json
    assert (found["block_written"], found["block_unchanged"]) == (["AGENTS.md"], [])
    assert place.read("AGENTS.md").count("agentsup:begin") == 1
    assert (place.root / "CLAUDE.md").is_symlink()
    place.run("init", "--remove")
    assert place.read("AGENTS.md") == "# Agents\n"


def test_a_link_is_followed_within_the_project_only(place: WritingPlace, tmp_path: Path) -> None:
    place.put("docs/agents.md", "# Agents\n")
    (place.root / "AGENTS.md").symlink_to("docs/agents.md")
    (tmp_path / "mine.md").write_text("# Mine\n")
    assert place.run("init", "--agents-md").code == 0
    assert "agentsup:begin" in place.read("docs/agents.md")
    (place.root / "CLAUDE.md").symlink_to(tmp_path / "mine.md")
    done = place.run("init", "--agents-md")
    assert done.code == 1
    two_lines(done, "link")
    assert (tmp_path / "mine.md").read_text() == "# Mine\n"


@pytest.mark.parametrize("flag", ["--agents-md", "--remove"])
def test_marks_that_are_no_pair_are_left_alone(place: WritingPlace, flag: str) -> None:
    text = "# Agents\n<!-- agentsup:begin -->\nwords\n"
    place.put("AGENTS.md", text)
    done = place.run("init", flag)
    assert done.code == 1
    two_lines(done, "AGENTS.md:2")
    assert place.read("AGENTS.md") == text


def test_a_file_changed_meanwhile_is_not_overwritten(place: WritingPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    from agentsup.core import marked_block

    path = place.put("AGENTS.md", "# Agents\n")
    real = marked_block.put

    def slow(text: str | None, block: str) -> str:
        path.write_text("# A person's new words\n")
        return real(text, block)

    monkeypatch.setattr(marked_block, "put", slow)
    done = place.run("init", "--agents-md")
    assert done.code == 1
    two_lines(done, "AGENTS.md")
    assert path.read_text() == "# A person's new words\n"


# --- the commit


def committed(place: WritingPlace, revision: str = "HEAD") -> set[str]:
    return set(place.git("show", "--format=", "--name-only", revision).splitlines())


def test_nothing_is_asked_without_a_terminal(place: WritingPlace) -> None:
    head = place.commit()
    done = place.run("init", given="y\n")
    assert "[y/N]" not in done.err
    assert place.git("rev-parse", "HEAD") == head
    assert place.git("diff", "--cached", "--name-only") == ""


def test_a_commit_has_those_files_and_no_others_that_are_staged(place: WritingPlace) -> None:
    place.commit()
    place.put("staged.py", "x\n")
    place.put("code.py", "x = 2\n")
    place.git("add", "staged.py", "code.py")
    created = place.run("init", "--json").json["created"]
    assert first_commit.commit(place.root, created, "Memory")
    assert committed(place) == set(created) == LAYOUTS["agent"]
    assert place.git("diff", "--cached", "--name-only").split() == ["code.py", "staged.py"]
    assert place.git("log", "-1", "--format=%s %an") == "Memory A Person"


@pytest.mark.parametrize("unborn", [False, True])
def test_the_persons_hooks_run_and_where_one_refuses_nothing_stays_staged(place: WritingPlace, unborn: bool) -> None:
    if unborn:
        place.git("init", "-q")
    else:
        place.commit()
    hook = place.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ngit diff --cached --name-only >.git/seen\nexit 1\n")
    hook.chmod(0o755)
    place.put("staged.py", "x\n")
    place.git("add", "staged.py")
    created = place.run("init", "--json").json["created"]
    assert not first_commit.commit(place.root, created, "Memory")
    assert set((place.root / ".git" / "seen").read_text().split()) == set(created)
    assert place.git("diff", "--cached", "--name-only").split() == ["staged.py"]
    assert place.files() >= set(created)
    hook.write_text("#!/bin/sh\nexit 0\n")
    assert first_commit.commit(place.root, created, "Memory")
    assert committed(place) == set(created)
    assert place.git("diff", "--cached", "--name-only").split() == ["staged.py"]


def ask(place: WritingPlace, monkeypatch: pytest.MonkeyPatch, answer: str, paths: list[str]) -> bool:
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return answer

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    return first_commit.offer(place.root, paths, load("en"))


@pytest.mark.parametrize(
    ("answer", "yes"), [("y\n", True), ("Yes\n", True), ("是\n", True), ("\n", False), ("", False), ("n\n", False)]
)
def test_only_a_yes_commits(place: WritingPlace, monkeypatch: pytest.MonkeyPatch, answer: str, yes: bool) -> None:
    head = place.commit()
    place.put(".agent/TASK.md", "# Task\n")
    assert ask(place, monkeypatch, answer, [".agent/TASK.md"]) == yes
    assert (place.git("rev-parse", "HEAD") != head) == yes


def test_nothing_is_asked_without_a_repository_or_for_what_git_ignores(
    place: WritingPlace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place.put(".agent/TASK.md", "# Task\n")
    assert not ask(place, monkeypatch, "y\n", [".agent/TASK.md"])
    assert capsys.readouterr().err == ""
    head = place.commit(".gitignore", ".agent/\n")
    assert not ask(place, monkeypatch, "y\n", [".agent/TASK.md"])
    assert capsys.readouterr().err == "Ignored by git, so they have no history: .agent/TASK.md\n"
    assert place.git("rev-parse", "HEAD") == head
    place.put("STATE.md", "# State\n")
    assert ask(place, monkeypatch, "y\n", [".agent/TASK.md", "STATE.md"])
    assert committed(place) == {"STATE.md"}


def test_on_a_terminal_it_asks_and_the_answer_counts(place: WritingPlace, tmp_path: Path) -> None:
    head = place.commit()
    environment = clean_environment(place.home) | place.environment
    argv = [sys.executable, "-P", "-m", "agentsup", "init"]
    terminal = Tmux(argv, env=environment, cwd=place.root, size=(100, 40))
    try:
        terminal.wait_for("[y/N]")
        terminal.type("y")
        terminal.key("Enter")
        assert terminal.wait_exit() == 0
    finally:
        terminal.kill()
    assert committed(place) == LAYOUTS["agent"]
    assert place.git("rev-parse", "HEAD~1") == head


def test_an_agent_is_not_asked(place: WritingPlace) -> None:
    head = place.commit()
    environment = clean_environment(place.home) | place.environment | {"AGENTSUP_SESSION": "bcdfg"}
    argv = [sys.executable, "-P", "-m", "agentsup", "init"]
    terminal = Tmux(argv, env=environment, cwd=place.root, size=(100, 40))
    try:
        assert terminal.wait_exit() == 0
    finally:
        terminal.kill()
    assert place.git("rev-parse", "HEAD") == head
    assert place.files() >= LAYOUTS["agent"]


def test_every_problem_has_its_two_lines() -> None:
    for language in ("en", "zh-CN"):
        catalogue = load(language)
        assert isinstance(catalogue, Catalogue)
        for key in ("block.damaged", "write.conflict", "write.kept", "write.busy", "write.unsafe", "evidence.no-head"):
            assert catalogue.has(f"{key}.what")
            assert catalogue.has(f"{key}.todo")


@pytest.mark.skipif(os.getuid() == 0, reason="for root every folder is writable")
def test_a_folder_that_can_not_be_written(place: WritingPlace) -> None:
    place.root.chmod(0o500)
    done = place.run("init")
    place.root.chmod(0o700)
    assert done.code == 1
    two_lines(done, "was not written")


def test_all_files_that_are_listed_are_counted(place: WritingPlace) -> None:
    done = place.run("init", "--agents-md")
    assert "AGENTS.md" in done.out.splitlines()
    assert f"{len(done.out.splitlines())} files made" in done.err
