"""Recorded sessions of the real Codex, replayed: the screen a person saw and every reported state."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from agentsup.core.screen import Modes
from agentsup.terminal import open_engine
from agentsup.terminal.engine import StatusReported
from tests.terminal.shown import Shown

DATA = Path(__file__).parent.parent / "data" / "terminal"
CODEX_MODES = Modes(
    bracketed_paste=True,
    focus_reports=True,
    alternate_screen=True,
    mouse=1003,
    mouse_sgr=True,
    kitty_flags=7,
)


class Recorded(NamedTuple):
    """A recording and what is known of it."""

    name: str
    states: str
    screen: dict[int, str]
    """Rows of the screen when the last turn was done."""
    farewell: list[str]


RECORDINGS = [
    Recorded(
        "codex_plain",
        "idle working idle working done idle working done idle clear",
        {
            1: "  >_ OpenAI Codex (v0.171.0)",
            5: "› say hello",
            8: "• Hello! I read the demo project. There are two files: README.md and calc.py.",
            13: "› look at calc.py",
            16: "• calc.py defines add(a, b), which returns a - b; that looks like a bug.",
            18: "  Worked for <1s • 22:01",
            36: "› Ask Codex to do anything",
            38: "  GPT-5.5 medium · /tmp/demo-project · Inspect demo project",
            39: "  ← for agents · ? for shortcuts",
        },
        [
            "Token usage: total=7,510 input=7,300 (+ 6,000 cached) output=210",
            "To continue this session, run:",
            "  codex resume 01a22954-1b00-7f33-9b11-e0398e190ebf",
            "Or run codex resume and select Inspect demo project.",
        ],
    ),
    Recorded(
        "codex_approval",
        "idle working blocked/permission working done idle clear",
        {
            5: "› touch the file",
            8: "• I need approval.",
            10: "✔ You approved codex to run touch /tmp/demo-project/esc.txt this time",
            12: "• Ran touch /tmp/demo-project/esc.txt",
            13: "  └ (no output)",
            15: "• Approved and done.",
            36: "› Ask Codex to do anything",
            39: "  ← for agents · ? for shortcuts" + " " * 63 + "⚠ 1 warning · f2 to view",
        },
        [
            "Token usage: total=12,370 input=12,300 output=70",
            "To continue this session, run:",
            "  codex resume 01a22965-5de1-74e1-a276-772943bda467",
            "Or run codex resume and select Touch a file.",
        ],
    ),
    Recorded(
        "codex_auto_compact",
        "idle working done idle working done idle working done idle clear",
        {
            0: "› do all the steps",
            1: "  └ Read README.md",
            4: "• Context compacted · 1s",
            6: "• Step 4: (after auto compaction) write a note.",
            8: "• Added auto.txt (+1 -0)",
            9: "    1 +after compaction",
            12: "• Task finished after an automatic compaction.",
            17: "› second task",
            20: "• Second task answer.",
            25: "› third task",
            28: "• Context compacted · 1s",
            30: "• Third task answer, after a pre-turn compaction.",
            31: "  └ Tip: You can resume a previous conversation by running codex resume",
            33: "  Worked for 1s • 22:03",
            36: "› Ask Codex to do anything",
            38: "  GPT-5.5 medium · /tmp/demo-project · Walk through demo",
        },
        [
            "Token usage: total=96,140 input=94,900 (+ 39,000 cached) output=1,240",
            "To continue this session, run:",
            "  codex resume 01a22955-47cc-7503-878f-0b790c0ff277",
            "Or run codex resume and select Walk through demo.",
        ],
    ),
]


def output_of(name: str) -> Iterator[str]:
    """Yield what the agent wrote, piece by piece as it was read from the pty."""
    with gzip.open(DATA / f"{name}.cast.gz", "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            _time, kind, data = json.loads(line)
            if kind == "o":
                yield data


def named(report: StatusReported) -> str:
    """Return a report as the table above writes it."""
    return "/".join(report.fields[key] for key in ("state", "kind") if key in report.fields)


@pytest.mark.parametrize("recorded", RECORDINGS, ids=lambda recorded: recorded.name)
def test_a_recorded_session_is_shown_as_it_was(recorded: Recorded) -> None:
    screen = Shown(open_engine(120, 40))
    states: list[str] = []
    at_done: dict[int, str] = {}
    for data in output_of(recorded.name):
        screen.feed(data)
        states += [named(event) for event in screen.engine.events() if isinstance(event, StatusReported)]
        if states and states[-1] == "done":
            assert screen.engine.modes()._replace(synchronized=False) == CODEX_MODES
            at_done = {row: screen.text(row) for row in recorded.screen}
    assert " ".join(states) == recorded.states
    assert at_done == recorded.screen
    assert screen.texts() == recorded.farewell
    assert screen.engine.modes() == Modes()
    assert screen.engine.replies().count(b"\x1b[?62;22c") == 2


@pytest.mark.parametrize("recorded", RECORDINGS, ids=lambda recorded: recorded.name)
def test_a_recording_read_byte_by_byte_reports_the_same_states(recorded: Recorded) -> None:
    engine = open_engine(120, 40)
    for byte in "".join(output_of(recorded.name)).encode():
        engine.feed(bytes([byte]))
    assert " ".join(named(e) for e in engine.events() if isinstance(e, StatusReported)) == recorded.states
