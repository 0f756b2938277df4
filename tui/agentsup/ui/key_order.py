"""Keys, pastes and clicks act in the order in which they came, however many come at once.

Textual hands a key from queue to queue: a letter is in the text before the cursor key in front of it has reached
its binding, and a dialog that a key has closed gets the next one, too. So the next one goes on its way when the one
before has come to its end: a message of ours follows it through the same queues.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Protocol, runtime_checkable

from textual import events
from textual.app import App
from textual.message import Message
from textual.screen import Screen

from agentsup.ui.input_messages import LeaderPressed

PATIENCE = 2.0
"""Seconds that a key waits for the one before, or for its screen: keys that never come are worse than any order."""

Input = events.InputEvent | events.Paste | LeaderPressed


class KeyDone(Message):
    """Follows a key through the queues that it takes: where this arrives at the app, the key has done all it does."""


class KeysWanted(Message):
    """A screen that has let keys wait takes them now."""


@runtime_checkable
class MayWait(Protocol):
    """A screen that can't take keys at all times."""

    @property
    def takes_keys(self) -> bool:
        """Whether it takes them now."""

    @property
    def must_wait(self) -> bool:
        """Whether a key would be lost, where it doesn't take them: it waits as long as that takes."""

    def takes_always(self, event: Message) -> bool:
        """Say whether a key must not wait, where none is before it; or none that has waited too long."""


class KeyOrder:
    """Hands on what comes from the terminal, one after the other."""

    def __init__(self, app: App[object], act: Callable[[Input], Awaitable[None]]) -> None:
        """`act` brings one to where it belongs."""
        self._app, self._act = app, act
        self._waiting: deque[Input] = deque()
        self._under_way: KeyDone | None = None
        self._given_to: Screen[object] | None = None
        """The dialog that has got what is under way."""
        self._acting = self._impatient = False
        self._handed_on = 0
        self._has_timer = False

    def begin(self) -> None:
        """Know when a screen opens or closes; the app is there."""
        self._app.screen_change_signal.subscribe(self._app, self._screen_changed)

    async def take(self, event: Input) -> None:
        """Hand it on, now or when it is its turn."""
        self._waiting.append(event)
        await self.go_on()

    def done(self, passed: KeyDone) -> None:
        """A key has come to its end."""
        # Behind what is to be done with the answer of a dialog that it has closed.
        self._app.call_next(self._done, passed)

    async def go_on(self) -> None:
        """Hand on all that may go now."""
        if self._acting or not self._app.screen_stack:  # the app has ended
            return
        self._acting = True
        try:
            while self._waiting and self._under_way is None and self._may_go(self._waiting[0]):
                self._handed_on += 1
                await self._hand_on(self._waiting.popleft())
        finally:
            self._acting = False
        if (self._waiting or self._under_way is not None) and not self._has_timer:
            self._has_timer = True
            handed_on = self._handed_on
            self._app.set_timer(PATIENCE, lambda: self._waited(handed_on))

    def _may_go(self, event: Input) -> bool:
        screen = self._app.screen
        if not isinstance(screen, MayWait) or screen.takes_keys:
            self._impatient = False
            return True
        return (self._impatient and not screen.must_wait) or screen.takes_always(event)

    async def _hand_on(self, event: Input) -> None:
        screen = self._app.screen
        target = self._app.focused or screen
        await self._act(event)
        is_followed = screen is self._app.screen and screen is not self._app.screen_stack[0]
        if is_followed and not isinstance(event, events.MouseEvent):
            passed = KeyDone()
            if target.post_message(passed):
                self._under_way, self._given_to = passed, screen

    async def _done(self, passed: KeyDone) -> None:
        if passed is self._under_way:
            self._under_way = None
            await self.go_on()

    async def _screen_changed(self, screen: Screen[object]) -> None:
        if screen is not self._given_to:
            self._under_way = None  # a dialog that is closed may not hand it on any more
        await self.go_on()

    async def _waited(self, handed_on: int) -> None:
        self._has_timer = False
        if handed_on == self._handed_on:
            self._under_way, self._impatient = None, True
            self._let_one_out()
        await self.go_on()

    def _let_one_out(self) -> None:
        """Have the way out of a screen that never takes keys not stand behind what was meant for that screen."""
        screen = self._app.screen
        if isinstance(screen, MayWait) and screen.must_wait:
            out = next((at for at, event in enumerate(self._waiting) if screen.takes_always(event)), 0)
            for _ in range(out):
                self._waiting.popleft()
