"""Hooks of ours in a Claude Code: beside the person's in --settings, as a plugin beside a file of theirs, or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentsup.agents import claude_hooks
from agentsup.agents.adapter import Place
from agentsup.agents.claude import Claude

HOOK = ("/usr/bin/python 3", "-I", "-S", "/a/hook_client.py", "claude")


def place(tmp_path: Path, *arguments: str, status_line: str = "off", hook: tuple[str, ...] = HOOK) -> Place:
    environment = {"CLAUDE_CONFIG_DIR": str(tmp_path / "config")}
    session = tmp_path / "session"
    session.mkdir(exist_ok=True)
    return Place("claude", arguments, environment, tmp_path, session, status_line, hook=hook)


def settings(words: list[str]) -> Any:
    assert words.count("--settings") == 1
    return json.loads(words[words.index("--settings") + 1])


def command(event: str) -> dict[str, object]:
    words = f"'/usr/bin/python 3' -I -S /a/hook_client.py claude {event} || true"
    return {"type": "command", "command": words, "timeout": 5}


def test_a_launch_carries_them_in_its_settings(tmp_path: Path) -> None:
    found = settings(Claude().launch(place(tmp_path)))
    assert found == {"hooks": {event: [{"hooks": [command(event)]}] for event in claude_hooks.EVENTS}}
    assert set(settings(Claude().launch(place(tmp_path, status_line="auto")))) == {"hooks", "statusLine"}
    assert set(settings(Claude().fresh_launch(place(tmp_path, "x"), "P"))) == {"hooks"}


def test_the_persons_own_settings_come_along(tmp_path: Path) -> None:
    theirs = {"model": "x", "hooks": {"SessionStart": [{"matcher": "compact", "hooks": []}], "Stop": [{"hooks": []}]}}
    found = settings(Claude().launch(place(tmp_path, "--settings", json.dumps(theirs))))
    assert found["model"] == "x"
    assert found["hooks"]["Stop"] == [{"hooks": []}]
    assert found["hooks"]["SessionStart"] == [
        {"matcher": "compact", "hooks": []}, {"hooks": [command("SessionStart")]}
    ]  # fmt: skip
    assert found["hooks"]["UserPromptSubmit"] == [{"hooks": [command("UserPromptSubmit")]}]


def test_beside_a_file_of_the_persons_they_are_a_plugin(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text("{}")
    there = place(tmp_path, "--settings", "mine.json", status_line="auto")
    words = Claude().launch(there)
    folder = tmp_path / "session" / claude_hooks.PLUGIN
    assert words[words.index("--plugin-dir") + 1] == str(folder)
    assert words[words.index("--settings") + 1] == "mine.json"
    Claude().install_hooks(there)
    assert json.loads((folder / ".claude-plugin" / "plugin.json").read_text())["name"] == "agentsup"
    hooks = json.loads((folder / "hooks" / "hooks.json").read_text())
    assert hooks == {"hooks": {event: [{"hooks": [command(event)]}] for event in claude_hooks.EVENTS}}
    assert (tmp_path / "mine.json").read_text() == "{}"


def test_where_no_file_is_given_nothing_is_written(tmp_path: Path) -> None:
    Claude().install_hooks(place(tmp_path))
    Claude().install_hooks(place(tmp_path, "--settings", "mine.json", hook=()))
    assert list((tmp_path / "session").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--bare",), "hooks.off"),
        (("--safe-mode",), "hooks.off"),
        (("--settings", '{"disableAllHooks": true}'), "hooks.off"),
        (("--settings", '{"hooks": []}'), "hooks.own"),
        (("--settings", '{"hooks": {"SessionStart": {}}}'), "hooks.own"),
        (("--settings", '{"hooks": {"Stop": {}}}'), ""),
        (("--settings", '{"disableAllHooks": false}'), ""),
        (("-p", "x"), "hooks.no-agent"),
        (("mcp", "list"), "hooks.no-agent"),
    ],
)
def test_what_the_person_says_goes_first(tmp_path: Path, arguments: tuple[str, ...], problem: str) -> None:
    there = place(tmp_path, *arguments)
    assert Claude().without_hooks(there) == problem
    has_ours = any("hook_client" in word for word in Claude().launch(there))
    assert has_ours is not bool(problem)


@pytest.mark.parametrize("where", ["config/settings.json", ".claude/settings.json", ".claude/settings.local.json"])
def test_hooks_that_a_file_switches_off_stay_off(tmp_path: Path, where: str) -> None:
    path = tmp_path / where
    path.parent.mkdir()
    path.write_text('{"disableAllHooks": true}')
    there = place(tmp_path)
    assert Claude().without_hooks(there) == "hooks.off"
    assert "--settings" not in Claude().launch(there)


def test_without_hooks_a_launch_is_as_before(tmp_path: Path) -> None:
    assert Claude().without_hooks(place(tmp_path, hook=())) == ""
    assert "--settings" not in Claude().launch(place(tmp_path, hook=()))
