"""Where a project keeps what it remembers: every recognised place of each thing, as data.

The order of the candidates is the order in which they are used; others that exist are doubles. `.agent/` comes before
everything else. Within it, what stands in `init.d` comes first, because a file there replaces what has its name
(§ 5 of the specification); then the folder's own names (§ 0), then `state/` and `log/` as other systems use them;
at last the root, and its `state/`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentsup.core.memory.model import Document, StateForm
from agentsup.store.documents import exists, read_whole_document

Role = Literal[
    "engram", "state", "task", "contract", "decisions", "identity", "handoff", "questions", "conventions", "operations"
]

PLACES: Mapping[Role, tuple[str, ...]] = {
    "engram": (".agent/engram.md",),
    "state": (
        ".agent/init.d/30-task-state.json", ".agent/init.d/30-task-state.md", ".agent/STATE.md",
        ".agent/task.json", ".agent/progress.json", ".agent/state/task.json", ".agent/state/progress.json",
        "STATE.md", "state/progress.json", "state/task.json", "progress.json", "task.json",
    ),
    "task": (".agent/TASK.md", "TASK.md"),
    "contract": (".agent/CONTRACT.md", "CONTRACT.md"),
    "decisions": (".agent/init.d/40-decisions.md", ".agent/DECISIONS.md", ".agent/log/decisions.md", "DECISIONS.md"),
    "identity": (".agent/init.d/05-identity.md", ".agent/identity.md", ".agent/state/identity.md", "state/identity.md"),
    "handoff": (".agent/init.d/00-handoff.md", ".agent/handoff.md", ".agent/state/handoff.md"),
    "questions": (".agent/init.d/50-open-questions.md", ".agent/open-questions.md"),
    "conventions": (".agent/init.d/20-conventions.md",),
    "operations": (".agent/log/index.jsonl", "state/index.jsonl"),
}  # fmt: skip

DEFAULTS: Mapping[Role, str] = {
    "engram": ".agent/engram.md", "state": ".agent/STATE.md", "task": ".agent/TASK.md",
    "contract": ".agent/CONTRACT.md", "decisions": ".agent/DECISIONS.md", "identity": ".agent/identity.md",
    "handoff": ".agent/handoff.md", "questions": ".agent/open-questions.md",
    "conventions": ".agent/init.d/20-conventions.md", "operations": ".agent/log/index.jsonl",
}  # fmt: skip
"""Where something is written that is not there yet."""

FOUR: Mapping[Role, tuple[str, ...]] = {
    "task": ("TASK.md",), "state": ("STATE.md", "task.json", "progress.json"), "contract": ("CONTRACT.md",),
    "decisions": ("DECISIONS.md",),
}  # fmt: skip
"""What a task has in its folder."""

TASK_FOLDERS = (".agent/tasks", "tasks")
CURRENT_TASK = ".agent/state/current-task"

AMBIGUOUS = ("progress.json", "task.json")
"""Names that other programs use, too: taken for a state only where they have its keys."""

OPERATION_DETAILS: Mapping[str, str] = {".agent/log/index.jsonl": ".agent/log/ops", "state/index.jsonl": "logs"}
"""By index: the folder of the details, ID.json each."""

INIT_FOLDER = ".agent/init.d"
HOMES = frozenset(place for places in PLACES.values() for place in places if place.startswith(f"{INIT_FOLDER}/"))
"""Files of init.d that are the home of something: no restore units of the project's own."""


@dataclass(frozen=True)
class Place:
    """Where one thing is kept; `exists` says whether there is a file. `doubles` hold the same and are left alone."""

    path: str
    exists: bool
    doubles: tuple[str, ...] = ()


def find(root: Path, role: Role, task_folder: str = "") -> Place:
    """Return where a project keeps something, without reading it (but for what is ambiguous or may be empty)."""
    default = _default(root, role, task_folder)
    own = tuple(f"{task_folder}/{name}" for name in FOUR.get(role, ())) if task_folder else ()
    found = [place for place in own if exists(root, place)]
    general = [place for place in PLACES[role] if exists(root, place) and _counts(root, place)]
    if own and role in ("task", "state") and not found:
        # Another task's, or one's from before there were several: not this one's.
        return Place(default, False, ())
    found += general
    if not found:
        return Place(default, False)
    used, *others = found
    return Place(used, True, tuple(other for other in others if not _is_same(root, used, other)))


_KEY = re.compile(r'"([a-z_]+)"\s*:')


def form_of(document: Document) -> StateForm:
    """Return the form of a state by its ending and its keys."""
    if not document.path.endswith(".json"):
        return "markdown"
    keys = set(_KEY.findall(document.text or ""))
    if keys & {"next_steps", "in_progress", "blocked"}:
        return "progress"
    if keys & {"next", "blocked_by", "status"}:
        return "task"
    return "progress" if document.path.endswith("progress.json") else "task"


def is_off(root: Path, place: str) -> bool:
    """Whether a file of init.d is empty: it switches a unit off, and is nothing's home."""
    text = read_whole_document(root, place, 4096).text
    return text is not None and not text.strip("\ufeff \t\r\n")


def _default(root: Path, role: Role, task_folder: str) -> str:
    if role in FOUR:
        name = FOUR[role][0]
        if task_folder:
            return f"{task_folder}/{name}"
        # Four files belong together: a new one goes where the others are.
        others = [other for names in FOUR.values() for other in names if other.endswith(".md")]
        at_root = any(exists(root, other) for other in others)
        if at_root and not any(exists(root, f".agent/{other}") for other in others):
            return name
    return DEFAULTS[role]


def _counts(root: Path, place: str) -> bool:
    if place in AMBIGUOUS:
        return '"current_task"' in (read_whole_document(root, place).text or "")
    return place not in HOMES or not is_off(root, place)


def _is_same(root: Path, one: str, other: str) -> bool:
    """Whether two places are one file: a link at the root to what is in `.agent` is nothing to complain about."""
    try:
        return (root / one).samefile(root / other)
    except OSError:
        return False
