"""What the agent answers: by a script file, else by what it has learnt by heart.

After a compaction it has forgotten: it answers as one that lost its task, until a restore text arrives. That
is recognised by its first line, and everything it then recites is read out of the message itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Protocol

from agentsup.core.catalogue import Catalogue
from agentsup.core.memory.engram import EngramItem, read_engram
from agentsup.core.memory.labels import Tag
from agentsup.demo.script import Action, Say, Script, Step
from agentsup.locale import LANGUAGES, messages

SPOKEN = 40
"""Milliseconds for a few characters of an answer that no script paces."""


class Mind(Protocol):
    """What answers prompts."""

    def answer(self, prompt: str, used: int) -> Step:
        """Return what to do about a prompt; `used` tokens are in the context."""

    def command(self, text: str) -> Step | None:
        """Return what a script does in place of a `/` command."""

    def first_prompt(self) -> str | None:
        """Return what Enter in the empty composer submits; None where it does nothing."""

    def compacted(self) -> None:
        """The context was replaced by a summary."""

    def began(self, step: Step) -> None:
        """A step that follows another one has begun by itself."""


class Recital:
    """Recognises restore texts and knows what to say about them."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        texts = [messages(language) for language in LANGUAGES]
        self._headers = tuple(_header_patterns(texts))
        self._next = tuple(of_language["recital.next"] for of_language in texts)
        self._go_on = tuple(of_language["restore.go_on"] for of_language in texts)

    def is_restore(self, prompt: str) -> bool:
        """Say whether a prompt is a restore text: its first line says so, in any language."""
        first = prompt.partition("\n")[0]
        return any(pattern.match(first) for pattern in self._headers)

    def wants_more(self, prompt: str) -> bool:
        """Say whether a restore text asks to go on with the turn that was interrupted."""
        return any(sentence in prompt for sentence in self._go_on)

    def say(self, prompt: str) -> tuple[Action, ...]:
        """Recite task, next step and taboos, as they stand in the message."""
        items = read_engram(prompt).items
        lines = [
            *self._lines(items, "task", "recite.task"),
            *self._lines(items, "pending", "recite.next"),
            *(self._catalogue.text("demo.recite.next", text=text) for text in self._steps(prompt)),
            *self._lines(items, "taboo", "recite.taboo"),
        ]
        text = "\n".join(lines) or self._catalogue.text("demo.recite.nothing")
        return (Say(text, delay=SPOKEN),)

    def _steps(self, prompt: str) -> Iterable[str]:
        """Yield the next step of a text that asks for a recital once more: it names that by a word of its own."""
        beginnings = tuple(f"{word}: " for word in self._next)
        yield from (line.partition(": ")[2] for line in prompt.split("\n") if line.startswith(beginnings))

    def _lines(self, items: Iterable[EngramItem], tag: Tag, key: str) -> list[str]:
        return [self._catalogue.text(f"demo.{key}", text=item.text) for item in items if item.tag == tag]


class ScriptedMind:
    """Answers by the steps of a script file."""

    def __init__(self, script: Script, catalogue: Catalogue) -> None:
        self._script, self._recital = script, Recital(catalogue)
        self._catalogue = catalogue
        self._taken = [0] * len(script.steps)

    def answer(self, prompt: str, used: int) -> Step:
        """Take the first step whose pattern is found; else recite, or answer shortly."""
        if step := self._scripted(prompt):
            return step
        if self._recital.is_restore(prompt):
            return Step(self._recital.say(prompt))
        return Step((Say(self._catalogue.text("demo.short-answer"), delay=0),))

    def command(self, text: str) -> Step | None:
        """Take a step that is meant for this command: its pattern begins with a slash."""
        return self._scripted(text, "^/")

    def first_prompt(self) -> str | None:
        """Return nothing: a script answers prompts."""
        return None

    def compacted(self) -> None:
        """A script says itself what is forgotten."""

    def began(self, step: Step) -> None:
        """A script needs not to know."""

    def _scripted(self, prompt: str, beginning: str = "") -> Step | None:
        for number, scripted in enumerate(self._script.steps):
            if scripted.times and self._taken[number] >= scripted.times:
                continue
            if scripted.prompt.startswith(beginning) and re.search(scripted.prompt, prompt):
                self._taken[number] += 1
                return scripted.step
        return None


def _header_patterns(texts: Iterable[Mapping[str, str]]) -> Iterable[re.Pattern[str]]:
    """Return what the first lines of all restore texts look like, up to the id: made from their templates."""
    for of_language in texts:
        for key, template in of_language.items():
            before, found, _ = template.partition("{id}")
            if key.startswith(("restore.", "recital.header")) and found and before:
                yield re.compile(re.escape(before) + r"\w+")
