"""Writes a text of ours into the pty as the agent's composer takes it, nothing in between."""

from __future__ import annotations

from agentsup.core.injector import Typing
from agentsup.host.writer import Writer


class Typist:
    """Types one text at a time."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    @property
    def is_done(self) -> bool:
        """Say whether all that was to be typed is in the pty."""
        return self._writer.has_written("injection")

    def type(self, typing: Typing) -> bool:
        """Begin; False where somebody else has the pty now."""
        if not self._writer.hold("injection"):
            return False
        self._writer.write("injection", typing.data)
        return True

    def submit(self) -> None:
        """Press Enter, and let the person's keys through again."""
        self._writer.write("injection", b"\r")
        self._writer.release("injection")

    def stop(self, *, keep_enter: bool = False) -> None:
        """Type nothing more; a paste that is open is closed, and the person's keys come through again.

        `keep_enter`: where some of it is in the pty, only up to an Enter or a paste, until `let_keys_go`.
        """
        self._writer.abort("injection", keep_enter=keep_enter)

    def let_keys_go(self) -> None:
        """Let through what was kept of the person's keys."""
        self._writer.let_keys_go()

    @property
    def keeps_keys(self) -> bool:
        """Say whether an Enter or a paste of the person's is kept."""
        return self._writer.keeps_keys
