"""What the driver's input loop tells the app, and who may take the program's keys from it."""

from __future__ import annotations

from typing import Protocol

from textual import events
from textual.message import Message


class Tap(Protocol):
    """Who takes the input of the program in the pane. Called in the input thread."""

    def keys(self, data: bytes) -> None:
        """Take key bytes exactly as they came."""

    def paste(self, data: bytes, *, first: bool, last: bool) -> None:
        """Take a piece of a paste."""


class RawKey(events.Key):
    """A key that went through Textual, with the bytes it was."""

    __slots__ = ["raw"]

    def __init__(self, key: str, character: str | None, raw: bytes) -> None:
        super().__init__(key, character)
        self.raw = raw


RawKey.handler_name = events.Key.handler_name  # widgets must take it for what it is: a key


class LeaderPressed(Message):
    """The leader was pressed; `data` are its bytes, to be sent on when it is pressed twice."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.data = data


class FunctionKeyPressed(Message):
    """A function key that agentsup takes for itself was pressed; `action` as in the leader's menu."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = action


class WindowFocused(Message):
    """The outer window gained or lost the focus. Textual is not told: it would blur the pane."""

    def __init__(self, focused: bool) -> None:
        super().__init__()
        self.focused = focused


class BackgroundReported(Message):
    """The outer terminal said which ground it draws on."""

    def __init__(self, dark: bool) -> None:
        super().__init__()
        self.dark = dark


class WindowClosed(Message):
    """The outer terminal is gone."""


class InputFailed(Message):
    """The terminal is read no more, because of an error of ours."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error
