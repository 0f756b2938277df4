"""The `/` commands."""

from __future__ import annotations

from agentsup.demo.completion import COMMANDS
from agentsup.demo.mind import Mind
from agentsup.demo.script import Compact, Pick, Step
from agentsup.demo.stage import Meter, Stage
from agentsup.demo.turns import Turns

COMPACTION_TAKES = 2000
"""Milliseconds of a compaction that the person asks for."""


class Commands:
    """Runs what stands in the composer as a command."""

    def __init__(self, stage: Stage, turns: Turns, mind: Mind) -> None:
        self._stage, self._turns, self._mind = stage, turns, mind

    def run(self, text: str) -> None:
        """Run a command; one that is unknown, or must wait, stays in the composer."""
        stage, name = self._stage, text.split()[0]
        if name in ("/quit", "/exit"):
            self._accept(text)
            stage.exit_code = 0
        elif name == "/help":
            self._accept(text)
            stage.notice("help", commands=" ".join(COMMANDS))
        elif name == "/editor":
            self._accept(text)
            stage.editor_wanted = True
        elif self._turns.busy:
            stage.notice("command-busy", command=name)
        elif step := self._mind.command(text):
            self._accept(text)
            self._turns.take(step)
        elif name == "/compact":
            self._accept(text)
            self._turns.take(Step((Compact("manual", COMPACTION_TAKES),), asked=False))
        elif name == "/model":
            self._accept(text)
            self._turns.take(Step((Pick(stage.text("picker.title")),), turn=False))
        elif name == "/new":
            self._accept(text)
            self._renew()
        else:
            stage.notice("command-unknown", command=name)

    def _accept(self, text: str) -> None:
        self._stage.composer.take()
        self._stage.log.write("command", text=text)

    def _renew(self) -> None:
        """Begin a new conversation: a new log, an empty context."""
        stage = self._stage
        self._turns.forget_follow_up()
        stage.log.begin()
        stage.hooks.began("clear")
        stage.meter = Meter(stage.meter.window)
        stage.notice("new", id=stage.log.id)
