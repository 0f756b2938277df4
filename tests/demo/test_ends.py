"""How it ends: exit codes, signals, and the terminal as it was."""

from __future__ import annotations

import os
import signal
import stat
import termios
from pathlib import Path
from typing import Any

import pytest

from agentsup.core.screen import Modes
from tests.demo.conftest import StartDemo
from tests.demo.terminal import DemoTerminal


def script(*actions: dict[str, Any], **behaviour: Any) -> dict[str, Any]:
    """Return a script with one step for `go`."""
    return {"behaviour": behaviour, "step": [{"prompt": "^go", "actions": actions}]}


def raw(agent: DemoTerminal) -> bool:
    return not termios.tcgetattr(agent.fd)[3] & termios.ICANON


def test_it_takes_the_terminal_over_and_gives_it_back(demo: StartDemo) -> None:
    agent = demo(script(alternate_screen=True))
    before = termios.tcgetattr(agent.fd)
    agent.wait_empty()
    assert raw(agent)
    assert agent.screen.modes == Modes(bracketed_paste=True, alternate_screen=True)
    assert agent.screen.title.startswith("demo · ")
    agent.write("\x03")
    assert agent.wait_end() == 0
    assert termios.tcgetattr(agent.fd)[:4] == before[:4]
    assert agent.screen.modes == Modes()
    assert agent.screen.cursor.visible
    assert agent.screen.title == ""
    assert agent.last_report == "clear"


def test_inline_it_leaves_the_conversation_and_takes_the_composer_away(demo: StartDemo) -> None:
    agent = demo(script({"say": "Done."}))
    agent.submit("go")
    agent.wait_record("turn_ended")
    agent.wait_empty()
    agent.write("/quit\r")
    assert agent.wait_end() == 0
    assert "• Done." in agent.text
    assert "─" not in agent.text
    id = agent.log("conversation")[0]["id"]
    assert f"To go on with this conversation:\n  agentsup demo resume {id}" in agent.text


@pytest.mark.parametrize(("keys", "code"), [("\x03", 0), ("\x04", 0), ("/quit\r", 0), ("/exit\r", 0), ("x\x03\x03", 0)])
def test_ways_out(demo: StartDemo, keys: str, code: int) -> None:
    agent = demo({})
    agent.wait_empty()
    agent.write(keys)
    assert agent.wait_end() == code


def test_a_script_says_the_exit_code(demo: StartDemo) -> None:
    agent = demo(script({"exit": 3}), "go")
    assert agent.wait_end() == 3
    assert agent.log("user") == [{"type": "user", "text": "go", "source": "argument"}]
    assert agent.screen.modes == Modes()


@pytest.mark.parametrize("name", ["SEGV", "KILL"])
def test_a_crash_leaves_the_terminal_as_it_is(demo: StartDemo, name: str) -> None:
    agent = demo(script({"crash": name}), "go")
    assert agent.wait_end() == -signal.Signals[f"SIG{name}"]
    assert agent.screen.modes.bracketed_paste
    assert agent.last_report == "working"
    assert "turn_ended" not in [record["type"] for record in agent.log()]


@pytest.mark.parametrize(
    ("number", "code", "working"),
    [
        (signal.SIGTERM, 143, False),
        (signal.SIGTERM, 143, True),
        (signal.SIGHUP, 129, True),
        (signal.SIGINT, 130, False),
    ],
)
def test_signals(demo: StartDemo, number: signal.Signals, code: int, working: bool) -> None:
    agent = demo(script({"sleep": 60_000}), *(["go"] if working else []))
    agent.wait(lambda: agent.last_report == ("working" if working else "idle"), "started")
    agent.wait(lambda: agent.composer.kind == "empty", "drawn")
    agent.process.kill(number)
    assert agent.wait_end() == code
    assert agent.screen.modes == Modes()
    assert agent.last_report == "clear"


def test_a_terminal_that_closes_ends_it(demo: StartDemo) -> None:
    agent = demo(script({"sleep": 60_000}), "go")
    agent.wait(lambda: agent.last_report == "working", "working")
    agent.hang_up()
    assert agent.wait_end() == 129


def test_a_signal_ends_its_editor_too(demo: StartDemo, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho $$ > "$0.pid"\nsleep 100\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    agent = demo(script({"editor": True}), "go", environment={"VISUAL": str(editor)})
    path = Path(f"{editor}.pid")
    agent.wait(lambda: path.exists() and path.read_text().strip(), "the editor runs")
    agent.process.kill(signal.SIGTERM)
    assert agent.wait_end() == 143
    with pytest.raises(ProcessLookupError):
        os.kill(int(path.read_text()), 0)


def test_a_stop_and_a_resize_are_drawn_over(demo: StartDemo) -> None:
    agent = demo({})
    agent.wait_empty()
    agent.write("draft")
    agent.wait(lambda: agent.composer.text == "draft", "the draft")
    agent.process.kill(signal.SIGSTOP)
    agent.engine.feed(b"\x1b[H\x1b[2Jnoise")
    agent.process.kill(signal.SIGCONT)
    agent.wait(lambda: agent.composer.text == "draft" and "noise" not in agent.text, "drawn anew")
    agent.engine.resize(60, 20)
    agent.process.setwinsize(20, 60)
    agent.wait(lambda: "─" * 60 in agent.text.splitlines() and agent.composer.text == "draft", "drawn in the new size")


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["--script", "/nowhere.toml"], 2, "/nowhere.toml"),
        (["resume", "01a22968-4cf7-7000-8000-000000000001"], 1, "no conversation 01a22968"),
        (["--speed", "0"], 2, "--speed"),
        (["--version"], 0, "agentsup demo"),
    ],
)
def test_words_that_do_not_start_it(demo: StartDemo, words: list[str], code: int, text: str) -> None:
    agent = demo(None, *words, size=(120, 24))
    assert agent.wait_end() == code
    assert text in agent.text


def test_a_conversation_goes_on_after_a_kill(demo: StartDemo) -> None:
    agent = demo(script({"usage": 30_000}, {"sleep": 60_000}), "go")
    agent.wait_record("usage")
    agent.process.kill(signal.SIGKILL)
    assert agent.wait_end() == -signal.SIGKILL
    id = agent.log("conversation")[0]["id"]
    again = demo({}, "resume", id)
    again.wait_empty()
    again.wait_text("context 25 % left")
    again.submit("more")
    again.wait_record("user", 2)
    assert [record["id"] for record in again.log("conversation")] == [id, id]
    again.wait_empty()


def test_the_log_is_found_by_open_files_and_old_ones_stay_open(demo: StartDemo) -> None:
    agent = demo({})
    agent.wait_empty()
    agent.write("/new\r")
    agent.wait_text("New conversation")
    folder = f"/proc/{agent.process.pid}/fd"
    logs = [path for n in os.listdir(folder) if (path := os.readlink(f"{folder}/{n}")).endswith(".jsonl")]
    assert sorted(Path(path).stem for path in logs) == [record["id"] for record in agent.log("conversation")]
    assert {stat.S_IMODE(os.stat(path).st_mode) for path in logs} == {0o600}
