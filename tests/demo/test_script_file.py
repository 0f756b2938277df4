"""Script files: the documented one is read, a wrong one is refused in words."""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agentsup.demo import script as do
from agentsup.demo import script_file
from agentsup.demo.script_file import ACTIONS, ScriptProblem, parse_script, read_script

DOCUMENTED = textwrap.dedent((script_file.__doc__ or "").partition("\n\n")[2].rpartition("\n\n")[0])


def test_the_documentation_is_a_script_that_names_everything(tmp_path: Path) -> None:
    path = tmp_path / "documented.toml"
    path.write_text(DOCUMENTED)
    script = read_script(path)
    assert {type(action) for action in script.steps[0].step.actions} == {kind for kind, _ in ACTIONS.values()}
    tables = tomllib.loads(DOCUMENTED)
    assert list(tables["behaviour"]) == list(do.Behaviour.__dataclass_fields__)
    assert script.behaviour == do.Behaviour()
    follow_up = script.steps[0].step.follow_up
    assert follow_up is not None
    assert (follow_up.after, follow_up.step.asked) == (400, False)


def test_toml_and_json_are_the_same_script(tmp_path: Path) -> None:
    toml, other = tmp_path / "a.toml", tmp_path / "a.json"
    toml.write_text(DOCUMENTED)
    other.write_text(json.dumps(tomllib.loads(DOCUMENTED)))
    assert read_script(toml) == read_script(other)


def test_follow_ups_form_a_chain() -> None:
    script = parse_script({"step": [{"prompt": "a"}, {"after": 1}, {"after": 2, "turn": False}, {"prompt": "b"}]})
    assert [step.prompt for step in script.steps] == ["a", "b"]
    first = script.steps[0].step.follow_up
    assert first is not None
    assert first.step.follow_up == do.FollowUp(2, do.Step(turn=False, asked=False))


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ([], "script: is a table"),
        ({"windo": 1}, "script: unknown key 'windo'; known: window"),
        ({"window": "x"}, "script: window is of type int"),
        ({"behaviour": {"queue": "never"}}, "behaviour: queue is one of turn-end, tool"),
        ({"behaviour": {"log_delay": True}}, "log_delay is of type int"),
        ({"behaviour": {"log_delay": -1}}, "log_delay is not negative"),
        ({"step": {}}, "step: is a list"),
        ({"step": [{"prompt": "("}]}, "step 1: prompt: "),
        ({"step": [{"actions": []}]}, "step 1: needs either a prompt, or `after`"),
        ({"step": [{"after": 1}]}, "step 1: needs either a prompt, or `after`"),
        ({"step": [{"prompt": "a", "after": 1}]}, "step 1: needs either a prompt, or `after`"),
        ({"step": [{"prompt": "a", "actions": [{"say": "x"}, {"sing": "x"}]}]}, "step 1, action 2: needs exactly one"),
        ({"step": [{"prompt": "a", "actions": [{"say": "x", "exit": 1}]}]}, "step 1, action 1: needs exactly one"),
        ({"step": [{"prompt": "a", "actions": [{"say": "x", "pace": 1}]}]}, "unknown key 'pace'"),
        ({"step": [{"prompt": "a", "actions": [{"pick": "x", "choices": []}]}]}, "choices is a list of texts"),
        (
            {"step": [{"prompt": "a", "actions": [{"compact": "often"}]}]},
            "step 1, action 1: compact: trigger is one of auto, manual",
        ),
    ],
)
def test_a_wrong_script_says_where_and_why(tables: Any, words: str) -> None:
    with pytest.raises(ScriptProblem, match=re.escape(words)):
        parse_script(tables)


def test_an_unreadable_file_is_a_problem_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("window = ")
    with pytest.raises(ScriptProblem, match=r"bad\.toml: "):
        read_script(path)
    with pytest.raises(ScriptProblem, match=r"none\.toml: "):
        read_script(tmp_path / "none.toml")
