"""`agentsup restore`: exactly the text that an agent would get, what it costs, and what has changed; it only reads."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time

import pytest
from rich.cells import cell_len

from agentsup.core.memory.model import Work
from agentsup.core.meter import Context
from agentsup.core.restore.frame import Budget
from agentsup.core.restore.preparation import Wanted
from agentsup.core.session import Session
from agentsup.locale import LANGUAGES, restore_frame
from agentsup.restoring.prepare import prepare
from agentsup.store.engram_history import save_sent
from agentsup.tokens import count
from tests.cli.fake_session import answering
from tests.cli.project import Project
from tests.conftest import StartTerminal
from tests.terminals.tmux import clean_environment
from tests.ui.scenes import CALM

KEYS = {
    "text", "occasion", "window", "limit", "tokens", "frame_tokens", "counted", "units", "beside", "core", "notices",
    "diff",
}  # fmt: skip
UNIT_KEYS = {"name", "source", "tokens", "uncut_tokens", "left_out", "shortened", "note"}

ENGRAM = """[Task] Make add() safe.
[Progress] Wrote add().
[Pending] test_calc.py: test_add.
[Taboo] Leave README: his.
"""
KIND = "Be kind.\n"
STATE = "## Scope\n- calc\n\n## Completed\n- add() (commit 8bd1a50)\n\n## Next\n- Run `pytest` until it passes\n"


@pytest.fixture
def kept(project: Project) -> Project:
    """Return a project that remembers something."""
    project.write({
        ".agent/engram.md": ENGRAM, ".agent/STATE.md": STATE, ".agent/identity.md": "language: Python\n",
        ".agent/TASK.md": "## Goal\n- a safe calculator\n", "AGENTS.md": KIND, "calc.py": "",
        ".agent/DECISIONS.md": "## Use floats\n- reason: no\n- status: rejected\n",
    })  # fmt: skip
    return project


@pytest.mark.parametrize("language", LANGUAGES)
def test_exactly_the_text_and_a_newline(kept: Project, language: str) -> None:
    done = kept.run("restore", language=language)
    (text,) = prepare(Wanted(str(kept.root), language, occasions=("asked",))).texts
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{text.text()}\n"
    assert done.out.startswith(restore_frame(language).asked_header)
    assert ENGRAM in done.out
    assert "{" not in done.out


@pytest.mark.parametrize("occasion", ["asked", "compaction", "start", "cold-start"])
def test_an_occasion_has_its_own_header_and_closing(kept: Project, occasion: str) -> None:
    done = kept.run("restore", "--occasion", occasion)
    frame = restore_frame("en")
    assert ("sample" in done.out) == (occasion != "asked")
    assert done.out.rstrip("\n").endswith(frame.trailer.format(id="sample")) == (occasion != "asked")
    assert (f"\n\n{frame.recite}\n{frame.wait}\n" in done.out) == (occasion == "compaction")
    assert (frame.begin in done.out) == (occasion == "cold-start")
    assert kept.run("restore", "--json", "--occasion", occasion).json["occasion"] == occasion


@pytest.mark.parametrize("occasion", ["again", "asked-again", "nothing"])
def test_a_form_that_names_a_sessions_file_is_none_to_ask_for(kept: Project, occasion: str) -> None:
    assert kept.run("restore", "--occasion", occasion).code == 2


def test_the_keys_are_these(kept: Project) -> None:
    found = kept.run("restore", "--json").json
    assert found.keys() == KEYS
    assert [unit["name"] for unit in found["units"]] == [
        "00-handoff", "05-identity", "10-structure", "20-conventions", "30-task-state", "40-decisions",
        "50-open-questions", "60-recent-operations", "90-engram",
    ]  # fmt: skip
    assert all(unit.keys() == UNIT_KEYS for unit in found["units"])
    assert found["text"] == kept.run("restore").out.removesuffix("\n")
    assert (found["window"], found["limit"], found["counted"], found["diff"]) == (None, 2_000, True, None)
    assert found["tokens"] == found["frame_tokens"] + sum(unit["tokens"] for unit in found["units"])
    assert found["beside"] == [{"file": "AGENTS.md", "tokens": count(KIND).tokens}]
    assert found["core"].keys() == {"files", "tokens", "most"}
    assert {each["file"] for each in found["core"]["files"]} == {
        ".agent/TASK.md", ".agent/STATE.md", ".agent/DECISIONS.md",
    }  # fmt: skip
    assert found["core"]["tokens"] == sum(each["tokens"] for each in found["core"]["files"])
    assert kept.run("restore", "--json", "--explain").json == found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_fits_in_80_columns(kept: Project, language: str) -> None:
    done = kept.run("restore", "--explain", language=language)
    found = kept.run("restore", "--json", language=language).json
    lines = done.out.splitlines()
    assert done.code == 0
    assert max(map(cell_len, lines)) <= 80
    assert "\x1b" not in done.out
    for unit in found["units"]:
        (row,) = [line for line in lines if line.startswith(f"{unit['name']} ")]
        assert (str(unit["tokens"]) if unit["uncut_tokens"] else "–") in row.split()
    for number in (found["frame_tokens"], found["tokens"], found["core"]["tokens"], 400):
        assert any(f"{number:,}" in line for line in lines), number
    assert any(f"AGENTS.md {count(KIND).tokens}" in line for line in lines)


def test_what_is_cut_is_said_in_a_word(kept: Project) -> None:
    kept.write({".agent/handoff.md": "a line that says something of what was done today\n" * 200})
    units = {unit["name"]: unit for unit in kept.run("restore", "--json", "--limit", "400").json["units"]}
    assert units["00-handoff"]["note"] in ("cut", "left-out")
    assert units["00-handoff"]["left_out"] > 100
    assert units["60-recent-operations"]["note"] == "empty"
    assert units["90-engram"]["note"] in ("", "shortened")
    assert units["00-handoff"]["uncut_tokens"] > units["00-handoff"]["tokens"]


def test_a_unit_that_would_run_is_named_and_not_run(kept: Project) -> None:
    kept.write({".agent/init.d/55-own.sh": "#!/bin/sh\ntouch ran\n"})
    units = {unit["name"]: unit for unit in kept.run("restore", "--json").json["units"]}
    assert units["55-own"]["note"] == "not-run"
    assert not (kept.root / "ran").exists()


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_to_restore(project: Project, language: str) -> None:
    done = project.run("restore", language=language)
    assert (done.code, done.out) == (1, "")
    assert str(project.root) in done.problem[0]
    assert "agentsup init" in done.problem[1]
    as_json = project.run("restore", "--json", language=language)
    assert (as_json.code, as_json.json["text"], set(as_json.json)) == (1, "", KEYS)


def test_it_only_reads(kept: Project) -> None:
    before = kept.everything()
    for words in ([], ["--explain"], ["--diff"], ["--json"], ["--occasion", "cold-start"]):
        kept.run("restore", *words)
    assert kept.everything() == before


def test_a_limit_and_a_window(kept: Project) -> None:
    assert kept.run("restore", "--json", "--limit", "700").json["limit"] == 700
    found = kept.run("restore", "--json", "--window", "10000").json
    assert (found["window"], found["limit"]) == (10_000, Budget().limit(10_000))
    assert found["tokens"] <= found["limit"]
    assert kept.run("restore", "--window", "0").code == 2
    assert kept.run("restore", "--limit", "many").code == 2
    assert kept.run("restore", "--explain", "--diff").code == 2


def test_the_settings_count(kept: Project) -> None:
    kept.patch.setenv("AGENTSUP_MEMORY_RESTORE_TOKENS", "900")
    assert kept.run("restore", "--json").json["limit"] == 900
    assert kept.run("restore", "--json", "--limit", "800").json["limit"] == 800


# --- what has changed


def sent(project: Project, *, interrupted: bool = False, language: str = "en") -> str:
    (text,) = prepare(Wanted(str(project.root), language, occasions=("compaction",))).texts
    sent = text.text(id="k3w9zz", number=12, then="go-on" if interrupted else "wait")
    save_sent(project.root, sent)
    return sent


def test_nothing_was_sent_yet(kept: Project) -> None:
    done = kept.run("restore", "--diff")
    assert (done.code, done.out) == (1, "")
    assert "No restore text was sent" in done.problem[0]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("interrupted", [False, True])
def test_equal_memory_has_no_difference(kept: Project, language: str, interrupted: bool) -> None:
    sent(kept, interrupted=interrupted, language=language)
    done = kept.run("restore", "--diff", language=language)
    assert (done.code, done.out) == (0, "")
    assert len(done.err.splitlines()) == 1
    assert kept.run("restore", "--json", language=language).json["diff"] == ""


def test_what_changed_since_the_last_one_was_sent(kept: Project) -> None:
    sent(kept)
    kept.write({".agent/engram.md": ENGRAM.replace("add() safe", "add() fast")})
    done = kept.run("restore", "--diff")
    lines = done.out.splitlines()
    assert (done.code, lines[:2]) == (0, ["--- last sent", "+++ now"])
    assert [line for line in lines[2:] if line[0] in "+-"] == [
        "-[Task] Make add() safe.", "+[Task] Make add() fast.",
    ]  # fmt: skip
    assert kept.run("restore", "--json").json["diff"] == done.out.removesuffix("\n")
    assert kept.run("restore", "--diff", language="zh-CN").out.splitlines()[:2] == ["--- 上次发送", "+++ 现在"]


def test_another_occasion_is_compared_when_it_is_asked_for(kept: Project) -> None:
    sent(kept)
    done = kept.run("restore", "--diff", "--occasion", "cold-start")
    assert "-Restored from disk" in done.out
    assert "+Restored from disk" in done.out


# --- files that can't be read


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_broken_state_is_named_with_its_place_and_left_alone(kept: Project, language: str) -> None:
    (kept.root / ".agent/STATE.md").unlink()
    broken = b'{"current_task": "x",\n "completed": [}\n'
    kept.write({".agent/state/task.json": broken})
    done = kept.run("restore", language=language)
    assert done.code == 0
    assert ENGRAM in done.out
    frame = restore_frame(language)
    assert frame.unreadable.format(path=".agent/state/task.json", line=2, column=16) in done.out
    assert (kept.root / ".agent/state/task.json").read_bytes() == broken
    units = {unit["name"]: unit for unit in kept.run("restore", "--json").json["units"]}
    assert units["30-task-state"]["note"] == "unreadable"


def test_a_notice_is_told_on_stderr(kept: Project) -> None:
    kept.write({"STATE.md": "## Next\n- something else\n"})
    done = kept.run("restore")
    assert "STATE.md (.agent/STATE.md)" in done.problem[0]
    (notice,) = kept.run("restore", "--json").json["notices"]
    assert notice.keys() == {"key", "what", "todo"}
    assert notice["key"] == "memory.double"


def test_nothing_that_a_terminal_would_obey_is_printed(kept: Project) -> None:
    kept.write({".agent/engram.md": "[Task] \x1b]0;x\x07red\x9b31m\n", ".agent/init.d/50-\x1b[31m.md": "x\n"})
    for words in ([], ["--explain"], ["--json"]):
        done = kept.run("restore", *words)
        assert not any(c in done.out + done.err for c in "\x1b\x07\x9b")


# --- where it is run


def test_in_a_folder_below_the_project(kept: Project) -> None:
    here = kept.run("restore").out
    (kept.root / "a/b").mkdir(parents=True)
    deep = kept.run("restore").out
    kept.patch.chdir(kept.root / "a/b")
    assert kept.run("restore").out == deep != here


@pytest.mark.skipif(os.getuid() == 0, reason="for root every folder is writable")
def test_in_a_folder_that_can_not_be_written(kept: Project) -> None:
    kept.root.chmod(0o500)
    try:
        assert ENGRAM in kept.run("restore").out
    finally:
        kept.root.chmod(0o700)


# --- a running session


SESSION = Session(
    "abcde", "", CALM.agent, context=Context(1_000, 12_000, "exact"),
    work=Work(edited_since_engram=("calc.py",), rounds_since_engram=3),
)  # fmt: skip


def test_a_running_session_tells_window_and_work(kept: Project) -> None:
    with answering(kept.patch, {"abcde": (kept.root, SESSION)}):
        found = kept.run("restore", "--json").json
        assert (found["window"], found["limit"]) == (12_000, Budget().limit(12_000))
        assert "calc.py" in found["text"].partition("ENGRAM")[2]
        assert kept.run("restore", "--json", "--window", "50000").json["window"] == 50_000


def test_of_several_sessions_none_is_taken_but_the_own_one(kept: Project) -> None:
    sessions = {"abcde": (kept.root, SESSION), "fghij": (kept.root, SESSION)}
    with answering(kept.patch, sessions):
        assert kept.run("restore", "--json").json["window"] is None
    with answering(kept.patch, {"abcde": (kept.root, SESSION), "fghij": (kept.home, SESSION)}):
        assert kept.run("restore", "--json").json["window"] == 12_000


def test_a_session_that_is_silent_is_not_waited_for(kept: Project) -> None:
    kept.patch.setattr("agentsup.cli.running_session.DEADLINE", 0.2)
    kept.patch.setattr("agentsup.cli.sessions.ANSWER_DEADLINE", 40.0)
    began = time.monotonic()
    with answering(kept.patch, {"abcde": (kept.root, None)}):
        done = kept.run("restore", "--json")
        assert (done.code, done.json["window"]) == (0, None)
        assert time.monotonic() - began < 30


# --- as a program of its own


def test_in_a_terminal_of_80_columns(kept: Project, terminal: StartTerminal) -> None:
    argv = [sys.executable, "-m", "agentsup", "restore", "--explain"]
    env = {**clean_environment(kept.home), "NO_COLOR": "1"}
    shown = terminal(argv, env=env, cwd=kept.root, size=(80, 24))
    assert shown.wait_exit() == 0
    rows = shown.screen()
    assert any(row.startswith("90-engram ") for row in rows)
    assert any(f"AGENTS.md {count(KIND).tokens}" in row for row in rows)
    assert not re.search(r"\x1b\[[0-9;]*[34][0-7]", shown.screen_styled())


def run_program(project: Project, *words: str, **more: object) -> subprocess.CompletedProcess[bytes]:
    argv = [sys.executable, "-m", "agentsup", *words]
    return subprocess.run(argv, cwd=project.root, stdin=subprocess.DEVNULL, timeout=30, check=False, **more)  # type: ignore[call-overload, no-any-return]


def test_a_reader_that_has_seen_enough(kept: Project) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run_program(kept, "restore", stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert done.stderr == b""


def test_text_is_utf8_to_a_program_whatever_the_locale(kept: Project) -> None:
    kept.patch.setenv("PYTHONIOENCODING", "latin-1")
    done = run_program(kept, "restore", capture_output=True)
    assert "━━━" in done.stdout.decode()
    assert json.loads(run_program(kept, "restore", "--json", capture_output=True).stdout)["text"]


def test_help_says_what_it_is_for(project: Project) -> None:
    done = project.run("restore", "--help")
    assert done.code == 0
    assert "what an agent gets after a compaction" in " ".join(done.out.split())
