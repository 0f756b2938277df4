"""An event as one line: nothing in it can do anything to the terminal or to whoever reads the JSON."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agentsup.cli.commands import events
from agentsup.cli.event_lines import as_json, as_line
from agentsup.core import events as ev

EVIL = "a\x1b[31m[bold]b\x9b2J\r\nc\u202ed\u2028e\x00\x7f"
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def told(event: ev.Event) -> str:
    return as_line(event, None)[len("2026-11-29 22:03:08  ") :]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (ev.TurnStarted(1.0, "id"), "TurnStarted"),
        (ev.TurnStarted(1.0, "id", asked=False), "TurnStarted           asked=no"),
        (ev.TurnEnded(1.0, "id", "[b]done[/b]\n\tnow", interrupted=True),
         "TurnEnded             interrupted=yes [b]done[/b] now"),
        (ev.TokensReported(1.0, 21650, 38000, spent=ev.Spent(1, 2, 3)),
         "TokensReported        used=21,650 window=38,000"),
        (ev.TokensReported(1.0, None, None, "estimate", share=0.53),
         "TokensReported        source=estimate share=53%"),
        (ev.ToolUsed(1.0, "run", command=EVIL, exit_code=0),
         "ToolUsed              kind=run exit_code=0 a[31m[bold]b2J cde"),
        (ev.Compacted(1.0, "id", 21650, None, "auto", mid_turn=True),
         "Compacted             before=21,650 trigger=auto mid_turn=yes"),
        (ev.CompactionFailed(1.0, "cancelled"), "CompactionFailed      reason=cancelled"),
    ],
)  # fmt: skip
def test_an_event_in_short(event: ev.Event, line: str) -> None:
    assert told(event) == line


def test_time_is_local_and_any_time_is_shown() -> None:
    time = datetime(2026, 11, 29, 22, 3, 8).timestamp()
    assert as_line(ev.TurnStarted(time, ""), None) == "2026-11-29 22:03:08  TurnStarted"
    assert as_line(ev.TurnStarted(1e18, ""), None).split() == ["1000000000000000000", "TurnStarted"]


@pytest.mark.parametrize("width", [1, 5, 21, 30, 60, 61, 62, 200])
@pytest.mark.parametrize("text", ["short", "修复错误" * 20, "e\u0301" * 90, "x" * 300])
def test_a_line_is_cut_to_the_width_in_cells(width: int, text: str) -> None:
    line = as_line(ev.UserMessageRecorded(0.0, text), width)
    whole = as_line(ev.UserMessageRecorded(0.0, text), None)
    assert cell_len(line) <= width
    assert line == whole or line.endswith("…")
    coloured = as_line(ev.UserMessageRecorded(0.0, text), width, coloured=True)
    assert re.sub(r"\x1b\[\dm", "", coloured) == line


@given(st.text() | st.just(EVIL))
def test_no_control_character_gets_out(text: str) -> None:
    event = ev.TurnEnded(0.0, text, text)
    assert not CONTROLS.search(as_line(event, None))
    line = as_json(event)
    assert not CONTROLS.search(line)
    assert json.loads(line) == {
        "event": "TurnEnded", "time": 0.0, "turn": text, "message": text, "interrupted": False,
    }  # fmt: skip


def test_json_keeps_letters_as_they_are() -> None:
    assert '"text": "修复 é"' in as_json(ev.UserMessageRecorded(0.0, "修复 é"))


@pytest.mark.parametrize(
    "kind",
    [
        ev.TurnStarted, ev.TurnEnded, ev.UserMessageRecorded, ev.TokensReported, ev.ToolUsed, ev.CompactionStarted,
        ev.Compacted, ev.CompactionFailed,
    ],
)  # fmt: skip
def test_the_manual_names_every_field(kind: type[ev.Event]) -> None:
    manual = re.split(r"\n {4}(?=[A-Z])|\n\n", events.__doc__ or "")
    (entry,) = [part for part in manual if part.split(maxsplit=1)[:1] == [kind.__name__]]
    for field in fields(kind):
        assert field.name == "time" or re.search(rf"\b{field.name}\b", entry), field.name
