"""Evidence: an append-only index of operations, their details by id, and the archives of both index and decisions."""

from __future__ import annotations

import json
import re
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agentsup.core.memory.operations import Operation, line, next_id, read_operations, write_operations
from agentsup.store import atomic
from agentsup.store.archives import Archived, archive, index_archives
from agentsup.store.documents import read_document
from agentsup.store.opening import entries_beneath, status_beneath
from agentsup.store.placements import OPERATION_DETAILS, PLACES, find

__all__ = ["Archived", "Recalled", "add_operation", "archive", "bump_context_version", "context_version", "recall"]

CONTEXT_VERSION = ".agent/state/context-version"

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class Recalled:
    """One operation read back, and its detail (None where there is none)."""

    operation: Operation
    detail: str | None
    path: str
    """The file the operation was found in, relative to the root."""


def add_operation(root: Path, type: str, target: str, summary: str, detail: str = "", *, at: str = "") -> str:
    """Add an operation and return its id; it is on the disk then. `at` is its ISO 8601 time, now without one.

    Makes the folder of the index where it is missing. Raises OSError.
    """
    place = find(root, "operations").path
    path = root / place
    details = OPERATION_DETAILS[place]
    time = at or datetime.now(UTC).isoformat(timespec="seconds")
    with atomic.writing(path.parent, beneath=root) as folder:
        id = _free_id(root, folder, path.name, details)
        log_path = ""
        if detail:
            log_path = f"{details}/{id}.json"
            content = {
                "id": id,
                "type": type,
                "target": target,
                "summary": summary,
                "timestamp": time,
                "detail": detail,
            }
            data = json.dumps(content, ensure_ascii=False, indent=1).encode() + b"\n"
            atomic.replace(root / log_path, data, atomic.token_of(None), beneath=root)
        operation = Operation(id, type, target, summary, log_path, time)
        folder.append(path.name, line(operation).rstrip("\n").encode())
    return id


def recall(root: Path, id: str) -> Recalled | None:
    """Return an operation by id, the archives included; None where there is none. Raises OSError."""
    if not _ID.fullmatch(id):
        return None
    for place in (*PLACES["operations"], *reversed(index_archives(root))):
        data = atomic.read(root / place, atomic.LARGEST, beneath=root).data
        # Most files are not the one: searching bytes is quicker than reading lines.
        if data is None or id.encode() not in data:
            continue
        for operation in reversed(read_operations(data.decode("utf-8", "replace")).operations):
            if operation.id == id:
                return Recalled(operation, _detail(root, id, operation.log_path), place)
    for folder in OPERATION_DETAILS.values():
        place = f"{folder}/{id}.json"
        detail = _detail_in(root, place)
        if detail is not None:
            return Recalled(Operation(id, log_path=place), detail, place)
    return None


def context_version(root: Path) -> int:
    """Return the number in `.agent/state/context-version`; 0 where there is none."""
    return _number((read_document(root, CONTEXT_VERSION, 4096).text or "").encode())


def bump_context_version(root: Path) -> int | None:
    """Count the context version up and return it; None (and nothing made) without a folder `.agent`. Raises OSError."""
    status = status_beneath(root, ".agent")
    if status is None or not stat.S_ISDIR(status.st_mode):
        return None
    return _number(atomic.update(root / CONTEXT_VERSION, lambda old: b"%d\n" % (_number(old or b"") + 1), beneath=root))


def _number(data: bytes) -> int:
    found = re.match(rb"\s*(\d{1,18})(?!\d)", data.removeprefix(b"\xef\xbb\xbf"))
    return int(found[1]) if found else 0


def _free_id(root: Path, folder: atomic.Folder, name: str, details: str) -> str:
    """Return an id that neither the index nor a detail has; an empty index goes on where its archives end."""
    data = folder.read(name, atomic.LARGEST).data or b""
    read = read_operations(data.decode("utf-8", "replace"))
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[" and not read.bad:
        # One array: lines can be added only to lines.
        folder.update(name, lambda _: write_operations(read.operations).encode(), atomic.LARGEST)
    taken = [*read.operations, *(Operation(stem) for stem in _stems(root, details))]
    if not taken and (archives := index_archives(root)):
        archived = atomic.read(root / archives[-1], atomic.LARGEST, beneath=root).data or b""
        taken += read_operations(archived.decode("utf-8", "replace")).operations
    return next_id(taken)


def _stems(root: Path, folder: str) -> list[str]:
    names = [entry.name for entry in entries_beneath(root, folder)]
    return [name.removesuffix(".json") for name in names if name.endswith(".json")]


def _detail(root: Path, id: str, log_path: str) -> str | None:
    """Return the detail of an operation, where its line says or where details are."""
    places = (log_path, *(f"{folder}/{id}.json" for folder in OPERATION_DETAILS.values()))
    return next((detail for place in places if (detail := _detail_in(root, place)) is not None), None)


def _detail_in(root: Path, place: str) -> str | None:
    """Return what `detail` says where a file is an object that has one, else all of it; None without a file."""
    text = read_document(root, place).text if place else None
    if text is None:
        return None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return text
    detail = content.get("detail") if isinstance(content, dict) else None
    return detail if isinstance(detail, str) else text
