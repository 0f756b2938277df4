"""What the adapter reads from the demo agent's screen: empty and text only where that is certain."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentsup.agents.demo import Demo
from agentsup.core.injector import Composer, one_paste, shows
from agentsup.core.screen import Screen
from agentsup.demo.painter import BEGIN, SHOW_CURSOR
from tests.demo.conftest import StartPlay
from tests.demo.play import Play

SIZES = [(80, 24), (30, 10), (20, 6)]
KINDS = ["inline", "alternate"]


def composer(agent: Play) -> Composer:
    return Demo().composer(agent.screen())


def started(play: StartPlay, kind: str, size: tuple[int, int], language: str = "en") -> Play:
    script = {
        "behaviour": {"alternate_screen": kind == "alternate"},
        "step": [
            {"prompt": "^approve", "actions": [{"approve": "rm x"}]},
            {"prompt": "^work", "actions": [{"sleep": 100_000}]},
            {"prompt": "^say", "actions": [{"say": "▸ A line\n" * 30, "delay": 0}]},
        ],
    }
    return play(script, size=size, language=language)


@pytest.fixture(params=[(kind, size) for kind in KINDS for size in SIZES], ids=str)
def agent(request: pytest.FixtureRequest, play: StartPlay) -> Play:
    return started(play, *request.param)


def test_empty_is_seen_wherever_it_is_empty(agent: Play) -> None:
    assert composer(agent) == Composer("empty")
    agent.type("say something\r")
    agent.advance(0)
    assert composer(agent) == Composer("empty")
    agent.type("x\x7f")
    assert composer(agent) == Composer("empty")
    agent.type("work\r")
    agent.type("queued\r")
    assert composer(agent) == Composer("empty")


def test_a_draft_is_read_as_it_stands(agent: Play) -> None:
    agent.type("half typed")
    assert composer(agent) == Composer("text", "half typed")
    agent.type("\n▸ second, 語\x01")
    assert composer(agent) == Composer("text", "half typed\n▸ second, 語")
    agent.type("\x1b[A")
    assert composer(agent).kind == "text"
    agent.type("\x03")
    assert composer(agent) == Composer("empty")


@pytest.mark.parametrize("keys", [" ", "\n", " \x1b[D", "\n\x1b[A", "\t\x01"])
def test_blanks_are_no_empty_composer(agent: Play, keys: str) -> None:
    agent.paste("\t") if keys.startswith("\t") else agent.type(keys)
    agent.type("\x01")
    assert composer(agent).kind == "text"


def test_a_recalled_draft_and_one_like_the_placeholder_are_text(agent: Play) -> None:
    agent.type("Type a task\r")
    agent.advance(0)
    agent.type("\x1b[A")
    assert composer(agent) == Composer("text", "Type a task")
    agent.type("\x01")
    assert composer(agent).kind == "text"


def test_popups_leave_the_draft_readable_or_unknown(agent: Play) -> None:
    for keys in ("/", "\x15see @"):
        agent.type(keys)
        assert composer(agent).kind in ("text", "unknown")


def test_dialogs_are_unknown(agent: Play) -> None:
    agent.type("draft")
    agent.type("\x03/model\r")
    assert composer(agent) == Composer()
    agent.type("\x1b")
    assert composer(agent) == Composer("empty")
    agent.type("approve\r")
    assert composer(agent) == Composer()
    agent.type("\r")
    assert composer(agent) == Composer("empty")


def test_a_paste_is_recognised_as_ours_and_no_other(agent: Play) -> None:
    text = "\n".join(f"- line {number} of a restore text" for number in range(30))
    agent.paste(text)
    # Six rows of 20 columns have no room for as much of it as is asked for.
    assert shows(composer(agent), one_paste(text)) is (agent.size != (20, 6))
    assert not shows(composer(agent), one_paste(text + "x"))
    agent.type("\x01x")
    assert not shows(composer(agent), one_paste(text))


def test_a_long_paste_is_recognised_by_its_length(agent: Play) -> None:
    agent.paste("x" * 3000)
    assert shows(composer(agent), one_paste("y" * 3000))
    assert not shows(composer(agent), one_paste("y" * 2999))
    agent.type(" more")
    assert not shows(composer(agent), one_paste("y" * 3000))
    agent.type("\x03[Pasted 3000 characters]")
    assert composer(agent).pasted is None


@pytest.mark.parametrize("kind", KINDS)
def test_the_language_does_not_matter(play: StartPlay, kind: str) -> None:
    agent = started(play, kind, (80, 24), "zh-CN")
    assert composer(agent) == Composer("empty")
    agent.paste("x" * 3000)
    assert composer(agent).pasted == 3000
    agent.type("\x03一二")
    assert composer(agent) == Composer("text", "一二")


def test_a_draft_is_read_after_a_resize(play: StartPlay) -> None:
    agent = started(play, "inline", (80, 24))
    agent.type("say it\r")
    agent.advance(0)
    agent.type("half typed")
    for size in ((30, 10), (100, 30), (80, 23), (80, 24)):
        agent.resize(*size)
        assert composer(agent) == Composer("text", "half typed"), agent.text()


def test_without_colours_it_is_the_same(play: StartPlay) -> None:
    agent = play({}, environment={"NO_COLOR": "1"})
    assert composer(agent) == Composer("empty")
    agent.paste("x" * 3000)
    assert composer(agent).pasted == 3000
    assert "38;" not in "".join(text for _, text in agent.written)


@given(st.integers(0, 90), st.integers(0, 30), st.booleans())
@example(2, 5, False)
def test_the_cursor_anywhere_else_is_no_proof(column: int, row: int, visible: bool) -> None:
    place = (column, row, visible)
    cursor = EMPTY.cursor
    moved = replace(EMPTY, cursor=cursor._replace(column=column, row=row, visible=visible))
    if place != (cursor.column, cursor.row, True):
        assert Demo().composer(moved).kind != "empty"


@pytest.mark.parametrize("kind", KINDS)
def test_a_half_drawn_frame_is_no_proof(play: StartPlay, kind: str) -> None:
    agent = started(play, kind, (80, 24))
    agent.type("say it\r")
    agent.advance(0)
    earlier, _, last = "".join(text for _, text in agent.written).rpartition(BEGIN)
    assert last.endswith(SHOW_CURSOR)
    fresh = started(play, kind, (80, 24))
    fresh.engine.feed((earlier + BEGIN).encode())
    for character in last[:-1]:
        fresh.engine.feed(character.encode())
        assert composer(fresh) == Composer()
    fresh.engine.feed(last[-1].encode())
    assert composer(fresh) == Composer("empty")


def test_no_screen_at_all_is_unknown() -> None:
    assert Demo().composer(Screen()) == Composer()


def _empty() -> Screen:
    with TemporaryDirectory() as folder:
        agent = Play(Path(folder), {})
        screen = agent.screen()
        agent.close()
        return screen


EMPTY = _empty()
