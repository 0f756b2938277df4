"""The function keys agentsup takes where they are on: a second way to what the leader's menu offers.

F1 (keys) and F3 (panels) only. Codex has F2 (warnings), F4 (activity) and F8 (voice), as its own list of
shortcuts says (`tests/data/codex/screens/shortcuts.*`), so those and all keys with modifiers stay the agent's.
"""

from __future__ import annotations

import re
from typing import Literal

from agentsup.agents.registry import names
from agentsup.core.session import Session

ACTIONS = {"F1": "keys", "F3": "panels"}

_FORM = re.compile(rb"\x1b(?:O([PR])|\[(?:1(?:;(\d+)(?::(\d))?)?)?([PR])|\[1([13])(?:;(\d+)(?::(\d))?)?~)")
_KEYS = {b"P": "F1", b"1": "F1", b"R": "F3", b"3": "F3"}
_LOCKS = 64 | 128  # caps lock and num lock
_EVENTS: dict[bytes | None, Literal["press", "repeat", "release"]] = {b"2": "repeat", b"3": "release"}


def taken(setting: str, session: Session | None) -> bool:
    """Return whether agentsup takes its function keys: with "auto", from agents whose own keys are known."""
    known = session is not None and session.agent.name in names()
    return known if setting == "auto" else setting == "on"


def match(sequence: bytes) -> tuple[str, Literal["press", "repeat", "release"]] | None:
    """Return the action of a function key in xterm's, vt220's or kitty's form, and what happened to the key."""
    found = _FORM.fullmatch(sequence)
    if found is None:
        return None
    key = found[1] or found[4] or found[5]
    modifiers, event = (found[6], found[7]) if found[5] else (found[2], found[3])
    if modifiers and (int(modifiers) - 1) & ~_LOCKS:
        return None
    return ACTIONS[_KEYS[key]], _EVENTS.get(event, "press")
