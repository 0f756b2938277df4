"""From the recorded logs of the real Codex to the panels: nothing in between is left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.content import Content

from agentsup.agents.codex_log import CodexLog
from agentsup.core import events as ev
from agentsup.core.session import Agent, Session, apply, failed_compaction
from agentsup.locale import load
from agentsup.ui.panels.engram import engram
from agentsup.ui.panels.gauge import gauge
from agentsup.ui.panels.state import state
from agentsup.ui.status_bar import status_line

LOGS = Path(__file__).parent.parent / "data" / "codex" / "logs"
ENGLISH = load("en")

FINAL = {
    "approval": ("16 %", "6.2k / 38k · compacts in 29.8k", "turns 1 · compacted 0"),
    "auto_compact": ("18 %", "7k / 38k · compacts in 29k", "turns 3 · compacted 2 · last 22.6k → 8.1k"),
    "daemon_mode": ("43 %", "16.5k / 38k · compacts in 19.5k", "turns 3 · compacted 0"),
    "hooks_auto_compact": ("20 %", "7.7k / 38k · compacts in 28.3k", "turns 1 · compacted 1 · last 21.6k → 8.1k"),
    "hooks_manual_compact": ("19 %", "7.3k / 38k · compacts in 28.7k", "turns 2 · compacted 1 · last 17.1k → 8.1k"),
    "manual_compact": ("19 %", "7.3k / 38k · compacts in 28.7k", "turns 2 · compacted 1 · last 17.1k → 8.1k"),
    "plain": ("19 %", "7.2k / 38k · compacts in 28.8k", "turns 2 · compacted 0"),
    "remote_compact": ("19 %", "7.3k / 38k · compacts in 28.7k", "turns 2 · compacted 1 · last 17.1k → 8k"),
    "tools_interrupt": ("26 %", "9.9k / 38k · compacts in 26.1k", "turns 4 · compacted 0"),
}
SPENT = {
    "approval": (12_300, 0, 70), "auto_compact": (133_900, 39_000, 1_240), "daemon_mode": (47_500, 0, 30),
    "hooks_auto_compact": (82_800, 32_000, 840), "hooks_manual_compact": (56_600, 15_000, 540),
    "manual_compact": (56_600, 15_000, 540), "plain": (13_300, 6_000, 210), "remote_compact": (39_400, 15_000, 300),
    "tools_interrupt": (49_700, 29_000, 500),
}  # fmt: skip


def replay(name: str) -> Iterator[tuple[ev.Event, Session]]:
    """Yield every event of a recording with the session after it."""
    session = Session("s", "/project", Agent("codex"))
    decoder = CodexLog()
    events: list[ev.Event] = [ev.AgentStarted(0, 1), ev.ConversationIdentified(0, name, name)]
    events.append(ev.CompactionLimitKnown(0, 36_000))
    for line in (LOGS / f"{name}.jsonl").read_bytes().splitlines():
        events += decoder.decode(line)
    for event in events:
        if (failed := failed_compaction(session, event)) is not None:
            session = apply(session, failed)
        session = apply(session, event)
        yield event, session


def all_panels(session: Session, width: int, height: int) -> list[str]:
    drawn = (
        gauge(session, ENGLISH, width, height),
        engram(session, ENGLISH, width, height),
        state(session, ENGLISH, width, height),
        status_line(session, ENGLISH, width, leader="Ctrl+\\"),
    )
    return [line.plain for content in drawn for line in content.wrap(width)]


def test_every_recording_is_in_the_tables() -> None:
    assert {path.stem for path in LOGS.glob("*.jsonl")} == set(FINAL) == set(SPENT)


@pytest.mark.parametrize("name", sorted(FINAL))
def test_the_final_figures(name: str) -> None:
    *_, (_, session) = replay(name)
    percent, tokens, counts = FINAL[name]
    lines = gauge(session, ENGLISH, 60, 20).plain.split("\n")
    assert lines[0].endswith(f"  {percent}")
    assert lines[1].startswith(f"{tokens}  ")
    assert lines[1].endswith("  exact")
    assert "● idle · by its log" in lines
    assert counts in lines
    assert session.spent == ev.Spent(*SPENT[name])
    assert f"context {percent}" in status_line(session, ENGLISH, 80, leader="Ctrl+\\").plain


@pytest.mark.parametrize("name", sorted(FINAL))
def test_all_panels_at_every_step(name: str) -> None:
    for event, session in replay(name):
        for width, height in ((22, 5), (28, 8), (77, 9)):
            lines = all_panels(session, width, height)
            assert max(Content(line).cell_length for line in lines) <= width
        text = gauge(session, ENGLISH, 60, 20).plain
        if isinstance(event, ev.Compacted):
            assert "stale" in text
        if isinstance(event, ev.TokensReported):
            assert "stale" not in text
            assert ("~" in text) == (event.source == "estimate")
