"""What the agent has done since the things on disk were last written: a fold of the events of its log."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import assert_never

from agentsup.core import events as ev
from agentsup.core.memory.model import Memory, Work

EDITED_MOST = 200
"""Edited files that are remembered: the newest."""

CALLS_MOST = 10
SUCCEEDED_MOST = 200
_WORDS_MOST = 160
"""Characters of a call that are remembered."""


REQUEST_MOST = 2_000
"""Characters of a request that are remembered."""

_RESTORE = re.compile(r"agentsup.{0,40}?(?:restore|恢复) [a-z0-9]{6}\b")
_OF_THE_AGENT = ("<", "# AGENTS.md", "Caveat:", "This session is being continued")
"""How messages begin that agents write in the person's name: contexts, commands, summaries."""


def requested(work: Work, text: str) -> Work:
    """Return the work after a message in the person's name, where it is one of theirs and no restore text of ours."""
    if not text.strip() or text.lstrip().startswith(_OF_THE_AGENT) or _RESTORE.search(text.partition("\n")[0]):
        return work
    return replace(work, last_request=text[:REQUEST_MOST])


def used(work: Work, event: ev.ToolUsed, memory: Memory) -> Work:
    """Return the work after a tool call; one that is older than a file on disk is none since that was written."""
    work = replace(work, recent_calls=(*work.recent_calls, _words(event))[-CALLS_MOST:])
    if event.time > memory.state.modified:
        work = replace(work, calls_since_state=work.calls_since_state + 1)
    if event.kind == "run" and event.exit_code == 0 and event.command:
        work = replace(work, succeeded=(*(c for c in work.succeeded if c != event.command), event.command))
        work = replace(work, succeeded=work.succeeded[-SUCCEEDED_MOST:])
    if event.kind == "edit" and event.path:
        work = replace(work, edited=_with(work.edited, event.path))
        if event.time > memory.engram.modified:
            work = replace(work, edited_since_engram=_with(work.edited_since_engram, event.path))
    return work


def ended(work: Work, event: ev.TurnEnded, memory: Memory) -> Work:
    """Return the work after a turn."""
    if event.time <= memory.engram.modified:
        return work
    return replace(work, rounds_since_engram=work.rounds_since_engram + 1)


def written(work: Work, before: Memory, after: Memory) -> Work:
    """Return the work after memory was read anew: what was written is fresh."""
    if after.engram != before.engram:
        work = replace(work, edited_since_engram=(), rounds_since_engram=0)
    if after.state != before.state:
        work = replace(work, calls_since_state=0)
    return work


def _with(paths: tuple[str, ...], path: str) -> tuple[str, ...]:
    return (*(other for other in paths if other != path), path)[-EDITED_MOST:]


def _words(event: ev.ToolUsed) -> str:
    """Return a call in few words: `edit calc.py`, `run pytest -q: 0`."""
    match event.kind:
        case "read" | "edit" | "list":
            words = f"{event.kind} {event.path}"
        case "search":
            words = f"search {event.command or event.path}"
        case "run":
            code = "" if event.exit_code is None else f": {event.exit_code}"
            return f"run {' '.join(event.command.split())[:_WORDS_MOST]}{code}"
        case _:
            assert_never(event.kind)
    return " ".join(words.split())[:_WORDS_MOST]
