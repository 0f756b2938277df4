"""Who is asking: a person at a terminal, or an agent that runs in a session of ours.

An agent's commands are what it may write, and how far it is to be trusted; so its name goes into what it writes.
It can unset a variable, choose other folders and fork twice; that a keeper of ours is above it, it can't change.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentsup.store.ancestry import ancestors, is_own_keeper, is_under_a_keeper, own_pid, session_of
from agentsup.store.content import LARGEST, read_plain
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

    It is an agent where one of our ancestors is a keeper, or was started as the agent of a session, or where the
    environment says so: in a sandbox with process numbers of its own the ancestors can't be seen. A session's record
    alone makes nobody an agent: anybody can write one that names the person's shell.
    """
    environment = os.environ if environment is None else environment
    sessions = _sessions(runtime_path(environment)[0])
    pid = own_pid()
    if sessions:
        for each in ancestors(pid):
            for known, (keeper, agent) in sessions.items():
                if (each == keeper and is_own_keeper(each)) or (each == agent and session_of(each) == known.session):
                    return known
    if session := environment.get("AGENTSUP_SESSION", ""):
        return next((known for known in sessions if known.session == session), Author("agent", session))
    return Author("agent") if is_under_a_keeper(pid) else Author("person")


def _sessions(folder: Path) -> dict[Author, tuple[int, int]]:
    """Return the sessions that have a record, each with the numbers of its keeper and its agent. Makes nothing."""
    found: dict[Author, tuple[int, int]] = {}
    try:
        records = sorted(folder.glob("*/session.json"))
    except OSError:
        return found
    for path in records:
        try:
            record = json.loads(read_plain(path, None, LARGEST) or b"")
            pids = (int(record["keeper_pid"]), int(record["agent_pid"]))
            found[Author("agent", str(record["session"]), str(record["agent"]))] = pids
        except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
            continue
    return found
