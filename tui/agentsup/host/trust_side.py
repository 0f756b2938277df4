"""What a host does for trust: it is a witness of the record, and has what was approved run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agentsup.core import events as ev
from agentsup.core.text import on_one_line
from agentsup.core.trust.model import Trust
from agentsup.core.trust.running import UnitsRun
from agentsup.host.folder_watch import FolderWatch
from agentsup.host.unit_runner import UnitRunner
from agentsup.host.witness import ANNOUNCED_MOST, New, Witness
from agentsup.protocol import messages as m

_FILES_SHOWN = 5
_BY_SHOWN = 60


class TrustSide:
    """Holds the witness and the runner of one session."""

    def __init__(
        self,
        spec: dict[str, Any],
        watch: FolderWatch,
        *,
        happened: Callable[[ev.Event], None],
        prepare: Callable[[], None],
        remember: Callable[[Mapping[str, str]], None],
    ) -> None:
        self._happened, self._prepare = happened, prepare
        self._may_run = False
        self._project: str = spec["project"]
        self._root: str = spec["memory_root"]
        self._elsewhere: set[str] = set()
        """MACs of what was announced, and not by a window that shows this session."""
        self._runner = UnitRunner(
            spec["memory_root"], spec["unit_seconds"], witnessed=lambda: self._witness.known, on_run=self._ran
        )
        self._witness = Witness(
            Path(spec["trust_folder"]), watch, spec.get("remembered", spec["trust_heads"]), project=spec["project"],
            on_heads=remember, on_change=self._changed, on_tampering=self._tampered,
        )  # fmt: skip

    def witnessed(self) -> tuple[str, ...]:
        """Return up to which entry the project's record counts."""
        return self._witness.known

    @property
    def outputs(self) -> str:
        """Of which SHA-256 the outputs of units are that this host had run; empty before the first run."""
        return self._runner.outputs_sha

    def announced(self, message: m.TrustAnnounced, by_interface: bool = False) -> None:
        """A person is about to change a record; `by_interface`: in a window that shows this session."""
        self._witness.announced(message.macs)
        if not by_interface and len(self._elsewhere) < ANNOUNCED_MOST:
            self._elsewhere.update(message.macs)

    def audit(self) -> None:
        """Write down what the agent has done to a record at the very end: to be called when nothing of it runs."""
        self._witness.audit()

    def prepared(self, trust: Trust) -> None:
        """Restore texts were made with this: where something has come to be allowed to run, it runs now."""
        may_run, self._may_run = self._may_run, trust.may_run
        if trust.may_run and not may_run:
            self._runner.ask()

    def turn_ended(self) -> None:
        """The agent is at rest: what units print may have changed."""
        if self._may_run:
            self._runner.ask()

    def close(self) -> None:
        """End what is under way."""
        self._witness.close()
        self._runner.close()

    def _changed(self, new: New) -> None:
        # What an entry says of where it comes from is not believed, only shown.
        approved = [entry.by for entry, mac in new if entry.verdict == "allow" and mac in self._elsewhere]
        self._elsewhere.difference_update(mac for _, mac in new)
        if approved:
            elsewhere = {on_one_line(by)[:_BY_SHOWN] for by in approved}
            # A person's own doing, most likely; if it was not, this is where it is seen.
            self._happened(ev.NoticeRaised(time.time(), "trust.approved", (("by", ", ".join(sorted(elsewhere))),)))
        self._prepare()

    def _tampered(self, project: str) -> None:
        is_own = project == self._project
        record = os.fsencode(self._root).decode("utf-8", "replace") if is_own else project[:8]
        self._happened(ev.NoticeRaised(time.time(), "trust.unannounced", (("record", record),)))

    def _ran(self, run: UnitsRun) -> None:
        if run.changed:
            files = ", ".join(run.changed[:_FILES_SHOWN]) + (" …" if len(run.changed) > _FILES_SHOWN else "")
            self._happened(ev.NoticeRaised(time.time(), "trust.unit-changed-tree", (("files", files),)))
        if run.ran:
            self._prepare()
