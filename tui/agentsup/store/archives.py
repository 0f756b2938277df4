"""Move what is old out of the files that agents read: into archives, from which it can still be recalled.

First the archive is written, then the file is shortened. A kill between the two leaves both: the next call finds in
the archive what it would move, and only shortens the file.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from agentsup.core.memory.decisions import Decision, Decisions, add_all, archived, read_decisions, write_decisions
from agentsup.store import atomic
from agentsup.store.decoding import NotText, decode, encoding_of
from agentsup.store.opening import entries_beneath
from agentsup.store.placements import find
from agentsup.store.task_choice import tasks

ARCHIVE_FOLDER = ".agent/log/archive"

OPERATIONS_KEPT = 100

_LINES_MOST = 1000
"""Operations in one archive."""

_DECISIONS_MOST = 200
"""Decisions in one archive."""

_NAME = re.compile(r"(index|decisions)-(\d{3,9})\.(?:jsonl|md)")


@dataclass(frozen=True)
class Archived:
    """How much was moved into archives."""

    operations: int = 0
    decisions: int = 0


def archive(root: Path) -> Archived:
    """Move what is too old into `.agent/log/archive`: operations beyond 100, decisions as core says. Idempotent.

    Raises Conflict or OSError; a part that was not done is done by the next call.
    """
    return Archived(archive_operations(root), archive_decisions(root))


def index_archives(root: Path) -> tuple[str, ...]:
    """Return the archives of the index, relative to the root, the oldest first."""
    return _archives(root, "index")


def decision_archives(root: Path) -> tuple[str, ...]:
    """Return the archives of decisions, relative to the root, the oldest first."""
    return _archives(root, "decisions")


def archive_operations(root: Path, keep: int = OPERATIONS_KEPT) -> int:
    """Move all but the newest `keep` operations; returns how many. Lines that are no operations stay."""
    place = find(root, "operations")
    if not place.exists:
        return 0
    path = root / place.path
    for attempt in range(atomic.ATTEMPTS):
        with atomic.writing(path.parent, beneath=root) as folder:
            content = folder.read(path.name, atomic.LARGEST)
            lines = (content.data or b"").removesuffix(b"\n").split(b"\n")
            operations = [number for number, line in enumerate(lines) if _is_operation(line)]
            moved = set(operations[:-keep] if keep else operations)
            if not moved:
                return 0
            _archive_lines(root, [line for number, line in enumerate(lines) if number in moved])
            rest = b"".join(line + b"\n" for number, line in enumerate(lines) if number not in moved)
            try:
                folder.replace(path.name, rest, content.token)
            except atomic.Conflict:
                if attempt + 1 == atomic.ATTEMPTS:
                    raise
            else:
                return len(moved)
    return 0


def archive_decisions(root: Path) -> int:
    """Move the oldest decisions where too many are active; returns how many."""
    place = find(root, "decisions", tasks(root).folder)
    if not place.exists:
        return 0
    path = root / place.path
    with atomic.writing(path.parent, beneath=root) as folder:
        content = folder.read(path.name, atomic.LARGEST)
        try:
            decisions = read_decisions(decode(content.data or b""))
        except NotText:
            return 0
        _, moved = archived(decisions)
        if not moved:
            return 0
        name = _archive_decisions(root, moved, decisions)
        kept, _ = archived(decisions, f"{ARCHIVE_FOLDER}/{name}")
        encoding = encoding_of(content.data or b"")
        folder.replace(path.name, write_decisions(kept).encode(encoding), content.token)
    return len(moved)


def _archives(root: Path, kind: str) -> tuple[str, ...]:
    names = [entry.name for entry in entries_beneath(root, ARCHIVE_FOLDER)]
    found = [(int(match[2]), name) for name in names if (match := _NAME.fullmatch(name)) and match[1] == kind]
    return tuple(f"{ARCHIVE_FOLDER}/{name}" for _, name in sorted(found))


def _is_operation(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _archive_lines(root: Path, lines: list[bytes]) -> None:
    """Add lines that no archive has yet to the archives, filling the newest one first."""
    with atomic.writing(root / ARCHIVE_FOLDER, beneath=root) as folder:
        names = [os.path.basename(path) for path in index_archives(root)]
        known: set[bytes] = set()
        newest = b""
        for name in names:
            newest = folder.read(name, atomic.LARGEST).data or b""
            known.update(newest.split(b"\n"))
        new = [line for line in lines if line not in known]
        number = int(names[-1].split("-")[1].split(".")[0]) if names else 1
        while new:
            if newest.count(b"\n") >= _LINES_MOST:
                number, newest = number + 1, b""
            room = _LINES_MOST - newest.count(b"\n")
            name = f"index-{number:03}.jsonl"
            content = newest + b"".join(line + b"\n" for line in new[:room])
            folder.replace(name, content, folder.read(name, atomic.LARGEST).token)
            new, newest = new[room:], content


def _archive_decisions(root: Path, moved: tuple[Decision, ...], like: Decisions) -> str:
    """Add decisions that the newest archive has not yet to it, or to a new one; return its name."""
    with atomic.writing(root / ARCHIVE_FOLDER, beneath=root) as folder:
        names = [os.path.basename(path) for path in decision_archives(root)]
        name = names[-1] if names else "decisions-001.md"
        content = folder.read(name, atomic.LARGEST)
        held = read_decisions(decode(content.data)) if content.data else Decisions(language=like.language)
        present = {decision.id: decision for decision in held.decisions}
        new = tuple(decision for decision in moved if present.get(decision.id) != decision)
        if new and (len(present) >= _DECISIONS_MOST or any(decision.id in present for decision in new)):
            name = f"decisions-{int(name.split('-')[1].split('.')[0]) + 1:03}.md"
            content = folder.read(name, atomic.LARGEST)
            held = Decisions(language=like.language)
        if new:
            folder.replace(name, write_decisions(add_all(held, new)).encode(), content.token)
    return name
