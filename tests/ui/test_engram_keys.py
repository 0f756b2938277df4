"""The editor's keys act in the order in which they were pressed, also while it saves."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual import events

from agentsup.ui import key_order
from agentsup.ui.engram_desk import Desk
from agentsup.ui.engram_editor import EngramEditor
from tests.ui.engram_desktop import Desktop, folders, host, running
from tests.ui.engram_scenes import VAGUE
from tests.ui.fake_host import FakeHost
from tests.ui.looking import interface, pressing

__all__ = ["folders", "host"]


@running
async def test_keys_edit_and_commands_come_in_their_order(at: Desktop) -> None:
    area = await at.open()
    await at.press("end", *"x,y", "ctrl+t", "2", *"Ran", "space", *"it", "ctrl+s")
    await at.until(lambda: at.told)
    assert at.file.read_text() == f"{VAGUE.strip()}x,y\n[Progress] Ran it\n"
    await at.press("ctrl+z")
    assert area.text != at.file.read_text()
    await at.press(*["ctrl+z"] * 9)
    assert area.text == VAGUE
    await at.press(*["ctrl+y"] * 12)
    assert area.text.startswith(f"{VAGUE.strip()}x,y\n[Progress] Ran it")


KEYS = st.sampled_from(["x", "y", "left", "right", "up", "down", "home", "end", "enter", "backspace", "delete"])


class PlainText:
    """What a text area is to do, as plainly as that can be said."""

    def __init__(self, text: str) -> None:
        self.rows, self.row, self.column, self.wanted = text.split("\n"), 0, 0, 0

    def press(self, key: str) -> None:
        text, at = "\n".join(self.rows), sum(len(row) + 1 for row in self.rows[: self.row]) + self.column
        match key:
            case "up" | "down":
                self._go_up_or_down(-1 if key == "up" else 1)
                return
            case "left":
                at = max(0, at - 1)
            case "right":
                at = min(len(text), at + 1)
            case "home":
                at -= self.column
            case "end":
                at += len(self.rows[self.row]) - self.column
            case "backspace":
                text, at = text[: max(0, at - 1)] + text[at:], max(0, at - 1)
            case "delete":
                text = text[:at] + text[at + 1 :]
            case _:
                written = "\n" if key == "enter" else key
                text, at = text[:at] + written + text[at:], at + 1
        self.rows = text.split("\n")
        before = text[:at].split("\n")
        self.row, self.column = len(before) - 1, len(before[-1])
        self.wanted = self.column

    def _go_up_or_down(self, step: int) -> None:
        if not 0 <= self.row + step < len(self.rows):
            self.column = 0 if step < 0 else len(self.rows[self.row])
            self.wanted = self.column
            return
        self.row += step
        self.column = min(self.wanted, len(self.rows[self.row]))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(burst=st.lists(KEYS, max_size=40))
def test_keys_of_any_burst_act_in_the_order_in_which_they_came(host: FakeHost, burst: list[str]) -> None:
    async def scenario() -> None:
        app = interface(host)
        async with app.run_test(size=(80, 24)) as pilot:
            at = Desktop(host, app, pilot)
            area = await at.open()
            area.load_text("one\n\nthree")
            plain = PlainText("one\n\nthree")
            for key in burst:
                character = "\r" if key == "enter" else key if len(key) == 1 else None
                app.post_message(events.Key(key, character))
                plain.press(key)
            app.post_message(events.Key("!", "!"))
            plain.press("!")
            await at.until(lambda: "!" in area.text)
            assert area.text == "\n".join(plain.rows)
            assert area.cursor_location == (plain.row, plain.column)
            await at.until(lambda: at.editor.is_judged)

    asyncio.run(scenario())


@contextmanager
def slowly(name: str) -> Iterator[threading.Event]:
    """Have the desk do this only when this event is set."""
    gate, do = threading.Event(), getattr(Desk, name)

    def wait(*arguments: object, **options: object) -> object:
        assert gate.wait(20)
        return do(*arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Desk, name, wait)
        yield gate


@contextmanager
def impatiently() -> Iterator[list[None]]:
    """Have keys wait for a moment only; the list has an item for each time that they have waited for that."""
    past: list[None] = []
    waited = key_order.KeyOrder._waited

    async def wait(order: key_order.KeyOrder, handed_on: int) -> None:
        await waited(order, handed_on)
        past.append(None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(key_order, "PATIENCE", 0.05)
        patch.setattr(key_order.KeyOrder, "_waited", wait)
        yield past


@running
async def test_what_is_typed_while_it_is_saved_comes_behind_it(at: Desktop) -> None:
    await at.open()
    await at.press("x")
    with slowly("save") as gate:
        await at.press("ctrl+s", "y", "home", "z")
        gate.set()
        await at.until(lambda: at.told)
        await at.until(lambda: "z[Taboo]" in at.area.text)
    assert at.file.read_text() == f"{VAGUE.strip()}x\n"
    assert at.area.text == f"{VAGUE.strip()}xy\n".replace("[Taboo]", "z[Taboo]")
    assert "not saved" in at.words("editor-head")


@running
async def test_a_command_that_comes_while_it_is_saved_is_done_after_it(at: Desktop) -> None:
    await at.open()
    await at.press("x")
    with slowly("save") as gate:
        await at.press("ctrl+s", "y", "ctrl+s", "escape")
        gate.set()
        await at.until(lambda: not isinstance(at.app.screen, EngramEditor))
    assert at.file.read_text() == f"{VAGUE.strip()}xy\n"
    await at.until(lambda: len(at.told) == 2)


@running
async def test_keys_are_not_held_back_for_ever_by_a_save_that_does_not_end(at: Desktop) -> None:
    await at.open()
    with slowly("save") as gate, impatiently():
        await at.press("x", "ctrl+s", "y", "z")
        await at.until(lambda: at.area.text == f"{VAGUE.strip()}xyz\n")
        gate.set()
        await at.until(lambda: at.told)
    assert at.file.read_text() == f"{VAGUE.strip()}x\n"


@running
async def test_the_editor_is_not_left_with_what_was_typed_while_it_was_saved(at: Desktop) -> None:
    await at.open()
    with slowly("save") as gate, impatiently():
        await at.press("x", "escape", "s", "y", "z")
        await at.until(lambda: at.area.text == f"{VAGUE.strip()}xyz\n")
        gate.set()
        await at.until(lambda: at.told)
    assert at.file.read_text() == f"{VAGUE.strip()}x\n"
    assert at.area.text == f"{VAGUE.strip()}xyz\n"
    await at.press("escape", "s")
    await at.until(lambda: not isinstance(at.app.screen, EngramEditor))
    assert at.file.read_text() == f"{VAGUE.strip()}xyz\n"


@running
async def test_what_is_typed_and_pasted_while_it_opens_is_for_its_text(at: Desktop) -> None:
    with slowly("open") as gate, impatiently() as past:
        await pressing("leader e", at.host)(at.pilot)
        await at.until(lambda: isinstance(at.app.screen, EngramEditor))
        await at.press("x")
        at.app.post_message(events.Paste("PASTED"))
        await at.press("y")
        await at.until(lambda: len(past) >= 2)
        gate.set()
        await at.until(lambda: at.area.text == f"{VAGUE.strip()}xPASTEDy\n")


@running
async def test_an_editor_that_never_opens_is_left_whatever_was_typed(at: Desktop) -> None:
    with slowly("open") as gate, impatiently():
        await pressing("leader e", at.host)(at.pilot)
        await at.until(lambda: isinstance(at.app.screen, EngramEditor))
        async with asyncio.timeout(10):
            await at.press("x", "escape")
            await at.until(lambda: not isinstance(at.app.screen, EngramEditor))
        gate.set()
    assert at.file.read_text() == VAGUE
