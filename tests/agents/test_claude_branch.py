"""What Claude Code took back is known by what its next prompt follows, and nothing else is ever taken for that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentsup.agents import claude_branch
from agentsup.agents.claude_log import ClaudeLog
from agentsup.core import events as ev

LOGS = Path(__file__).parent.parent / "data" / "claude" / "logs"
RESTORE = "Restored from disk by agentsup (restore bcdfgh)\n\nthe memory"


def line(type: str, uuid: str, follows: str | None, **fields: Any) -> bytes:
    common = {"parentUuid": follows, "isSidechain": False, "uuid": uuid, "timestamp": "2026-12-01T12:29:07.918Z"}
    return json.dumps(common | {"type": type} | fields, separators=(",", ":")).encode()


def prompt(uuid: str, follows: str | None, text: str, source: str = "typed", **fields: Any) -> bytes:
    return line("user", uuid, follows, promptSource=source, message={"role": "user", "content": text}, **fields)


def context(uuid: str, follows: str | None, text: str = RESTORE) -> bytes:
    return line("attachment", uuid, follows, attachment={"type": "hook_additional_context", "content": [text]})


def other(uuid: str, follows: str | None, **fields: Any) -> bytes:
    return line("attachment", uuid, follows, attachment={"type": "prompt_snapshot", "tools": ["x"]}, **fields)


def answer(uuid: str, follows: str | None, **fields: Any) -> bytes:
    return line("assistant", uuid, follows, message={"id": uuid, "model": "m", "content": []}, **fields)


def over(uuid: str, follows: str | None) -> bytes:
    return line("system", uuid, follows, subtype="turn_duration")


def compacted(uuid: str, *kept: str, trigger: str = "auto") -> bytes:
    names = dict(zip(("headUuid", "anchorUuid", "tailUuid"), kept, strict=False))
    segment = {"preservedSegment": names} if kept else {}
    return line("system", uuid, None, subtype="compact_boundary", compactMetadata={"trigger": trigger, **segment})


def summary(uuid: str, follows: str) -> bytes:
    return line("user", uuid, follows, isCompactSummary=True, message={"role": "user", "content": "In short: words."})


def taken_back(*lines: bytes) -> list[tuple[tuple[str, ...], str]]:
    log = ClaudeLog()
    events = [event for each in lines for event in log.decode(each)]
    return [(event.texts, event.compaction) for event in events if isinstance(event, ev.TurnTakenBack)]


DONE = (prompt("p1", None, "fill it"), other("x1", "p1"), answer("a1", "x1"), over("o1", "a1"))
AT_A_TURNS_START = (
    *DONE, prompt("p2", "o1", "go on"), compacted("c1", "a1", "s1", "p2"), summary("s1", "c1"), other("x2", "s1"),
    context("h1", "x2"), other("x3", "h1"),
)  # fmt: skip
"""As it was seen: an automatic compaction at the start of a turn, its restore by a hook, then Esc."""
BY_COMMAND = (
    *DONE, compacted("c1", "a1", "s1", "o1", trigger="manual"), summary("s1", "c1"), other("x2", "s1"),
)  # fmt: skip


def test_a_restore_at_a_turns_start_is_gone_and_its_compaction_is_not() -> None:
    assert taken_back(*AT_A_TURNS_START, prompt("p3", "o1", "go on")) == [((RESTORE,), "c1")]
    # It is told once, and other words than before are told too.
    again = prompt("p3", "o1", "go on, please"), prompt("p4", "o1", "go away")
    assert taken_back(*AT_A_TURNS_START, *again) == [((RESTORE,), "c1"), (("go on, please",), "c1")]


def test_a_typed_restore_is_gone_unless_it_is_sent_as_it_stood() -> None:
    typed = *BY_COMMAND, prompt("p2", "x2", RESTORE), other("x3", "p2")
    assert taken_back(*typed, prompt("p3", "x2", "go on")) == [((RESTORE,), "c1")]
    assert taken_back(*typed, prompt("p3", "x2", RESTORE)) == []
    assert taken_back(*typed, prompt("p3", "x2", f"{RESTORE} Please.")) == []
    local = line("system", "l1", "x2", subtype="local_command", content="<command-name>/cost</command-name>")
    assert taken_back(*typed, local, prompt("p3", "l1", "go on")) == [((RESTORE,), "c1")]
    first = prompt("p1", None, RESTORE), other("x1", "p1")
    assert taken_back(*first, prompt("p2", None, "go on")) == [((RESTORE,), "")]


def test_what_a_hook_brings_before_the_prompt_stays() -> None:
    brought = *BY_COMMAND, context("h1", "x2"), prompt("p2", "h1", "go on"), other("x3", "p2")
    assert taken_back(*brought, prompt("p3", "h1", "go on")) == []
    assert taken_back(*brought, prompt("p3", "h1", "go away")) == [(("go on",), "c1")]


@pytest.mark.parametrize(
    "after",
    [
        (answer("a2", "x3"), over("o2", "a2"), prompt("p3", "o2", "next")),
        (answer("a2", "x3", isApiErrorMessage=True), prompt("p3", "a2", "next")),
        (prompt("p3", "x3", "next"),),
        (prompt("p3", "x3", "<task-notification>", source="system"),),
        (answer("a2", "x3"), prompt("p3", "o1", "next")),  # a person went back to before what was answered
        (prompt("p3", "o1", "next", isSidechain=True),),
        (prompt("p3", "unknown", "next"),),
        (context("h2", "x3", " "), other("x9", "h2", isSidechain=True), prompt("p3", "h2", "next")),
        (b'{"type":"attachment","parentUuid":7}', b'{"parentUuid":"o1', prompt("p3", "x3", "next")),
    ],
)  # fmt: skip
def test_what_is_no_turn_taken_back(after: tuple[bytes, ...]) -> None:
    log = ClaudeLog()
    events: list[ev.Event] = []
    for each in (*AT_A_TURNS_START, *after):
        events += log.decode(each)
    assert not [event for event in events if isinstance(event, ev.TurnTakenBack)]


def test_what_was_compacted_meanwhile_is_not_taken_back() -> None:
    typed = *BY_COMMAND, prompt("p2", "x2", RESTORE), other("x3", "p2")
    assert taken_back(*typed, compacted("c2"), summary("s2", "c2"), prompt("p3", "s2", "go on")) == []
    kept = compacted("c2", "a1", "s2", "p2"), summary("s2", "c2"), other("x4", "s2")
    assert taken_back(*typed, *kept, prompt("p3", "x4", "go on")) == []
    assert taken_back(*typed, *kept, prompt("p3", "x2", "go on")) == [((RESTORE,), "c2")]


def test_who_goes_back_to_before_a_compaction_goes_on_without_it() -> None:
    before = prompt("p0", None, "hello"), answer("a0", "p0"), over("o0", "a0"), prompt("p1", "o0", "fill it")
    assert taken_back(*before, *AT_A_TURNS_START[1:], prompt("p3", "o0", "else")) == [(("go on", RESTORE), "")]


def test_a_line_that_was_not_read_makes_nothing_gone() -> None:
    # `x2` was too long: what stood before it may be before this prompt too.
    lines = *DONE, prompt("p2", "o1", RESTORE), other("x3", "x2"), prompt("p3", "x3", "go on")
    assert taken_back(*lines) == []


def test_only_so_many_records_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_branch, "RECORDS_MOST", 4)
    monkeypatch.setattr(claude_branch, "TEXTS_MOST", 2)
    many = [context(f"h{number}", f"h{number - 1}", f"text {number}") for number in range(1, 9)]
    assert taken_back(prompt("h0", None, "go"), *many, prompt("p", "h7", "else")) == [(("text 8",), "")]
    assert taken_back(prompt("h0", None, "go"), *many, prompt("p", "h2", "else")) == []
    assert taken_back(compacted("c1"), *many, prompt("p", "h7", "else")) == [(("text 8",), "c1")]


@pytest.mark.parametrize("path", sorted(LOGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_nobody_took_a_turn_back_in_a_recording(path: Path) -> None:
    assert taken_back(*path.read_bytes().splitlines()) == []
