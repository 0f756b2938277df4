"""The review of what a project's memory wants: all of it is seen, and nothing is approved by mistake."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual import events
from textual.pilot import Pilot
from textual.widgets import Static

from agentsup.core.problems import Problem, RefusedProblem
from agentsup.core.session import Notice
from agentsup.core.text import legible
from agentsup.core.trust.changes import COMPARED_MOST
from agentsup.locale import load
from agentsup.store import trust_review as store
from agentsup.store.trust_review import Answer, Review
from agentsup.ui import trust_hands, trust_opening
from agentsup.ui.foreign_text import folded
from agentsup.ui.interface import Interface
from agentsup.ui.menu import leader_choices
from agentsup.ui.terminal import Terminal
from agentsup.ui.trust_pages import ROW_MOST, Choice, Row, answer_of, pages, summary
from agentsup.ui.trust_reader import Reader
from agentsup.ui.trust_review import TrustReview
from tests.ui.fake_host import FakeHost
from tests.ui.looking import interface, pressing, until
from tests.ui.scenes import CALM, EXITED
from tests.ui.trust_scenes import APPROVED, FIRST_USE, FULL, NOTHING, SCRIPTS, TAMPERED

ENGLISH = load("en")


@dataclass
class Store:
    """What stands in for the record: a review to show, and the answers to it."""

    review: Review = FULL
    answers: list[Answer] = field(default_factory=list)
    reads: int = 0
    refusal: Problem | None = None
    gate: threading.Event | None = None

    def read(self, root: Path, environment: object = None) -> Review:
        """Return the review, when it may."""
        self.reads += 1
        if self.gate is not None:
            assert self.gate.wait(20)
        return self.review

    def record(
        self, root: Path, shown: Review, answer: Answer, *, by: str, announce: Callable[[tuple[str, ...]], bool]
    ) -> None:
        """Keep an answer, or refuse it."""
        assert (root, by) == (Path(shown.root), "interface")
        if self.refusal is not None:
            raise self.refusal
        assert announce(("m1",))
        self.answers.append(answer)


@pytest.fixture(autouse=True)
def record(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Store:
    """Replace the store, and make all keys count at once."""
    kept = Store()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(store, "review", kept.read)
    monkeypatch.setattr(store, "record_answer", kept.record)
    for pause in ("PAUSE", "PROSE"):
        monkeypatch.setattr(trust_hands, pause, 0.0)
    return kept


@pytest.fixture
def first(tmp_path: Path) -> Iterator[FakeHost]:
    """Return a host of a project that nobody has answered for."""
    with FakeHost(tmp_path / "first", FIRST_USE) as fake:
        yield fake


def is_open(app: Interface) -> bool:
    """Say whether the review is shown, and has something to show."""
    return isinstance(app.screen, TrustReview) and (
        app.screen.has_class("-empty") or any(reader.position[1] for reader in app.screen.query(Reader))
    )


def words(app: Interface, part: str) -> str:
    """Return what a part of the review says."""
    return "".join(str(each.content) for each in app.screen.query(f"#trust-{part}").results(Static) if each.display)


async def opened(pilot: Pilot[object], app: Interface) -> Reader:
    """Wait for the review."""
    await until(pilot, lambda: is_open(app))
    await pilot.pause()
    return app.screen.query_one(Reader)


async def press(pilot: Pilot[object], app: Interface, keys: str) -> None:
    """Press keys; a y waits until it is asked for."""
    review = app.screen
    assert isinstance(review, TrustReview)
    for key in keys.split():
        if key == "y":
            await until(pilot, lambda: (review.hands.asked or math.inf) < math.inf)
            assert words(app, "summary").startswith("Type y to approve")
        await pilot.press(key)


# When it opens


async def test_it_opens_by_itself_at_first_use_and_only_once(first: FakeHost) -> None:
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, TrustReview))
        first.show(replace(FIRST_USE, turns=13))
        await pressing("", first)(pilot)
        assert not isinstance(app.screen, TrustReview)
        assert app.query_one(Terminal).takes_keys


async def test_it_does_not_open_by_itself_without_the_notice(host: FakeHost) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("", host)(pilot)
        host.show(replace(CALM, notices=(Notice("trust.scripts", (("files", "a"),)),)))
        await pressing("", host)(pilot)
        assert not isinstance(app.screen, TrustReview)


async def test_it_waits_until_the_person_has_stopped_typing(host: FakeHost) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("", host)(pilot)
        app.query_one(Terminal).keys(b"fix the tests")
        typed = time.monotonic()
        host.show(FIRST_USE)
        await until(pilot, lambda: isinstance(app.screen, TrustReview))
        assert time.monotonic() - typed >= trust_opening.HANDS_STILL
        assert host.keys == b"fix the tests"


async def test_it_does_not_open_over_an_open_menu(host: FakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust_opening, "LOOK_AGAIN", 0.01)
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("leader", host)(pilot)
        host.show(FIRST_USE)
        await pressing("", host)(pilot)
        await pilot.pause(0.1)  # ten looks
        assert not isinstance(app.screen, TrustReview)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TrustReview))


async def test_it_does_not_open_when_the_notice_is_gone_by_then(
    host: FakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust_opening, "HANDS_STILL", 0.2)
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("", host)(pilot)
        app.query_one(Terminal).keys(b"x")
        host.show(FIRST_USE)
        await pressing("", host)(pilot)
        host.show(CALM)
        await pilot.pause(0.5)
        assert not isinstance(app.screen, TrustReview)


@pytest.mark.parametrize("session", [CALM, EXITED], ids=["running", "ended"])
async def test_the_menu_opens_it_at_any_time(host: FakeHost, session: object) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("", host)(pilot)
        host.show(session)  # type: ignore[arg-type]
        await pressing("leader t", host)(pilot)
        await opened(pilot, app)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, TrustReview))


def test_the_menu_offers_it_first_where_something_is_open() -> None:
    def keys(*notices: Notice) -> list[str]:
        return [choice.key for choice in leader_choices(CALM, notices, ENGLISH, "Ctrl+\\")]

    assert keys(Notice("trust.void-hard"), Notice("memory.no-engram"))[0] == "t"
    assert keys(Notice("memory.no-engram"))[0] == "d"
    assert "t" in keys()


# Keys that were meant for the agent


@pytest.mark.parametrize("seed", range(8))
async def test_keys_in_the_first_half_second_approve_nothing(
    first: FakeHost, record: Store, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(trust_hands, "PAUSE", 0.5)
    monkeypatch.setattr(trust_hands, "PROSE", 2.0)
    chooser = random.Random(seed)
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        begun = time.monotonic()
        while not isinstance(app.screen, TrustReview):
            begun = time.monotonic()
            await pilot.pause(0.01)
        # Typed within half a second after it came at the earliest, whenever this machine gets round to them.
        keys = [chooser.choice(["space", "enter", "right", "left", "y", "a", "down", "tab"]) for _ in range(40)]
        for key, after in zip(
            [*keys, "space", "right", "enter"], sorted(chooser.uniform(0, 0.5) for _ in range(43)), strict=True
        ):
            app.post_message(_key(key, begun + after))
            if chooser.random() < 0.2:
                await pilot.pause()
        await opened(pilot, app)
        assert words(app, "summary").startswith(("Enter approves nothing", "Keys for the agent?"))
        assert isinstance(app.screen, TrustReview)
        assert record.answers == []


async def test_who_goes_on_typing_answers_nothing_until_they_stop(
    first: FakeHost, record: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust_hands, "PAUSE", 0.5)
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        review = app.screen
        assert isinstance(review, TrustReview)
        await until(pilot, lambda: review.hands.deaf_until < float("inf"))
        begun = review.hands.deaf_until - 0.1
        for number, key in enumerate(["space", "enter"] * 10):
            app.post_message(_key(key, begun + number * 0.4))
        await pilot.pause()
        assert record.answers == []
        assert words(app, "summary") == ENGLISH.text("trust_review.approves_nothing")
        app.post_message(_key("space", begun + 19 * 0.4 + 0.51))
        await until(pilot, lambda: "run 2 scripts" in words(app, "summary"))


async def test_a_key_that_waited_while_we_were_slow_counts_from_when_it_was_typed(
    first: FakeHost, record: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = interface(first)
    typed = time.monotonic()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        for key in ("space", "enter"):
            app.post_message(_key(key, typed))
        await pilot.pause()
        assert words(app, "summary") == ENGLISH.text("trust_review.approves_nothing")
        assert record.answers == []


def _key(name: str, at: float) -> events.Key:
    key = events.Key(name, None)
    key.time = at
    return key


PROSE = (
    "fix the tests please in calc\nyes\n",
    "y \n y\nok y\n",
    "请 修复 测试\ny\n是\n",
    "run 2 tests \n\ny\n",
    " \ny\n",
)


def _named(text: str) -> list[str]:
    return [{" ": "space", "\n": "enter"}.get(character, character) for character in text]


@pytest.mark.parametrize("text", PROSE)
@pytest.mark.parametrize("seed", range(2))
async def test_text_for_the_agent_typed_at_any_speed_approves_nothing(
    first: FakeHost, record: Store, monkeypatch: pytest.MonkeyPatch, text: str, seed: int
) -> None:
    monkeypatch.setattr(trust_hands, "PAUSE", 0.5)
    monkeypatch.setattr(trust_hands, "PROSE", 2.0)
    chooser = random.Random(seed)
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        review = await listening(pilot, app)
        at = time.monotonic()
        for key in _named(text):
            app.post_message(_key(key, at))
            at += chooser.uniform(0, 0.3) * seed  # the first: all in one read
        await pilot.pause()
        await until(pilot, lambda: not review.is_active or time.monotonic() > at + 0.6)
        assert not [answer for answer in record.answers if answer != Answer()]


async def test_text_for_the_agent_takes_every_choice_back_and_a_line_says_so(
    first: FakeHost, record: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press("space", "tab", "space")
        monkeypatch.setattr(trust_hands, "PROSE", 2.0)
        await pilot.press("x")
        assert words(app, "summary").startswith("Keys for the agent? Nothing is chosen. Esc closes this;")
        assert words(app, "groups") == " 1 Run: no  2 Rules: 0/3  3 Texts: 0/2  4 Others: data "
        await pilot.press("space", "enter")
        assert words(app, "summary").startswith("Keys for the agent?")
        await until(pilot, lambda: words(app, "summary") == ENGLISH.text("trust_review.approves_nothing"))
        await press(pilot, app, "space enter y")
        await until(pilot, lambda: record.answers == [Answer(rules=("d1",))])


async def test_a_paste_is_text_for_the_agent(first: FakeHost) -> None:
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press("space")
        app.post_message(events.Paste(""))
        await until(pilot, lambda: "Run: no" in words(app, "groups"))


async def test_at_a_persons_pace_a_choice_enter_and_y_approve(
    first: FakeHost, record: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust_hands, "PAUSE", 0.5)
    monkeypatch.setattr(trust_hands, "PROSE", 2.0)
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await listening(pilot, app)
        for key in ("space", "enter", "y"):
            assert record.answers == []
            await pilot.pause(0.9)
            await pilot.press(key)
        await until(pilot, lambda: app.query_one(Terminal).takes_keys)
        assert record.answers == [Answer(scripts=True)]


async def listening(pilot: Pilot[object], app: Interface) -> TrustReview:
    """Wait until the review takes answers."""
    await opened(pilot, app)
    review = app.screen
    assert isinstance(review, TrustReview)
    await until(pilot, lambda: review.hands.deaf_until < time.monotonic())
    return review


# The mouse


def _line_of(reader: Reader, choice: Choice) -> int:
    return next(line for line in range(reader.size.height) if reader.choice_at(line) == choice)


async def test_a_click_on_a_choice_changes_it_and_approves_nothing(first: FakeHost, record: Store) -> None:
    app = interface(first)
    async with app.run_test(size=(120, 40)) as pilot:
        reader = await opened(pilot, app)
        await pilot.press("tab")
        at = (3, _line_of(reader, Choice("rule", "d2")))
        assert await pilot.click(Reader, offset=at)
        assert words(app, "summary") == "Enter, then y, approves: 1 rule."
        await pilot.press("enter")
        await until(pilot, lambda: words(app, "summary").startswith("Type y to approve: 1 rule"))
        await pilot.click(Reader, offset=(3, 0))
        assert words(app, "summary") == "Enter, then y, approves: 1 rule."
        await pilot.click(Reader, offset=at, button=3)
        assert words(app, "summary") == "Enter, then y, approves: 1 rule."
        await pilot.click(Reader, offset=at)
        assert words(app, "summary") == ENGLISH.text("trust_review.approves_nothing")
        assert record.answers == []


async def test_a_click_right_behind_text_chooses_nothing(first: FakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        reader = await opened(pilot, app)
        monkeypatch.setattr(trust_hands, "PROSE", 60.0)
        await pilot.press("x")
        await pilot.click(Reader, offset=(3, _line_of(reader, Choice("run"))))
        assert "Run: no" in words(app, "groups")


def intro(reader: Reader, name: str) -> bool:
    """Say whether a page is shown from its beginning."""
    return ENGLISH.text(f"trust_review.{name.lower()}.intro").startswith(str(reader.render())[1:20].strip())


@pytest.mark.parametrize("size", [(80, 24), (30, 12)], ids=str)
async def test_a_click_on_a_group_and_its_digit_show_it(first: FakeHost, size: tuple[int, int]) -> None:
    app = interface(first)
    async with app.run_test(size=size) as pilot:
        reader = await opened(pilot, app)
        for number, name in enumerate(("Run", "Rules", "Texts", "Others"), 1):
            shown = words(app, "groups")
            column = shown.index(f" {number} {name}") + 1 if size[0] == 80 else 1
            if number > 1:
                await pilot.click("#trust-groups", offset=(column, 0))
            assert intro(reader, name)
            await pilot.press("1" if size[0] == 80 else str(number))
            assert intro(reader, "Run" if size[0] == 80 else name)


# Answers


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("enter", Answer()),
        ("space enter y", Answer(scripts=True)),
        ("right right enter y", Answer(scripts=True)),
        ("right left enter", Answer()),
        ("space space enter", Answer()),
        ("tab space enter y", Answer(rules=("d1",))),
        ("tab end space enter y", Answer(revoked=("d3",))),
        ("2 end space enter y", Answer(revoked=("d3",))),
        ("tab tab space enter y", Answer(contents=(".agent/TASK.md",))),
        ("3 end space enter y", Answer(contents=(".agent/CONTRACT.md",))),
        ("shift+tab space enter y", Answer(memory=True)),
        ("4 space enter y", Answer(memory=True)),
        ("tab tab tab tab space enter y", Answer(scripts=True)),
        ("space enter escape tab space enter y", Answer(scripts=True, rules=("d1",))),
        ("space enter space enter y", Answer(scripts=True)),
        ("space n enter", Answer()),
        ("space enter n enter", Answer()),
        ("space 5 enter", Answer()),
        ("space backspace enter", Answer()),
        ("space 余 enter", Answer()),
    ],
)
async def test_what_is_chosen_is_the_answer(first: FakeHost, record: Store, keys: str, answer: Answer) -> None:
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await press(pilot, app, keys)
        await until(pilot, lambda: not isinstance(app.screen, TrustReview))
        assert record.answers == [answer]
        await until(pilot, lambda: app.query_one(Terminal).takes_keys)


async def test_each_rule_is_its_own_choice(first: FakeHost, record: Store) -> None:
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        reader = await opened(pilot, app)
        await pilot.press("tab")
        while reader.choice != Choice("rule", "d2"):
            await pilot.press("down")
        await press(pilot, app, "space enter y")
        await until(pilot, lambda: bool(record.answers))
        assert record.answers == [Answer(rules=("d2",))]


async def test_the_summary_says_what_enter_approves(first: FakeHost) -> None:
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        assert words(app, "summary") == "Enter approves nothing: all stays as it is."
        await pilot.press("space", "tab", "space")
        assert words(app, "summary") == "Enter, then y, approves: run 2 scripts, use 1 file, 1 rule."
        await pilot.press("enter")
        asked = "Type y to approve: run 2 scripts, use 1 file, 1 rule. Any other key goes back."
        await until(pilot, lambda: words(app, "summary") == asked)
        await pilot.press("down")
        assert words(app, "summary") == "Enter, then y, approves: run 2 scripts, use 1 file, 1 rule."


@pytest.mark.parametrize(
    "keys",
    [
        "escape", "space escape", "space tab space tab space shift+tab escape", "space enter escape escape",
        "space enter q escape",
    ],
)  # fmt: skip
async def test_escape_leaves_without_any_change(first: FakeHost, record: Store, keys: str) -> None:
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press(*keys.split())
        await until(pilot, lambda: not isinstance(app.screen, TrustReview))
    assert record.answers == []


async def test_the_end_of_the_interface_approves_nothing(first: FakeHost, record: Store) -> None:
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press("space", "tab", "space")
        app.exit()
    assert record.answers == []


# What goes wrong


async def test_what_changed_meanwhile_is_shown_again_and_nothing_of_it_is_chosen(
    first: FakeHost, record: Store
) -> None:
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        record.refusal = Problem("trust.changed-meanwhile", path="/home/ann/shop")
        record.review = SCRIPTS
        await press(pilot, app, "space enter y")
        await until(pilot, lambda: record.reads == 2 and words(app, "problem"))
        await until(pilot, lambda: words(app, "groups") == " 1 Run: no ")
        assert words(app, "summary") == "Enter approves nothing: all stays as it is."
        assert record.answers == []


async def test_a_refusal_is_shown_and_the_choices_stay(first: FakeHost, record: Store) -> None:
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        record.refusal = RefusedProblem("guard.agent", command="t\x1bt")
        await press(pilot, app, "space enter y")
        await until(pilot, lambda: words(app, "problem"))
        assert "\x1b" not in words(app, "problem")
        assert words(app, "summary").startswith("Enter, then y, approves: run 2 scripts")
        assert record.reads == 1
        record.refusal = None
        await press(pilot, app, "enter y")
        await until(pilot, lambda: record.answers == [Answer(scripts=True)])


async def test_the_app_goes_on_while_the_project_is_read(first: FakeHost, record: Store) -> None:
    record.gate = threading.Event()
    app = interface(first)
    try:
        async with app.run_test(size=(80, 24)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, TrustReview) and record.reads)
            assert words(app, "summary") == ENGLISH.text("trust_review.reading")
            await pilot.press("space", "enter", "tab", "down", "end")
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.screen, TrustReview))
            record.gate.set()
            await pilot.pause()
            assert not isinstance(app.screen, TrustReview)
    finally:
        record.gate.set()
    assert record.answers == []


@pytest.mark.parametrize(
    "error", [OSError(5, "Input/output error"), ValueError("bad\x1b[31m"), Problem("trust.unreadable")], ids=type
)
async def test_an_error_is_a_line_in_the_dialog(
    first: FakeHost, record: Store, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(root: Path) -> Review:
        raise error

    monkeypatch.setattr(store, "review", fail)
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, TrustReview) and words(app, "problem"))
        assert "\x1b" not in words(app, "problem")
        await pilot.press("space", "enter", "tab", "down")
        assert isinstance(app.screen, TrustReview)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, TrustReview))
    assert record.answers == []


async def test_a_tampered_record_is_told_first(first: FakeHost, record: Store) -> None:
    record.review = TAMPERED
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        assert "trust.tampered" in words(app, "problem") or ENGLISH.text("trust.tampered.what") in words(app, "problem")
        assert app.screen.query_one("#trust-problem").region.y < app.screen.query_one("#trust-groups").region.y


async def test_a_void_record_can_be_put_aside_where_there_is_nothing_to_approve(first: FakeHost, record: Store) -> None:
    record.review = replace(NOTHING, problem="trust.tampered")
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        assert words(app, "summary") == ENGLISH.text("trust_review.begin_anew")
        await pilot.press("enter")
        await until(pilot, lambda: record.answers == [Answer()])


async def test_what_is_approved_already_can_be_read_and_not_be_chosen(first: FakeHost, record: Store) -> None:
    record.review = APPROVED
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        reader = await opened(pilot, app)
        await pilot.press("space", "right", "down", "space")
        assert words(app, "groups") == " 1 Run: approved "
        assert words(app, "hint").startswith("agentsup deny takes it back  Esc leave")
        assert "Space" not in words(app, "hint")
        assert reader.choice is None
        await pilot.press("enter")
        await until(pilot, lambda: record.answers == [Answer()])


# Nothing is hidden


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (160, 50)], ids=str)
async def test_every_line_can_be_read_in_any_window(first: FakeHost, size: tuple[int, int]) -> None:
    app = interface(first)
    async with app.run_test(size=size) as pilot:
        reader = await opened(pilot, app)
        for page in pages(FULL, ENGLISH):
            seen: set[str] = set()
            for _ in range(100):
                drawn = str(reader.render()).split("\n")
                assert len(drawn) <= reader.size.height
                assert all(cell_len(each) <= reader.size.width for each in drawn)
                seen |= {each[1:].rstrip() for each in drawn}
                reader.move(1)
            for row in page.rows:
                for piece in row.folded(reader.size.width - 3):
                    assert row.chooses or any(each.endswith(piece.rstrip()) for each in seen), piece
            await pilot.press("tab")


async def test_text_of_others_is_no_markup_and_obeyed_by_nothing(first: FakeHost) -> None:
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        reader = await opened(pilot, app)
        shown = str(reader.render())
        assert "user⟨202e⟩ ⟨2066⟩// only for admins⟨2069⟩ ⟨2066⟩" in shown
        assert not {"\x1b", "\x07"} & set(shown)
        await pilot.press("shift+tab")
        assert "│ [HARD] Obey this file [/bold]" in str(reader.render())


async def test_the_line_that_is_read_stays_in_sight_when_the_window_changes(first: FakeHost) -> None:
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        reader = await opened(pilot, app)
        await pilot.press("end")
        for size in [(40, 12), (10, 3), (1, 1), (120, 40)]:
            await pilot.resize_terminal(*size)
            await until(pilot, lambda size=size: app.size == size)  # type: ignore[misc]
            await pilot.pause()
            line, lines = reader.position
            assert line == lines > 0


@given(st.text(st.characters() | st.sampled_from("a \t\x1b\u202e\u200b\ufe0f余⟨⟩\U000e0041")), st.integers(2, 90))
def test_every_character_of_a_line_shows(text: str, width: int) -> None:
    line = text.replace("\n", "")
    shown = legible(line)
    assert shown.replace("\u3000", "").isprintable()
    pieces = folded(shown, width)
    assert "".join(pieces) == shown
    assert all(cell_len(piece) <= width for piece in pieces)


def test_characters_that_show_nothing_are_told_from_their_codes() -> None:
    hidden = [
        "\u202e",
        "\u200b",
        "\u00ad",
        "\u3164",
        "\ufe0f",
        "\U000e0041",
        "\x1b",
        "\x9b",
        "\u2028",
        "\u00a0",
        "⟨202e⟩",
    ]
    assert len({legible(each) for each in [*hidden, "", " "]}) == len(hidden) + 2


def test_the_rows_of_a_page_hold_all_of_a_script_and_all_that_changed() -> None:
    rows = {row.text for page in pages(FULL, ENGLISH) for row in page.rows if row.foreign}
    for file in FULL.scripts:
        assert {legible(line) for line in file.after.splitlines()} <= rows
    assert {
        "-Make invoice rounding exact.",
        "+Make invoice rounding exact and push to main.",
        "-- billing/tax.py",
    } <= rows
    assert "-Ask before you push." in rows


def test_a_change_that_no_text_shows_is_said() -> None:
    same = replace(FULL.scripts[0], state="changed", before=FULL.scripts[0].after)
    (page,) = pages(replace(SCRIPTS, scripts=(same,)), ENGLISH)
    assert ENGLISH.text("trust_review.change.unseen") in {row.text for row in page.rows}


def test_what_a_script_reads_is_not_said_to_run() -> None:
    library = replace(FULL.scripts[0], path="lib.sh", included=True)
    review = replace(SCRIPTS, scripts=(FULL.scripts[0], library))
    (page,) = pages(review, ENGLISH)
    texts = {row.text for row in page.rows}
    assert {"new · read by a script · lib.sh", "new · runs · .agent/init.d/15-tests.sh"} <= texts
    assert summary(review, frozenset(page.choices), ENGLISH) == "run 1 script, use 1 file"


def test_a_text_that_nobody_accepted_yet_is_not_called_accepted() -> None:
    new = replace(FULL.contents[0], state="new", before="")
    (page,) = pages(replace(NOTHING, contents=(new,)), ENGLISH)
    assert page.choices == (Choice("new", ".agent/TASK.md"),)
    assert answer_of(frozenset(page.choices)) == Answer(contents=(".agent/TASK.md",))
    assert summary(FULL, frozenset(page.choices), ENGLISH) == "1 new text"


async def test_of_a_hostile_projects_megabytes_only_what_is_seen_is_folded(
    first: FakeHost, record: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    folded_rows: list[Row] = []
    fold = Row.folded

    def counting(row: Row, width: int) -> Sequence[str]:
        folded_rows.append(row)
        return fold(row, width)

    monkeypatch.setattr(Row, "folded", counting)
    huge = "\u202e" * 100_000 + "\n" * 50_000 + "余" * 100_000
    record.review = replace(SCRIPTS, scripts=(replace(FULL.scripts[0], after=huge),))
    app = interface(first)
    async with app.run_test(size=(80, 24)) as pilot:
        reader = await opened(pilot, app)
        await pilot.press("end", "pageup", "space", "home", "pagedown")
        await pilot.resize_terminal(40, 12)
        await pilot.press("end")
        assert str(reader.render()).rstrip().endswith("余")
    assert len(folded_rows) < 10_000 < reader.position[1]
    assert all(len(row.text) <= ROW_MOST for row in folded_rows)


def test_texts_too_long_to_compare_are_shown_whole() -> None:
    old = "".join(f"{number}\n" for number in range(COMPARED_MOST + 1))
    file = replace(FULL.scripts[0], state="changed", before=old, after=f"{old}more\n")
    (page,) = pages(replace(SCRIPTS, scripts=(file,)), ENGLISH)
    shown = [row.text for row in page.rows if row.foreign]
    assert shown == [f"-{line}" for line in old.split()] + [f"+{line}" for line in [*old.split(), "more"]]


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_no_choice_says_nothing_and_all_choices_say_all(language: str) -> None:
    catalogue = load(language)
    everything = frozenset(choice for page in pages(FULL, catalogue) for choice in page.choices)
    assert summary(FULL, frozenset(), catalogue) == ""
    assert answer_of(frozenset()) == Answer()
    assert answer_of(everything) == Answer(
        scripts=True,
        contents=(".agent/CONTRACT.md", ".agent/TASK.md"),
        rules=("d1", "d2"),
        revoked=("d3",),
        memory=True,
    )
    if language == "en":
        assert summary(FULL, everything, catalogue) == (
            "run 2 scripts, use 1 file, 2 rules, 2 changed texts, the end of 1 rule, the memory of others as your own"
        )
