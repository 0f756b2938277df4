"""The commands as a person meets them: errors are two lines, the terminal stays intact, sessions outlive windows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.conftest import gone
from tests.end_to_end.place import Place
from tests.terminals.tmux import Tmux

DEADLINE = 20.0


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.close()


def assert_two_lines(output: str, what: str) -> None:
    lines = [line for line in output.splitlines() if line.strip()]
    assert len(lines) == 2, output
    assert what in lines[0]
    assert all(line.startswith("agentsup: ") for line in lines)


def test_without_a_terminal_it_says_so(place: Place) -> None:
    for words in (["--", "sh"], ["codex"], ["attach"]):
        done = place.run(*words)
        assert done.returncode == 2
        assert_two_lines(done.stderr, "terminal")
        assert done.stdout == ""


def assert_refused(terminal: Tmux, what: str, code: int = 2) -> None:
    """The program ended with two lines, and the terminal is as it was: no alternate screen, no mouse."""
    assert terminal.wait_exit() == code
    rows = [row for row in terminal.screen() if row.strip()]
    text = " ".join(rows)
    assert what in text, text
    assert text.count("agentsup: ") == 2
    assert not terminal.alternate_screen
    assert not terminal.mouse_reported


def test_codex_that_is_not_installed(place: Place) -> None:
    place.env["PATH"] = "/usr/bin:/bin"
    assert_refused(place.open("codex"), "codex is not installed")


def test_a_command_that_does_not_exist(place: Place) -> None:
    assert_refused(place.open("--", "no-such-command"), "no command no-such-command")


def test_a_word_that_is_nothing_we_know(place: Place) -> None:
    assert_refused(place.open("cdoex"), "no agent, command or session called cdoex")


def test_a_file_that_is_no_program(place: Place) -> None:
    program = place.work / "broken"
    program.write_text("not a program\n")
    program.chmod(0o755)
    assert_refused(place.open("--", str(program)), "could not be started")


def test_a_runtime_folder_that_is_not_ours(place: Place) -> None:
    (place.runtime / "agentsup").write_text("in the way")
    assert_refused(place.open("--", "sh"), "agentsup")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a folder that belongs to somebody else")
def test_a_runtime_folder_of_somebody_else(place: Place) -> None:
    folder = place.runtime / "agentsup"
    folder.mkdir(mode=0o700)
    os.chown(folder, 12345, 12345)
    assert_refused(place.open("--", "sh"), "belongs to somebody else")


def test_a_data_folder_that_can_not_be_made(place: Place) -> None:
    (Path(place.env["HOME"]) / ".local").write_text("in the way")
    assert_refused(place.open("--", "sh"), "can't be used")
    assert not list((place.runtime / "agentsup").iterdir())


def test_commands_without_a_session(place: Place) -> None:
    done = place.run("status")
    assert done.returncode == 2
    assert_two_lines(done.stderr, "no running session")
    done = place.run("ls", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"sessions": []})
    assert place.run("stop", "nobody").returncode == 2


def test_a_session_from_start_to_stop(place: Place) -> None:
    terminal = place.open("--", "sh")
    terminal.wait_for("ready$")
    terminal.type("echo he''llo; stty size")
    terminal.key("Enter")
    terminal.wait_for("hello")
    terminal.wait_for("17 80")
    status = place.status()
    assert status["interface"] is True
    assert psutil.Process(status["agent"]["pid"]).name() in ("sh", "dash")
    assert [row["session"] for row in json.loads(place.run("ls", "--json").stdout)["sessions"]] == [status["session"]]
    terminal.key("C-\\", "d")
    assert terminal.wait_exit() == 0
    assert f"agentsup attach {status['session']}" in " ".join(terminal.screen())
    assert not terminal.alternate_screen
    assert place.status()["interface"] is False
    again = place.open("attach", size=(100, 30))
    again.wait_for("hello")
    again.type("stty size")
    again.key("Enter")
    again.wait_for("20 100")
    done = place.run("stop")
    assert done.returncode == 0, done.stderr
    assert again.wait_exit() == 0
    assert gone(status["agent"]["pid"])
    assert not list((place.runtime / "agentsup").iterdir())


def test_the_programs_end_is_shown_and_its_code_handed_on(place: Place) -> None:
    terminal = place.open("--", "sh", "-c", "echo the last words; exit 7")
    terminal.wait_for("the last words")
    terminal.wait_for("7")
    terminal.key("Enter")
    assert terminal.wait_exit() == 7


def test_stop_ends_the_whole_tree_and_no_stranger(place: Place) -> None:
    script = (
        "nohup sleep 1001 >/dev/null 2>&1 & setsid sleep 1002 & (setsid sh -c 'sleep 1003 & sleep 1004' &) ;"
        "trap '' TERM HUP; echo start''ed; while :; do sleep 1005; done"
    )
    stranger = subprocess.Popen(["sleep", "1006"])
    try:
        terminal = place.open("--", "sh", "-c", script)
        terminal.wait_for("started")
        keeper = place.record()["keeper_pid"]
        found = {p.pid for p in psutil.Process(keeper).children(recursive=True) if p.name() in ("sleep", "sh")}
        assert len(found) >= 7
        assert place.run("stop").returncode == 0
        assert not [(pid, psutil.Process(pid)) for pid in found if not gone(pid)]
        terminal.wait_until(lambda: gone(keeper), what="the keeper has ended")
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_the_agent_itself_may_read_but_not_stop_or_restart(place: Place) -> None:
    terminal = place.open("--", "sh", size=(120, 40))
    terminal.wait_for("ready$")
    me = f"{sys.executable} -m agentsup"
    for command, code in (("status --json >/dev/null", 0), ("stop", 3), ("restart --yes", 3)):
        terminal.type(f"clear; env -u AGENTSUP_SESSION -u AGENTSUP_SOCKET {me} {command}; echo co''de $?")
        terminal.key("Enter")
        terminal.wait_for(f"code {code}")
    terminal.type(f"clear; (setsid {me} stop >out 2>&1; echo co''de $? >>out) & wait; sleep 0; cat out")
    terminal.key("Enter")
    terminal.wait_for("code 3")
    terminal.type(f"clear; {me} attach; echo co''de $?")
    terminal.key("Enter")
    terminal.wait_for(lambda rows: any("only a person" in row for row in rows) and any("code 3" in row for row in rows))
    assert place.status()["phase"] != "exited"


def test_kill_of_the_interface_leaves_the_program(place: Place) -> None:
    terminal = place.open("--", "sh")
    terminal.wait_for("ready$")
    terminal.type("echo still''here")
    terminal.key("Enter")
    terminal.wait_for("stillhere")
    before = place.status()
    os.kill(terminal.pane_pid, 9)
    terminal.wait_exit()
    again = place.open("attach")
    again.wait_for("stillhere")
    assert place.status()["agent"]["pid"] == before["agent"]["pid"]
    again.type("echo a''live")
    again.key("Enter")
    again.wait_for("alive")


def test_kill_of_the_host_leaves_program_and_interface(place: Place) -> None:
    terminal = place.open("--", "sh")
    terminal.wait_for("ready$")
    before = place.status()
    keeper = place.record()["keeper_pid"]
    host = next(p for p in psutil.Process(keeper).children() if "agentsup.host" in p.cmdline())
    host.kill()
    terminal.wait_until(lambda: gone(host.pid), what="the host has ended")
    terminal.type("echo a''live")
    terminal.key("Enter")
    terminal.wait_for("alive")
    assert place.status()["agent"]["pid"] == before["agent"]["pid"]


@pytest.mark.parametrize("size", [(1, 1), (20, 5), (300, 3)])
def test_a_window_of_any_size(place: Place, size: tuple[int, int]) -> None:
    terminal = place.open("--", "sh", size=size)
    terminal.wait_until(lambda: bool(list((place.runtime / "agentsup").glob("*/session.json"))), what="it starts")
    terminal.wait_until(lambda: bool(place.status()["interface"]), what="its interface is there")
    terminal.resize(80, 24)
    terminal.wait_for("ready$")


def test_bare_agentsup_lists_what_there_is(place: Place) -> None:
    place.env["PATH"] = "/usr/bin:/bin"
    nothing = place.open()
    nothing.wait_for("start demo")
    nothing.key("Enter")
    assert nothing.wait_exit() == 0
    terminal = place.open("--", "sh")
    terminal.wait_for("ready$")
    picker = place.open()
    picker.wait_for(f"attach {place.status()['session']}")
    picker.wait_for("Enter: 1")
    picker.type("q")
    picker.key("Enter")
    assert picker.wait_exit() == 0
    back = place.open()
    back.wait_for("Enter: 1")
    back.key("Enter")
    back.wait_for("ready$")


def test_settings_that_can_not_be_read_or_are_wrong(place: Place) -> None:
    config = Path(place.env["HOME"]) / ".config" / "agentsup" / "config.toml"
    config.mkdir(parents=True)
    assert_refused(place.open("--", "sh"), "can't be read")
    config.rmdir()
    config.write_text("[interface]\nlayuot = 'agent'\n")
    assert_refused(place.open("--", "sh"), "there is no setting interface.layuot")
    config.write_text("[interface\n")
    assert_refused(place.open("--", "sh"), "no valid TOML")
    done = place.run("ls")
    assert done.returncode == 2
    assert_two_lines(done.stderr, "no valid TOML")


def stand_in_for_codex(place: Place) -> None:
    """Put a program called codex on the PATH: what is tested here is said before any agent is known to be real."""
    folder = place.work.parent / "bin"
    folder.mkdir()
    (folder / "codex").write_text("#!/bin/sh\necho stands in; exec cat\n")
    (folder / "codex").chmod(0o755)
    place.env["PATH"] = f"{folder}:/usr/bin:/bin"


def test_a_folder_without_git_is_a_notice_and_the_agent_runs(place: Place) -> None:
    stand_in_for_codex(place)
    terminal = place.open("codex")
    terminal.wait_for("stands in")
    warning = place.status()["warnings"][0]
    assert warning["key"] == "git.none"
    assert (warning["what"], warning["todo"].startswith("Run: git init")) == (
        "This folder is not a git repository: the agent's work and memory have no history here.", True,
    )  # fmt: skip
    terminal.wait_for("not a git repository")
    terminal.key("C-\\", "d")
    assert terminal.wait_exit() == 0
    assert "agentsup: Run: git init" in terminal.screen()


@pytest.mark.skipif(os.getuid() == 0, reason="for root every folder is writable")
def test_a_folder_that_can_not_be_written_is_a_notice_and_the_agent_runs(place: Place) -> None:
    stand_in_for_codex(place)
    place.work.chmod(0o500)
    terminal = place.open("codex")
    terminal.wait_for("stands in")
    assert "project.read-only" in [warning["key"] for warning in place.status()["warnings"]]
    place.work.chmod(0o700)
