"""Watch over the trust records: what comes into one while an agent runs, and no person announced it, does not count.

The agent runs as the same user, so nothing can keep it from writing a record, not even a well-formed one: the key is
readable to it. But it can't announce it: who announces is known by the process number that the kernel gives for the
socket's other end. So a change that nobody announced is void, which is written into the record itself (a `doubt`) for
everybody who reads it later, and shown. All hosts watch all records: an agent may write another project's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from agentsup.core.trust.model import Entry
from agentsup.core.trust.witness import judged
from agentsup.host.aside import Aside
from agentsup.host.folder_watch import FolderWatch
from agentsup.store.trust_record import Record, add_doubt, read_records

ANNOUNCED_MOST = 10_000

PAUSE = 0.02
"""Seconds in which changes gather: a writer makes several with one entry."""


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
        on_change: Callable[[tuple[Entry, ...]], None],
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
        self._due = False
        self._doubted: set[tuple[str, str]] = set()
        self._look()

    @property
    def known(self) -> tuple[str, ...]:
        """The MAC up to which the project's record counts; empty where it had no entries."""
        head = self._known.get(self._project, "")
        return (head,) if head else ()

    def announced(self, macs: tuple[str, ...]) -> None:
        """A person is about to write these entries."""
        if len(self._announced) < ANNOUNCED_MOST:
            self._announced.update(macs)

    def _changed(self) -> None:
        if not self._due:
            self._due = True
            self._loop.call_later(PAUSE, self._look)

    def _look(self) -> None:
        self._due = False
        if not self._watch.watches(self._folder) and not self._watch.add(self._folder, self._changed):
            self._watch.add(self._folder.parent, self._changed)  # it is gone; where it comes back it is seen
        before = dict(self._known)
        records = read_records(self._folder)
        for name in {*records, *before}:
            record = records.get(name, Record())
            judgement = judged(record.entries, record.macs, before.get(name, ""), self._announced)
            self._known[name] = judgement.head
            if judgement.head in record.macs:
                # Announced was that these are written once: not that a copy of them may come back.
                self._announced.difference_update(record.macs[: record.macs.index(judgement.head) + 1])
            if judgement.doubt is not None:
                self._doubt(name, record, judgement.doubt)
        if self._known != before:
            self._on_heads({name: head for name, head in self._known.items() if head})
        if self._known.get(self._project, "") != before.get(self._project, ""):
            self._on_change(_since(records.get(self._project, Record()), before.get(self._project, "")))

    def _doubt(self, name: str, record: Record, after: int) -> None:
        """Say once that a record was changed by nobody known, and write it down for all who read it later."""
        if (name, record.head) in self._doubted:
            return
        self._doubted.add((name, record.head))
        # Where that can't be written, what this host knows still holds in its session.
        self._aside.do(lambda: add_doubt(self._folder, name, after, head=record.head))
        self._on_tampering(name)
        if name == self._project:
            self._on_change(())


def _since(record: Record, head: str) -> tuple[Entry, ...]:
    """Return the entries behind the one with this MAC."""
    first = record.macs.index(head) + 1 if head in record.macs else 0
    return record.entries[first:]
