"""Which of the threads that Codex holds open is the one on its screen, measured on 0.171.0.

It leaves lock and rollout of every thread open that it was in. What tells them apart, the newest counts:

    thread-writer-locks/ID.lock   made anew whenever the person turns to a thread: at the start, by /new, /clear, /fork,
                                  /resume, the agents' view or a rewind
    history.jsonl                 a line for every prompt that is typed, with the id of the thread: for one that was at
                                  work all the while, which is not opened again

A rollout that grows does not say where the person is: a turn goes on in the background, and `codex queue` begins one
there. But one that is at work can be looked at without a trace, so after that nobody is certain.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable
from pathlib import Path

from agentsup.agents.adapter import Conversation

HELD = (".lock", ".jsonl")
"""How the names of the files end that it holds open for a thread."""

HISTORY = "history.jsonl"

_ID = r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
_LOCK = re.compile(rf"/thread-writer-locks/{_ID}\.lock$")
_ROLLOUT = re.compile(rf"/sessions/(?:.*/)?rollout-[^/]*?-{_ID}(?:_{_ID})?\.jsonl$")
"""A thread that was rewound goes on in a file with a second id, which is ordered by time as the first is."""

_PROMPT = re.compile(rb'\{"session_id":"([0-9a-f-]{36})"')

_LAST_MOST = 1 << 18
"""Bytes of the history that are read, from its end: its last line holds all of a prompt."""


def current(paths: Iterable[str], strangers: Container[str]) -> Conversation | None:
    """Return the thread that the person is in, by the paths that the process holds open for writing."""
    since: dict[str, int] = {}
    logs: dict[str, tuple[str, str]] = {}
    history: Path | None = None
    for path in paths:
        if (lock := _LOCK.search(path)) and lock[1] not in strangers:
            since[lock[1]] = _modified(path)
            history = Path(path).parents[1] / HISTORY
        elif (rollout := _ROLLOUT.search(path)) and rollout[1] not in strangers:
            since.setdefault(rollout[1], 0)
            logs[rollout[1]] = max(logs.get(rollout[1], ("", "")), (rollout[2] or "", path))
    if history is not None and len(since) > 1:
        prompted, when = _last_prompt(history)
        if prompted in since:
            since[prompted] = max(since[prompted], when)
    if not since:
        return None
    newest = max(since, key=lambda id: (since[id], id))
    _, log = logs.pop(newest, ("", ""))
    own = max(since[newest], _modified(log) if log else 0)
    return Conversation(newest, log, since[newest], certain=all(_modified(path) <= own for _, path in logs.values()))


def _modified(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0  # it is just being made anew


def _last_prompt(history: Path) -> tuple[str, int]:
    """Return the thread of the newest prompt, of whatever Codex, and when that was.

    The file's own time is taken, not the one in the line: that of the locks comes from the same clock.
    """
    try:
        file = os.open(history, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return "", 0
    try:
        status = os.fstat(file)
        size = min(_LAST_MOST, status.st_size)
        data = os.pread(file, size, status.st_size - size)
    except OSError:
        return "", 0
    finally:
        os.close(file)
    lines = data.split(b"\n")
    found = _PROMPT.match(lines[-2]) if len(lines) > 1 and not lines[-1] else None
    return (found[1].decode(), status.st_mtime_ns) if found else ("", 0)
