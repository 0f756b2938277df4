"""The outer terminal itself: what it shows, how it waits, and that it leaves nothing behind."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.terminals.tmux import Tmux, clean_environment, is_gone

Start = Callable[..., Tmux]


def shell(terminal: Start, tmp_path: Path, script: str) -> Tmux:
    return terminal(["/bin/sh", "-c", script], env=clean_environment(tmp_path), cwd=tmp_path, size=(40, 6))


def test_it_shows_rows_colours_and_the_cursor(terminal: Start, tmp_path: Path) -> None:
    screen = shell(terminal, tmp_path, r"printf 'one\n\033[38;2;1;2;3mtwo\033[m\n> '; cat")
    rows = screen.wait_for(lambda rows: rows[2] == ">")
    assert rows == ["one", "two", ">", "", "", ""]
    assert "\x1b[38;2;1;2;3mtwo" in screen.screen_styled()
    assert screen.cursor() == (2, 2, True)


def test_typing_keys_and_pastes_arrive(terminal: Start, tmp_path: Path) -> None:
    screen = shell(terminal, tmp_path, r"printf '\033[?2004hready\n'; cat -v")
    screen.wait_for("ready")
    screen.type("abc")
    screen.key("Enter")
    screen.paste("line")
    screen.key("Enter")
    screen.wait_for(re.compile(r"\^\[\[200~line\^\[\[201~$", re.MULTILINE))


def test_a_new_size_reaches_the_program(terminal: Start, tmp_path: Path) -> None:
    screen = shell(terminal, tmp_path, "trap 'stty size' WINCH; stty size; while :; do read _; done")
    screen.wait_for("6 40")
    screen.resize(50, 8)
    screen.wait_for("8 50")
    assert len(screen.screen()) == 8


def test_the_exit_status_is_kept_with_the_last_screen(terminal: Start, tmp_path: Path) -> None:
    screen = shell(terminal, tmp_path, "echo last words; exit 3")
    assert screen.wait_exit() == 3
    assert screen.dead
    screen.wait_for("last words")
    assert "last words" in screen.scrollback()
    assert shell(terminal, tmp_path, "kill -9 $$").wait_exit() == -9


def test_the_environment_is_the_given_one(terminal: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FROM_THE_DEVELOPER", "leaked")
    screen = shell(terminal, tmp_path, 'echo "<$FROM_THE_DEVELOPER> <$TERM> <$HOME>" | fold; cat')
    screen.wait_for("<> <tmux-256color>")


def test_a_failed_wait_shows_the_screen(terminal: Start, tmp_path: Path) -> None:
    screen = shell(terminal, tmp_path, "echo here; cat")
    screen.wait_for("here")
    with pytest.raises(AssertionError, match=r"'gone' not on screen within 0.1 s\n(.|\n)*\|here"):
        screen.wait_for("gone", timeout=0.1)


def test_kill_ends_the_whole_tree_and_nothing_else(tmp_path: Path) -> None:
    screen = Tmux(
        ["/bin/sh", "-c", "trap '' HUP; sleep 300 & echo up; wait"],
        env=clean_environment(tmp_path),
        cwd=tmp_path,
    )
    screen.wait_for("up")
    shell_itself = psutil.Process(screen.pane_pid)
    below = shell_itself.children(recursive=True)
    assert below
    screen.kill()
    assert all(is_gone(process) for process in (shell_itself, *below))
