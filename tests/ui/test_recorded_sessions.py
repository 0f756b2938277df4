"""From the recorded logs of the real agents to the panels: no agent, no network, and nothing in between left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.content import Content

from agentsup.agents.adapter import LogDecoder
from agentsup.agents.claude_log import ClaudeLog
from agentsup.agents.codex_log import CodexLog
from agentsup.core import events as ev
from agentsup.core.session import Agent, Session, apply, failed_compaction
from agentsup.locale import load
from agentsup.ui.panels.engram import engram
from agentsup.ui.panels.gauge import gauge
from agentsup.ui.panels.state import state
from agentsup.ui.status_bar import status_line

DATA = Path(__file__).parent.parent / "data"
ENGLISH = load("en")

DECODERS: dict[str, Callable[[], LogDecoder]] = {"codex": CodexLog, "claude": ClaudeLog}
BEFORE: dict[str, list[ev.Event]] = {
    "codex": [ev.CompactionLimitKnown(0, 36_000)],
    "claude": [ev.WindowReported(0, 1_000_000), ev.CompactionLimitKnown(0, 967_000)],
}
"""What the host knows beside the log: Claude Code's window is told to its status line."""

FINAL = {
    "codex/approval": ("16 %", "6.2k / 38k · compacts in 29.8k", "turns 1 · compacted 0"),
    "codex/auto_compact": ("18 %", "7k / 38k · compacts in 29k", "turns 3 · compacted 2 · last 22.6k → 8.1k"),
    "codex/daemon_mode": ("43 %", "16.5k / 38k · compacts in 19.5k", "turns 3 · compacted 0"),
    "codex/hooks_auto_compact": ("20 %", "7.7k / 38k · compacts in 28.3k", "turns 1 · compacted 1 · last 21.6k → 8.1k"),
    "codex/hooks_manual_compact": (
        "19 %",
        "7.3k / 38k · compacts in 28.7k",
        "turns 2 · compacted 1 · last 17.1k → 8.1k",
    ),
    "codex/manual_compact": ("19 %", "7.3k / 38k · compacts in 28.7k", "turns 2 · compacted 1 · last 17.1k → 8.1k"),
    "codex/plain": ("19 %", "7.2k / 38k · compacts in 28.8k", "turns 2 · compacted 0"),
    "codex/remote_compact": ("19 %", "7.3k / 38k · compacts in 28.7k", "turns 2 · compacted 1 · last 17.1k → 8k"),
    "codex/tools_interrupt": ("26 %", "9.9k / 38k · compacts in 26.1k", "turns 4 · compacted 0"),
    "claude/after_clear": ("2 %", "21k / 1M · compacts in 946k", "turns 1 · compacted 0"),
    "claude/auto_compact_twice": ("2 %", "21k / 1M · compacts in 946k", "turns 5 · compacted 2 · last 190k → 3k"),
    "claude/plain": ("2 %", "21k / 1M · compacts in 946k", "turns 1 · compacted 0"),
    "claude/tools_subagent_interrupt_manual_compact": (
        "2 %",
        "21k / 1M · compacts in 946k",
        "turns 7 · compacted 1 · last 26k → 3.1k",
    ),
}
SPENT = {
    "codex/approval": (12_300, 0, 70),
    "codex/auto_compact": (133_900, 39_000, 1_240),
    "codex/daemon_mode": (47_500, 0, 30),
    "codex/hooks_auto_compact": (82_800, 32_000, 840),
    "codex/hooks_manual_compact": (56_600, 15_000, 540),
    "codex/manual_compact": (56_600, 15_000, 540),
    "codex/plain": (13_300, 6_000, 210),
    "codex/remote_compact": (39_400, 15_000, 300),
    "codex/tools_interrupt": (49_700, 29_000, 500),
    "claude/after_clear": (21_000, 19_997, 13),
    "claude/auto_compact_twice": (432_000, 406_982, 79),
    "claude/plain": (21_000, 19_997, 13),
    "claude/tools_subagent_interrupt_manual_compact": (304_000, 290_961, 181),
}


def replay(name: str) -> Iterator[tuple[ev.Event, Session]]:
    """Yield every event of a recording with the session after it."""
    agent, _, log = name.partition("/")
    session = Session("s", "/project", Agent(agent))
    decoder = DECODERS[agent]()
    events: list[ev.Event] = [ev.AgentStarted(0, 1), ev.ConversationIdentified(0, name, name), *BEFORE[agent]]
    for line in (DATA / agent / "logs" / f"{log}.jsonl").read_bytes().splitlines():
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
    recorded = {f"{agent}/{path.stem}" for agent in DECODERS for path in (DATA / agent / "logs").glob("*.jsonl")}
    assert recorded - {"claude/subagent"} == set(FINAL) == set(SPENT)


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
    assert session.spent == ev.Spent(*SPENT[name], at_least=name.startswith("claude/"))
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
