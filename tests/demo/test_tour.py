"""The tour: unattended after one Enter, and right in all the places where it may be shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsup.core import events as ev
from agentsup.core.memory.model import Document, Memory
from agentsup.core.restore.composition import RestoreText, compose
from agentsup.core.restore.frame import Budget, RestoreForm
from agentsup.demo.mind import Recital
from agentsup.locale import LANGUAGES, load, messages, restore_frame
from tests.demo.conftest import StartDemo, StartPlay
from tests.demo.play import Play
from tests.demo.test_log_decoder import events

SIZE = (80, 200)
ENGRAM = "[Task] Ship the parser\n[Pending] Write the lexer test\n[Taboo] No regular expressions\n[Taboo] No globals\n"


def composed(engram: str, language: str, occasion: RestoreForm) -> RestoreText:
    memory = Memory(engram=Document(".agent/engram.md", engram))
    return compose(memory, Budget(), None, frame=restore_frame(language), count=len, occasion=occasion)


def restore(engram: str = ENGRAM, language: str = "en", *, interrupted: bool = True) -> str:
    """Return a restore text as agentsup types it."""
    return composed(engram, language, "compaction").text(id="ab12cd", number=2, then="go-on" if interrupted else "wait")


def compacted(play: StartPlay, **setup: object) -> Play:
    """Return a tour up to the moment in which it has forgotten, and waits."""
    agent = play(size=SIZE, **setup)
    agent.type("\r")
    while not any(state == "done" for _, state in agent.reports()):
        agent.advance(100)
    return agent


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_runs_by_itself_after_one_enter(play: StartPlay, language: str) -> None:
    agent = play(size=SIZE, language=language)
    texts = {key.removeprefix("demo.tour."): text for key, text in messages(language).items()}
    squeezed = "".join(agent.text().split())
    assert "".join(messages(language)["demo.placeholder-tour"].split()) in squeezed
    agent.type("\r")
    agent.advance(60_000)
    agent.advance(120_000)
    shown = "".join(agent.text().replace("│ ", "").split())
    # In this order: finished and rejected, compacted, forgotten, recited, done rightly.
    parts = (
        "prompt",
        "plan",
        "rejected",
        "note-full",
        "amnesia",
        "note-wrong",
        "not-supervised",
        "go-on",
        "done",
        "end",
    )
    places = [shown.find("".join(texts[part].split())) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    assert agent.reports()[-1][1] == "done"


def test_it_takes_less_than_two_minutes_and_time_enough_to_read(play: StartPlay) -> None:
    agent = play(size=SIZE)
    agent.type("\r")
    agent.advance(200_000)
    last = agent.timed_log()[-1]
    assert last["type"] == "turn_ended"
    assert 70_000 < last["time"] < 120_000


def test_its_context_grows_is_compacted_and_is_never_more_than_full(play: StartPlay) -> None:
    agent = play(size=SIZE)
    agent.type("\r")
    agent.advance(200_000)
    found = events(agent)
    used = [event.used for event in found if isinstance(event, ev.TokensReported)]
    assert all(isinstance(count, int) and count < 40_000 for count in used)
    compaction = next(event for event in found if isinstance(event, ev.Compacted))
    assert (compaction.before, compaction.after, compaction.trigger, compaction.mid_turn) == (
        37_300,
        6_200,
        "auto",
        True,
    )
    before = used[: used.index(37_300) + 1]
    assert before == sorted(before, key=lambda count: count or 0)


def test_a_restore_text_makes_it_recite_and_go_on(play: StartPlay) -> None:
    agent = compacted(play)
    agent.paste(restore())
    agent.type("\r")
    agent.advance(60_000)
    said = "\n".join(record["text"] for record in agent.of("assistant"))
    assert (
        "My task: Ship the parser\nNext: Write the lexer test\nTaboo: No regular expressions\nTaboo: No globals" in said
    )
    assert "That is your project's own memory" in said
    assert "not watch over" not in agent.text()
    assert [record["text"] for record in agent.of("user")][1] == restore()
    assert len(agent.of("turn_started")) == 2


def test_with_its_own_engram_it_goes_on_with_its_own_task(play: StartPlay) -> None:
    agent = compacted(play)
    agent.paste(restore(messages("en")["demo.tour.engram"]))
    agent.type("\r")
    agent.advance(60_000)
    said = [record["text"] for record in agent.of("assistant")]
    assert messages("en")["demo.tour.done"] == said[-1]
    targets = [record["target"] for record in agent.of("tool")]
    assert targets.count("src/retry.py") == 1  # written once, not again


def test_it_waits_where_the_restore_text_says_so(play: StartPlay) -> None:
    agent = play(size=SIZE)
    agent.type("/compact\r")
    agent.advance(3000)
    agent.type("go on\r")
    agent.advance(20_000)
    assert "from scratch" in agent.of("assistant")[-1]["text"]
    agent.paste(restore(interrupted=False))
    agent.type("\r")
    agent.advance(60_000)
    assert agent.of("assistant")[-1]["text"].startswith("My task: Ship the parser")
    assert len(agent.of("turn_started")) == 3
    agent.type("go on\r")
    agent.advance(20_000)
    assert "from scratch" not in agent.of("assistant")[-1]["text"]


@pytest.mark.parametrize(
    ("supervised", "says", "wait"),
    [(False, "does not watch over", 3_000), (True, "No restore text has arrived", 20_000)],
)
def test_where_no_restore_text_comes_it_says_why(
    play: StartPlay, tmp_path: Path, supervised: bool, says: str, wait: int
) -> None:
    before = sorted(tmp_path.rglob("*"))
    agent = compacted(play, environment={"AGENTSUP_SESSION": "x" if supervised else ""})
    agent.advance(wait - 200)
    assert says not in " ".join(agent.text().replace("│ ", "").split())
    agent.advance(400)
    assert says in " ".join(agent.text().replace("│ ", "").split())
    agent.advance(60_000)
    new = set(tmp_path.rglob("*")) - set(before)
    assert {path.parent.name for path in new if path.is_file()} == {"conversations"}  # its log, and nothing else


def test_the_wait_for_a_restore_text_is_as_long_at_any_speed(play: StartPlay) -> None:
    agent = compacted(play, environment={"AGENTSUP_SESSION": "x"}, speed=50)
    agent.advance(19_000)
    assert "No restore text has arrived" not in " ".join(agent.text().replace("│ ", "").split())


def test_a_prompt_before_the_tour_is_answered_and_enter_still_begins_it(play: StartPlay) -> None:
    agent = play(size=SIZE)
    agent.type("hello\r")
    agent.advance(20_000)
    agent.type("\r")
    agent.advance(1000)
    assert [record["source"] for record in agent.of("user")] == ["typed", "tour"]
    agent.advance(200_000)
    agent.type("\r")
    agent.advance(1000)
    assert len(agent.of("user")) == 2
    agent.type("/tour\r")
    agent.advance(200_000)
    assert len(agent.of("compacted")) == 2


def test_prompts_fill_the_context_until_it_compacts(play: StartPlay) -> None:
    agent = play(size=SIZE)
    for number in range(9):
        agent.type(f"prompt {number}\r")
        agent.advance(20_000)
    assert len(agent.of("compacted")) == 1


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("spoken", LANGUAGES)
def test_restore_texts_are_recognised_in_every_language(language: str, spoken: str) -> None:
    recital = Recital(load(spoken))
    for interrupted in (False, True):
        text = restore(language=language, interrupted=interrupted)
        assert recital.is_restore(text)
        assert recital.wants_more(text) is interrupted
    cold = composed(ENGRAM, language, "cold-start").text(id="ab12cd")
    assert recital.is_restore(cold)
    assert not recital.is_restore(f"Look at this:\n{cold}")
    assert not recital.is_restore("Restored from disk by agentsup")


@pytest.mark.parametrize(("language", "end"), [("en_GB.UTF-8", "That was the tour."), ("zh_CN.UTF-8", "导览结束。")])
def test_the_real_program_shows_it_fast(demo: StartDemo, language: str, end: str) -> None:
    agent = demo(None, "--speed", "200", environment={"LANG": language})
    agent.wait_empty()
    agent.write("\r")
    agent.wait_text(end)
    agent.wait_empty()
    assert [record["type"] for record in agent.log("turn_started", "compacted", "turn_ended")] == [
        "turn_started", "compacted", "turn_ended", "turn_started", "turn_ended",
    ]  # fmt: skip


def test_asked_to_wait_it_says_so_and_the_tour_goes_on(play: StartPlay) -> None:
    agent = compacted(play)
    agent.paste(restore(messages("en")["demo.tour.engram"], interrupted=False))
    agent.type("\r")
    agent.advance(60_000)
    shown = " ".join(agent.text().replace("│ ", "").split())
    places = [shown.find(messages("en")[f"demo.tour.{name}"]) for name in ("note-waits", "note-recovered", "done")]
    assert -1 not in places
    assert places == sorted(places)
