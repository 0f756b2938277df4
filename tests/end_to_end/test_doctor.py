"""`agentsup doctor` as a person meets it: it finds what is wrong, says what to do, and changes nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.place import Place

KEYS = {"check", "level", "key", "what", "todo", "values"}
GROUPS = ("agents", "sessions", "folders", "project", "memory", "trust", "terminal", "system")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    made.env["PATH"] = "/usr/bin:/bin"
    yield made
    made.close()


def findings(place: Place, *words: str, code: int | None = None, **changes: str) -> dict[str, dict[str, Any]]:
    """Return what `doctor --json` finds, by check; the last of a check that has several."""
    done = place.run("doctor", *words, "--json", **changes)
    assert done.stderr == ""
    assert code in (None, done.returncode), done.stdout
    found = json.loads(done.stdout)
    assert found.keys() == {"findings"}
    for finding in found["findings"]:
        assert finding.keys() == KEYS
        assert finding["check"].split(".")[0] in GROUPS
        assert "{" not in finding["what"] + finding["todo"], finding
    assert any(finding["level"] == "problem" for finding in found["findings"]) == (done.returncode == 1)
    return {finding["check"]: finding for finding in found["findings"]}


def everything_below(folder: Path) -> dict[str, int]:
    return {str(path): path.lstat().st_mtime_ns for path in (folder, *folder.rglob("*"))}


def install_codex(place: Place, version: str) -> Path:
    """Lay a codex out as npm does: a link on the PATH into a package that says its version."""
    package = place.work.parent / "lib" / "node_modules" / "@openai" / "codex"
    (package / "bin").mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"name": "@openai/codex", "version": version}))
    program = package / "bin" / "codex.js"
    program.write_text("#!/bin/sh\necho started >started\nexec cat\n")
    program.chmod(0o755)
    folder = place.work.parent / "bin"
    folder.mkdir()
    (folder / "codex").symlink_to(program)
    place.env["PATH"] = f"{folder}:/usr/bin:/bin"
    return folder / "codex"


def leave_behind(place: Place, session: str = "bcdfg", pid: int | None = None) -> Path:
    """Make the folder of a session whose keeper has ended; the pid is one that was free a moment ago."""
    if pid is None:
        ended = subprocess.Popen(["true"])
        ended.wait()
        pid = ended.pid
    folder = place.runtime / "agentsup" / session
    folder.mkdir(mode=0o700, parents=True)
    folder.parent.chmod(0o700)
    (folder / "session.json").write_text(json.dumps({"session": session, "keeper_pid": pid}))
    return folder


def test_a_fresh_home_without_agents(place: Place) -> None:
    before = everything_below(place.work.parent) | everything_below(place.runtime)
    found = findings(place, code=1)
    assert everything_below(place.work.parent) | everything_below(place.runtime) == before
    for agent, package in (("codex", "@openai/codex"), ("claude", "@anthropic-ai/claude-code")):
        assert found[f"agents.{agent}"]["level"] == "problem"
        assert found[f"agents.{agent}"]["todo"] == f"Install it: npm install -g {package}"
    assert (found["project.git"]["level"], found["project.git"]["todo"]) == ("warning", "Run: git init")
    assert found["terminal.size"]["level"] == "unknown"
    for check in ("sessions.stale", "folders.runtime", "folders.data", "folders.config", "folders.project",
                  "project.settings", "system.python", "system.engine", "system.tokens", "system.pty"):  # fmt: skip
        assert (check, found[check]["level"], found[check]["todo"]) == (check, "ok", "")


def test_an_agent_from_npm_and_its_version(place: Place) -> None:
    program = install_codex(place, "0.171.0")
    found = findings(place, code=0)
    assert found["agents.codex"]["level"] == "ok"
    assert found["agents.codex"]["values"] == {
        "agent": "codex", "version": "0.171.0", "path": str(program), "measured": "0.171.0",
    }  # fmt: skip
    assert "claude" in found["agents.missing"]["values"]["names"].split(", ")
    assert not (place.work / "started").exists()
    assert findings(place, "claude", code=1)["agents.claude"]["level"] == "problem"
    package = program.resolve().parent.parent / "package.json"
    package.write_text('{"version": "0.180.0"}')
    other = findings(place, "codex", code=0)
    assert (other["agents.codex"]["level"], "agents.missing" in other) == ("warning", False)
    assert other["agents.codex"]["what"].startswith("codex 0.180.0 is not among those measured (0.171.0)")
    package.unlink()
    assert findings(place)["agents.codex"]["level"] == "unknown"


def test_what_a_person_reads(place: Place) -> None:
    install_codex(place, "0.171.0")
    (place.work / ".git").mkdir()
    done = place.run("doctor")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "Agents", "Sessions", "Folders", "Project", "Memory", "Trust", "Terminal", "System", lines[-1],
    ]  # fmt: skip
    assert lines[1].startswith("  ✓ codex           codex 0.171.0, a version that was measured: ")
    assert "                    Run doctor in the terminal in which you use agentsup." in lines
    assert lines[-1].startswith("Problems: 0. Warnings: ")
    chinese = place.run("doctor", LC_ALL="zh_CN.UTF-8").stdout.splitlines()
    assert chinese[0] == "代理"
    assert chinese[-1].startswith("问题：0。警告：")
    assert "                    请在你使用 agentsup 的终端中运行 doctor。" in chinese
    ascii_only = place.run("doctor", LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert ascii_only.stdout.splitlines()[1].startswith("  + codex ")


def test_in_a_terminal_it_fits_the_window(place: Place) -> None:
    install_codex(place, "0.180.0")
    terminal = place.open("doctor", size=(60, 110))
    terminal.wait_for("Problems: 0")
    assert terminal.wait_exit() == 0
    rows = terminal.screen()
    assert any("terminal-small" in row or "60x110 is small" in row for row in rows)
    assert "                    measured (0.171.0):" in [row.rstrip() for row in rows]


def test_a_session_and_one_that_was_left_behind(place: Place) -> None:
    install_codex(place, "0.171.0")
    terminal = place.open("codex")
    terminal.wait_until(lambda: bool(list((place.runtime / "agentsup").glob("*/session.json"))), what="it starts")
    terminal.wait_until(lambda: place.status()["phase"] != "", what="it answers")
    session = place.status()["session"]
    stale = leave_behind(place, "zzzzz", pid=os.getpid())
    found = findings(place)
    assert found[f"sessions.{session}"]["level"] == "ok"
    assert found[f"sessions.{session}"]["values"]["agent"] == "codex"
    assert found[f"sessions.{session}-log"]["key"] == "doctor.log-not-identified"
    assert found[f"sessions.{session}-notice"]["key"] == "git.none"
    assert (found["sessions.stale"]["level"], found["sessions.stale"]["todo"]) == (
        "warning", f"Remove it: rm -r {stale}",
    )  # fmt: skip
    assert stale.exists()
    for word, is_told in ((session[:3], True), ("codex", True), ("claude", False)):
        assert (f"sessions.{session}" in findings(place, word)) == is_told


def test_a_session_that_does_not_answer(place: Place) -> None:
    terminal = place.open("--", "sh")
    terminal.wait_for("ready$")
    pid = place.record()["keeper_pid"]
    listed = subprocess.run(
        ["pgrep", "-P", str(pid), "-f", "agentsup.host"], capture_output=True, text=True, check=True
    )
    hosts = [int(word) for word in listed.stdout.split()]
    session = place.status()["session"]
    # Not for long: its keeper takes a host that is silent for stuck, and starts another one.
    for stopped in (pid, *hosts):
        os.kill(stopped, 19)
    try:
        silent = findings(place, session)[f"sessions.{session}"]
    finally:
        for stopped in (pid, *hosts):
            os.kill(stopped, 18)
    assert (silent["level"], silent["key"]) == ("problem", "session.silent")


def test_settings_that_are_wrong_are_a_finding(place: Place) -> None:
    config = Path(place.env["HOME"]) / ".config" / "agentsup" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[interface]\nlayuot = 'agent'\n")
    found = findings(place, code=1)
    assert found["project.settings"]["level"] == "problem"
    assert f"{config}:2" in found["project.settings"]["what"]
    assert "interface.layout" in found["project.settings"]["todo"]
    config.write_text("[interface]\nlanguage = 'zh-CN'\n")
    assert place.run("doctor").stdout.startswith("代理\n")
    assert findings(place)["project.settings"]["level"] == "ok"


def test_memory_that_git_ignores(place: Place) -> None:
    subprocess.run(["git", "init", "-q"], cwd=place.work, env=place.env, check=True)
    assert findings(place)["project.memory"]["level"] == "ok"
    (place.work / ".gitignore").write_text("*.pyc\n.agent\n")
    before = everything_below(place.work)
    found = findings(place)
    assert (found["project.memory"]["level"], found["project.memory"]["values"]) == (
        "warning", {"rule": ".gitignore:2:.agent"},
    )  # fmt: skip
    assert everything_below(place.work) == before


@pytest.mark.skipif(os.getuid() == 0, reason="FOR ROOT EVERY FOLDER IS WRITABLE: not tested")
def test_a_data_folder_that_can_not_be_written(place: Place) -> None:
    data = Path(place.env["HOME"]) / ".local" / "share" / "agentsup"
    data.mkdir(parents=True)
    data.chmod(0)
    try:
        assert findings(place, code=1)["folders.data"]["key"] == "folder.unusable"
    finally:
        data.chmod(0o700)


def test_folders_that_are_not_ours_alone(place: Place) -> None:
    folder = place.runtime / "agentsup"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    found = findings(place)
    assert found["folders.runtime"]["key"] == "doctor.folder-open"
    assert found["sessions.all"]["level"] == "unknown"
    assert folder.stat().st_mode & 0o777 == 0o755
    folder.rmdir()
    folder.write_text("in the way")
    assert findings(place, code=1)["folders.runtime"]["key"] == "folder.foreign"


def test_names_that_mean_nothing_and_a_folder_that_is_gone(place: Place) -> None:
    done = place.run("doctor", "nobody")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 2)
    assert "nobody" in done.stderr
    gone = f"mkdir gone && cd gone && rmdir ../gone && exec {sys.executable} -m agentsup doctor"
    done = subprocess.run(
        ["sh", "-c", gone], cwd=place.work, env=place.env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 2)


def test_a_reader_that_leaves_is_no_error(place: Place) -> None:
    command = f"{sys.executable} -m agentsup doctor | head -1"
    done = subprocess.run(
        ["sh", "-c", command], env=place.env, cwd=place.work, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("Agents\n", "")
