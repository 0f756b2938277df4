"""The question whether an agent is to have hooks, in a real terminal: asked once an agent, and Enter is a no."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentsup.store import remembered
from tests.end_to_end.place import Place

CLAUDE = """\
#!/bin/sh
printf '%s\\n' "$@" > started.new
mv started.new started
echo THE AGENT RUNS
exec cat
"""
QUESTION = "Use hooks? [y/N]"
RUNS = "THE AGENT RUNS"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("claude", "codex"):
        (folder / name).write_text(CLAUDE)
        (folder / name).chmod(0o755)
    made.env |= {"PATH": f"{folder}:/usr/bin:/bin", "AGENTSUP_INJECTION_CHANNEL": "auto"}
    yield made
    made.close()


def started(place: Place) -> list[str]:
    """Return the agent's command line."""
    return (place.work / "started").read_text().splitlines()


def answers(place: Place) -> Any:
    """Return what is remembered."""
    return tomllib.loads(remembered.file(place.env).read_text())["hooks"]


def test_a_yes_is_asked_for_once_and_shown(place: Place) -> None:
    terminal = place.open("claude")
    terminal.wait_for(QUESTION)
    shown = " ".join(terminal.text().split())
    assert "Nothing is written to your configuration, and your own hooks stay as they are." in shown
    assert "injection.channel" in shown
    assert not (place.work / "started").exists()
    terminal.key("y", "Enter")
    terminal.wait_for(RUNS)
    assert answers(place) == {"claude": "yes"}
    words = started(place)
    hooks = json.loads(words[words.index("--settings") + 1])["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit"}
    status = place.status()
    assert status["hooks"] == {"installed": True, "heard": None}
    place.run("stop", status["session"])
    again = place.open("claude")
    again.wait_for(RUNS)
    assert QUESTION not in "\n".join(again.scrollback())


def test_enter_is_a_no(place: Place) -> None:
    terminal = place.open("claude", size=(80, 24))
    terminal.wait_for(QUESTION)
    terminal.key("Enter")
    terminal.wait_for(RUNS)
    assert answers(place) == {"claude": "no"}
    assert not any("hook_client" in word for word in started(place))
    status = place.status()
    assert status["hooks"] == {"installed": False, "heard": None}
    assert "hooks-off" in place.run("doctor", "--json").stdout
    place.run("stop", status["session"])
    again = place.open("claude")
    again.wait_for(RUNS)
    assert QUESTION not in "\n".join(again.scrollback())
    place.run("stop", place.status()["session"])
    # The setting counts more than what was answered.
    place.env["AGENTSUP_INJECTION_CHANNEL"] = "hook"
    place.open("claude").wait_for(RUNS)
    assert any("hook_client" in word for word in started(place))


def test_ctrl_c_starts_nothing_and_is_no_answer(place: Place) -> None:
    terminal = place.open("claude")
    terminal.wait_for(QUESTION)
    terminal.key("C-c")
    assert terminal.wait_exit() == 130
    assert not (place.work / "started").exists()
    assert not remembered.file(place.env).exists()
    assert list((place.runtime / "agentsup").iterdir()) == []


def test_a_codex_that_reviews_no_hooks_goes_without(place: Place) -> None:
    terminal = place.open("codex")
    terminal.wait_for(QUESTION)
    assert "Codex runs no hook that nobody has reviewed." in terminal.text()
    terminal.key("y", "Enter")
    terminal.wait_for(RUNS)
    assert not any("hook" in word for word in started(place))
    assert [warning["key"] for warning in place.status()["warnings"]][-1:] == ["hooks.not-trusted"]


def test_a_project_may_not_answer_for_the_person(place: Place) -> None:
    del place.env["AGENTSUP_INJECTION_CHANNEL"]
    (place.work / ".agent").mkdir()
    (place.work / ".agent" / "config.toml").write_text("[injection]\nchannel = 'hook'\n")
    terminal = place.open("claude")
    terminal.wait_for("may not loosen injection.channel")
    assert terminal.wait_exit() == 2
    assert not (place.work / "started").exists()
