"""Writes a text of ours into the pty as the agent's composer takes it: piece by piece, nothing in between."""

from __future__ import annotations

import asyncio

from agentsup.core.injector import Piece, Typing
from agentsup.host.writer import Writer


class Typist:
    """Types one text at a time."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._loop = asyncio.get_running_loop()
        self._left: list[Piece] = []
        self._next: asyncio.TimerHandle | None = None

    @property
    def is_done(self) -> bool:
        """Say whether all that was to be typed is in the pty."""
        return not self._left and self._next is None and self._writer.has_written("injection")

    def type(self, typing: Typing) -> bool:
        """Begin; False where somebody else has the pty now."""
        if not self._writer.hold("injection"):
            return False
        self._left = list(typing.pieces)
        self._go_on()
        return True

    def submit(self) -> None:
        """Press Enter, and let the person's keys through again."""
        self._writer.write("injection", b"\r")
        self._writer.release("injection")

    def stop(self, *, keep_enter: bool = False) -> None:
        """Type nothing more; a paste that is open is closed, and the person's keys come through again.

        `keep_enter`: where some of it is in the pty, only up to an Enter or a paste, until `let_keys_go`.
        """
        self._left.clear()
        if self._next is not None:
            self._next.cancel()
            self._next = None
        self._writer.abort("injection", keep_enter=keep_enter)

    def let_keys_go(self) -> None:
        """Let through what was kept of the person's keys."""
        self._writer.let_keys_go()

    @property
    def keeps_keys(self) -> bool:
        """Say whether an Enter or a paste of the person's is kept."""
        return self._writer.keeps_keys

    def _go_on(self) -> None:
        self._next = None
        while self._left:
            piece = self._left.pop(0)
            self._writer.write("injection", piece.data)
            if piece.pause:
                self._next = self._loop.call_later(piece.pause, self._go_on)
                return
