"""What persons have approved, project by project: tamper-evident, and outside of every repository.

    <data>/trust/key              see trust_key
                 heads.json       how far every record has come
                 PROJECT.jsonl    a line an entry, in a chain: see trust_chain
                 PROJECT/SHA.txt  texts that belong to entries, by content
           projects/PROJECT/trust-begun   says that there was a record once

A writer replaces whole files, each put on the disk before the next: texts, record, heads. Killed in between, it leaves
heads that are one group of lines behind, which counts as sound, and the next writer mends it. A project is entered in
the heads before its record is made; so a record that they do not know, and one that they know and that is not there,
is void, like everything else that does not fit: nothing in a void record counts. So is none at all where there was one
once, and one of more than a megabyte, which is not even read. The next writer puts it aside as NAME.tampered-N and
begins another.

What this can't show is an older copy of record and heads together, or a line that somebody else has written with the
key. That is what the witnesses are for (`approvals`); without a running one nobody sees it, unless the record of some
other project is newer than the old heads: then that one is void.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from agentsup.core.problems import Problem
from agentsup.core.trust.folding import counted, fold, newest, witnessed_only
from agentsup.core.trust.model import Approvals, Entry, Subject, Verdict
from agentsup.store.content import LARGEST
from agentsup.store.engram_history import project_path
from agentsup.store.folders import own_folder
from agentsup.store.locks import PATIENCE, locked
from agentsup.store.opening import UnsafeFile, open_beneath, read_whole
from agentsup.store.trust_chain import Head, Heads, Line, entry_of, read_heads, read_lines
from agentsup.store.trust_key import key_in, trust_folder, trust_path

__all__ = [
    "Announce", "NewEntry", "Record", "add", "add_doubt", "approvals", "folder", "project_key", "read_record",
    "read_records", "stored_text",
]  # fmt: skip

HEADS = "heads.json"
TAMPERED, UNREADABLE = "trust.tampered", "trust.unreadable"

MOST = 1 << 20
"""Bytes of a record, and of the heads: some 2,500 entries, and 8,000 projects."""

_BEGUN = "trust-begun"

_SHA = re.compile(r"[0-9a-f]{64}")
_VOID = b"?"
"""In place of a file that is none: it is no record and no heads."""

_ATTEMPTS = 100

_PATIENCE = 0.3
"""Seconds a reader waits for a writer, where what it reads does not fit: the lock may be held out of malice."""


Announce = Callable[[tuple[str, ...]], bool]
"""Tells the hosts which MACs will be in a record; False where one of them says that an agent asks."""


@dataclass(frozen=True)
class NewEntry:
    """What is to be added; number, time and MAC come with the writing."""

    subject: Subject
    key: str
    sha: str
    verdict: Verdict
    by: str
    text: str | None = None
    """A text that belongs to it, stored beside the record without the secrets in it."""


@dataclass(frozen=True)
class Record:
    """A project's record as it was read."""

    entries: tuple[Entry, ...] = ()
    macs: tuple[str, ...] = ()
    problem: str = ""
    """A catalogue key where it is void, and then there are no entries: `trust.tampered`, `trust.unreadable`."""

    @property
    def head(self) -> str:
        """The MAC of the last entry; empty without one."""
        return self.macs[-1] if self.macs else ""


@dataclass(frozen=True)
class State:
    """What a writer goes on from."""

    key: bytes | None
    """None: there is none."""
    heads: Heads | None
    """None: they are void, or there is no key."""
    lines: tuple[Line, ...] | None
    """None: the record is void."""


class Sealing(NamedTuple):
    """What records are sealed with."""

    key: bytes | None
    heads: Heads | None
    """None where they are void. Without a key nobody can know; then they are what they seem."""


def folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return where the records are; the folder is not made."""
    return trust_path(environment)


def project_key(root: Path) -> str:
    """Return a project's name in the records: by its real path, like its own folder's."""
    return project_path(root, {"XDG_DATA_HOME": "/"}).name


def read_record(root: Path, environment: Mapping[str, str] | None = None) -> Record:
    """Return a project's record; what is wrong with it is its `problem`, nothing is raised and nothing made."""
    name = project_key(root)
    return _read(folder(environment), [name])[name]


def read_records(folder: Path) -> dict[str, Record]:
    """Return the records of all projects by `project_key`, as `read_record` does; not of more than `Records` reads."""
    from agentsup.store.trust_looking import Records  # hosts and launches read all records, nobody else does

    return Records(folder, seconds=60.0).read(())


def approvals(
    root: Path, *, witnessed: Collection[str] | None = None, environment: Mapping[str, str] | None = None
) -> Approvals:
    """Return what holds in a project; nothing where its record, or a text that it needs, is void.

    `witnessed`: MACs of entries that a host knows to be a person's; what stands before the first of them counts too,
    because it was there when the host began. Where none of them is in the record, it is void.
    """
    record = read_record(root, environment)
    if record.problem:
        return Approvals(problem=record.problem)
    entries = record.entries if witnessed is None else witnessed_only(record.entries, record.macs, witnessed)
    if entries is None:
        return Approvals(problem=TAMPERED)
    lost: list[str] = []

    def text_of(sha: str) -> str | None:
        text = stored_text(root, sha, environment)
        if text is None:
            lost.append(sha)
        return text

    held = fold(entries, text_of)
    scripts = newest(counted(entries), "scripts")
    if scripts and scripts.text:
        text_of(scripts.text)  # what it is compared with, when a person is shown what has changed
    return Approvals(problem=TAMPERED) if lost else held


def stored_text(root: Path, sha: str, environment: Mapping[str, str] | None = None) -> str | None:
    """Return a stored text; None where there is none, or not this one."""
    if not _SHA.fullmatch(sha):
        return None
    try:
        data = read_in(folder(environment), f"{project_key(root)}/{sha}.txt")
    except OSError:
        return None
    if data is None or hashlib.sha256(data).hexdigest() != sha:
        return None
    return data.decode("utf-8", "replace")


def add(
    root: Path,
    new: Sequence[NewEntry],
    *,
    announce: Announce | None = None,
    environment: Mapping[str, str] | None = None,
) -> Record:
    """Add entries to a project's record, all or none, and return it as it is then.

    `announce` gets their MACs before anything is written; where it returns False nothing is: RefusedProblem
    `guard.agent`. Raises Problem `trust.key-unsafe` or `trust.unwritable`, or UsageProblem.
    """
    if not new:
        return read_record(root, environment)
    from agentsup.store.trust_writing import write  # most who read never write

    return write(trust_folder(environment), project_key(root), new, announce=announce)


def add_doubt(
    folder: Path,
    name: str,
    after: int,
    *,
    head: str | None = None,
    announce: Announce | None = None,
    patience: float = PATIENCE,
) -> Record:
    """Add a host's doubt to the record `name`: entries after number `after` that stand before it do not count.

    `head` is the MAC of the last entry that the host has seen, empty where there was none, or the record is void: then
    another one is begun with the doubt, so that it is known later. A record without it is left as it is: somebody has
    changed it meanwhile. Raises as `add` does.
    """
    from agentsup.store.trust_writing import write

    doubt = NewEntry("seen", str(after), "", "doubt", "host")

    def wanted(macs: Sequence[str]) -> bool:
        return head is None or (head in macs if head else not macs)

    return write(own_folder(folder), name, [doubt], announce=announce, wanted=wanted, patience=patience)


def state_in(folder: Path, name: str) -> State:
    """Return how a record is, for a writer who holds the lock; raises OSError or Problem where it can't be read."""
    sealing = sealing_in(folder)
    lines = _lines(name, read_in(folder, f"{name}.jsonl", void=_VOID, most=MOST), sealing)
    return State(sealing.key, sealing.heads if sealing.key else None, lines)


def begun_path(folder: Path, name: str) -> Path:
    """Return the file that says that a project has had a record: in its own folder, which nobody looks for here."""
    return folder.parent / "projects" / name / _BEGUN


def read_in(folder: Path, place: str, *, void: bytes | None = None, most: int = LARGEST) -> bytes | None:
    """Return a file of the trust folder; None without one; raises OSError.

    `void` is returned for what is no plain file of ours (a link, a FIFO, too long …) instead of an UnsafeFile.
    """
    try:
        opened = open_beneath(folder.parent, f"{folder.name}/{place}")
        return None if opened is None else read_whole(opened[0], opened[1].st_size, most, place)
    except UnsafeFile:
        if void is None:
            raise
        return void
    except FileNotFoundError:  # not even a data folder
        return None


def record_of(lines: Sequence[Line]) -> Record:
    """Return the record that lines make."""
    return Record(tuple(map(entry_of, lines)), tuple(line.mac for line in lines))


def _read(folder: Path, names: Sequence[str]) -> dict[str, Record]:
    """Return records; again where one is void and a writer has come between the reading of the files."""
    for _ in range(_ATTEMPTS):
        sealing = sealing_of(folder)
        found = _look(folder, names, sealing)
        if not any(record.problem for record in found.values()):
            return found
        if sealing_of(folder) == sealing:
            break
    # What a writer leaves between two steps is sound, unless somebody takes things away meanwhile.
    with contextlib.suppress(OSError), locked(folder, _PATIENCE):
        found = _look(folder, names, sealing_of(folder))
    return found


def _look(folder: Path, names: Sequence[str], sealing: Sealing | None) -> dict[str, Record]:
    if sealing is None:
        return {name: Record(problem=UNREADABLE) for name in names}
    return {name: _record(folder, name, sealing) for name in names}


def _record(folder: Path, name: str, sealing: Sealing) -> Record:
    try:
        lines = _lines(name, read_in(folder, f"{name}.jsonl", most=MOST), sealing)
    except UnsafeFile as error:
        return Record(problem=TAMPERED if error.errno == errno.EFBIG else UNREADABLE)
    except OSError:
        return Record(problem=UNREADABLE)
    return Record(problem=TAMPERED) if lines is None else known(folder, name, record_of(lines))


def known(folder: Path, name: str, record: Record) -> Record:
    """Return a sound record; a void one where it is empty though it once was not."""
    is_gone = not record.entries and os.path.lexists(begun_path(folder, name))
    return Record(problem=TAMPERED) if is_gone else record


def _lines(name: str, data: bytes | None, sealing: Sealing) -> tuple[Line, ...] | None:
    """Return the lines of a record; None where it is void."""
    if sealing.heads is None:
        return None
    if sealing.key is None:
        return None if data or sealing.heads.heads.get(name, Head()).number else ()
    return read_lines(sealing.key, name, data or b"", sealing.heads)


def sealing_of(folder: Path) -> Sealing | None:
    """Return what records are sealed with; None where that can't be read."""
    try:
        return sealing_in(folder)
    except (OSError, Problem):
        return None


def sealing_in(folder: Path) -> Sealing:
    """Return what records are sealed with; raises OSError or Problem where that can't be read."""
    key = key_in(folder)
    data = read_in(folder, HEADS, void=_VOID, most=MOST)
    if data is None:
        return Sealing(key, Heads() if key is None else None)
    return Sealing(key, read_heads(key, data))
