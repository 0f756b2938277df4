"""The program: one thread that waits for keys, signals and the agenda, and draws what changed."""

from __future__ import annotations

import contextlib
import os
import resource
import selectors
import signal
import socket
from collections.abc import Iterator, Mapping

from agentsup.core.text import sanitise
from agentsup.demo.agenda import Agenda
from agentsup.demo.agent import Agent
from agentsup.demo.editor import Editor
from agentsup.demo.frames import Frames
from agentsup.demo.keys import ESCAPE_PATIENCE, KeyDecoder
from agentsup.demo.terminal import Terminal, TerminalClosed

BUSY_FRAME = 0.1
"""Seconds between frames while something runs: so the spinner turns."""

_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_HEARD = (*_ENDING, signal.SIGWINCH, signal.SIGCHLD, signal.SIGCONT)


class Program:
    """Runs an agent on a terminal until it ends."""

    def __init__(
        self, agent: Agent, frames: Frames, agenda: Agenda, terminal: Terminal, environment: Mapping[str, str]
    ) -> None:
        self._agent, self._frames, self._agenda = agent, frames, agenda
        self._terminal, self._environment = terminal, environment
        self._stage = agent.stage
        self._decoder = KeyDecoder()
        self._editor: Editor | None = None
        self._selector = selectors.DefaultSelector()
        self._escape_due: float | None = None

    def run(self, prompt: str) -> int:
        """Run to the end; returns the exit code."""
        stage = self._stage
        with _signals() as wakeup:
            self._selector.register(wakeup, selectors.EVENT_READ)
            self._selector.register(0, selectors.EVENT_READ)
            self._terminal.enter()
            try:
                self._frames.painter.resize(*self._terminal.size())
                self._agent.start(prompt)
                while stage.exit_code is None:
                    self._turn(wakeup)
            except TerminalClosed:
                stage.exit_code = 128 + signal.SIGHUP
            finally:
                self._end()
        return stage.exit_code or 0

    def _turn(self, wakeup: socket.socket) -> None:
        stage = self._stage
        if stage.crash:
            _die(stage.crash)
        if stage.editor_wanted and self._editor is None:
            self._open_editor()
        self._draw()
        for key, _ in self._selector.select(self._patience()):
            if key.fileobj is wakeup:
                self._heard(wakeup.recv(64))
            else:
                data = self._terminal.read()
                self._agent.take(self._decoder.feed(data))
                self._escape_due = self._agenda.clock.now() + ESCAPE_PATIENCE if self._decoder.pending else None
        if self._escape_due is not None and self._agenda.clock.now() >= self._escape_due:
            self._escape_due = None
            self._agent.take(self._decoder.flush())
        # One at a time, each with its frame: what is due later must not be seen first, however late we are.
        while stage.exit_code is None and not stage.crash and self._agenda.run_next():
            self._draw()

    def _patience(self) -> float | None:
        now = self._agenda.clock.now()
        dues = [due for due in (self._agenda.next_due(), self._escape_due) if due is not None]
        if self._stage.activity:
            dues.append(now + BUSY_FRAME)
        return max(0.0, min(dues) - now) if dues else None

    def _draw(self) -> None:
        if self._editor is None and (frame := self._frames.next()):
            self._terminal.write(frame)

    def _heard(self, numbers: bytes) -> None:
        for number in numbers:
            match signal.Signals(number):
                case signal.SIGWINCH:
                    self._redraw()
                case signal.SIGCHLD:
                    self._close_editor()
                case signal.SIGCONT:
                    if self._editor is None:
                        self._terminal.enter()
                        self._redraw()
                case ending:
                    self._agent.asked_to_end(ending)

    def _redraw(self) -> None:
        self._frames.painter.resize(*self._terminal.size())

    def _open_editor(self) -> None:
        self._selector.unregister(0)
        self._terminal.write(self._frames.painter.leave())
        self._editor = Editor(self._stage.composer.text, self._environment, self._terminal)
        if self._editor.problem:
            self._stage.notice("editor-problem", reason=self._editor.problem)
            self._close_editor()

    def _close_editor(self) -> None:
        if self._editor is None:
            return
        if self._editor.running:
            self._editor.wake()
            return
        text = self._editor.close()
        self._editor = None
        self._stage.editor_wanted = False
        self._terminal.enter()
        self._selector.register(0, selectors.EVENT_READ)
        self._redraw()
        self._agent.editor_ended(sanitise(text))

    def _end(self) -> None:
        """Leave the terminal as it was found, whatever has happened."""
        stage = self._stage
        with contextlib.suppress(TerminalClosed):
            if self._editor is not None:
                self._editor.close()
                self._terminal.enter()
            stage.log.flush()
            self._terminal.write(f"{self._frames.painter.leave()}{stage.reports.goodbye()}\x1b]0;\x1b\\")
        self._terminal.leave(f"{stage.text('resume', id=stage.log.id)}\n" if stage.spoken else "")
        self._selector.close()


@contextlib.contextmanager
def _signals() -> Iterator[socket.socket]:
    """Let signals arrive on a socket, each as its number."""
    reader, writer = socket.socketpair()
    reader.setblocking(False)
    writer.setblocking(False)
    for number in _HEARD:
        signal.signal(number, lambda *_: None)  # to the end: a second one must not cut the ending short
    before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    try:
        yield reader
    finally:
        signal.set_wakeup_fd(before)
        reader.close()
        writer.close()


def _die(name: str) -> None:
    """Die of a signal, as a crashing agent does: nothing is restored or flushed."""
    number = signal.Signals[f"SIG{name.removeprefix('SIG')}"]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
