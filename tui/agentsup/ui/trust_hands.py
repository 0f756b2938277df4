"""Whose keys these are: those of a person who answers a review, or of one who types for the agent and did not look up.

Pure. Prose has letters, blanks, line ends and every pause there is, so no key approves anything by itself: a choice
counts only where no text is near it, and it is recorded only after Enter, a question on the screen, and a lone y.
"""

from __future__ import annotations

from typing import Literal

PAUSE = 0.5
"""Seconds between an answer and any text, and on both sides of the y that approves."""

PROSE = 2.0
"""Seconds after a key that was meant for the agent in which nothing can be chosen: who seeks each key types slowly."""

Sense = Literal["move", "page", "change", "no", "yes", "enter", "leave", "back", "approve", "prose", "unheard"]
"""What a key means. `back`: from the question to the choices. `prose`: it was for the agent, nothing stays chosen."""

MOVES = frozenset({"tab", "shift+tab", "up", "down", "pageup", "pagedown", "home", "end"})

_ANSWERS: dict[str, Sense] = {"space": "change", "left": "no", "right": "yes", "enter": "enter"}

_NEVER = float("-inf")


class Hands:
    """Judges one key after another, by its name and the time it was typed at."""

    def __init__(self) -> None:
        self._chose = self._blank = self._written = _NEVER
        self._leaves_from = float("inf")
        self.deaf_until = float("inf")
        """Until when no answer is heard, by the clock of the keys."""
        self._silence = PAUSE
        self.asked: float | None = None
        """Since when the question can be seen, infinite until it can; None while nothing is asked."""
        self._approved: float | None = None

    def shown(self, at: float) -> None:
        """Note when the person first saw what they are asked; infinite while they can't see it."""
        self.asked = self._approved = None
        self._leaves_from = at + PAUSE
        self.deaf_until = max(self._leaves_from, self._written + PROSE)

    def ask(self, at: float) -> None:
        """Note when the question could be seen; infinite until it can."""
        self.asked, self._approved = at, None

    def stop_asking(self) -> None:
        """Note that the choices are shown again."""
        self.asked = self._approved = None

    def key(self, key: str, at: float, *, pages: int) -> Sense:
        """Return what a key means, where there are so many pages."""
        if self.asked is not None:
            # Enter was the key before: any other has ended the question.
            if key == "y" and (self._approved is not None or at - self.asked >= PAUSE):
                self._approved = at
                return "approve"
            self.stop_asking()
            return "back" if key in MOVES or key in _ANSWERS or key == "escape" else self.text(at)
        if key in MOVES:
            return "move"
        if key == "escape":
            return "leave" if at >= self._leaves_from else "unheard"
        if key in _ANSWERS:
            return self._answer(key, at)
        # A digit turns the page, but it is text as well.
        if key in tuple("123456789"[:pages]) and at - self._chose >= PAUSE:
            self.deaf_until = max(self.deaf_until, at + PAUSE)
            return "page"
        return self.text(at)

    def text(self, at: float) -> Sense:
        """Take what was meant for the agent: a key that is none of ours, or a paste."""
        self.stop_asking()
        self._written, self._silence = at, PROSE
        self.deaf_until = max(self.deaf_until, at + PROSE)
        return "prose"

    def click(self, at: float) -> bool:
        """Tell whether a click may choose; it never answers the question."""
        self.stop_asking()
        if at >= self.deaf_until:
            self._chose = at
            return True
        return False

    def approves(self, now: float) -> bool:
        """Tell whether a y stands alone by now: nothing came before it, nothing after it."""
        return self._approved is not None and now - self._approved >= PAUSE

    def _answer(self, key: str, at: float) -> Sense:
        if at < self.deaf_until:
            # An arrow is hardly text: who tries it again and again is waiting for us.
            self.deaf_until = max(self.deaf_until, at + (PAUSE if key in ("left", "right") else self._silence))
            return "unheard"
        self._silence = PAUSE
        if key == "enter":
            return "enter"
        self._chose = at
        # A blank that is held down, or several of them, are no choice.
        held, self._blank = key == "space" and at - self._blank < PAUSE, at if key == "space" else self._blank
        return "no" if held else _ANSWERS[key]
