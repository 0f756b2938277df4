"""A demo agent without a terminal, in time that a test moves: every script runs exactly as written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentsup.core.screen import Screen
from agentsup.demo.agenda import Agenda
from agentsup.demo.assembly import Setup, assemble, painter
from agentsup.demo.frames import Frames
from agentsup.demo.keys import KeyDecoder
from agentsup.demo.script import Behaviour
from agentsup.demo.script_file import parse_script
from agentsup.locale import load
from agentsup.terminal import open_engine

START = 1_700_000_000.0


class StoppedClock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        """Return seconds since the start."""
        return self.time

    def date(self) -> float:
        """Return Unix seconds."""
        return START + self.time


class Play:
    """One agent, its log and its terminal."""

    def __init__(
        self, folder: Path, script: dict[str, Any] | None = None, *, size: tuple[int, int] = (80, 24), **setup: Any
    ) -> None:
        self.clock = StoppedClock()
        self.agenda = Agenda(self.clock)
        self.engine = open_engine(*size)
        self.size = size
        self.home = folder
        parsed = None if script is None else parse_script(script)
        behaviour = parsed.behaviour if parsed else Behaviour()
        environment = {"AGENTSUP_DEMO_HOME": str(folder)} | setup.pop("environment", {})
        made = Setup(load(setup.pop("language", "en")), str(folder), environment, parsed, behaviour, **setup)
        self.written: list[tuple[int, str]] = []
        """What was written to the terminal, and at which millisecond."""
        self.agent = assemble(made, self.agenda, self._write)
        self.stage = self.agent.stage
        self._frames = Frames(self.agent, painter(made))
        self._frames.painter.resize(*size)
        self._decoder = KeyDecoder()
        self.agent.start("")
        self._draw()

    def type(self, text: str) -> None:
        """Let the agent read these bytes at once."""
        self.agent.take(self._decoder.feed(text.encode()))
        if self._decoder.pending:
            self.agent.take(self._decoder.flush())
        self._draw()

    def paste(self, text: str) -> None:
        """Paste with marks."""
        self.type(f"\x1b[200~{text}\x1b[201~")

    def advance(self, milliseconds: int) -> None:
        """Let time pass, and everything happen that is due."""
        end = self.clock.time + milliseconds / 1000
        while (due := self.agenda.next_due()) is not None and due <= end + 1e-9:
            self.clock.time = max(self.clock.time, due)
            self.agenda.run_next()
            self._draw()
        self.clock.time = end
        self._draw()

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        self.size = (columns, rows)
        self.engine.resize(columns, rows)
        self._frames.painter.resize(columns, rows)
        self._draw()

    def screen(self) -> Screen:
        """Return what the terminal shows."""
        return Screen(
            self.engine.columns, tuple(self.engine.lines(self.engine.scrollback().end, self.engine.rows)),
            self.engine.cursor(), self.engine.modes(), self.engine.title(),
        )  # fmt: skip

    def text(self) -> str:
        """Return the rows as one text."""
        return "\n".join("".join(run.text for run in row).rstrip() for row in self.screen().rows)

    def log(self) -> list[dict[str, Any]]:
        """Return the records of the current conversation without their times."""
        return [{k: v for k, v in r.items() if k != "time"} for r in self.timed_log()]

    def timed_log(self) -> list[dict[str, Any]]:
        """Return the records of the current conversation; `time` is the millisecond since the start."""
        path = self.home / "conversations" / f"{self.stage.log.id}.jsonl"
        records = [json.loads(line) for line in path.read_bytes().splitlines()]
        return [record | {"time": round((record["time"] - START) * 1000)} for record in records]

    def of(self, *types: str) -> list[dict[str, Any]]:
        """Return the records of these types, each without its type if there is only one."""
        found = [record for record in self.log() if record["type"] in types]
        return [{k: v for k, v in r.items() if k != "type"} for r in found] if len(types) == 1 else found

    def reports(self) -> list[tuple[int, str]]:
        """Return the state reports and their milliseconds."""
        return [
            (time, text.partition("state=")[2].rstrip("\x1b\\").replace(":app=demo", ""))
            for time, text in self.written
            if text.startswith("\x1b]7501;")
        ]

    def first_shown(self, text: str) -> int:
        """Return the millisecond at which a text was first written to the screen."""
        return next(time for time, written in self.written if text in written and not written.startswith("\x1b]7501"))

    def close(self) -> None:
        """Free the engine."""
        self.engine.close()

    def _write(self, text: str) -> None:
        self.written.append((round(self.clock.time * 1000), text))
        self.engine.feed(text.encode())

    def _draw(self) -> None:
        if frame := self._frames.next():
            self._write(frame)
