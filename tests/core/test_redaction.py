"""No restore text holds a secret in clear, whatever it came from."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agentsup.core.memory.model import Document, InitUnit, Memory, Repository, Work
from agentsup.core.redaction import redacted, redacted_value, without_secrets, work_without_secrets
from agentsup.core.restore.composition import compose
from agentsup.core.restore.frame import Budget
from agentsup.core.trust.model import Accepted, Rule, Trust, UnitOutput
from agentsup.locale import restore_frame
from tests.core.checks.secret_examples import NAMES, TOKENS, Example, example

FRAME = restore_frame("en")
ROOM = Budget(1_000_000, 1)
MARK = "[secret removed: "
MARK_IN_NAME = "?secret?removed?"


def indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def file(name: str, text: Callable[[str], str]) -> Callable[[str], tuple[Memory, Work]]:
    """Return a source that is one file of memory."""

    def made(secret: str) -> tuple[Memory, Work]:
        changed: dict[str, Any] = {name: Document(f".agent/{name}", text(secret))}
        return replace(Memory(), **changed), Work()

    return made


def unit(document: str, **more: object) -> Callable[[str], tuple[Memory, Work]]:
    def made(secret: str) -> tuple[Memory, Work]:
        own = InitUnit("61-own", Document(document, f"first\n{secret}\nlast\n"), **more)  # type: ignore[arg-type]
        return Memory(units=(own,)), Work()

    return made


def printed(secret: str) -> tuple[Memory, Work]:
    """Return a unit that was approved and has printed it."""
    own = InitUnit("61-own", Document(".agent/init.d/61-own.sh"), executable=True)
    output = UnitOutput("61-own", f"first\n{secret}\nlast\n")
    return Memory(units=(own,), trust=Trust(may_run=True, outputs=(output,))), Work()


def progress(secret: str) -> tuple[Memory, Work]:
    text = json.dumps({"current_task": "x", "completed": [], "in_progress": f"with {secret}", "next_steps": []})
    return Memory(state=Document(".agent/progress.json", text), state_form="progress"), Work()


def task_json(secret: str) -> tuple[Memory, Work]:
    text = json.dumps({"current_task": "x", "next": [f"with {secret}"], "completed": []}, ensure_ascii=False)
    return Memory(state=Document(".agent/state/task.json", text), state_form="task"), Work()


def hard(secret: str) -> tuple[Memory, Work]:
    rule = Rule("0" * 64, "Keep it", f"because {indented(secret)}")
    return Memory(
        decisions=Document(".agent/DECISIONS.md", "## Other\n- reason: x\n"), trust=Trust(rules=(rule,))
    ), Work()


def accepted(secret: str) -> tuple[Memory, Work]:
    was = Accepted(".agent/TASK.md", "1" * 64, f"# Task\n## Goal\n{secret}\n")
    task = Document(".agent/TASK.md", "# Task\n## Goal\nother\n", sha="2" * 64)
    return Memory(task=task, trust=Trust(contents=(was,))), Work()


def engram(secret: str) -> str:
    return f"[Task] Use {indented(secret)}\n[Progress] Wrote a.py\n[Pending] b.py\n[Taboo] none\n"


SOURCES: dict[str, Callable[[str], tuple[Memory, Work]]] = {
    "engram": file("engram", engram),
    "engram as prose": file("engram", lambda secret: f"{engram('it')}\n{secret}\n"),
    "state": file("state", lambda secret: f"# State\n## Scope\n- a\n## In progress\n- with {indented(secret)}\n"),
    "completed": file("state", lambda secret: f"## Completed\n- did {indented(secret)} (commit 8bd1a50)\n"),
    "Chinese state": file("state", lambda secret: f"## 当前范围\n- 甲\n## 下一步\n- 用{indented(secret)}\n"),
    "progress JSON": progress,
    "task JSON": task_json,
    "task": file("task", lambda secret: f"# Task\n## Goal\nWith {indented(secret)}\n"),
    "decision": file("decisions", lambda secret: f"## Use {secret.splitlines()[0]}\n- reason: {indented(secret)}\n"),
    "rejected decision": file(
        "decisions", lambda secret: f"## No\n- reason: {indented(secret)}\n- status: rejected\n- confidence: [SOFT] a\n"
    ),
    "approved rule": hard,
    "accepted task": accepted,
    "identity": file("identity", lambda secret: f"language: C\nnote: with {indented(secret)}\n"),
    "handoff": file("handoff", lambda secret: f"It was said:\n\n{secret}\n\nGo on.\n"),
    "handoff code": file("handoff", lambda secret: f"It was said:\n\n```\n{secret}\n```\n\nGo on.\n"),
    "question": file("questions", lambda secret: f"- [ ] Is it {indented(secret)}? [SOFT]\n"),
    "conventions": file("conventions", lambda secret: f"# Conventions\n{secret}\n"),
    "operation": file(
        "operations",
        lambda secret: json.dumps({"id": "op-001", "type": "run", "target": "x", "summary": f"ran {secret}"}) + "\n",
    ),
    "unit": unit(".agent/init.d/61-own.md"),
    "JSON unit": unit(".agent/init.d/61-own.json"),
    "output of a unit": printed,
    "request": lambda secret: (Memory(), Work(last_request=f"please use {secret}")),
    "call": lambda secret: (
        file("state", lambda _: "## Scope\n- a\n")("")[0],
        Work(calls_since_state=30, recent_calls=(f"run {secret}: 0",)),
    ),
    "edited file": lambda secret: (
        file("engram", lambda _: engram("it"))("")[0],
        Work(edited_since_engram=(f"a/{secret}.txt",), rounds_since_engram=1),
    ),
}  # fmt: skip

IN_NAMES: dict[str, Callable[[str], tuple[Memory, Work]]] = {
    "structure": lambda secret: (
        replace(file("handoff", lambda _: "x")("")[0], structure=("src/", f"src/{secret}.txt")), Work(),
    ),
    "name of a unit": lambda secret: (
        Memory(units=(InitUnit(f"61-{secret}", Document(f".agent/init.d/61-{secret}.md", "text")),)), Work(),
    ),
    "unreadable file": lambda secret: (
        Memory(units=(InitUnit("61-a", Document(f".agent/init.d/{secret}.md", problem="memory.unreadable")),)), Work(),
    ),
}  # fmt: skip


def restored(memory: Memory, work: Work) -> str:
    return compose(
        memory, ROOM, 10_000_000, frame=FRAME, count=lambda text: len(text) // 4, work=work, repository=Repository()
    ).text(id="abcdef")


@pytest.mark.parametrize("source", SOURCES)
def test_no_restore_text_has_a_secret(source: str) -> None:
    for name in NAMES:
        secret = example(name)
        text = restored(*SOURCES[source](secret.text))
        # Of a name only the beginning is shown.
        assert MARK in text or MARK_IN_NAME in text or "…" in text, (name, text)
        assert not secret.is_seen_in(text), (name, text)


@pytest.mark.parametrize("source", IN_NAMES)
def test_no_name_of_a_file_has_one(source: str) -> None:
    for name in TOKENS:
        secret = example(name)
        if "/" in secret.text:
            continue  # no name of a file
        text = restored(*IN_NAMES[source](secret.text))
        assert MARK_IN_NAME in text, (name, text)
        assert not secret.is_seen_in(text), (name, text)


def test_what_a_json_form_has_as_escapes_is_found_when_it_was_read() -> None:
    secret = example("GitHub")
    text = json.dumps({"current_task": secret.text}).replace("g", "\\u0067")
    assert redacted(text) == text
    memory = Memory(state=Document(".agent/progress.json", text), state_form="progress")
    assert not secret.is_seen_in(restored(memory, Work()))


def test_a_memory_without_secrets_is_the_same() -> None:
    memory = replace(Memory(), engram=Document("a", engram("it")), structure=("a", "b/"))
    clean = without_secrets(memory)
    assert clean == memory
    assert clean.engram is memory.engram
    assert work_without_secrets(Work(last_request="go on")) == Work(last_request="go on")


def test_values_of_a_command_are_looked_at_wherever_they_stand() -> None:
    secret: Example = example("Stripe")
    found = redacted_value({"a": [1, None, {"b": secret.text}], secret.text: (True, "x")})
    assert not secret.is_seen_in(json.dumps(found))
    assert found == {"a": [1, None, {"b": "[secret removed: Stripe key]"}], "[secret removed: Stripe key]": [True, "x"]}
