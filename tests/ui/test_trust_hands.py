"""Whose keys they are: whatever somebody types for the agent, nothing is approved; a person who answers can."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentsup.ui.trust_hands import PAUSE, PROSE, Hands

NAMES = {" ": "space", "\n": "enter", ".": "full_stop", ",": "comma"}
SHOWN = 100.0
PAGES = 4

LINES = (
    "fix the tests please in calc", "yes", "y", "yes, all of them", " y", "  ", "2 files are left", "1", "run it",
    "please run the tests and approve the changes ", "say yes to all ", "try again", "you may go on", "- yes", "",
    "请修复 calc 的测试", "好的 继续", "是 y", "运行 测试", " 然后 yes", "我们用 Decimal，从不用 float", "　好",
)  # fmt: skip
PROMPTS = st.lists(st.sampled_from(LINES), min_size=1, max_size=5).map(lambda lines: "".join(f"{x}\n" for x in lines))
TYPED = PROMPTS | st.text(st.sampled_from("y y yes\n\n  abn1234是好　→←\t\x7f"), min_size=1, max_size=60)
ARROWS = {"→": "right", "←": "left", "\t": "tab", "\x7f": "backspace"}


class Person:
    """Somebody at the dialog, as far as it knows what is chosen: their keys and times, and what came of it."""

    def __init__(self) -> None:
        self.hands = Hands()
        self.hands.shown(SHOWN)
        self.chosen = False
        self.approved = False

    def type(self, keys: Iterable[tuple[str, float]]) -> None:
        """Type keys at their times; the question is seen as soon as it is asked."""
        for key, at in keys:
            self.wait(at)
            match self.hands.key(key, at, pages=PAGES):
                case "change":
                    self.chosen = not self.chosen
                case "yes":
                    self.chosen = True
                case "no" | "prose":
                    self.chosen = False
                case "enter" if self.chosen:
                    self.hands.ask(at)

    def wait(self, until: float) -> None:
        """Let time pass: whatever would be recorded by then is."""
        if self.hands.approves(until):
            assert self.chosen
            self.approved = True
            self.hands.stop_asking()


def named(text: str) -> list[str]:
    return [NAMES.get(character) or ARROWS.get(character) or character for character in text]


def typed(person: Person, text: str, pauses: Sequence[float], begin: float) -> None:
    at = begin
    for key, pause in zip(named(text), pauses, strict=True):
        person.type([(key, at)])
        at += pause
    person.wait(at + 60)


@given(st.data(), TYPED, st.floats(-1, 5))
def test_what_is_typed_at_any_usual_speed_approves_nothing(data: st.DataObject, text: str, begin: float) -> None:
    person = Person()
    pause = st.floats(0, 0.3)
    typed(person, text, data.draw(st.lists(pause, min_size=len(text), max_size=len(text))), SHOWN + begin)
    assert not person.approved


@given(TYPED, st.floats(-1, 5))
@example(" \ny\n", 2.0)
@example("→\ny", 2.0)
def test_what_comes_in_one_burst_approves_nothing(text: str, begin: float) -> None:
    person = Person()
    typed(person, text, [0.0] * len(text), SHOWN + begin)
    assert not person.approved


@given(st.integers(), PROMPTS.map(str.lstrip).filter(bool), st.floats(-1, 5))
def test_who_seeks_each_key_approves_nothing_either(seed: int, text: str, begin: float) -> None:
    chooser, person = random.Random(seed), Person()
    if text[0] == "\n" or not text.strip():
        return
    typed(person, text, [chooser.uniform(0, PROSE - 0.1) for _ in text], SHOWN + begin)
    assert not person.approved


@given(st.floats(PAUSE, 60), st.floats(PAUSE, 60), st.floats(PAUSE, 60), st.sampled_from(["space", "right"]))
def test_a_choice_then_enter_then_y_approves(first: float, second: float, third: float, key: str) -> None:
    person = Person()
    at = SHOWN + first + 0.001
    person.type([(key, at), ("enter", at + second), ("y", at + second + third)])
    assert not person.approved
    person.wait(at + second + third + PAUSE / 2)
    assert not person.approved
    person.wait(at + second + third + PAUSE + 0.001)
    assert person.approved


@pytest.mark.parametrize(
    "keys",
    [
        [("space", 1), ("enter", 2), ("y", 2.3)],
        [("space", 1), ("enter", 2), ("enter", 3), ("y", 4)],
        [("space", 1), ("enter", 2), ("y", 4), ("e", 4.3), ("s", 4.5)],
        [("space", 1), ("enter", 2), ("y", 4), ("enter", 4.3)],
        [("space", 1), ("enter", 2), ("down", 3.8), ("y", 4)],
        [("space", 1), ("enter", 2), ("n", 3), ("enter", 6), ("y", 7)],
        [("space", 1), ("a", 1.4), ("enter", 2), ("y", 4)],
        [("a", 1), ("space", 1.4), ("enter", 2), ("y", 4)],
        [("space", 1), ("2", 1.4), ("enter", 4), ("y", 5)],
        [("2", 1), ("space", 1.4), ("enter", 4), ("y", 5)],
        [("space", 1), ("y", 2)],
        [("space", 1), ("enter", 2)],
        [("space", 1), ("enter", 2), ("space", 3)],
        [("enter", 1), ("y", 2)],
        [("space", 1), *[("space", 1.3 + n / 30) for n in range(9)], ("enter", 3), ("y", 4)],
        [("space", 1), *[("space", 1.3 + n / 30) for n in range(8)], ("enter", 3), ("y", 4)],
        [("x", 1), ("enter", 2.5), ("space", 4), ("enter", 5.5), ("y", 7)],
        [("space", 1), ("enter", 2), ("Y", 4)],
    ],
    ids=lambda keys: " ".join(key for key, _ in keys),
)
def test_nothing_less_approves(keys: list[tuple[str, float]]) -> None:
    person = Person()
    person.type((key, SHOWN + at) for key, at in keys)
    person.wait(SHOWN + 60)
    assert not person.approved


def test_a_y_that_is_held_down_is_one() -> None:
    person = Person()
    person.type([("space", SHOWN + 1), ("enter", SHOWN + 2), *[("y", SHOWN + 3 + n / 30) for n in range(30)]])
    person.wait(SHOWN + 10)
    assert person.approved


def test_no_y_counts_before_the_question_could_be_seen() -> None:
    hands = Hands()
    hands.shown(SHOWN)
    assert hands.key("space", SHOWN + 1, pages=1) == "change"
    assert hands.key("enter", SHOWN + 2, pages=1) == "enter"
    hands.ask(SHOWN + 5)  # drawn so late
    assert hands.key("y", SHOWN + 5.4, pages=1) == "prose"


def test_after_text_and_a_rest_a_person_can_answer() -> None:
    person = Person()
    person.type([("x", SHOWN + 1)])
    begin = SHOWN + 1 + PROSE
    person.type([("space", begin), ("enter", begin + 1), ("y", begin + 2)])
    person.wait(begin + 3)
    assert person.approved


def test_who_typed_before_it_was_shown_is_typing_still() -> None:
    hands = Hands()
    hands.text(SHOWN - 0.2)
    hands.shown(SHOWN)
    assert hands.key("space", SHOWN + 1, pages=1) == "unheard"


def test_escape_leaves_also_while_text_is_typed() -> None:
    hands = Hands()
    hands.shown(SHOWN)
    assert hands.key("escape", SHOWN + 0.1, pages=1) == "unheard"
    assert hands.key("x", SHOWN + 1, pages=1) == "prose"
    assert hands.key("escape", SHOWN + 1.1, pages=1) == "leave"


def test_a_digit_is_a_page_only_where_there_is_one() -> None:
    hands = Hands()
    hands.shown(SHOWN)
    assert [hands.key(key, SHOWN + 1, pages=2) for key in ("1", "2", "3", "12", "")] == ["page"] * 2 + ["prose"] * 3


def test_a_click_chooses_like_a_key_and_answers_no_question() -> None:
    hands = Hands()
    hands.shown(SHOWN)
    assert not hands.click(SHOWN + 0.3)
    assert hands.click(SHOWN + 1)
    hands.key("enter", SHOWN + 2, pages=1)
    hands.ask(SHOWN + 2)
    hands.key("y", SHOWN + 4, pages=1)
    hands.click(SHOWN + 4.2)
    assert not hands.approves(SHOWN + 60)
    hands.text(SHOWN + 5)
    assert not hands.click(SHOWN + 6)
