"""What the agent has done since the things on disk were last written: a fold of the events of its log."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import assert_never

from agentsup.core import events as ev
from agentsup.core.memory.model import Document, Memory, Work
from agentsup.core.redaction import redacted
from agentsup.core.text import TEXT_ID, on_one_line, sanitise

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

_HEADER = re.compile(rf"agentsup.{{0,40}}?(?:restore|恢复|engram|印记) {TEXT_ID}\b")
_TRAILER = re.compile(rf"(?:\(end of restore {TEXT_ID}\)|（恢复 {TEXT_ID} 结束）)\s*$")
"""How a restore text ends, also where a project has a header of its own."""

_MESSAGE = re.compile(rf"\s*agentsup (?:message|消息) {TEXT_ID}\b.*\n\s*")
"""How a text begins that a person has sent through us, as the catalogue has it: what follows is theirs."""

_OF_THE_AGENT = ("<", "# AGENTS.md", "Caveat:", "This session is being continued")
"""How messages begin that agents write in the person's name: contexts, commands, summaries."""


def requested(work: Work, text: str) -> Work:
    """Return the work after a message in the person's name, where it is one of theirs and no restore text of ours."""
    if not text.strip() or text.lstrip().startswith(_OF_THE_AGENT) or is_ours(text):
        return work
    sent = _MESSAGE.match(text)
    request = text[sent.end() :] if sent else text
    return replace(work, last_request=sanitise(redacted(request)[:REQUEST_MOST]))


def is_ours(text: str) -> bool:
    """Say whether a message in the person's name is a text of agentsup's own."""
    return bool(_HEADER.search(text.lstrip().partition("\n")[0]) or _TRAILER.search(text[-100:]))


def used(work: Work, event: ev.ToolUsed, memory: Memory) -> Work:
    """Return the work after a tool call; one that is older than a file on disk is none since that was written."""
    clean = _without_secrets(_target(event))
    work = replace(work, recent_calls=(*work.recent_calls, _words(event, clean))[-CALLS_MOST:])
    if event.time > memory.state.modified:
        work = replace(work, calls_since_state=work.calls_since_state + 1)
    target = sanitise(clean)
    if not 0 < len(target) <= COMMAND_MOST:
        return work
    if event.kind == "run" and event.exit_code == 0:
        work = replace(work, succeeded=(*(c for c in work.succeeded if c != target), target)[-SUCCEEDED_MOST:])
    if event.kind == "edit":
        work = replace(work, edited=_with(work.edited, target))
        # The log tells of it a little later than the file's own time: that the engram was written makes it no older.
        if event.time > memory.engram.modified and not _is_at(target, memory.engram.path):
            work = replace(work, edited_since_engram=_with(work.edited_since_engram, target))
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


def _target(event: ev.ToolUsed) -> str:
    """Return what a call is about: all that is remembered of it."""
    match event.kind:
        case "read" | "edit" | "list":
            return event.path
        case "search":
            return event.command or event.path
        case "run":
            return event.command
        case _:
            assert_never(event.kind)


def _without_secrets(text: str) -> str:
    # It is most of what reading a log costs, and agents touch the same files all the time.
    return _short_without_secrets(text) if len(text) <= COMMAND_MOST else redacted(text)


@lru_cache(256)
def _short_without_secrets(text: str) -> str:
    return redacted(text)


def _words(event: ev.ToolUsed, target: str) -> str:
    """Return a call in few words: `edit calc.py`, `run pytest -q: 0`."""
    if event.kind == "run":
        code = "" if event.exit_code is None else f": {event.exit_code}"
        return f"run {on_one_line(target)[:_WORDS_MOST]}{code}"
    return on_one_line(f"{event.kind} {target}")[:_WORDS_MOST]
