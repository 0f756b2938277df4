"""The function keys agentsup takes where they are on: a second way to what the leader's menu offers.

F1 (keys), F2 (engram) and F3 (panels) only. Codex has F2 (warnings), F4 (activity) and F8 (voice), as its own list of
shortcuts says (`tests/data/codex/screens/shortcuts.*`), and opencode F2 (the model used before): there F2 stays the
agent's unless a person has switched function keys on. All others and all keys with modifiers always are.
"""

from __future__ import annotations

import re
from typing import Literal

from agentsup.agents.registry import names
from agentsup.core.session import Session

ACTIONS = {"F1": "keys", "F2": "engram", "F3": "panels"}

ALL = frozenset(ACTIONS)

LETTERS = {"engram": "e"}
"""What to type after the leader for an action, where a panel names it."""

AGENTS_OWN = {"codex": frozenset({"F2"}), "opencode": frozenset({"F2"})}
"""Keys among ours that an agent has a use for itself."""

_FORM = re.compile(rb"\x1b(?:O([PQR])|\[(?:1(?:;(\d+)(?::(\d))?)?)?([PQR])|\[1([123])(?:;(\d+)(?::(\d))?)?~)")
_KEYS = {b"P": "F1", b"1": "F1", b"Q": "F2", b"2": "F2", b"R": "F3", b"3": "F3"}
_LOCKS = 64 | 128  # caps lock and num lock
_EVENTS: dict[bytes | None, Literal["press", "repeat", "release"]] = {b"2": "repeat", b"3": "release"}


def taken(setting: str, session: Session | None) -> frozenset[str]:
    """Return the function keys agentsup takes: with "auto", from known agents, those they have no use for."""
    if setting != "auto":
        return ALL if setting == "on" else frozenset()
    if session is None or session.agent.name not in names():
        return frozenset()
    return ALL - AGENTS_OWN.get(session.agent.name, frozenset())


def hint(action: str, ours: frozenset[str], leader: str) -> str:
    """Return how an action is reached: by its function key where that is ours, else after the leader."""
    key = next((key for key, does in ACTIONS.items() if does == action), "")
    if key in ours:
        return key
    return f"{leader} {LETTERS[action]}" if action in LETTERS else ""


def match(sequence: bytes, ours: frozenset[str]) -> tuple[str, Literal["press", "repeat", "release"]] | None:
    """Return the action of one of these keys in xterm's, vt220's or kitty's form, and what happened to the key."""
    found = _FORM.fullmatch(sequence)
    if found is None or (name := _KEYS[found[1] or found[4] or found[5]]) not in ours:
        return None
    modifiers, event = (found[6], found[7]) if found[5] else (found[2], found[3])
    if modifiers and (int(modifiers) - 1) & ~_LOCKS:
        return None
    return ACTIONS[name], _EVENTS.get(event, "press")
