"""Watch over the trust records: what comes into one while an agent runs, and no person announced it, does not count.

The agent runs as the same user, so nothing can keep it from writing a record, not even a well-formed one: the key is
readable to it. But it can't announce it: who announces is known by the process number that the kernel gives for the
socket's other end. So a change that nobody announced is void, which is written into the record itself (a `doubt`) for
everybody who reads it later, and shown. All hosts watch all records: an agent may write another project's. What has to
be written is written until it stands there, and at the session's end once more: the agent may hold the lock until then,
or put back what it has copied.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from agentsup.core.problems import Problem
from agentsup.core.trust.model import Entry
from agentsup.core.trust.witness import Judgement, judged
from agentsup.host.aside import Aside
from agentsup.host.folder_watch import FolderWatch
from agentsup.store.trust_looking import Records
from agentsup.store.trust_record import Record, add_doubt

ANNOUNCED_MOST = 10_000

PAUSE = 0.02
"""Seconds in which changes gather: a writer makes several with one entry."""

LOOK_EVERY = 1.0
"""Seconds until a doubt is tried again, and between two looks while changes do not end, where a look takes long."""

AT_REST = 20
"""How many times as long as a look took nothing is looked at after it: an agent may change files all the time."""

FOLDER_EVERY = 2.0
"""Seconds between two looks at what stands at the folder's path: what is watched is a folder, wherever that goes."""

LOOKING = 0.1
"""Seconds that one look may take; the rest is for the next one."""

AUDITS = 3
AUDIT = 3.0
AUDIT_PATIENCE = 1.0
"""At the very end: how often it is looked, and seconds in which all is written that has to be, and one record."""

New = tuple[tuple[Entry, str], ...]
"""Entries that came, each with its MAC."""


class Witness:
    """Knows how far each record has come by what persons announced."""

    def __init__(
        self,
        folder: Path,
        watch: FolderWatch,
        known: Mapping[str, str],
        *,
        project: str,
        on_heads: Callable[[Mapping[str, str]], None],
        on_change: Callable[[New], None],
        on_tampering: Callable[[str], None],
    ) -> None:
        """`known`: MACs of the last entries by project, as they were before the agent was started.

        `on_heads` gets what is known whenever that changes: it has to outlive this process. `on_change` gets what came
        into the record of `project`, `on_tampering` the name of a record that was changed by nobody known.
        """
        self._folder, self._watch, self._project = folder, watch, project
        self._known = dict(known)
        self._announced: set[str] = set()
        self._on_heads, self._on_change, self._on_tampering = on_heads, on_change, on_tampering
        self._loop = asyncio.get_running_loop()
        self._aside = Aside()
        self._records = Records(folder, seconds=LOOKING)
        self._settled: dict[str, Record] = {}
        """Records as they were when there was nothing to say of them."""
        self._told: set[tuple[str, str]] = set()
        self._writing: set[str] = set()
        self._place: tuple[int, int] | None = None
        self._due: asyncio.TimerHandle | None = None
        self._next = 0.0
        self._look()
        self._timer = self._loop.call_later(FOLDER_EVERY, self._look_at_place)

    @property
    def known(self) -> tuple[str, ...]:
        """The MAC up to which the project's record counts; empty where it had no entries."""
        head = self._known.get(self._project, "")
        return (head,) if head else ()

    def announced(self, macs: tuple[str, ...]) -> None:
        """A person is about to write these entries."""
        if len(self._announced) < ANNOUNCED_MOST:
            self._announced.update(macs)

    def audit(self) -> None:
        """Look at once, and write what has to be written before this returns: nobody is there to do it later."""
        try:
            self._on_heads, self._on_change, self._on_tampering = _nobody, _nobody, _nobody
            self._records = Records(self._folder, seconds=AUDIT_PATIENCE)
            end = time.monotonic() + AUDIT
            for _ in range(AUDITS):
                for name, (record, after) in self._judged().items():
                    left = end - time.monotonic()
                    if left > 0:
                        self._write(name, record, after, patience=min(left, AUDIT_PATIENCE))
        except Exception as error:  # noqa: BLE001  the session ends all the same
            self._loop.call_exception_handler({"message": "the last look at the trust records", "exception": error})

    def close(self) -> None:
        """Look no more."""
        self._timer.cancel()
        if self._due is not None:
            self._due.cancel()

    def _changed(self) -> None:
        self._look_in(max(PAUSE, self._next - time.monotonic()))

    def _look_in(self, seconds: float) -> None:
        if self._due is None:
            self._due = self._loop.call_later(seconds, self._look)

    def _look_at_place(self) -> None:
        self._timer = self._loop.call_later(FOLDER_EVERY, self._look_at_place)
        if _place(self._folder) != self._place:
            self._changed()

    def _look(self) -> None:
        self._due, begun = None, time.monotonic()
        self._place = _place(self._folder)
        if self._watch.add(self._folder, self._changed):
            self._watch.remove(self._folder.parent, self._changed)
        else:
            self._watch.add(self._folder.parent, self._changed)  # it is gone; where it comes back it is seen
        doubts = self._judged()
        for name, (record, after) in doubts.items():
            self._write_aside(name, record, after)
        now = time.monotonic()
        self._next = now + min(AT_REST * (now - begun), LOOK_EVERY)
        if doubts or not self._records.complete:
            self._look_in(LOOK_EVERY)

    def _judged(self) -> dict[str, tuple[Record, int]]:
        """Judge all records and say what there is to say; returns those that have to be doubted, and from where on."""
        before = dict(self._known)
        records = self._records.read(list(dict.fromkeys((self._project, *before))))
        doubts: dict[str, tuple[Record, int]] = {}
        for name, record in records.items():
            if self._settled.get(name) == record:
                continue
            judgement = judged(record.entries, record.macs, before.get(name, ""), self._announced)
            self._known[name] = judgement.head
            self._tell(name, before.get(name, ""), judgement)
            if judgement.head in record.macs:
                # Announced was that these are written once: not that a copy of them may come back.
                self._announced.difference_update(record.macs[: record.macs.index(judgement.head) + 1])
            if judgement.doubt is None:
                self._settled[name] = record
            else:
                self._settled.pop(name, None)
                doubts[name] = (record, judgement.doubt)
        if self._known != before:
            self._on_heads({name: head for name, head in self._known.items() if head})
        if self._known.get(self._project, "") != before.get(self._project, ""):
            self._on_change(_since(records.get(self._project, Record()), before.get(self._project, "")))
        return doubts

    def _tell(self, name: str, known: str, judgement: Judgement) -> None:
        """Say once of everything that was done to a record by nobody known."""
        found = {(name, mac) for mac in judgement.forged}
        if judgement.lost:
            found.add((name, known))
        if not found <= self._told:
            self._told |= found
            self._on_tampering(name)
            if name == self._project:
                self._on_change(())

    def _write_aside(self, name: str, record: Record, after: int) -> None:
        if name in self._writing:
            return
        self._writing.add(name)

        def write() -> None:
            try:
                self._write(name, record, after)
            finally:
                self._writing.discard(name)

        self._aside.do(write)

    def _write(self, name: str, record: Record, after: int, *, patience: float = 10.0) -> None:
        """Write down that a record is doubted, for all who read it later. Where that fails, it is tried again."""
        with contextlib.suppress(OSError, Problem):
            add_doubt(
                self._folder, name, after, head=record.head, announce=self._is_our_own, patience=patience
            )  # fmt: skip

    def _is_our_own(self, macs: tuple[str, ...]) -> bool:
        """Know our own doubt again."""
        self._announced.update(macs)
        return True


def _nobody(_: object) -> None:
    """Hear what nobody is there to hear any more."""


def _place(folder: Path) -> tuple[int, int] | None:
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return (status.st_dev, status.st_ino)


def _since(record: Record, head: str) -> New:
    """Return the entries behind the one with this MAC."""
    first = record.macs.index(head) + 1 if head in record.macs else 0
    return tuple(zip(record.entries[first:], record.macs[first:], strict=True))
