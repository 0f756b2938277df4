"""The built-in script: a small task in a made-up project, for somebody who sees the product for the first time.

It runs by itself after one Enter: the context fills, is compacted, and what mattered is forgotten. If a restore
text then arrives, the agent recites it and goes on rightly. If none does, the tour says why and shows what it
would have been.
"""

from __future__ import annotations

from dataclasses import dataclass

from agentsup.core.catalogue import Catalogue
from agentsup.core.memory.engram import read_engram
from agentsup.core.memory.state import UNKNOWN
from agentsup.demo.mind import SPOKEN, Recital
from agentsup.demo.script import Action, Compact, Edit, FollowUp, Note, Read, Run, Say, Sleep, Step, Usage

WINDOW = 40_000
PROJECT = "parcel"
"""The made-up project; a task that names it is the tour's own."""

READING = 6000
"""Milliseconds to read a remark of the narrator."""

LISTENING = 1500
"""Milliseconds to take in what the agent has said."""

RESTORE_PATIENCE = 20_000
"""Milliseconds in which agentsup should have restored what it could."""

NOTHING_TO_WAIT_FOR = 3000

_FULL = 0.9
"""Share of the window at which the context is compacted."""


@dataclass(frozen=True)
class Surroundings:
    """What can be expected here."""

    supervised: bool = False
    """agentsup watches over this agent."""


class TourMind:
    """Shows the tour, and answers a little beyond it."""

    def __init__(self, catalogue: Catalogue, surroundings: Surroundings) -> None:
        self._catalogue, self._surroundings = catalogue, surroundings
        self._recital = Recital(catalogue)
        self._begun = False
        self._touring = False
        self._forgetful = False

    def first_prompt(self) -> str | None:
        """Return the tour's task until the tour has begun."""
        return None if self._begun else self._text("prompt")

    def answer(self, prompt: str, used: int) -> Step:
        """Return the tour for its task, a recital for a restore text, else a short pretence."""
        if self._recital.is_restore(prompt):
            return self._recover(prompt, used)
        if prompt == self._text("prompt"):
            self._begun = self._touring = True
            self._forgetful = False
            return self._tour()
        if self._forgetful:
            return Step(self._say("amnesia-again"))
        return self._pretend(used)

    def command(self, text: str) -> Step | None:
        """Start the tour again."""
        return self.answer(self._text("prompt"), 0) if text == "/tour" else None

    def compacted(self) -> None:
        """Forget."""
        self._forgetful = True

    def began(self, step: Step) -> None:
        """Recover: the only step of the tour that follows by itself is its make-believe restore."""
        self._touring = self._forgetful = False

    def _text(self, key: str, /, **values: object) -> str:
        return self._catalogue.text(f"demo.tour.{key}", **values)

    def _say(self, key: str) -> tuple[Action, ...]:
        return Say(self._text(key), delay=SPOKEN), Sleep(LISTENING)

    def _note(self, key: str) -> tuple[Action, ...]:
        return Note(self._text(key)), Sleep(READING)

    def _tour(self) -> Step:
        here = self._surroundings
        patient = here.supervised
        actions: tuple[Action, ...] = (
            *self._note("note-start"),
            *self._say("look"), Read("README.md", 700), Read("src/upload.py", 900), Usage(6_100, WINDOW),
            Read("src/client.py", 900), Usage(9_400),
            *self._say("plan"), Edit("src/retry.py", 1600), Edit("tests/test_retry.py", 1200), Usage(15_800),
            Run("pytest tests/test_retry.py", 1800), Usage(19_200),
            *self._say("step-one"), Run("pytest tests/test_upload.py --timeout 60", 2600, 1), Usage(25_600),
            *self._say("rejected"), Read("src/upload.py", 900), Edit("src/upload.py", 1600), Usage(33_800),
            *self._say("step-two"), Usage(37_300),
            *self._note("note-full"),
            Compact("auto", 5000, 6_200),
            *self._note("note-forgot"),
            *self._say("amnesia"),
            *self._note("note-wrong"),
        )  # fmt: skip
        believed = FollowUp(RESTORE_PATIENCE if patient else NOTHING_TO_WAIT_FOR, self._make_believe(), patient)
        return Step(actions, follow_up=believed)

    def _make_believe(self) -> Step:
        """Say why no restore text came, show one, and go on as if it had come."""
        why = "no-restore" if self._surroundings.supervised else "not-supervised"
        engram = self._text("engram")
        recital = self._recital.say(engram)
        return Step((*self._note(why), Note(engram), Sleep(READING), *recital, *self._rest()), asked=False)

    def _rest(self, note: str = "note-recovered") -> tuple[Action, ...]:
        return (
            *self._note(note),
            *self._say("go-on"), Edit("src/upload.py", 1600), Edit("tests/test_upload.py", 1200),
            Run("pytest", 1800), Usage(11_900), *self._say("done"),
            Note(self._text("end")),
        )  # fmt: skip

    def _recover(self, prompt: str, used: int) -> Step:
        recital = (*self._recital.say(prompt), Usage(min(used + 1_200, WINDOW)))
        touring, self._touring, self._forgetful = self._touring, False, False
        if not touring:
            return Step(recital)
        if not self._recital.wants_more(prompt):
            recital = (*recital, *self._note("note-waits"))
        if PROJECT in prompt:
            made = any(item.text == UNKNOWN for item in read_engram(prompt).items)
            return Step((*recital, *self._rest("note-made" if made else "note-recovered")))
        return Step((*recital, *self._note("note-recovered"), *self._say("not-mine"), Note(self._text("end"))))

    def _pretend(self, used: int) -> Step:
        """Pretend to work a little on whatever was asked for; compact when the context is full."""
        grown = min(max(used, 4_000) + 5_200, WINDOW - 500)
        actions: tuple[Action, ...] = (
            Read("src/client.py", 900), Usage(grown, WINDOW), *self._say("pretend"),
        )  # fmt: skip
        if grown >= WINDOW * _FULL:
            actions = (*actions, Compact("auto", 3000, 6_200), *self._say("amnesia-again"))
        return Step(actions)
