"""Rounds of recorded logs: each leads to the line that asked for it and to the last thing that was said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from agentsup.agents.registry import adapter_for
from agentsup.core import events as ev
from agentsup.core.line_cutter import LineCutter
from agentsup.core.rounds import Place, Round, Rounds, after
from agentsup.core.session import Agent, Session, apply
from agentsup.tokens import guess

DATA = Path(__file__).parent.parent / "data"


class Read(NamedTuple):
    """The rounds of a log, and what its events say of each."""

    rounds: list[Round]
    asked: list[str]
    said: list[str]


def read(agent: str, path: Path) -> Read:
    """Fold a log's events into rounds, and take down the first request and the last answer of each."""
    session, known, cutter, decoder = (
        Session("a", "/p", Agent(agent)),
        Rounds(),
        LineCutter(),
        adapter_for(agent).decoder(),
    )
    found = Read([], [], [])
    lines = cutter.cut(path.read_bytes())
    for (line, _), start in zip(lines, cutter.starts, strict=True):
        for event in decoder.decode(line):
            session = apply(session, event)
            known, told = after(known, event, session, at=Place(str(path), start), count=guess)
            found.rounds.extend(each for each in told if isinstance(each, Round))
            match event:
                case ev.TurnStarted(asked=True):
                    found.asked.append("")
                    found.said.append("")
                case ev.UserMessageRecorded() if known.running is not None:
                    found.asked[-1] = found.asked[-1] or event.text
                case ev.AgentMessageRecorded() if known.running is not None:
                    found.said[-1] = event.text
                case _:
                    pass
    return found


def line_at(place: Place | None) -> str:
    """Return the line of a reference, with its JSON escapes undone."""
    assert place is not None
    with open(place.log, "rb") as log:
        log.seek(place.offset)
        return json.dumps(json.loads(log.readline()), ensure_ascii=False)


@pytest.mark.parametrize(
    ("log", "triggers"),
    [
        ("codex/logs/auto_compact", ["auto", "", "auto"]),
        ("codex/logs/hooks_manual_compact", ["", "manual"]),
        ("codex/logs/tools_interrupt", ["", "", "", ""]),
        ("claude/logs/auto_compact_twice", ["", "", "auto", "auto", ""]),
    ],
)
def test_rounds_of_a_log(log: str, triggers: list[str]) -> None:
    found = read(log.partition("/")[0], DATA / f"{log}.jsonl")
    assert [each.trigger for each in found.rounds] == triggers
    assert len(found.asked) == len(found.rounds)
    for each, asked, said in zip(found.rounds, found.asked, found.said, strict=True):
        assert json.dumps(asked, ensure_ascii=False)[1:-1] in line_at(each.input_ref)
        assert json.dumps(said, ensure_ascii=False)[1:-1] in line_at(each.output_ref)
    figures = [(each.context_before, each.context_after) for each in found.rounds]
    assert figures[0][0] is None
    assert all(after is not None for _, after in figures)
    assert any(found.asked)
    assert any(found.said)
