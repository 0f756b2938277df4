"""The journal of a project: one JSON line a round, in the user's data folder.

Lines are appended; a mark writes its line anew, under the folder's lock, and keeps what other versions wrote in it.
What a killed writer left torn is cut away by the next one, and passed over until then.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from agentsup.core.problems import Problem
from agentsup.core.rounds import Judged, Round
from agentsup.store import atomic
from agentsup.store.atomic import Conflict
from agentsup.store.engram_history import project_folder, project_path, user_data
from agentsup.store.opening import open_own

__all__ = ["Conflict", "add", "judge", "mark", "rounds"]

NAME = "journal.jsonl"

MOST = atomic.LARGEST
"""Bytes of a journal in which a round can be marked: some 100,000 rounds."""

READ_MOST = 16 << 20
"""Bytes of its end that are read: some 25,000 rounds."""

Environment = Mapping[str, str] | None


def add(root: Path, ended: Round, environment: Environment = None, *, known: Collection[Round] = ()) -> Round | None:
    """Add a round as the next one and return it; None where it is one of `known`. Raises OSError or Problem."""
    if any(_is_same(ended, each) for each in known):
        return None
    with atomic.writing(project_folder(root, environment), beneath=user_data(environment)) as folder:
        newest = next((found for line in folder.last_lines(NAME) if (found := _read(line))), None)
        numbered = replace(ended, round=newest.round + 1 if newest is not None else 1)
        folder.append(NAME, msgspec.json.encode(numbered), mode=0o600, is_whole=_is_object)
    return numbered


def judge(root: Path, verdict: Judged, environment: Environment = None) -> None:
    """Write into the round of a conversation's turn how what was read back in it was. Raises OSError or Problem."""

    def judged(line: dict[str, Any]) -> None:
        line["recite"] = verdict.recite
        if (strategy := line.get("strategy")) in ("engram", "both"):
            line["strategy"] = f"{strategy}+recite"

    def is_its(found: Round) -> bool:
        return (found.conversation, found.turn) == (verdict.conversation, verdict.turn)

    _rewrite(root, is_its, judged, environment)


def mark(root: Path, number: int | None, *, right: bool | None, environment: Environment = None) -> Round:
    """Write down whether the next action in a round (None: the last one) was right, and return the round.

    `right` is None to take a mark back. Raises Problem where there is no such round, or OSError.
    """

    def marked(line: dict[str, Any]) -> None:
        line["next_action_correct"] = right

    found = _rewrite(root, lambda each: number in (None, each.round), marked, environment)
    if found is None:
        raise Problem("journal.none") if number is None else Problem("journal.no-round", round=number)
    return found


def rounds(root: Path, environment: Environment = None, *, most: int = READ_MOST) -> tuple[Round, ...]:
    """Return the newest rounds, the oldest of them first; damaged lines are passed over. Raises OSError.

    At most so many bytes are read, of the journal's end.
    """
    try:
        number = open_own(project_path(root, environment) / NAME, os.O_RDONLY)
    except FileNotFoundError:
        return ()
    with open(number, "rb", buffering=0) as file:
        size = os.fstat(number).st_size
        # One byte more: where that is a line's end, the part begins with a whole line.
        start = max(0, size - most - 1)
        file.seek(start)
        data = b"".join(iter(lambda: file.read(1 << 20), b"")) if size else b""
    lines = data.split(b"\n")[1 if start else 0 :]
    return tuple(found for line in lines if (found := _read(line)))


def _rewrite(
    root: Path, wanted: Callable[[Round], bool], change: Callable[[dict[str, Any]], None], environment: Environment
) -> Round | None:  # fmt: skip
    """Change the newest line of which this holds, and return what it says now; None where there is none."""
    found: list[Round] = []

    def rewritten(data: bytes | None) -> bytes:
        found.clear()
        lines = (data or b"").split(b"\n")
        for place in range(len(lines) - 1, -1, -1):
            known = _read(lines[place])
            if known is not None and wanted(known):
                line = msgspec.json.decode(lines[place], type=dict[str, Any])
                change(line)
                lines[place] = msgspec.json.encode(line)
                found.append(msgspec.convert(line, Round))
                break
        return b"\n".join(lines)

    if not (project_path(root, environment) / NAME).exists():
        return None
    with atomic.writing(project_folder(root, environment), beneath=user_data(environment)) as folder:
        folder.update(NAME, rewritten, MOST, mode=0o600)
    return found[0] if found else None


def _is_same(ended: Round, known: Round) -> bool:
    """Say whether a round stands in the journal: its log is read once more, or a branch's log holds a copy of it."""
    if ended.turn != known.turn:
        return False
    return ended.conversation != known.conversation or ended.time == known.time or ended.input_ref == known.input_ref


def _read(line: bytes) -> Round | None:
    try:
        return msgspec.json.decode(line, type=Round) if line else None
    except (msgspec.MsgspecError, RecursionError):
        return None


def _is_object(line: bytes) -> bool:
    try:
        msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True
