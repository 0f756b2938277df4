"""How the interface may end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentsup.core.session import Session

Reason = Literal["detached", "exited", "stopped", "lost", "failed"]


@dataclass(frozen=True)
class InterfaceEnd:
    """Why the interface ended; `code` and `signal` are the agent's, `key` a catalogue key that says more."""

    reason: Reason
    code: int | None = None
    signal: int | None = None
    key: str = ""
    agent_ended: bool = False
    """Of a failure: the agent had ended by then."""


def exited(session: Session, key: str = "") -> InterfaceEnd:
    """Return the end of a session whose agent has ended."""
    return InterfaceEnd("exited", session.agent.code, session.agent.signal, key)


def end_by(key: str, session: Session | None, *, stopping: bool) -> InterfaceEnd:
    """Return the end that the host's goodbye means; `stopping`: we have asked for it."""
    if stopping or key == "goodbye.stopped":
        return InterfaceEnd("stopped", key=key)
    if session is not None and session.phase == "exited":
        return exited(session, key)
    return InterfaceEnd("lost", key=key)
