"""What the editor of the engram reads and writes: the file, its history, the findings, the example. No Textual.

Called in threads: files and git may take their time. Nothing that a person or an agent wrote is lost here: what is
replaced is in the history, and so is what was not saved.
"""

from __future__ import annotations

import errno
import hashlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from agentsup.core.engram_reasons import REPLACED, UNSAVED
from agentsup.core.memory.engram import read_engram
from agentsup.core.memory.model import Document, Memory
from agentsup.core.problems import Problem
from agentsup.core.redaction import redacted
from agentsup.store import atomic, engram_history
from agentsup.store.decoding import NotText, decode, encoding_of
from agentsup.store.engram_history import Author, Version
from agentsup.store.placements import DEFAULTS
from agentsup.store.project_root import project_root

if TYPE_CHECKING:
    from agentsup.core.checks.finding import Finding

ENGRAM = DEFAULTS["engram"]

MOST = 64 << 10
"""Bytes of a file that is edited here: an engram has 200 words."""


@dataclass(frozen=True)
class Opened:
    """The engram's file as it was read; `text` is None where there is none. `token` stands for exactly that."""

    text: str | None
    token: str
    author: Author | None = None
    """Who wrote it; None where the history does not know this text."""
    time: float = 0.0
    """When that was, Unix seconds."""
    corrects: str = ""
    """The agent's version that an edit of this one corrects; empty where it is none of the agent's."""


_PREVENTS = {
    errno.EACCES: "editor.read-only", errno.EPERM: "editor.read-only", errno.EROFS: "editor.read-only",
    errno.ENOSPC: "editor.disk-full", errno.EDQUOT: "editor.disk-full",
}  # fmt: skip
"""What keeps a text from being written, where a person can do something about it."""

Taught = Literal["", "yes", "faulty", "failed"]
"""Whether agents learn by a correction from the next launch on: it was not asked for, or has faults of its own."""

_TEACHES_NOBODY = frozenset({"engram.vague", "engram.no-verb", "engram.pending-without-place"})
"""Findings, besides errors, with which an engram is no good example."""


class ChangedMeanwhile(Exception):
    """Somebody else wrote the file; `theirs` is what it is now. Nothing was written."""

    def __init__(self, theirs: Opened) -> None:
        super().__init__(ENGRAM)
        self.theirs = theirs


@dataclass(frozen=True)
class Saved:
    """What was saved: the file as it is now, and its SHA-256 in UTF-8."""

    opened: Opened
    sha: str
    is_recorded: bool = True
    """Whether the history has it."""
    taught: Taught = ""


class Desk:
    """The engram of one project; every method may take its time, and may raise Problem, OSError or Conflict."""

    def __init__(self, project: str) -> None:
        self._project = project

    @cached_property
    def _root(self) -> Path:
        return project_root(Path(self._project))

    def open(self) -> Opened:
        """Read the file, and who wrote it."""
        content = atomic.read(self._root / ENGRAM, beneath=self._root)
        if content.data is None:
            return Opened(None, content.token)
        if len(content.data) > MOST:
            raise Problem("editor.too-large", path=ENGRAM, most=MOST >> 10)
        try:
            if encoding_of(content.data) != "utf-8":
                raise Problem("editor.not-utf8", path=ENGRAM)
            text = decode(content.data).removeprefix("\ufeff")
        except NotText as error:
            raise Problem("editor.not-text", path=ENGRAM, line=error.spot.line) from error
        return self._known(text, content.token)

    def check(self, text: str, *, is_agents: bool) -> tuple[Finding, ...]:
        """Return what is wrong with a text; what names files and functions is looked up in the project."""
        from agentsup.core.checks import references
        from agentsup.core.checks.engram import check_engram
        from agentsup.locale import wording
        from agentsup.store.git import repository

        memory = Memory(engram=Document(ENGRAM, text))
        paths, symbols = references.paths(memory), references.symbols(memory)
        facts = repository(self._root, (), paths, symbols)
        return check_engram(memory.engram, wording(), facts, by="agent" if is_agents else "person")

    def save(self, text: str, before: Opened, *, reason: str = "", teach: bool | None = False) -> Saved:
        """Write the file where it still is what it was `before`; raises ChangedMeanwhile, or Problem.

        `teach`: where it corrects an agent's version, agents are to learn by the two of them. None: where nothing is
        wrong with it.
        """
        if not read_engram(text).items:
            raise Problem("editor.no-block")
        data = text.encode()
        if len(data) > MOST:  # nobody could read it again: neither this editor nor the host
            raise Problem("editor.too-long", most=MOST >> 10)
        is_recorded = True
        try:
            engram_history.write_engram_file(self._root, text, before.token, "person", reason)
        except atomic.Conflict as conflict:
            if conflict.kept is not None:  # the person still has it before them
                conflict.kept.unlink(missing_ok=True)
            raise ChangedMeanwhile(self.open()) from conflict
        except (OSError, Problem) as error:
            is_recorded = False
            if atomic.read(self._root / ENGRAM, beneath=self._root).data != data:
                if isinstance(error, OSError) and (key := _PREVENTS.get(error.errno or 0)):
                    raise Problem(key, path=ENGRAM, reason=error.strerror or error) from error
                raise
        opened = Opened(text, atomic.token_of(data), "person", corrects=before.corrects)
        taught = "" if teach is False or not before.corrects else self._teach(text, before.corrects, asked=bool(teach))
        return Saved(opened, hashlib.sha256(data).hexdigest(), is_recorded, taught)

    def take_over(self, theirs: Opened) -> None:
        """Make sure that a text which is about to be replaced is in the history."""
        if theirs.text and theirs.text.strip():
            engram_history.record(self._root, theirs.text, "found", REPLACED)

    def versions(self) -> tuple[Version, ...]:
        """Return every version, the newest first."""
        return engram_history.history(self._root)[::-1]

    def has_unsaved(self) -> bool:
        """Tell whether there is a text that a person did not save, and none that they have saved since."""
        newest = next((each for each in self.versions() if each.author == "person"), None)
        return newest is not None and newest.reason == UNSAVED

    def keep_unsaved(self, text: str) -> None:
        """Keep what a person had no chance to save, or has not chosen."""
        engram_history.keep_unwritten(self._root, text, "person", UNSAVED)

    def _teach(self, good: str, bad: str, *, asked: bool) -> Taught:
        from agentsup.store.examples import save_example

        if good.split() == bad.split():
            return ""
        findings = self.check(good, is_agents=False)
        if any(each.severity == "error" or each.code in _TEACHES_NOBODY for each in findings):
            return "faulty"
        if not asked and any(each.severity != "note" for each in findings):
            return "faulty"
        try:
            save_example(self._root, good, bad)
        except (Problem, OSError, atomic.Conflict):  # the engram is saved all the same
            return "failed"
        return "yes"

    def _known(self, text: str, token: str) -> Opened:
        """Return a file's text with who wrote it, as far as the history knows."""
        with suppress(OSError):
            newest = engram_history.standing(engram_history.history(self._root))
            # A history has texts without secrets.
            if newest is not None and newest.text.strip() == redacted(text).strip():
                return Opened(text, token, newest.author, newest.time, text if newest.author == "agent" else "")
        return Opened(text, token)
