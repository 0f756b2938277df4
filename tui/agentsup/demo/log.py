"""The conversation's log: one JSON object a line, each with `time` (Unix seconds) and `type`.

    conversation         id, version, cwd, pid, resumed
    user                 text, source (typed, queued, argument, tour): a message that reached the model
    queued               text, deliver (tool, turn-end): submitted while a turn runs
    returned             text: the queue that an interruption put back into the composer
    command              text: a `/` command
    assistant            text
    tool                 kind (read, edit, run), target, exit_code
    usage                used, window, total, estimate
    turn_started         turn, asked
    turn_ended           turn, interrupted, message
    compaction_started   trigger (auto, manual)
    compacted            id, before, after, trigger
    compaction_failed    reason (failed, cancelled), trigger
    approval             command, approved, key
    picked               title, choice, key
    hook_context         event, text: what a hook has put into the context

The process holds every log open that it writes to: that is how it is found. The ids are ordered by time, so
the newest open log is the one of the current conversation.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentsup import __version__
from agentsup.demo.agenda import Agenda


class UnknownConversation(Exception):
    """There is no log of this id."""


def home(environment: Mapping[str, str]) -> Path:
    """Return the demo agent's own folder."""
    if own := environment.get("AGENTSUP_DEMO_HOME"):
        return Path(own)
    state = environment.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return Path(state) / "agentsup" / "demo"


class ConversationLog:
    """Writes the records of one conversation after the other; each `delay` seconds late."""

    def __init__(self, folder: Path, agenda: Agenda, cwd: str) -> None:
        self.delay = 0.0
        self.id = ""
        self._folder = folder / "conversations"
        self._agenda, self._cwd = agenda, cwd
        self._descriptors: list[int] = []
        self._waiting: list[tuple[int, bytes]] = []

    def begin(self) -> None:
        """Begin a new conversation; the logs before it stay open."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.id = _next_id(self._agenda.clock.date(), after=self.id)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._descriptors.append(os.open(self._folder / f"{self.id}.jsonl", flags, 0o600))
        self._introduce(resumed=False)

    def resume(self, id: str) -> list[dict[str, Any]]:
        """Go on with an earlier conversation and return its records; raises UnknownConversation."""
        path = self._folder / f"{id}.jsonl"
        if os.sep in id or not path.is_file():
            raise UnknownConversation(id)
        content = path.read_bytes()
        self.id = id
        self._descriptors.append(os.open(path, os.O_WRONLY | os.O_APPEND))
        if content and not content.endswith(b"\n"):
            os.write(self._descriptors[-1], b"\n")  # the process before this one was killed amid a line
        self._introduce(resumed=True)
        return [record for line in content.splitlines() if (record := _parsed(line))]

    def write(self, type: str, **fields: object) -> None:
        """Write a record, now or `delay` later; its time is now."""
        record = {"time": round(self._agenda.clock.date(), 6), "type": type, **fields}
        line = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        entry = (self._descriptors[-1], line)
        self._waiting.append(entry)
        if self.delay:
            self._agenda.after(self.delay, self._write_one)
        else:
            self.flush()

    def flush(self) -> None:
        """Write what still waits."""
        while self._waiting:
            self._write_one()

    def _write_one(self) -> None:
        if self._waiting:
            descriptor, line = self._waiting.pop(0)
            os.write(descriptor, line)

    def _introduce(self, *, resumed: bool) -> None:
        self.write(
            "conversation", id=self.id, version=__version__, cwd=self._cwd, pid=os.getpid(), resumed=resumed
        )  # fmt: skip


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _next_id(date: float, *, after: str) -> str:
    """Return a UUID of version 7, greater than `after`: the time in milliseconds, then chance."""
    stamp = int(date * 1000)
    if after:
        stamp = max(stamp, int(after.replace("-", "")[:12], 16) + 1)
    chance = secrets.randbits(74)
    number = stamp << 80 | 7 << 76 | (chance >> 62) << 64 | 2 << 62 | (chance & ((1 << 62) - 1))
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
