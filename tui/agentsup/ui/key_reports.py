"""Key reports for Textual: it knows kitty's form of a key only, of xterm's (modifyOtherKeys) no more than a few."""

from __future__ import annotations

import re

_EVENT_TYPE = re.compile(rb"(\x1b\[[\d:]*;\d+):(\d)")
_MODIFY_OTHER_KEYS = re.compile(rb"\x1b\[27;(\d+);(\d+)~")
_MODIFIER_ALONE = re.compile(rb"\x1b\[57(?:44[1-9]|45[0-4]|358|359|360)(?:;[\d:;]*)?u")
"""Kitty's reports of Shift, Ctrl, Caps Lock … on their own way down: no choice in a menu."""


def legible(report: bytes) -> str:
    """Return a key as Textual can read it; empty where nothing was pressed that could mean something."""
    # With kitty's event types a release is a report of its own; Textual would take it for a second press.
    typed = _EVENT_TYPE.match(report)
    if (typed and typed[2] == b"3") or _MODIFIER_ALONE.match(report):
        return ""
    return _MODIFY_OTHER_KEYS.sub(b"\x1b[\\2;\\1u", _EVENT_TYPE.sub(rb"\1", report)).decode("utf-8", "replace")
