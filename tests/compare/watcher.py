"""A person's terminal on a tmux pane: shows what tmux draws, which `capture-pane` does not tell in full."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence

from agentsup.terminal import open_engine
from tests.compare.cells import Cell, Line, trimmed


class Watcher:
    """An attached tmux client and a terminal engine that reads what it writes."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], size: tuple[int, int]) -> None:
        self._engine = open_engine(*size)
        self._lines: dict[int, Line] = {}
        self._master, slave = os.openpty()
        self._set_size(*size)
        self._process = subprocess.Popen(
            command, env=dict(environment), stdin=slave, stdout=slave, stderr=slave, start_new_session=True
        )
        os.close(slave)
        os.set_blocking(self._master, False)

    def pump(self) -> None:
        """Read what has come."""
        while True:
            try:
                data = os.read(self._master, 1 << 16)
            except OSError:
                return
            self._engine.feed(data)
            if reply := self._engine.replies():
                os.write(self._master, reply)

    def rows(self, count: int, ground: int = -1) -> list[Line]:
        """Return the first rows as they were when last read; `ground` is the background of cells without one."""
        every, changed = self._engine.changes()
        if every:
            self._lines.clear()
        for number, row in changed.items():
            self._lines[number] = tuple(Cell(character, run.style) for run in row for character in run.text)
        return [trimmed([_on(cell, ground) for cell in self._lines.get(number, ())]) for number in range(count)]

    def resize(self, columns: int, rows: int) -> None:
        """Take a new size."""
        self._engine.resize(columns, rows)
        self._set_size(columns, rows)
        self._process.send_signal(signal.SIGWINCH)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def close(self) -> None:
        """Leave."""
        self._process.kill()
        self._process.wait()
        os.close(self._master)
        self._engine.close()


def _on(cell: Cell, ground: int) -> Cell:
    if cell.style.background == ground:
        return cell._replace(style=cell.style._replace(background=-1))
    return cell
