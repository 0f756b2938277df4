"""The demo agent without a terminal: keys go in, a stage to be drawn comes out."""

from __future__ import annotations

import signal
from collections.abc import Iterable

from agentsup.demo.commands import Commands
from agentsup.demo.completion import completion_for
from agentsup.demo.keys import Key, KeyName, Pasted, Pressed, Typed
from agentsup.demo.mind import Mind
from agentsup.demo.stage import Stage
from agentsup.demo.turns import Turns

PAGE = 10
"""Rows that Page Up scrolls the transcript on the alternate screen."""


class Agent:
    """Decides what every key means."""

    def __init__(self, stage: Stage, mind: Mind) -> None:
        self.stage, self.turns = stage, Turns(stage, mind)
        self._mind = mind
        self._commands = Commands(stage, self.turns, mind)
        self._typed_at = self._pasted_at = float("-inf")

    @property
    def offers_tour(self) -> bool:
        """Whether Enter in the empty composer begins something."""
        return self._mind.first_prompt() is not None

    def start(self, prompt: str) -> None:
        """Say that it waits; answer a prompt from the command line."""
        self.stage.reports.say("idle")
        if prompt:
            self.turns.submit(prompt, "argument")

    def take(self, keys: Iterable[Key]) -> None:
        """Take keys that arrived together."""
        for key in keys:
            if self.stage.exit_code is not None:
                return
            self._take_one(key)

    def editor_ended(self, text: str) -> None:
        """The external editor has ended; its text is the draft."""
        self.stage.composer.replace(text)
        self.turns.answer(None)

    def _take_one(self, key: Key) -> None:
        stage = self.stage
        stage.reports.key()
        if stage.dialog is not None:
            if (answer := stage.dialog.take(key)) is not None:
                self.turns.answer(answer)
            return
        match key:
            case Typed(text=text):
                stage.composer.type(text)
                self._typed_at = stage.agenda.now
                stage.completion = completion_for(stage.composer.draft)
            case Pasted(text=text):
                stage.composer.paste(text)
                self._pasted_at = stage.agenda.now
                stage.completion = None
            case Pressed(name=name):
                if not self._in_popup(name):
                    self._press(name)

    def _in_popup(self, name: KeyName) -> bool:
        """Let the popup take a key; say whether it did."""
        stage = self.stage
        completion = stage.completion
        if completion is None:
            return False
        match name:
            case "up" | "down":
                stage.completion = completion.moved(1 if name == "down" else -1)
                return True
            case "escape":
                stage.completion = None
                return True
            case "tab":
                stage.composer.draft = completion.applied(stage.composer.draft)
                stage.completion = None
                return True
            case "enter" if completion.word.startswith("@") or stage.composer.text == completion.word:
                # As in Codex: Enter takes the marked file, or runs the marked command.
                stage.composer.draft = completion.applied(stage.composer.draft)
                stage.completion = None
                return completion.word.startswith("@")
            case _:
                return False

    def _press(self, name: KeyName) -> None:
        stage, composer = self.stage, self.stage.composer
        match name:
            case "enter":
                self._enter()
            case "tab":
                if self.turns.busy and not composer.is_empty:
                    self.turns.submit(composer.take(), at_turn_end=True)
            case "escape":
                self.turns.interrupt()
            case "ctrl-c":
                self._ctrl_c()
            case "ctrl-d" if composer.is_empty:
                if not self.turns.busy:
                    stage.exit_code = 0
            case "ctrl-g":
                stage.editor_wanted = True
            case "page-up":
                stage.scrolled += PAGE
            case "page-down":
                stage.scrolled = max(0, stage.scrolled - PAGE)
            case _:
                composer.press(name)
                stage.completion = completion_for(composer.draft) if stage.completion or name == "backspace" else None

    def _enter(self) -> None:
        stage, composer = self.stage, self.stage.composer
        now, behaviour = stage.agenda.now, stage.behaviour
        if (now - self._typed_at) * 1000 < behaviour.paste_burst:
            composer.press("newline")
            return
        if (now - self._pasted_at) * 1000 < behaviour.paste_guard:
            return
        stage.completion, stage.scrolled = None, 0
        text = composer.text
        if not text.strip():
            if composer.is_empty and not self.turns.busy and (prompt := self._mind.first_prompt()):
                self.turns.submit(prompt, "tour")
        elif text.startswith("/"):
            self._commands.run(text.strip())
        else:
            composer.take()
            self.turns.submit(text)

    def _ctrl_c(self) -> None:
        """Clear a draft, else interrupt a turn, else leave."""
        stage = self.stage
        stage.completion = None
        if not stage.composer.is_empty:
            stage.composer.discard()
        elif self.turns.in_turn:
            self.turns.interrupt()
        elif not self.turns.busy:
            stage.exit_code = 0

    def asked_to_end(self, number: signal.Signals) -> None:
        """A signal asks the program to leave."""
        self.stage.exit_code = 128 + number
