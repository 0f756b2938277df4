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

from agentsup.store.ancestry import ancestors, is_under_a_keeper, own_pid
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

    It is an agent where one of our ancestors is the keeper or the agent of a session, or any keeper at all, or where
    the environment says so: in a sandbox with process numbers of its own the ancestors can't be seen.
    """
    environment = os.environ if environment is None else environment
    sessions = _sessions(runtime_path(environment)[0])
    pid = own_pid()
    if sessions:
        by_pid = {number: known for known, numbers in sessions.items() for number in numbers}
        for each in ancestors(pid):
            if each in by_pid:
                return by_pid[each]
    if session := environment.get("AGENTSUP_SESSION", ""):
        return next((known for known in sessions if known.session == session), Author("agent", session))
    return Author("agent") if is_under_a_keeper(pid) else Author("person")


def _sessions(folder: Path) -> dict[Author, tuple[int, ...]]:
    """Return the sessions that have a record, each with the numbers of its keeper and its agent. Makes nothing."""
    found: dict[Author, tuple[int, ...]] = {}
    try:
        records = sorted(folder.glob("*/session.json"))
    except OSError:
        return found
    for path in records:
        try:
            record = json.loads(read_plain(path, None, LARGEST) or b"")
            pids = (int(record["keeper_pid"]), int(record["agent_pid"]))
            found[Author("agent", str(record["session"]), str(record["agent"]))] = tuple(p for p in pids if p > 1)
        except (OSError, ValueError, TypeError, KeyError):
            continue
    return found
