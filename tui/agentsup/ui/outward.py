"""What goes to the outer terminal beside the screen: clipboard and notifications, as escape sequences.

Notifications are always passed on, as if the program ran in the outer terminal itself: that one knows whether
its window has the focus and what its user wants to see. OSC 9 is the form most terminals know.
"""

from __future__ import annotations

import base64
from collections.abc import Callable

CLIPBOARD_MOST = 100_000
"""Most base64 characters in one OSC 52: what common terminals still take."""

_NOTIFICATION_MOST = 200


class Outward:
    """Writes to the outer terminal, and keeps what was selected last."""

    def __init__(self, write: Callable[[str], None], on_cut: Callable[[int], None]) -> None:
        self._write, self._on_cut = write, on_cut
        self.selected = ""

    def copy_selected(self, text: str) -> None:
        """Copy what the person selected."""
        if text:
            self.selected = text
            self.copy(text.encode())

    def copy(self, data: bytes, *, cut: bool = False) -> None:
        """Put data on the clipboard, and tell where it, or what was to come, is too much: in kilobytes."""
        sequence, too_long = clipboard(data)
        self._write(sequence)
        if cut or too_long:
            self._on_cut(CLIPBOARD_MOST // 4 * 3 // 1000)

    def notify(self, title: str, body: str) -> None:
        """Show a notification."""
        if sequence := notification(title, body):
            self._write(sequence)


def clipboard(data: bytes) -> tuple[str, bool]:
    """Return the OSC 52 that puts data on the clipboard, and whether it had to be cut."""
    most = CLIPBOARD_MOST // 4 * 3
    kept = data[:most]
    if len(data) > most:
        kept = kept.decode("utf-8", "ignore").encode()  # no half character at the end
    return f"\x1b]52;c;{base64.b64encode(kept).decode()}\x07", len(data) > most


def notification(title: str, body: str) -> str:
    """Return the OSC 9 that shows a notification; empty where there is nothing to show."""
    text = ": ".join(part for part in (_clean(title), _clean(body)) if part)[:_NOTIFICATION_MOST]
    if text[:1].isdigit():
        text = f" {text}"  # OSC 9 ; digits are ConEmu's commands: progress, sleep, macros
    return f"\x1b]9;{text}\x07" if text else ""


def _clean(text: str) -> str:
    return "".join(character for character in text if character.isprintable()).strip()
