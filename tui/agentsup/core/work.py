"""What the agent has done since the things on disk were last written: a fold of the events of its log."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import assert_never

from agentsup.core import events as ev
from agentsup.core.memory.model import Document, Memory, Work
from agentsup.core.redaction import redacted
from agentsup.core.text import on_one_line, sanitise

EDITED_MOST = 200
"""Edited files that are remembered: the newest."""

CALLS_MOST = 10
SUCCEEDED_MOST = 200
_WORDS_MOST = 160
"""Characters of a call that are remembered."""


REQUEST_MOST = 2_000
"""Characters of a request that are remembered."""

COMMAND_MOST = 1_000
"""Characters of a command or path that is remembered: nobody writes down a longer one as evidence."""

_HEADER = re.compile(r"agentsup.{0,40}?(?:restore|恢复|engram|印记) [a-z0-9]{6}\b")
_TRAILER = re.compile(r"(?:\(end of restore [a-z0-9]{6}\)|（恢复 [a-z0-9]{6} 结束）)\s*$")
"""How a restore text ends, also where a project has a header of its own."""

_OF_THE_AGENT = ("<", "# AGENTS.md", "Caveat:", "This session is being continued")
"""How messages begin that agents write in the person's name: contexts, commands, summaries."""


def requested(work: Work, text: str) -> Work:
    """Return the work after a message in the person's name, where it is one of theirs and no restore text of ours."""
    if not text.strip() or text.lstrip().startswith(_OF_THE_AGENT) or is_ours(text):
        return work
    return replace(work, last_request=sanitise(redacted(text)[:REQUEST_MOST]))


def is_ours(text: str) -> bool:
    """Say whether a message in the person's name is a text of agentsup's own."""
    return bool(_HEADER.search(text.lstrip().partition("\n")[0]) or _TRAILER.search(text[-100:]))


def used(work: Work, event: ev.ToolUsed, memory: Memory) -> Work:
    """Return the work after a tool call; one that is older than a file on disk is none since that was written."""
    work = replace(work, recent_calls=(*work.recent_calls, _words(event))[-CALLS_MOST:])
    if event.time > memory.state.modified:
        work = replace(work, calls_since_state=work.calls_since_state + 1)
    command, path = sanitise(redacted(event.command)), sanitise(redacted(event.path))
    if event.kind == "run" and event.exit_code == 0 and 0 < len(command) <= COMMAND_MOST:
        work = replace(work, succeeded=(*(c for c in work.succeeded if c != command), command)[-SUCCEEDED_MOST:])
    if event.kind == "edit" and 0 < len(path) <= COMMAND_MOST:
        work = replace(work, edited=_with(work.edited, path))
        # The log tells of it a little later than the file's own time: that the engram was written makes it no older.
        if event.time > memory.engram.modified and not _is_at(path, memory.engram.path):
            work = replace(work, edited_since_engram=_with(work.edited_since_engram, path))
    return work


def _is_at(path: str, place: str) -> bool:
    return path == place or path.endswith(f"/{place}")


def ended(work: Work, event: ev.TurnEnded, memory: Memory) -> Work:
    """Return the work after a turn."""
    if event.time <= memory.engram.modified:
        return work
    return replace(work, rounds_since_engram=work.rounds_since_engram + 1)


def written(work: Work, before: Memory, after: Memory) -> Work:
    """Return the work after memory was read anew: what was written is fresh, also where it says the same again."""
    if _is_written(before.engram, after.engram):
        work = replace(work, edited_since_engram=(), rounds_since_engram=0)
    if _is_written(before.state, after.state):
        work = replace(work, calls_since_state=0)
    return work


def _is_written(before: Document, after: Document) -> bool:
    return after != before or after.modified > before.modified


def _with(paths: tuple[str, ...], path: str) -> tuple[str, ...]:
    return (*(other for other in paths if other != path), path)[-EDITED_MOST:]


def _words(event: ev.ToolUsed) -> str:
    """Return a call in few words: `edit calc.py`, `run pytest -q: 0`."""
    match event.kind:
        case "read" | "edit" | "list":
            words = f"{event.kind} {redacted(event.path)}"
        case "search":
            words = f"search {redacted(event.command or event.path)}"
        case "run":
            code = "" if event.exit_code is None else f": {event.exit_code}"
            return f"run {on_one_line(redacted(event.command))[:_WORDS_MOST]}{code}"
        case _:
            assert_never(event.kind)
    return on_one_line(words)[:_WORDS_MOST]
