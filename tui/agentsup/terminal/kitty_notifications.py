"""Read kitty's desktop notifications (OSC 99), which libghostty knows and doesn't tell.

`ESC ] 99 ; i=1:d=0 ; title ESC \\`, then `ESC ] 99 ; i=1:p=body ; body ESC \\`: parts of one notification have
its id, and all but the last say d=0. Left out: icons, buttons, sounds, and queries (p=?), which would need an
answer that repeats text of the program's choice. https://sw.kovidgoyal.net/kitty/desktop-notifications/
"""

from __future__ import annotations

import base64
import binascii

from agentsup.terminal.engine import CONTROLS, NotificationSent
from agentsup.terminal.osc_tap import OscTap
from agentsup.terminal.status_tap import parse

_MOST_OPEN = 16
"""Notifications whose last part is awaited; a program that begins more gets no more."""

_MOST_TEXT = 4096


class KittyNotifications:
    """Put notifications together from a stream that arrives in pieces."""

    def __init__(self) -> None:
        self._tap = OscTap(99)
        self._open: dict[str, dict[str, str]] = {}

    def feed(self, data: bytes) -> list[NotificationSent]:
        """Return the notifications that `data` completes."""
        return [sent for payload in self._tap.feed(data) if (sent := self._take(payload)) is not None]

    def _take(self, payload: bytes) -> NotificationSent | None:
        metadata, _, raw = payload.partition(b";")
        fields = parse(metadata)
        part, name = fields.get("p", "title"), fields.get("i", "")
        parts = self._open.pop(name, {"title": "", "body": ""})
        if part in parts:
            parts[part] = (parts[part] + _text(raw, encoded=fields.get("e") == "1"))[:_MOST_TEXT]
        if fields.get("d") == "0":
            if len(self._open) < _MOST_OPEN:
                self._open[name] = parts
            return None
        title, body = parts["title"], parts["body"]
        return NotificationSent(title, body) if title or body else None


def _text(raw: bytes, *, encoded: bool) -> str:
    if encoded:
        try:
            raw = base64.b64decode(raw + b"=" * (-len(raw) % 4), validate=True)
        except binascii.Error:
            return ""
    return CONTROLS.sub("", raw.decode("utf-8", "replace"))
