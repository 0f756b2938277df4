"""One program twice: in agentsup inside a tmux pane (`ours`), and in a tmux pane of its own (`bare`)."""

from __future__ import annotations

import json
import os
import select
import sys
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from agentsup.core.screen import CellStyle
from agentsup.protocol import messages as m
from tests.compare.cells import Cell, Line, captured, received, words
from tests.compare.watcher import Watcher
from tests.end_to_end.headless import Client
from tests.end_to_end.place import Place
from tests.terminals.tmux import POLL, Cursor, Tmux

DEADLINE = 15.0
SETTLE = 4.0
"""Seconds until the interface must show what the host has."""

SIZE = (120, 40)


class Shown(NamedTuple):
    """A screen: rows, cursor and title; a hidden cursor has no place."""

    rows: tuple[Line, ...]
    cursor: Cursor | None
    title: str = ""


class Difference(NamedTuple):
    """Where (`row 3`, `cursor`, `title`), and what stands there in the bare pane and in ours, as `words` says it."""

    where: str
    bare: str
    ours: str

    def __str__(self) -> str:
        return f"{self.where}\n  {self.bare}\n  {self.ours}"


class StyledClient(Client):
    """A client that keeps the rows' cells."""

    def __init__(self, folder: Path, *, size: tuple[int, int]) -> None:
        self.lines: list[Line] = []
        self.title = ""
        self.size = size
        super().__init__(folder, size=size)

    def fresh(self) -> Shown:
        """Introduce itself again: the host then takes all output so far and sends what it makes of it."""
        self.messages.clear()
        self.send(m.Hello(m.VERSION, "ui", *self.size))
        self.wait(self._answered, "the host's newest screen")
        cursor = Cursor(self.cursor.column, self.cursor.row, True) if self.cursor.visible else None
        return Shown(tuple(self.lines), cursor, self.title)

    def _answered(self) -> bool:
        kinds = [type(message) for message in self.messages]
        return m.Welcome in kinds and m.SessionChanged in kinds[kinds.index(m.Welcome) :]

    def _take(self, message: m.HostMessage) -> None:
        super()._take(message)
        if isinstance(message, m.Frame):
            if message.full or len(self.lines) != message.rows:
                self.lines = [()] * message.rows
            for number, runs in message.lines:
                self.lines[number] = received(runs, message.styles)
            self.title = message.title


class Pair:
    """Both panes and a client of ours' host; `close` ends everything."""

    def __init__(self, folder: Path, argv: Sequence[str], bare_argv: Sequence[str], size: tuple[int, int]) -> None:
        self.ground = -1
        """Background of the whole pane that the program has set: tmux draws it where nothing has one."""
        self.place = Place(folder)
        self.ours = self.place.open("--layout", "agent", "--", *argv, size=size)
        environment = self.place.env | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        # Through env: tmux sets its own TERM for what it starts.
        bare = ["env", f"TERM={environment['TERM']}", *bare_argv]
        self.bare = Tmux(bare, env=environment, cwd=self.place.work, size=size)
        self.place.terminals.append(self.bare)
        self.watcher = Watcher(self.bare.attach_command(), environment, size)
        self.ours.wait_until(self._has_socket, what="the host's socket")
        self.host = StyledClient(self.place.folder(), size=size)

    def _has_socket(self) -> bool:
        return any((self.place.runtime / "agentsup").glob("*/session.json"))

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of both."""
        self.watcher.resize(columns, rows)
        self.host.size = (columns, rows)
        self.ours.resize(columns, rows)
        self.bare.resize(columns, rows)

    def assert_same(self, listed: Collection[Difference] = ()) -> None:
        """Wait until ours shows what the host has and differs from the bare pane as listed; else fail and say where."""
        deadline = time.monotonic() + SETTLE
        while True:
            host, ours, bare = self.host.fresh(), shown(self.ours), self.bare_shown()
            undrawn = differences(drawable(host), drawable(ours))
            found = differences(bare, ours)
            if not undrawn and set(found) == set(listed):
                return
            if time.monotonic() > deadline:
                assert not undrawn, f"not drawn, first the host's, then ours:\n{_lines(undrawn)}"
                unlisted = [difference for difference in found if difference not in listed]
                assert not unlisted, f"differs, first bare, then ours:\n{_lines(unlisted)}"
                over = [difference for difference in listed if difference not in found]
                raise AssertionError(f"listed, but no longer so:\n{_lines(over)}")
            select.select([self.host.connection], [], [], POLL)

    def bare_shown(self) -> Shown:
        """Return what the bare pane shows, with the grounds at the rows' ends that a capture leaves out."""
        self.watcher.pump()
        screen = shown(self.bare)
        watched = self.watcher.rows(len(screen.rows), self.ground)
        rows = tuple(completed(row, seen) for row, seen in zip(screen.rows, watched, strict=True))
        return screen._replace(rows=rows)

    def close(self) -> None:
        """End both."""
        self.host.close()
        self.watcher.close()
        self.place.close()


class Players(Pair):
    """Two players that get the same orders."""

    def __init__(self, folder: Path, size: tuple[int, int] = SIZE) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._orders: list[int] = []
        self._done: list[int] = []
        programs = []
        for name in ("ours", "bare"):
            pipes = [folder / f"{name}.{end}" for end in ("orders", "done")]
            for pipe in pipes:
                os.mkfifo(pipe)
            orders, done = (os.open(pipe, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC) for pipe in pipes)
            self._orders.append(orders)
            self._done.append(done)
            player = Path(__file__).with_name("player.py")
            programs.append([sys.executable, "-S", str(player), *map(str, pipes)])
        super().__init__(folder / "place", programs[0], programs[1], size)

    def order(self, **order: object) -> None:
        """Let both do something, and wait until both terminals have read it."""
        line = json.dumps(order).encode() + b"\n"
        for pipe in self._orders:
            os.write(pipe, line)
        for pipe in self._done:
            ready, _, _ = select.select([pipe], [], [], DEADLINE)
            assert ready, f"not within {DEADLINE} s: {order}\n{self.ours.text()}"
            os.read(pipe, 1)

    def write(self, text: str) -> None:
        """Let both write a text."""
        self.order(text=text)

    def begin(self, columns: int, rows: int) -> None:
        """Give both an empty screen of this size."""
        if (columns, rows) != self.host.size:
            self.resize(columns, rows)
            self.ours.wait_until(self._resized, what="the new size")
        self.ground = -1
        # tmux's full reset leaves the alternate screen, the title and the terminal's own colours.
        self.write("\x1b[?1049l\x1bc\x1b]110\x1b\\\x1b]111\x1b\\\x1b]2;player\x1b\\\x1b[0m\x1b[2J\x1b[H\x1b[?25h")

    def _resized(self) -> bool:
        return len(self.ours.screen()) == len(self.bare.screen()) == len(self.host.fresh().rows) == self.host.size[1]

    def close(self) -> None:
        """End both."""
        super().close()
        for pipe in (*self._orders, *self._done):
            os.close(pipe)


def shown(terminal: Tmux) -> Shown:
    """Return what a pane shows."""
    rows = captured(terminal.screen_exact())
    cursor = terminal.cursor()
    # tmux counts a cursor that waits to wrap as standing behind the last column.
    last = terminal.columns - 1
    place = cursor._replace(column=min(cursor.column, last)) if cursor.visible else None
    return Shown(tuple(rows), place, terminal.title)


def drawable(screen: Shown) -> Shown:
    """Return a screen of the host's as the interface can draw it: Rich has no curly lines, tmux tells no links."""
    rows = tuple(
        tuple(
            cell._replace(
                style=cell.style._replace(
                    link="",
                    underline=1 if cell.style.underline > 2 else cell.style.underline,
                    underline_colour=-1,
                )
            )
            for cell in row
        )
        for row in screen.rows
    )
    return screen._replace(rows=rows)


def completed(row: Line, watched: Line) -> Line:
    """Return a captured row with the coloured blanks behind it: tmux draws erased cells, and captures none."""
    tail = watched[len(row) :]
    same = "".join(cell.text for cell in row) == "".join(cell.text for cell in watched[: len(row)])
    if same and all(cell == Cell(" ", CellStyle(background=cell.style.background)) for cell in tail):
        return row + tail
    return row


def differences(bare: Shown, ours: Shown) -> list[Difference]:
    """Return the rows that differ, then the cursor and the title."""
    found = [
        Difference(f"row {number}", words(one), words(other))
        for number, (one, other) in enumerate(zip(bare.rows, ours.rows, strict=True))
        if one != other
    ]
    if bare.cursor != ours.cursor:
        found.append(Difference("cursor", _place(bare.cursor), _place(ours.cursor)))
    if bare.title != ours.title:
        found.append(Difference("title", bare.title, ours.title))
    return found


def _place(cursor: Cursor | None) -> str:
    return f"column {cursor.column} row {cursor.row}" if cursor is not None else "hidden"


def _lines(found: Collection[Difference]) -> str:
    return "\n".join(map(str, found))
