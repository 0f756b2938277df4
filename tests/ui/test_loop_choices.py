"""What a person may decide: about a text that waits, a storm of compactions, a read-back; and what the host is told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Static

from agentsup.core.session import Injection, Notice, Session
from agentsup.locale import LANGUAGES, load
from agentsup.protocol.messages import BreakerClosed, EngramSaved, InjectionChoice, RecitalAnswered, RestartRequest
from agentsup.ui.dialogs import Confirm, KeyList
from agentsup.ui.interface import Interface
from agentsup.ui.loop_choices import loop_choices, tell
from agentsup.ui.menu import leader_choices
from agentsup.ui.panels.gauge import gauge
from agentsup.ui.prompt_bar import prompt_line
from agentsup.ui.recital_review import BESIDE, RecitalReview, Sides, said_lines, side_by_side
from agentsup.ui.status_bar import status_line
from tests.ui import loop_scenes as scenes
from tests.ui.fake_host import FakeHost
from tests.ui.looking import interface, pressing, until
from tests.ui.scenes import CALM, CONFIRMED
from tests.ui.sessions import sessions

ENGLISH = load("en")


def found(session: Session) -> Session:
    """Return a session in which an engram was found on disk, and stays."""
    memory = replace(session.memory, engram=replace(session.memory.engram, sha="ab12"))
    return replace(session, memory=memory, notices=(*session.notices, Notice("engram.found-stays")))


def offered(session: Session | None) -> str:
    return "".join(choice.key for choice in loop_choices(session, ENGLISH))


@pytest.mark.parametrize(
    ("session", "keys"),
    [
        (None, ""),
        (CALM, ""),
        (CONFIRMED, ""),
        (scenes.DRAFT, "vhx"),
        (scenes.TYPED_ONLY, "vx"),
        (scenes.BY_HOOK, "vx"),
        (scenes.FAILED, "vhx"),
        (scenes.OURS_STANDS, "vx"),
        (scenes.OURS_IS_STUCK, "vhx"),
        (scenes.GATED, "ax"),
        (found(CALM), "a"),
        (found(scenes.GATED), "ax"),
        (found(scenes.OURS_STANDS), "avx"),
        (scenes.STORM, "bx"),
        (scenes.WRONG, "c"),
        (scenes.UNCLEAR, "c"),
        (scenes.RIGHT, ""),
    ],
)
def test_only_what_can_be_decided_is_offered(session: Session | None, keys: str) -> None:
    assert offered(session) == keys


def test_a_right_read_back_can_still_be_looked_at() -> None:
    keys = [choice.key for choice in leader_choices(scenes.RIGHT, (), ENGLISH, "Ctrl+\\")]
    assert keys.count("c") == 1
    assert "c" not in [choice.key for choice in leader_choices(CALM, (), ENGLISH, "Ctrl+\\")]


@pytest.mark.parametrize("session", [scenes.DRAFT, scenes.STORM, scenes.WRONG, scenes.GATED, scenes.RIGHT])
def test_an_agent_that_has_ended_is_offered_nothing_that_only_a_running_one_could_take(session: Session) -> None:
    choices = leader_choices(replace(session, phase="exited"), (), ENGLISH, "Ctrl+\\")
    keys = [choice.key for choice in choices]
    assert len(set(keys)) == len(keys)
    assert not {"v", "x", "h", "a", "b", "i", "s"} & set(keys)
    assert {choice.action for choice in choices if choice.key in ("c", "d")} == {"close"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", scenes.SCENES)
@pytest.mark.parametrize("width", [80, 100, 200])
def test_the_list_of_all_keys_is_always_offered(name: str, language: str, width: int) -> None:
    catalogue = load(language)
    choices = leader_choices(scenes.SCENES[name], (Notice("engram.review"),), catalogue, "Ctrl+\\")
    line = prompt_line("", choices, width - 2)
    assert line.cell_length <= width - 2
    last = f"? {catalogue.text('menu.keys')}"
    assert line.plain.endswith(last) or all(choice.label in line.plain for choice in choices)
    assert last in line.plain


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", scenes.SCENES)
def test_no_key_means_two_things(name: str, language: str) -> None:
    choices = leader_choices(scenes.SCENES[name], scenes.SCENES[name].notices, load(language), "Ctrl+\\")
    keys = [choice.key for choice in choices if choice.key]
    assert len(keys) == len(set(keys))
    assert all(choice.label.strip() and "." not in choice.label for choice in choices if choice.key in set("vhxabc"))


async def test_an_open_menu_is_about_what_it_was_opened_on(host: FakeHost) -> None:
    """A script writes the engram, another text waits: neither is what the person was asked about."""
    engram = replace(scenes.GATED.memory.engram, sha="one")
    gated = replace(scenes.GATED, memory=replace(scenes.GATED.memory, engram=engram))
    scripts = found(replace(gated, memory=replace(gated.memory, engram=replace(engram, text="x", sha="two"))))
    assert scenes.DRAFT.injection is not None
    another = replace(scenes.DRAFT, injection=replace(scenes.DRAFT.injection, id="nxt234"))
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        host.wait(lambda: host.received)
        for shown, key, then in ((gated, "a", scripts), (scenes.DRAFT, "x", another)):
            host.show(shown)
            await until(pilot, lambda shown=shown: app._session == shown)  # type: ignore[misc]
            await pressing("leader", host)(pilot)
            host.show(then)
            await until(pilot, lambda then=then: app._session == then)  # type: ignore[misc]
            await pilot.press(key)
        host.wait(lambda: any(isinstance(each, InjectionChoice) for each in host.received))
    said = [each for each in host.received if isinstance(each, EngramSaved | InjectionChoice)]
    assert said == [InjectionChoice("k3f2ab", "drop")]


@given(st.sampled_from(["drop", "retry", "hook", "accept", "breaker", "cancel", ""]), sessions())
def test_the_host_is_told_only_of_what_waits(action: str, session: Session) -> None:
    told: list[object] = []
    tell(action, session, session, told.append)
    waits = session.injection is not None and session.injection.state in ("held", "failed")
    if action == "breaker":
        assert told == [BreakerClosed()]
    else:
        assert len(told) == (waits and action not in ("cancel", ""))


@pytest.mark.parametrize(
    ("session", "key", "message"),
    [
        (scenes.DRAFT, "v", InjectionChoice("k3f2ab", "retry")),
        (scenes.DRAFT, "x", InjectionChoice("k3f2ab", "drop")),
        (scenes.OURS_STANDS, "v", InjectionChoice("b3f2ab", "retry")),
        (scenes.OURS_STANDS, "x", InjectionChoice("b3f2ab", "drop")),
        (scenes.OURS_IS_STUCK, "x", InjectionChoice("k3f2ab", "drop")),
        (scenes.DRAFT, "h", InjectionChoice("k3f2ab", "hook")),
        (scenes.GATED, "a", InjectionChoice("k3f2ab", "accept")),
        (found(CALM), "a", EngramSaved("ab12")),
        (found(scenes.GATED), "a", EngramSaved("ab12")),
        (scenes.STORM, "b", BreakerClosed()),
    ],
)
async def test_one_key_decides(host: FakeHost, session: Session, key: str, message: object) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        host.wait(lambda: host.received)
        host.show(session)
        await pressing(f"leader {key}", host)(pilot)
        host.wait(lambda: message in host.received)


def test_how_a_text_goes_is_shown() -> None:
    for injection in (scenes.BY_HOOK.injection, replace(scenes.WRONG.injection, reason="x")):  # type: ignore[type-var]
        assert isinstance(injection, Injection)
        drawn = gauge(replace(CALM, injection=injection), ENGLISH, 60, 12).plain
        assert ("restore #k3f2ab by hook: " in drawn) == (injection.state == "confirmed")
        assert "restore #k3f2ab goes with " in drawn or injection.state == "confirmed"
    assert "by hook" not in gauge(scenes.DRAFT, ENGLISH, 60, 12).plain


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_verdict_is_shown_in_gauge_and_status(language: str) -> None:
    catalogue = load(language)
    for session, verdict in ((scenes.WRONG, "wrong"), (scenes.UNCLEAR, "unclear"), (scenes.RIGHT, "right")):
        words = catalogue.text(f"recital_line.{verdict}")
        assert words in gauge(session, catalogue, 60, 14).plain
        status = status_line(session, catalogue, 100, leader="Ctrl+\\").plain
        assert (words in status) == (verdict != "right")


async def opened(pilot: Pilot[object], app: Interface, host: FakeHost, session: Session) -> RecitalReview:
    host.wait(lambda: host.received)
    host.show(session)
    await pressing("leader c", host)(pilot)
    await until(pilot, lambda: isinstance(app.screen, RecitalReview))
    await pilot.pause()
    assert isinstance(app.screen, RecitalReview)
    return app.screen


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("r", RecitalAnswered("k3f2ab", right=True)),
        ("R", RecitalAnswered("k3f2ab", right=True)),
        ("c", RecitalAnswered("k3f2ab", right=False, resend=True)),
        ("escape", None),
        ("q", None),
    ],
)
async def test_a_read_back_is_answered(host: FakeHost, key: str, message: object) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app, host, scenes.WRONG)
        await pilot.press(key)
        if message is not None:
            host.wait(lambda: message in host.received)
        elif key == "escape":
            await until(pilot, lambda: not isinstance(app.screen, RecitalReview))
        else:
            await pilot.pause()
            assert isinstance(app.screen, RecitalReview)
        assert [each for each in host.received if isinstance(each, RecitalAnswered)] == ([message] if message else [])


async def test_a_read_back_may_lead_to_a_cold_restart(host: FakeHost) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app, host, scenes.WRONG)
        await pilot.press("k")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        host.wait(lambda: RestartRequest() in host.received)


async def test_a_read_back_may_lead_to_the_editor(host: FakeHost) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        review = await opened(pilot, app, host, scenes.WRONG)
        chosen: list[str] = []
        app._recital._choose = chosen.append
        await pilot.press("e")
        await until(pilot, lambda: app.screen is not review)
        assert chosen == ["engram"]


async def test_keys_go_to_the_agent_again_afterwards(host: FakeHost) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app, host, scenes.WRONG)
        await pilot.press("escape")
        await until(pilot, lambda: app._choices.open == "" and not isinstance(app.screen, RecitalReview))


async def test_there_is_nothing_to_look_at_before_a_read_back(host: FakeHost) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("leader c", host)(pilot)
        assert not isinstance(app.screen, RecitalReview)


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (120, 40), (12, 6)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_all_of_it_can_be_read(host: FakeHost, size: tuple[int, int]) -> None:
    app = interface(host)
    async with app.run_test(size=size) as pilot:
        review = await opened(pilot, app, host, scenes.LONG)
        sides = review.query_one(Sides)
        last = sides.lines[-1].plain
        await pilot.press("end")
        assert size[1] < 10 or sides.render().plain.split("\n")[-1] == last
        await pilot.press("home", "down", "pagedown", "pageup", "up")
        assert sides.render().plain.startswith(sides.lines[0].plain) or size[1] < 10


@given(st.text(max_size=300), st.integers(1, 120))
def test_foreign_words_stay_words(said: str, width: int) -> None:
    recital = replace(scenes.WRONG.loop.recital, said=said)  # type: ignore[type-var]
    assert recital is not None
    drawn = side_by_side(said_lines(recital), [], ENGLISH, width)
    for line in drawn:
        assert isinstance(line, Content)
        assert width < 2 or line.cell_length <= max(width, 2)
        assert "\x1b" not in line.plain
    if width >= BESIDE:
        assert all(" │ " in line.plain for line in drawn)


def test_what_turns_text_around_is_shown_as_what_it_is() -> None:
    recital = replace(scenes.WRONG.loop.recital, said="a\u202eb\x1b[2Jc\td")  # type: ignore[type-var]
    assert recital is not None
    assert [line.text for line in said_lines(recital)] == ["a⟨202e⟩b⟨1b⟩[2Jc    d"]


async def test_the_list_of_keys_can_be_read_on(host: FakeHost) -> None:
    app = interface(host)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressing("leader ?", host)(pilot)
        assert isinstance(app.screen, KeyList)
        assert "\n  Ctrl+\\ send Ctrl+\\ itself to the agent\n" in str(app.screen.query_one(".body", Static).content)
        box = app.screen.query_one("#keys")
        await until(pilot, lambda: box.border_subtitle)
        assert box.max_scroll_y > 0
        await pilot.press("end")
        await until(pilot, lambda: box.scroll_y == box.max_scroll_y)
        await pilot.press("z")
        await until(pilot, lambda: not isinstance(app.screen, KeyList))


def test_every_key_of_the_loop_is_in_the_list_of_keys() -> None:
    for language in LANGUAGES:
        catalogue = load(language)
        assert all(catalogue.text(f"loop_keys.{key}") != f"loop_keys.{key}" for key in "vxhabc")
