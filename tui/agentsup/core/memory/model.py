"""A project's memory as it was read: texts by what they are for, and what the shell found beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from agentsup.core.trust.model import Trust

Language = Literal["en", "zh"]
"""Of labels and of what is written: a file's own."""

StateForm = Literal["markdown", "progress", "task"]
"""STATE.md, progress.json, task.json: three forms of one model."""


@dataclass(frozen=True)
class Spot:
    """Where in a file something stands: line and column, both from 1, columns in characters."""

    line: int = 1
    column: int = 1


@dataclass(frozen=True)
class Document:
    """A memory file as it was read. `text` is None where the file is missing or could not be read."""

    path: str
    text: str | None = None
    problem: str = ""
    """A catalogue key where the file exists and could not be used, or not wholly."""
    spot: Spot = Spot()
    """Where the problem is, if it is at one place."""
    size: int = 0
    """Bytes on disk; more than the text has where only its parts were read."""
    modified: float = field(default=0.0, compare=False)
    """When it was last written, Unix seconds."""
    sha: str = field(default="", compare=False)
    """SHA-256 of the bytes on disk; empty where they were not all read."""


@dataclass(frozen=True)
class InitUnit:
    """A file of init.d: a restore unit of the project's own."""

    name: str
    """NN-name, without the ending: what it replaces is called the same."""
    document: Document
    executable: bool = False
    """Whether its text would be what it prints; such a one has no text before it was approved and run."""


@dataclass(frozen=True)
class Memory:
    """All that a project remembers; paths are relative to its root."""

    engram: Document = Document(".agent/engram.md")
    state: Document = Document(".agent/STATE.md")
    state_form: StateForm = "markdown"
    task: Document = Document(".agent/TASK.md")
    contract: Document = Document(".agent/CONTRACT.md")
    decisions: Document = Document(".agent/DECISIONS.md")
    identity: Document = Document(".agent/identity.md")
    handoff: Document = Document(".agent/handoff.md")
    questions: Document = Document(".agent/open-questions.md")
    conventions: Document = Document(".agent/init.d/20-conventions.md")
    operations: Document = Document(".agent/log/index.jsonl")
    units: tuple[InitUnit, ...] = ()
    """The project's own restore units, in numeric, then name order; homes of documents above are not among them."""
    structure: tuple[str, ...] = ()
    """Paths of the project two levels deep, sorted; folders end with a slash."""
    task_name: str = ""
    """The current one of several tasks; empty where there is only one."""
    task_names: tuple[str, ...] = ()
    task_missing: str = ""
    """The task that is named as the current one, and is not there: another is read in its place."""
    task_unusable: tuple[str, ...] = ()
    """Folders that would be tasks, were their names words."""
    task_choice: Document = Document(".agent/state/current-task")
    """Names the current one."""
    doubles: tuple[tuple[str, str], ...] = ()
    """Files that hold what another already holds: (used, left alone)."""
    trust: Trust = Trust()
    """What a person has approved of all this; nothing, where nobody asked the record."""


@dataclass(frozen=True)
class Work:
    """What the agent has done, by its log, since the things on disk were last written."""

    last_request: str = ""
    """The person's last request, for an engram where there is none."""
    edited: tuple[str, ...] = ()
    """Files edited in this conversation, the newest last, each once."""
    edited_since_engram: tuple[str, ...] = ()
    rounds_since_engram: int = 0
    calls_since_state: int = 0
    """Tool calls since the state was written."""
    succeeded: tuple[str, ...] = ()
    """Commands that ran with exit code 0, the newest last."""
    recent_calls: tuple[str, ...] = ()
    """The newest tool calls, in words (`edit calc.py`, `run pytest: 0`), the newest last."""


@dataclass(frozen=True)
class Repository:
    """What git and the work tree say about what memory names; None where there is no answer."""

    head: str | None = None
    """Hash of the newest commit; None without a repository or a commit."""
    head_time: float | None = None
    """When it was made, Unix seconds."""
    known: dict[str, bool] = field(default_factory=dict)
    """By hash as it was written: whether git knows a commit of it."""
    changed: tuple[str, ...] = ()
    """Paths that differ from HEAD, untracked ones included, sorted."""
    exists: dict[str, bool] = field(default_factory=dict)
    """By path as it was written: whether there is such a file."""
    definitions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By symbol: the files that define it, sorted."""
