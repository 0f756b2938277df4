"""Questions that take the composer's place: an approval, a picker.

Both take every key. A paste is ignored, Enter takes the choice that is marked: what was typed for the composer
and comes too late answers the question.
"""

from __future__ import annotations

from dataclasses import dataclass

from agentsup.demo.keys import Key, KeyName, Pressed, Typed


@dataclass(frozen=True)
class Answer:
    """The choice that was made, None for a way out, and the key that made it."""

    choice: int | None
    key: str


@dataclass
class Dialog:
    """A question with choices."""

    title: str
    detail: str
    choices: tuple[str, ...]
    hint: str
    letters: tuple[str, ...] = ()
    """Single keys that choose at once, one for each choice; digits always do."""
    selected: int = 0
    drawn: bool = True
    """Whether it is on the screen already; it takes keys all the same."""

    def take(self, key: Key) -> Answer | None:
        """Take a key; return the answer if it is one."""
        match key:
            case Pressed(name="enter"):
                return Answer(self.selected, "enter")
            case Pressed(name="escape" | "ctrl-c" as name):
                return Answer(None, name)
            case Pressed(name="up" | "down" as name):
                self._move(name)
            case Typed(text=text) if len(text) == 1:
                return self._single(text)
            case _:
                pass
        return None

    def _move(self, name: KeyName) -> None:
        self.selected = (self.selected + (1 if name == "down" else -1)) % len(self.choices)

    def _single(self, text: str) -> Answer | None:
        if text in self.letters:
            return Answer(self.letters.index(text), text)
        if text.isascii() and text.isdigit() and 0 < int(text) <= len(self.choices):
            return Answer(int(text) - 1, text)
        return None
