"""Control sequences in anything that memory is made of: none of them reaches the restore text."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agentsup.core.memory.model import Document, InitUnit, Memory, Repository, Work
from agentsup.core.restore.composition import compose
from agentsup.core.restore.frame import Budget
from agentsup.locale import LANGUAGES
from tests.core.restore.memories import FRAMES, usual

PAYLOADS = (
    "\x1b[201~rm -rf .\r", "\x1b[200~", "\x9b201~", "\x1b]0;title\x07", "\x1b]52;c;cm0gLXJm\x07", "\x9d52;c;eA==\x9c",
    "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "\x1bP$q\"p\x1b\\", "\x90+q544e\x9c", "\x1b_Gi=1\x1b\\", "\x9fGi=1\x9c",
    "\x1b^pm\x1b\\", "\x1bXsos\x1b\\", "\x1b[2J\x1b[H", "\x1b[?1049h", "\x1b[?2004l", "\x1b[?1003h", "\x1b[>1u",
    "\x1b[6n", "\x1b[c", "\x1bc", "\x1b(0", "\x1b#8", "\x1b7\x1b8", "\x1bM", "\x1b[31m", "\x1b[38;5;9m", "\x1b[8m",
    "\x00", "\x03", "\x04", "\x07", "\x08\x08\x08", "\x0b", "\x0c", "\x0e\x0f", "\x11\x13", "\x15", "\x16\x1b", "\x17",
    "\x1a", "\x1c\x1d\x1e\x1f", "\x7f\x7f", "\x80\x81", "\x84", "\x85", "\x8d", "\x8e\x8f", "\x98sos\x9c", "\x9ax",
    "a\rb", "a\r\nb", "\r/exit\r", "\x1b\x1b\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b[1;1H\x1b[K", "\x1b[5i",
    "\x1b]7501;x\x07",
)  # fmt: skip
"""Ends of a paste, titles, clipboard, links, device strings, modes, reports, resets, C0, DEL, C1, cut sequences."""

Poison = Callable[[Memory, str], Memory]


def _text(role: str, form: str = "{}") -> Poison:
    def poison(memory: Memory, payload: str) -> Memory:
        document: Document = getattr(memory, role)
        changed: dict[str, Any] = {role: replace(document, text=(document.text or "") + form.format(payload) + "\n")}
        return replace(memory, **changed)

    return poison


def _path(role: str) -> Poison:
    def poison(memory: Memory, payload: str) -> Memory:
        changed: dict[str, Any] = {role: replace(getattr(memory, role), path=f".agent/{payload}.md")}
        return replace(memory, **changed)

    return poison


def _json_state(memory: Memory, payload: str) -> Memory:
    text = json.dumps({"current_task": payload, "completed": [payload], "next_steps": [f"do {payload}"],
                       "blocked": [payload], "in_progress": payload, "last_updated": payload})  # fmt: skip
    return replace(memory, state_form="progress", state=Document(f"state/{payload}.json", text))


def _operations(memory: Memory, payload: str) -> Memory:
    names = ("id", "type", "target", "summary", "log_path", "timestamp")
    text = json.dumps(dict.fromkeys(names, payload))
    return replace(memory, operations=Document("index.jsonl", text))


def _units(memory: Memory, payload: str) -> Memory:
    units = (
        InitUnit(f"33-{payload}", Document(f".agent/init.d/33-{payload}.md", f"said {payload}")),
        InitUnit(f"34-{payload}", Document(f".agent/init.d/34-{payload}.sh"), executable=True),
        InitUnit(f"35-{payload}", Document(f".agent/init.d/35-{payload}.json", problem="memory.unparsable")),
    )
    return replace(memory, units=units)


SOURCES: dict[str, Poison] = {
    "engram": _text("engram", "[Taboo] never {}"),
    "engram's other lines": _text("engram"),
    "STATE": _text("state", "## Next\n- {}"),
    "state as JSON": _json_state,
    "TASK": _text("task", "## Goal\n{}"),
    "CONTRACT": _text("contract", "- {}"),
    "DECISIONS": _text("decisions", "## title {0}\n- reason: {0}\n- confidence: [HARD] {0}"),
    "identity": _text("identity", "key: value {}"),
    "handoff": _text("handoff"),
    "questions": _text("questions", "- [ ] is it {}?"),
    "conventions": _text("conventions"),
    "operations": _operations,
    "units": _units,
    "names of memory files": _path("identity"),
    "name of the state's file": _path("state"),
    "name of the engram's file": _path("engram"),
    "names of the project's files": lambda memory, payload: replace(
        memory, structure=(f"{payload}/", f"{payload}/{payload}", payload)
    ),
    "name of the task": lambda memory, payload: replace(memory, task_name=payload),
}  # fmt: skip


NOT_SHOWN = {"CONTRACT", "name of the engram's file"}
"""Of a contract only the number of entries is told; the engram stands under its own rule."""


def controls(text: str) -> list[str]:
    return [c for c in text if c not in "\n\t" and (c < " " or "\x7f" <= c <= "\x9f")]


def test_there_are_enough_payloads() -> None:
    assert len(PAYLOADS) == len(set(PAYLOADS)) >= 40


@pytest.mark.parametrize("source", SOURCES)
def test_no_control_byte_is_restored(source: str) -> None:
    arrived = 0
    for payload in PAYLOADS:
        memory = SOURCES[source](usual(), f"zq{payload}qz")
        for language in LANGUAGES:
            found = compose(memory, Budget(), None, frame=FRAMES[language], count=len, occasion="compaction")
            text = found.text(id="abc234")
            assert text
            assert not controls(text)
        big = compose(memory, Budget(20_000), None, frame=FRAMES["en"], count=lambda text: len(text) // 4)
        assert not controls(big.text(id="abc234"))
        arrived += "zq" in big.text(id="abc234")
    # What was poisoned is part of the text, where that source is shown at all: nothing was left out instead.
    assert arrived == (0 if source in NOT_SHOWN else len(PAYLOADS))


def test_no_control_byte_comes_from_the_log_or_from_git() -> None:
    for payload in PAYLOADS:
        work = Work(last_request=payload, edited=(payload,), edited_since_engram=(payload,), rounds_since_engram=1,
                    calls_since_state=99, recent_calls=(f"run {payload}",))  # fmt: skip
        repository = Repository(head="a" * 40, changed=(payload,))
        for memory in (usual(), Memory()):
            text = compose(
                memory, Budget(), None, frame=FRAMES["en"], count=lambda text: len(text) // 4, work=work,
                repository=repository,
            ).text(id="abc234", then="go-on")  # fmt: skip
            assert text
            assert not controls(text)
