"""What looks like a secret is not written by any command, and not printed by any."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agentsup.cli.memory_changes import given_item, given_text, given_words
from agentsup.core.problems import Problem
from tests.cli.writing import WritingPlace, two_lines
from tests.core.checks.secret_examples import NAMES, Example, example

ENGRAM = """\
[Task] Make parse() accept {}.
[Progress] Added week parsing in dates.py (commit 4f2a91c).
[Pending] tests/test_dates.py: week 53 of 2020.
[Taboo] Leave dates.py:parse_legacy() alone: the importer relies on its errors.
"""

COMMANDS: dict[str, tuple[list[str], str]] = {
    "decide, title": (["decide", "Use {}", "--why", "it works"], ""),
    "decide, why": (["decide", "Use it", "--why", "with {}"], ""),
    "decide, evidence": (["decide", "Use it", "--why", "so", "--evidence", "run --with {}"], ""),
    "decide, file": (["decide", "Use it", "--why", "so", "--file", "src/{}"], ""),
    "decide, rejected": (["decide", "Use it", "--why", "with {}", "--rejected"], ""),
    "progress, task": (["progress", "--task", "with {}"], ""),
    "progress, done": (["progress", "--done", "with {}", "--evidence", "make test"], ""),
    "progress, evidence": (["progress", "--done", "it", "--evidence", "run {}"], ""),
    "progress, now": (["progress", "--now", "with {}"], ""),
    "progress, next": (["progress", "--next", "a.py: a()", "--next", "with {}"], ""),
    "progress, blocked": (["progress", "--blocked", "with {}"], ""),
    "log, target": (["log", "add", "--type", "edit", "--target", "a {}", "--summary", "it"], ""),
    "log, summary": (["log", "add", "--type", "edit", "--target", "a.py", "--summary", "with {}"], ""),
    "log, detail": (["log", "add", "--type", "e", "--target", "a", "--summary", "b", "--detail", "-"], "x\n{}\n"),
    "handoff": (["handoff", "It is done with {} now"], ""),
    "handoff, stdin": (["handoff", "-"], "It is done:\n{}\n"),
    "identity, value": (["identity", "set", "note", "with {}"], ""),
    "engram": (["engram", "set"], ENGRAM),
    "engram, reason": (["engram", "set", "--reason", "with {}"], ENGRAM.format("ISO weeks")),
    "stale, by": (["stale", "keep", "--by", "now with {}"], ""),
}
"""Every way to give a text to be written: words of a command, and its standard input."""

PLACES: dict[str, Callable[[str], str]] = {
    ".agent/engram.md": lambda secret: ENGRAM.format(secret.replace("\n", "\n  ")),
    ".agent/identity.md": lambda secret: f"language: C\nnote: with {secret}\n",
    ".agent/handoff.md": lambda secret: f"It was:\n{secret}\n",
    ".agent/open-questions.md": lambda secret: f"- [ ] Is it {secret}? [SOFT]\n",
    ".agent/TASK.md": lambda secret: f"# Task\n## Goal\n{secret}\n## Acceptance\n- `make test`\n",
    ".agent/CONTRACT.md": lambda secret: f"- `a() -> int` in a.py with {secret}\n",
    ".agent/DECISIONS.md": lambda secret: f"## Use it\n- id: use\n- reason: {secret}\n- confidence: [SOFT] person\n",
    ".agent/log/index.jsonl": lambda secret: json.dumps(
        {"id": "op-001", "type": "edit", "target": "a", "summary": f"with {secret}", "log_path": "x"}
    ) + "\n",
    ".agent/log/ops/op-001.json": lambda secret: json.dumps({"id": "op-001", "detail": f"a\n{secret}\n"}),
    ".agent/log/archive/decisions-001.md": lambda secret: f"## Old\n- id: old\n- reason: {secret}\n",
    ".agent/init.d/20-conventions.md": lambda secret: f"# Conventions\n{secret}\n",
    ".agent/init.d/61-own.md": lambda secret: f"own\n{secret}\n",
}  # fmt: skip
STATES: dict[str, Callable[[str], str]] = {
    ".agent/STATE.md": lambda secret: f"# State\n## Scope\n- with {secret}\n## Next\n- {secret}\n",
    ".agent/progress.json": lambda secret: json.dumps({"current_task": secret, "next_steps": [f"use {secret}"]}),
    ".agent/state/task.json": lambda secret: json.dumps({"current_task": secret, "next": [f"use {secret}"]}),
}
SHOWN = (
    ["engram", "show"], ["engram", "check"], ["engram", "history"], ["state", "show"], ["state", "check"],
    ["decisions", "show", "--all"], ["decisions", "check"], ["identity", "show"], ["identity", "check"],
    ["restore"], ["restore", "--explain"], ["recall", "op-001"], ["recall", "use"], ["recall", "old"],
    ["log", "list"], ["handoff"],
)  # fmt: skip


def of(name: str) -> Example:
    """Return an example that a word of a command line can hold."""
    return example(name)


def put_decision(place: WritingPlace) -> None:
    place.put(".agent/DECISIONS.md", "## Keep C\n- id: keep\n- reason: old\n- confidence: [SOFT] person\n")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("taken", [given_item, given_words])
def test_no_word_of_a_command_may_be_one(name: str, taken: object) -> None:
    assert callable(taken)
    secret = of(name)
    with pytest.raises(Problem) as raised:
        taken(f"with {secret.text} in it")
    assert raised.value.exit_code == 1
    assert raised.value.key == "secret.given"
    assert not any(secret.is_seen_in(value) for value in raised.value.values.values())


@pytest.mark.parametrize("name", NAMES)
def test_no_file_that_is_given_may_hold_one(name: str, tmp_path: Path) -> None:
    secret = of(name)
    (tmp_path / "given.md").write_text(f"first\n  {secret.text}\n")
    with pytest.raises(Problem) as raised:
        given_text(str(tmp_path / "given.md"))
    assert raised.value.key == "secret.in-file"
    assert raised.value.values["line"] == "2"
    assert not any(secret.is_seen_in(value) for value in raised.value.values.values())


@pytest.mark.parametrize("kind", ["person", "agent"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_refuses_it_and_writes_nothing(place: WritingPlace, command: str, kind: str) -> None:
    if kind == "agent":
        place.as_agent()
    put_decision(place)
    before = {path: content for path, (_, content) in place.everything().items()}
    words, given = COMMANDS[command]
    # Each command gets others, and all of them get all.
    first = list(COMMANDS).index(command)
    for name in NAMES[first % 8 :: 8]:
        secret = of(name)
        done = place.run(*(word.format(secret.text) for word in words), given=given.format(secret.text))
        assert done.code == 1, (name, done)
        two_lines(done, "secret")
        assert not secret.is_seen_in(done.out + done.err), name
    assert {path: content for path, (_, content) in place.everything().items()} == before


def test_it_says_what_and_where_in_both_languages(place: WritingPlace) -> None:
    secret = example("Stripe")
    said = place.run("decide", "Use it", "--why", f"key {secret.text}")
    assert said.problem[0] == "Nothing was written: what was given looks like a secret (Stripe key) at 1:5."
    place.put("note.md", f"a\nb {secret.text}\n")
    said = place.run("handoff", "note.md", language="zh-CN")
    assert "note.md:2:3" in said.problem[0]
    assert "Stripe key" in said.problem[0]


def test_a_key_and_its_value_are_read_together(place: WritingPlace) -> None:
    done = place.run("identity", "set", "db_password", "hunter2" + "abc9")
    assert done.code == 1
    two_lines(done, "secret")
    assert place.files() == set()


def test_what_stood_there_already_is_no_reason_to_refuse(place: WritingPlace) -> None:
    secret = example("GitHub")
    place.put(".agent/STATE.md", f"# State\n## Scope\n- with {secret.text}\n")
    done = place.run("progress", "--now", "a() in a.py")
    assert done.code == 0
    assert secret.text in place.read(".agent/STATE.md"), "a file of the person's is not rewritten"
    assert not secret.is_seen_in(done.out + done.err)


@pytest.mark.parametrize("state", STATES)
def test_nothing_that_prints_memory_shows_one(place: WritingPlace, state: str) -> None:
    for number, name in enumerate(NAMES[list(STATES).index(state) :: 3]):
        secret = of(name)
        for path, text in {**PLACES, state: STATES[state]}.items():
            place.put(path, text(secret.text))
        before = set(place.everything())
        # Each secret is in every file: `restore` prints all of them, and each command a third.
        for words in (["restore"], *SHOWN[number % 3 :: 3]):
            for more in ([], ["--json"]):
                done = place.run(*words, *more)
                assert not secret.is_seen_in(done.out + done.err), (name, words, more, done)
        assert set(place.everything()) == before
        place.put(state, "")
        (place.root / state).unlink()


def test_the_marks_are_printed(place: WritingPlace) -> None:
    secret = example("GitHub")
    for path, text in {**PLACES, ".agent/STATE.md": STATES[".agent/STATE.md"]}.items():
        place.put(path, text(secret.text))
    for words in (["engram", "show"], ["state", "show"], ["identity", "show"], ["restore"], ["recall", "op-001"],
                  ["log", "list"], ["handoff"], ["recall", "use"]):  # fmt: skip
        assert "[secret removed: GitHub token]" in place.run(*words).out, words
        assert "[secret removed: GitHub token]" in place.run(*words, "--json").out, words
    assert "file.secret" in place.run("state", "check").out
    assert "engram.secret" in place.run("engram", "check").out
