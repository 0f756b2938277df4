"""What is drawn piece by piece is what a drawing from nothing would be; inline, every line is printed once."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsup.core.screen import Row, row_text
from agentsup.demo.frames import Frames
from agentsup.demo.painter import AlternatePainter, InlinePainter, Painter, tail
from agentsup.demo.styles import Segment
from agentsup.terminal import open_engine
from tests.demo.conftest import StartPlay
from tests.demo.play import Play

SCRIPT = {"step": [
    {"prompt": "^say", "actions": [{"say": "Some words, 一些字, é.\n" * 4, "chunk": 5, "delay": 10}, {"read": "a.py"}]},
    {"prompt": "^ask", "actions": [{"approve": "rm x", "draw_after": 20}]},
    {"prompt": "^compact", "actions": [{"usage": 38_000}, {"compact": "auto", "takes": 30}]},
]}  # fmt: skip
STEPS = st.lists(
    st.sampled_from([
        "say\r", "ask\r", "compact\r", "y", "n", "\x1b", "\x1b[A", "\x1b[B", "/", "@", "\t", "\x03", "half 一半 ",
        "\x1b[200~" + "line\n" * 14 + "\x1b[201~", "\x1b[200~" + "x" * 2000 + "\x1b[201~", "\x1b[5~", "\x1b[6~",
        "/model\r", "\r", "\x01",
    ]) | st.integers(1, 120),
    max_size=25,
)  # fmt: skip
SIZES = st.sampled_from([(80, 24), (32, 9), (20, 6)])


def drawn_from_nothing(agent: Play, painter: Painter) -> tuple[list[str], object]:
    """Return rows and cursor of a fresh terminal after one frame."""
    engine = open_engine(*agent.size)
    painter.resize(*agent.size)
    engine.feed(Frames(agent.agent, painter).next().encode())
    rows = shown(engine.lines(engine.scrollback().end, engine.rows))
    cursor = engine.cursor()
    engine.close()
    return rows, cursor if cursor.visible else None


def shown(rows: list[Row]) -> list[str]:
    return [row_text(row) for row in rows]


def transcript(agent: Play) -> list[str]:
    lines = tail(agent.stage.transcript.entries, agent.size[0], 999)
    return ["".join(segment.text for segment in line).rstrip() for line in lines]


def play_through(folder: str, steps: list[str | int], size: tuple[int, int], *, alternate: bool) -> Play:
    agent = Play(Path(folder), SCRIPT | {"behaviour": {"alternate_screen": alternate}}, size=size)
    for step in steps:
        if isinstance(step, int):
            agent.advance(step)
        else:
            agent.type(step)
        if agent.stage.exit_code is not None:
            break
    return agent


@settings(deadline=None, max_examples=30)
@given(STEPS, SIZES)
def test_the_alternate_screen_is_what_it_would_be_from_nothing(steps: list[str | int], size: tuple[int, int]) -> None:
    with TemporaryDirectory() as folder:
        agent = play_through(folder, steps, size, alternate=True)
        found = agent.screen()
        banner = agent.stage.text("banner", version="0.1.0")
        rows, cursor = drawn_from_nothing(agent, AlternatePainter((Segment(banner, "bold"),), colours=True))
        assert shown(list(found.rows))[1:] == rows[1:]
        assert (found.cursor if found.cursor.visible else None) == cursor
        agent.close()


@settings(deadline=None, max_examples=30)
@given(STEPS, SIZES)
def test_inline_every_line_is_printed_once_and_in_order(steps: list[str | int], size: tuple[int, int]) -> None:
    with TemporaryDirectory() as folder:
        agent = play_through(folder, steps, size, alternate=False)
        engine = agent.engine
        everything = shown(engine.lines(0, engine.scrollback().end + engine.rows))
        lines = transcript(agent)
        if not agent.stage.transcript.entries[-1].finished:
            lines.pop()  # it is still being written, and is printed with its end
        assert everything[: len(lines)] == lines
        below = [row for row in everything[len(lines) :] if row]
        rows, cursor = drawn_from_nothing(agent, InlinePainter(colours=True))
        fresh = [row for row in rows if row]
        assert below == fresh[len(fresh) - len(below) :]
        assert agent.screen().cursor.visible is (cursor is not None)
        agent.close()


@pytest.mark.parametrize("size", [(60, 20), (100, 30), (33, 9)])
def test_inline_a_resize_shows_the_end_of_the_conversation(play: StartPlay, size: tuple[int, int]) -> None:
    agent = play(SCRIPT)
    agent.type("say\r")
    agent.advance(60)
    agent.resize(*size)
    agent.advance(5000)
    rows = [row for row in agent.text().splitlines() if row]
    above = rows[: rows.index("─" * size[0])]
    said = [line for line in transcript(agent) if line]
    assert above
    assert above == said[-len(above) :]


def test_pages_of_the_alternate_screen(play: StartPlay) -> None:
    agent = play(SCRIPT | {"behaviour": {"alternate_screen": True}}, size=(80, 16))
    for number in range(6):
        agent.type(f"say {number}\r")
        agent.advance(5000)
    newest = agent.text()
    agent.type("\x1b[5~")
    assert agent.text() != newest
    agent.type("\x1b[5~" * 50)
    assert "It plays a script file." in agent.text()
    agent.type("\x1b[6~" * 6)
    assert agent.text() == newest
