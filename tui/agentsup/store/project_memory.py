"""Read all that a project remembers, wherever it keeps it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from agentsup.core.memory.model import Document, Memory, StateForm
from agentsup.store.documents import (
    DECISIONS_MOST,
    MOST,
    read_document,
    read_last_lines,
    read_whole_document,
    unreached,
)
from agentsup.store.init_units import init_units
from agentsup.store.placements import CURRENT_TASK, HOMES, PLACES, Place, Role, find, form_of
from agentsup.store.structure import structure
from agentsup.store.task_choice import CHOICE_MOST, Tasks, tasks

__all__ = ["places", "read_parts", "read_project", "structure"]


def read_project(root: Path, *, current: str | None = None) -> Memory:
    """Return a project's memory; what can't be read is said in its documents, nothing is raised.

    `current` is the task to read instead of the chosen one, if there is one of that name.
    """
    chosen = tasks(root, current)
    found = places(root, chosen)
    memory = read_parts(root, chosen, found)
    homes = {place.path for place in found.values() if place.exists} | {d for p in found.values() for d in p.doubles}
    doubles = [(place.path, double) for place in found.values() for double in place.doubles]
    return replace(
        memory,
        units=init_units(root, homes & HOMES),
        structure=structure(root),
        task_name=chosen.current,
        task_names=tuple(chosen.folders),
        task_missing=chosen.missing,
        task_unusable=chosen.unusable,
        task_choice=read_document(root, CURRENT_TASK, CHOICE_MOST),
        doubles=(*doubles, *chosen.doubles),
    )


def places(root: Path, chosen: Tasks) -> dict[Role, Place]:
    """Return where each thing of a project is kept, or would be written."""
    return {role: find(root, role, chosen.folder) for role in PLACES}


def read_parts(root: Path, chosen: Tasks, found: dict[Role, Place], most: int | None = None) -> Memory:
    """Return the memory of the found places: those of `found`, the others as if they were missing.

    A file above `most` bytes is not read; without it, of a long one its parts are.
    """
    documents: dict[str, Any] = {}
    form: StateForm = "markdown"
    for role, place in found.items():
        documents[role] = document = _read(root, role, place, most)
        if role == "state":
            form = form_of(document)
    return Memory(state_form=form, task_name=chosen.current, task_names=tuple(chosen.folders), **documents)


def _read(root: Path, role: Role, place: Place, most: int | None) -> Document:
    if not place.exists:
        return unreached(root, place.path)
    if most is not None:
        return read_whole_document(root, place.path, most)
    if role == "operations":
        return read_last_lines(root, place.path)
    if place.path.endswith(".json"):
        return read_whole_document(root, place.path)
    return read_document(root, place.path, DECISIONS_MOST if role == "decisions" else MOST)
