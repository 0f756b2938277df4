"""Who is asking: a person at a terminal, or an agent that runs in a session of ours.

An agent's commands are what it may write, and how far it is to be trusted; so its name goes into what it writes.
It could still lie: it can unset a variable and leave its process tree. What must not be forged is not decided here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentsup.store.folders import runtime_path

Kind = Literal["person", "agent"]


@dataclass(frozen=True)
class Author:
    """Who writes; `session` and `agent` are empty where that is not known."""

    kind: Kind
    session: str = ""
    agent: str = ""

    @property
    def source(self) -> str:
        """The words for it in a memory file: `person`, `agent`, `agent codex, session bcdfg`."""
        named = " ".join(filter(None, (self.kind, self.agent)))
        return f"{named}, session {self.session}" if self.session else named


def author(environment: Mapping[str, str] | None = None) -> Author:
    """Return who runs this command.

    It is an agent where one of our ancestors is the keeper or the agent of a session, or where the environment says
    so: in a sandbox with process numbers of its own the ancestors can't be seen.
    """
    environment = os.environ if environment is None else environment
    sessions = _sessions(runtime_path(environment)[0])
    if sessions:
        by_pid = {pid: known for known, pids in sessions.items() for pid in pids}
        for pid in _ancestors():
            if pid in by_pid:
                return by_pid[pid]
    if session := environment.get("AGENTSUP_SESSION", ""):
        return next((known for known in sessions if known.session == session), Author("agent", session))
    return Author("person")


def _sessions(folder: Path) -> dict[Author, tuple[int, ...]]:
    """Return the sessions that have a record, each with the numbers of its keeper and its agent. Makes nothing."""
    found: dict[Author, tuple[int, ...]] = {}
    try:
        records = sorted(folder.glob("*/session.json"))
    except OSError:
        return found
    for path in records:
        try:
            record = json.loads(path.read_bytes())
            pids = (int(record["keeper_pid"]), int(record["agent_pid"]))
            found[Author("agent", str(record["session"]), str(record["agent"]))] = tuple(p for p in pids if p > 1)
        except (OSError, ValueError, TypeError, KeyError):
            continue
    return found


def _ancestors() -> list[int]:
    """Return our own number and those of our ancestors, the nearest first, as far as they can be seen."""
    import psutil

    found = [os.getpid()]
    try:
        for parent in psutil.Process().parents():
            found.append(parent.pid)
    except psutil.Error:
        pass
    return found
