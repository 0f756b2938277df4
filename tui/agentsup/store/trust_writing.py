"""Write trust records: the only code that does, under the lock of the trust folder."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from agentsup.core.problems import Problem, RefusedProblem, UsageProblem
from agentsup.core.redaction import redacted
from agentsup.core.trust.model import Entry
from agentsup.store import atomic
from agentsup.store.folders import own_folder
from agentsup.store.locks import PATIENCE, locked
from agentsup.store.opening import UnsafeFile
from agentsup.store.trust_chain import Head, Heads, Line, encode_heads, encode_lines, sealed
from agentsup.store.trust_key import SIZE, put_key, reason_of
from agentsup.store.trust_record import (
    HEADS,
    TAMPERED,
    Announce,
    NewEntry,
    Record,
    State,
    begun_path,
    record_of,
    state_in,
)


def write(
    folder: Path,
    name: str,
    new: Sequence[NewEntry],
    *,
    announce: Announce | None = None,
    wanted: Callable[[Sequence[str]], bool] = lambda macs: True,
    patience: float = PATIENCE,
) -> Record:
    """Add entries to the record `name`; a void one is begun anew. Not where its MACs are not as they are `wanted`.

    Raises RefusedProblem `guard.agent` where `announce` says no, Problem `trust.unwritable` or `trust.key-unsafe`.
    """
    try:
        with locked(folder, patience) as number:
            held = atomic.Folder(folder, number)
            state = state_in(folder, name)
            record = Record(problem=TAMPERED) if state.lines is None else record_of(state.lines)
            if not wanted(record.macs):
                return record
            record = _add(held, name, state, new, announce)
            _mark_begun(folder, name)
            return record
    except (OSError, atomic.Conflict) as error:
        raise Problem("trust.unwritable", path=folder, reason=reason_of(error)) from error


def _add(folder: atomic.Folder, name: str, state: State, new: Sequence[NewEntry], announce: Announce | None) -> Record:
    """Add entries; each file is on the disk before the next is written."""
    key = state.key or secrets.token_bytes(SIZE)
    heads, lines = state.heads or Heads(), state.lines or ()
    head = _head_of(lines)
    # The heads have to know of a record before it is made, and of a group of lines before the next is added.
    lag = heads.heads.get(name) != head
    texts = [_stored(each.text) for each in new]
    entries = _entries(new, texts, len(lines) + 1)
    added = sealed(key, name, entries, previous=head.mac, counter=heads.counter + (2 if lag else 1))
    if announce is not None and not announce(tuple(line.mac for line in added)):
        raise RefusedProblem("guard.agent")
    if state.heads is None:
        _put_aside(folder.path, HEADS)
    if state.lines is None:
        _put_aside(folder.path, f"{name}.jsonl")
    _store(folder.path / name, [text for text in texts if text is not None])
    if lag:
        heads = _put_heads(folder, key, heads, name, head)
    if state.key is None:
        put_key(folder, key)  # after the heads: a key without them says that they were taken away
    _put(folder, f"{name}.jsonl", encode_lines((*lines, *added)))
    _put_heads(folder, key, heads, name, _head_of(added))
    return record_of((*lines, *added))


def _mark_begun(folder: Path, name: str) -> None:
    """Write down, elsewhere, that there is a record: should it be taken away, it is missed."""
    path = begun_path(folder, name)
    with contextlib.suppress(OSError, UsageProblem):
        own_folder(own_folder(path.parent.parent) / name)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600))


def _entries(new: Sequence[NewEntry], texts: Sequence[bytes | None], number: int) -> list[Entry]:
    now = time.time()
    return [
        Entry(
            number + at, now, each.subject, _clean(each.key), each.sha, each.verdict, _clean(each.by),
            "" if text is None else hashlib.sha256(text).hexdigest(),
        )
        for at, (each, text) in enumerate(zip(new, texts, strict=True))
    ]  # fmt: skip


def _stored(text: str | None) -> bytes | None:
    return None if text is None else redacted(text).encode("utf-8", "replace")


def _clean(text: str) -> str:
    """Return a text that JSON can hold."""
    return text.encode("utf-8", "replace").decode()


def _head_of(lines: Sequence[Line]) -> Head:
    return Head(lines[-1].number, lines[-1].mac) if lines else Head()


def _put_heads(folder: atomic.Folder, key: bytes, heads: Heads, name: str, head: Head) -> Heads:
    """Write the heads with another head of one record."""
    changed = Heads(heads.counter + 1, {**heads.heads, name: head})
    _put(folder, HEADS, encode_heads(key, changed.counter, changed.heads))
    return changed


def _store(path: Path, texts: Sequence[bytes]) -> None:
    """Store texts by content; raises OSError, Conflict or UsageProblem."""
    if not texts:
        return
    with atomic.writing(own_folder(path)) as folder:
        for text in texts:
            name = f"{hashlib.sha256(text).hexdigest()}.txt"
            if _holds(folder, name, text):
                continue
            _put_aside(folder.path, name)  # whatever this is
            _put(folder, name, text)


def _holds(folder: atomic.Folder, name: str, text: bytes) -> bool:
    try:
        return folder.read(name, atomic.LARGEST).data == text
    except UnsafeFile:
        return False


def _put(folder: atomic.Folder, name: str, data: bytes) -> None:
    folder.replace(name, data, folder.read(name, atomic.LARGEST).token, mode=0o600)


def _put_aside(folder: Path, name: str) -> None:
    """Give a file, or whatever stands in its place, another name; links are not followed. Raises OSError."""
    number = 1
    while os.path.lexists(folder / f"{name}.tampered-{number}"):
        number += 1
    if os.path.lexists(folder / name):
        os.rename(folder / name, folder / f"{name}.tampered-{number}")
